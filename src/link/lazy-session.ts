import { type Outcome, refuse } from '../base/refusal.ts';
import type { Intent, Sent } from '../protocol/intent.ts';
import type { LinkedSession, LinkState } from '../protocol/link.ts';
import type { Answered, Query, QueryType } from '../protocol/query.ts';
import type { ClientId } from '../protocol/session.ts';
import { internal, type Report } from './guard-session.ts';
import { createLateSession } from './late-session.ts';
import { createListeners } from './listeners.ts';
import { createOutbox } from './outbox.ts';

/**
 * One client's session that may not be there yet, so that the first frame waits for nothing. What is sent meanwhile
 * counts as unanswered (a `say` among it is not saved yet) and is handed on in order when the session comes; when it
 * does not, each is refused with the reason, for the front end to put the words back into the box.
 */
export function createLazySession(
  opening: Promise<Outcome<LinkedSession>>,
  client: ClientId,
  report: Report,
): LinkedSession {
  const listeners = createListeners<void>((error) => report(`a link listener failed: ${String(error)}`));
  const outbox = createOutbox(() => listeners.call());
  const givenUp = Promise.withResolvers<Outcome<LinkedSession>>();
  let inner: LinkedSession | null = null;
  let closed: LinkState | null = null;

  const opened = opening.catch((error: unknown) => ({
    ok: false as const,
    refusal: internal('opening the session failed', error, report),
  }));
  const first = Promise.race([givenUp.promise, opened]);
  const late = createLateSession(first);
  void first.then((outcome) => {
    if (outcome.ok) {
      inner = outcome.value;
      inner.onLinkChange(() => listeners.call());
    } else {
      closed ??= { phase: 'closed', because: 'lost', refusal: outcome.refusal };
    }
    listeners.call();
  });
  void opened.then((outcome) => {
    // Closed before it came: nobody is interested any more.
    if (closed !== null && outcome.ok) void outcome.value.close();
  });

  return {
    client,
    get state() {
      return closed ?? inner?.state ?? { phase: 'opening' };
    },
    get unanswered() {
      return outbox.intents;
    },
    onLinkChange: (listener) => listeners.add(listener),
    attach: (options, listener) => late.attach({ ...options, client }, listener),
    send(intent: Intent): Promise<Sent> {
      const { waiting, answer } = outbox.add(intent);
      waiting.sends = 1;
      void late.send(intent, client).then((sent) => outbox.settle(waiting, sent));
      return answer;
    },
    read<K extends QueryType>(query: { readonly type: K }): Promise<Answered<K>> {
      return late.read(query as unknown as Query, client) as Promise<Answered<K>>;
    },
    async close() {
      if (inner !== null) return inner.close();
      closed ??= { phase: 'closed', because: 'closed-here', refusal: null };
      givenUp.resolve(refuse('closed', 'the session was closed before it was open'));
    },
  };
}
