import { ROUNDS } from '../tools/delegate-rounds.ts';
import type { DelegateKind, DelegateOrder, Tool } from '../tools/tool.ts';

/** Delegates stand at most this deep below the session's own turn (DEL-3). */
export const MOST_DEPTH = 3;
/** Started in one turn, over the whole tree. */
export const MOST_A_TURN = 32;

/** Rounds after which this one is asked for its report. */
export function roundsOf({ kind, profile }: Pick<DelegateOrder, 'kind' | 'profile'>): number {
  return profile?.rounds ?? ROUNDS[kind];
}

const RANKS: Readonly<Record<DelegateKind, number>> = { reader: 0, checker: 1, worker: 2 };

/** What a delegate holds: what its kind may, its parent does and its definition names (DEL-3), fixed before it starts (SEC-35). */
export function heldTools(
  { kind, profile }: Pick<DelegateOrder, 'kind' | 'profile'>,
  parent: readonly Tool[],
  depth: number,
): readonly Tool[] {
  const named = profile?.tools ?? null;
  return parent.filter(
    ({ name, heldBy, needs }) =>
      heldBy !== undefined &&
      RANKS[heldBy] <= RANKS[kind] &&
      (needs !== 'delegates' || depth < MOST_DEPTH) &&
      (named === null || named.includes(name)),
  );
}
