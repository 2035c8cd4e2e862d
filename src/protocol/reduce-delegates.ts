import { ACTS_SHOWN, DELEGATES_KEPT, type DelegateRow } from './delegate.ts';
import { findCall } from './fold.ts';
import type { Change } from './update.ts';
import type { View } from './view.ts';

/** Rows are replaced, never changed: who drew one can tell by looking at it whether it is another by now. */
export function applyDelegate(view: View, change: Extract<Change, { type: 'delegate' | 'delegate-act' }>): void {
  const rows = view.delegates ?? [];
  const name = change.type === 'delegate' ? change.delegate.name : change.name;
  // Names are counted on over a session: the newest of one name is meant.
  const at = rows.findLastIndex((row) => row.name === name);
  const before = rows[at];
  const next = change.type === 'delegate' ? told(before, change.delegate) : acted(before, change.act);
  if (next === null) return;
  view.delegates = before === undefined ? withNew(rows, next).slice(-DELEGATES_KEPT) : rows.with(at, next);
  const card = view.transcript.items[findCall(view.transcript.items, next.call)];
  if (card !== undefined) card.revision++;
}

/** Those of one batch begin in the same moment, in any order: they stand in the order of their numbers. */
function withNew(rows: readonly DelegateRow[], next: DelegateRow): DelegateRow[] {
  const number = numberIn(next);
  const before = rows.findIndex((row) => row.call === next.call && number !== null && (numberIn(row) ?? 0) > number);
  return before < 0 ? [...rows, next] : rows.toSpliced(before, 0, next);
}

/** Of one that the session's own turn started; null for those below. */
function numberIn({ name }: DelegateRow): number | null {
  const number = /^d(\d+)$/.exec(name)?.[1];
  return number === undefined ? null : Number(number);
}

function told(before: DelegateRow | undefined, row: Omit<DelegateRow, 'acts' | 'count'>): DelegateRow {
  return { ...row, acts: before?.acts ?? [], count: before?.count ?? 0 };
}

function acted(before: DelegateRow | undefined, act: DelegateRow['acts'][number]): DelegateRow | null {
  if (before === undefined) return null;
  return { ...before, count: before.count + 1, acts: [...before.acts, act].slice(-ACTS_SHOWN) };
}
