import type { Draft } from '../../protocol/intent.ts';
import type { ClientId } from '../../protocol/session.ts';
import type { Drafts } from '../journal/drafts.ts';

/**
 * What a client finds in its box: its own draft, else the newest one of a client that is gone, which then becomes its
 * own (UP-14). A draft that somebody is still writing is nobody else's.
 */
export async function findDraft(
  drafts: Drafts,
  client: ClientId,
  isHere: (client: ClientId) => boolean,
): Promise<Draft | null> {
  const own = await drafts.get(client);
  if (own !== null) return own;
  const newest = await drafts.newest();
  if (newest === null || newest.client === client || isHere(newest.client)) return null;
  drafts.set(newest.client, null);
  drafts.set(client, newest.draft);
  return newest.draft;
}
