import type { Intent, Sent } from '../../protocol/intent.ts';
import type { ClientId } from '../../protocol/session.ts';
import type { Publisher } from './publish.ts';

/** Which window a person used last: what one window alone is to say, that one says. */
export interface LatestWindow {
  /** The one used last among those that are here and have a box to type in; `otherwise` where none is known and it is here. */
  of(otherwise: ClientId): ClientId | null;
  watching(
    send: (intent: Intent, client: ClientId) => Promise<Sent>,
  ): (intent: Intent, client: ClientId) => Promise<Sent>;
}

/** What a front end tells by itself: a person pressed no key for it. */
const BY_ITSELF: ReadonlySet<Intent['type']> = new Set(['seen', 'command-done', 'job-size']);
/** Only a box to type in has a draft. */
const TYPED: ReadonlySet<Intent['type']> = new Set(['draft', 'draft-edit']);
const MOST = 64;

export function createLatestWindow(publisher: Pick<Publisher, 'attached'>): LatestWindow {
  /** Whether it has an editor, newest use last. */
  const used = new Map<ClientId, boolean>();

  const isHere = (client: ClientId): boolean => publisher.attached(client).some(({ readOnly }) => !readOnly);

  return {
    of: (otherwise) =>
      [...used].findLast(([client, hasEditor]) => hasEditor && isHere(client))?.[0] ??
      (isHere(otherwise) ? otherwise : null),
    watching: (send) => (intent, client) => {
      if (!BY_ITSELF.has(intent.type)) {
        const hasEditor = used.get(client) === true || TYPED.has(intent.type);
        used.delete(client);
        used.set(client, hasEditor);
        const [oldest] = used.keys();
        if (used.size > MOST && oldest !== undefined) used.delete(oldest);
      }
      return send(intent, client);
    },
  };
}
