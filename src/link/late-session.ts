import type { Outcome, Refusal } from '../base/refusal.ts';
import type { Intent, Sent } from '../protocol/intent.ts';
import type { Answered, Queries, QueryType } from '../protocol/query.ts';
import type { Attachment, AttachOptions, ClientId, Session } from '../protocol/session.ts';
import type { Update } from '../protocol/update.ts';

/**
 * A session for any number of clients that may not be there yet. Attachments and intents wait and are handed on in the
 * order they came; when there will be no session, intents and queries are refused with its reason.
 */
export function createLateSession(opening: Promise<Outcome<Session>>): Session {
  const waiting: { intent: Intent; client: ClientId; answer: (sent: Sent | Promise<Sent>) => void }[] = [];
  const attachments = new Set<LateAttachment>();
  let there: Session | null = null;
  let refusal: Refusal | null = null;

  const settled = opening.then((outcome) => {
    if (!outcome.ok) {
      refusal = outcome.refusal;
      for (const attachment of attachments) attachment.end('lost');
      for (const { answer } of waiting) answer({ accepted: false, refusal });
    } else {
      there = outcome.value;
      for (const attachment of attachments) attachment.start(there);
      for (const { intent, client, answer } of waiting) answer(there.send(intent, client));
    }
    attachments.clear();
    waiting.length = 0;
    return outcome;
  });

  return {
    attach(options, listener) {
      if (there !== null) return there.attach(options, listener);
      const late = attachLater(options, listener);
      if (refusal !== null) late.end('lost');
      else attachments.add(late);
      return late;
    },
    send(intent, client) {
      if (there !== null) return there.send(intent, client);
      if (refusal !== null) return Promise.resolve({ accepted: false, refusal });
      const { promise, resolve } = Promise.withResolvers<Sent>();
      waiting.push({ intent, client, answer: resolve });
      return promise;
    },
    async read<K extends QueryType>(
      query: { readonly type: K } & Readonly<Queries[K]['ask']>,
      client?: ClientId,
    ): Promise<Answered<K>> {
      const outcome = await settled;
      return outcome.ok ? outcome.value.read<K>(query, client) : { ok: false, refusal: outcome.refusal };
    },
  };
}

interface LateAttachment extends Attachment {
  start(session: Session): void;
  end(reason: 'lost'): void;
}

function attachLater(options: AttachOptions, listener: (update: Update) => void): LateAttachment {
  const { promise, resolve } = Promise.withResolvers<'closed-here' | 'ended' | 'lost'>();
  let real: Attachment | null = null;
  let over = false;
  return {
    start(session) {
      if (over) return;
      real = session.attach(options, listener);
      void real.closed.then(resolve);
    },
    end(reason) {
      over = true;
      resolve(reason);
    },
    close() {
      over = true;
      if (real !== null) real.close();
      else resolve('closed-here');
    },
    closed: promise,
  };
}
