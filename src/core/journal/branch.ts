import { ENTRY_CLASSES, type EntryId, type EntryKind } from '../../protocol/entry.ts';
import type { Journal } from './journal.ts';

/** The kinds that stand on a branch and move the leaf. */
export const BRANCH_KINDS = (Object.keys(ENTRY_CLASSES) as EntryKind[]).filter(
  (kind) => ENTRY_CLASSES[kind].place === 'branch',
);

/** What walking needs: any journal, or an index read without opening one. */
export type Walkable = Pick<Journal, 'kindOf' | 'parentOf'>;

/** Length of the beginning two branches share. Branches are paths in a tree: equal at one place means equal before it. */
export function sharedLength(one: readonly EntryId[], other: readonly EntryId[]): number {
  let low = 0;
  let high = Math.min(one.length, other.length);
  if (high > 0 && one[high - 1] === other[high - 1]) return high;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (one[middle] === other[middle]) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The nearest entry at or below `id` for which `wanted` holds; null when the root is passed. */
export function nearest(
  journal: Walkable,
  id: EntryId | null,
  wanted: (kind: string, id: EntryId) => boolean,
): EntryId | null {
  for (let at = id; at !== null; at = journal.parentOf(at)) {
    const kind = journal.kindOf(at);
    if (kind !== null && wanted(kind, at)) return at;
  }
  return null;
}

/** Children of every entry among `ids` (in file order), each list in file order; the roots stand under null. */
export function childrenOf(journal: Walkable, ids: readonly EntryId[]): Map<EntryId | null, EntryId[]> {
  const children = new Map<EntryId | null, EntryId[]>();
  for (const id of ids) {
    const parent = journal.parentOf(id);
    const known = children.get(parent);
    if (known === undefined) children.set(parent, [id]);
    else known.push(id);
  }
  return children;
}
