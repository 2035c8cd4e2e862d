import type { Intent, Sent } from '../protocol/intent.ts';
import type { LinkedSession, LinkState } from '../protocol/link.ts';
import type { Answered, Query, QueryType } from '../protocol/query.ts';
import type { Attachment, ClientId, Session } from '../protocol/session.ts';
import { type Report, readGuarded, sendGuarded } from './guard-session.ts';
import { createListeners } from './listeners.ts';
import { createOutbox } from './outbox.ts';

export interface InProcessOptions {
  readonly client: ClientId;
  /** Told when the client left: what was asked of it alone resolves to nothing. */
  readonly onClientLost?: (client: ClientId) => void;
  /** May look and no more, whatever it attaches as. */
  readonly readOnly?: boolean;
  readonly report: Report;
}

/** The session itself, in the same process: calls go straight through; errors on either side stay on that side. */
export function linkInProcess(session: Session, options: InProcessOptions): LinkedSession {
  const { client, report } = options;
  const listeners = createListeners<void>((error) => report(`a link listener failed: ${String(error)}`));
  const outbox = createOutbox(() => listeners.call());
  const attachments = new Set<Attachment>();
  let state: LinkState = { phase: 'connected' };
  let readOnly = options.readOnly ?? false;

  return {
    client,
    get state() {
      return state;
    },
    get unanswered() {
      return outbox.intents;
    },
    onLinkChange: (listener) => listeners.add(listener),
    attach(attach, listener) {
      readOnly = options.readOnly ?? attach.readOnly ?? false;
      const inner = session.attach({ ...attach, client, readOnly }, (update) => {
        try {
          listener(update);
        } catch (error) {
          report(`an update listener failed: ${String(error)}`);
        }
      });
      attachments.add(inner);
      inner.closed.then((reason) => {
        attachments.delete(inner);
        // The link is the session's: it outlives a side conversation.
        if (reason !== 'ended' || attach.side === true || state.phase === 'closed') return;
        state = { phase: 'closed', because: 'ended', refusal: null };
        listeners.call();
      });
      return inner;
    },
    send(intent: Intent): Promise<Sent> {
      const { waiting, answer } = outbox.add(intent);
      waiting.sends = 1;
      void sendGuarded(session, intent, { client, readOnly }, report).then((sent) => outbox.settle(waiting, sent));
      return answer;
    },
    read<K extends QueryType>(query: { readonly type: K }): Promise<Answered<K>> {
      return readGuarded(session, query as unknown as Query, client, report) as Promise<Answered<K>>;
    },
    async close() {
      if (state.phase !== 'closed') state = { phase: 'closed', because: 'closed-here', refusal: null };
      for (const attachment of [...attachments]) attachment.close();
      options.onClientLost?.(client);
      listeners.call();
    },
  };
}
