import type { DelegateKind, Tool } from '../tools/tool.ts';

/** Delegates stand at most this deep below the session's own turn (DEL-3). */
export const MOST_DEPTH = 3;
/** Started in one turn, over the whole tree. */
export const MOST_A_TURN = 32;

const RANKS: Readonly<Record<DelegateKind, number>> = { reader: 0, checker: 1, worker: 2 };

/** What a delegate holds: what its kind may and its parent does, fixed before it starts (SEC-35). */
export function heldTools(kind: DelegateKind, parent: readonly Tool[], depth: number): readonly Tool[] {
  return parent.filter(
    ({ heldBy, needs }) =>
      heldBy !== undefined && RANKS[heldBy] <= RANKS[kind] && (needs !== 'delegates' || depth < MOST_DEPTH),
  );
}
