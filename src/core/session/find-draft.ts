import type { EntryOf } from '../../protocol/entry.ts';
import type { Draft } from '../../protocol/intent.ts';
import type { ClientId } from '../../protocol/session.ts';
import { SystemError } from '../../system/files.ts';
import type { Drafts } from '../journal/drafts.ts';
import type { Journal } from '../journal/journal.ts';

/**
 * What a client finds in its box: its own draft, else the newest one of a client that is gone, which then becomes its
 * own (UP-14). A draft that somebody is still writing is nobody else's.
 */
export async function findDraft(
  drafts: Drafts,
  journal: Pick<Journal, 'ofKind' | 'load'>,
  client: ClientId,
  isHere: (client: ClientId) => boolean,
): Promise<Draft | null> {
  const own = await drafts.get(client);
  if (own !== null && !(await forgetSaid(drafts, journal, client, own))) return own;
  for (let left = await drafts.newest(); left !== null; left = await drafts.newest()) {
    if (left.client === client || isHere(left.client)) return null;
    if (await forgetSaid(drafts, journal, left.client, left.draft)) continue;
    drafts.set(left.client, null);
    drafts.set(client, left.draft);
    return left.draft;
  }
  return null;
}

/** What is said is no draft any more, whether or not the client that said it lived to say so. */
export async function draftSaid(drafts: Drafts, client: ClientId, said: Said): Promise<void> {
  const held = await drafts.get(client);
  if (held !== null && isJust(held, said)) drafts.set(client, null);
}

type Said = Pick<EntryOf<'input'>, 'text' | 'delivery'>;

/** Inputs looked at: others may have been said meanwhile, by other clients and by jobs. */
const LOOKED_AT = 32;

/** A process that died between writing down what was said and forgetting its draft left both: true where that was so. */
async function forgetSaid(
  drafts: Drafts,
  journal: Pick<Journal, 'ofKind' | 'load'>,
  client: ClientId,
  draft: Draft,
): Promise<boolean> {
  const left = await drafts.leftAt(client);
  if (left === null) return false;
  const inputs = await journal.load(journal.ofKind('input').slice(-LOOKED_AT)).catch(unreadable);
  // What was typed again afterwards is a draft, be it the same words.
  const said = inputs.some(
    (entry) => entry.kind === 'input' && entry.client === client && entry.time >= left && isJust(draft, entry),
  );
  if (said) drafts.set(client, null);
  return said;
}

function isJust(draft: Draft, { text, delivery }: Said): boolean {
  return draft.folded.length === 0 && draft.shell === (delivery === 'shell') && draft.text === text;
}

function unreadable(error: unknown): [] {
  if (error instanceof SystemError) return [];
  throw error;
}
