import { type DelegateAct, type DelegateRow, isAtWork } from '../../../protocol/delegate.ts';
import { actRow } from '../blocks/delegate-card.ts';
import { textRows } from '../blocks/prose.ts';
import { FOG, RAIL, type Row } from '../blocks/row.ts';
import { clockTime, plural } from '../figures.ts';
import { piece } from '../piece.ts';

/** One delegate at work: what it was told, all it did since, and a box to speak to it (SA-5, SA-7). */
export interface DelegateModal {
  readonly kind: 'delegate';
  readonly name: string;
  /** Opened from its card. From the list of Ctrl-L it is there to read (decisions, "Talking to a delegate"). */
  readonly speaks: boolean;
  /** Opened from the list, which comes back. */
  readonly fromList: boolean;
  /** Rows one has scrolled back; 0 follows what comes. */
  readonly back: number;
  /** What the session answered when it was asked for more than the View holds, by name. */
  readonly earlier: ReadonlyMap<string, EarlierActs>;
}

export interface EarlierActs {
  /** Acts there had been in all when it answered. */
  readonly total: number;
  readonly acts: readonly DelegateAct[];
}

export function openDelegate(name: string, speaks: boolean, fromList: boolean): DelegateModal {
  return { kind: 'delegate', name, speaks, fromList, back: 0, earlier: new Map() };
}

/** The newest of that name; null where nothing is known of it any more. */
export function delegateOf(rows: readonly DelegateRow[] | undefined, name: string): DelegateRow | null {
  return rows?.findLast((row) => row.name === name) ?? null;
}

/** Those of the same batch, in the order they were started: the tabs (SA-5). */
export function siblingsOf(rows: readonly DelegateRow[] | undefined, one: DelegateRow): readonly DelegateRow[] {
  return (rows ?? []).filter(({ call }) => call === one.call);
}

/** Whether one can speak to it now. */
export function hears(modal: DelegateModal, row: DelegateRow | null): boolean {
  return modal.speaks && row !== null && isAtWork(row);
}

/** Acts that are known, oldest first, and how many before them are not. */
export function knownActs(
  row: Pick<DelegateRow, 'count' | 'acts'>,
  earlier: EarlierActs | undefined,
): { readonly acts: readonly DelegateAct[]; readonly missing: number } {
  const start = row.count - row.acts.length;
  const overlap = earlier === undefined ? -1 : earlier.total - start;
  const acts =
    earlier === undefined || overlap < 0
      ? row.acts
      : [...earlier.acts.slice(0, Math.max(0, earlier.acts.length - overlap)), ...row.acts];
  return { acts, missing: row.count - acts.length };
}

/** The whole timeline as rows: the task, what it did, and how the turn was told it ended (VIEW-7). */
export function delegateRows(row: DelegateRow, earlier: EarlierActs | undefined, width: number): Row[] {
  const options = { width, expanded: true, openKey: '' };
  const { acts, missing } = knownActs(row, earlier);
  const rows: Row[] = [
    ...textRows(row.task, [piece('❯ ', 'accent')], 'said', options),
    { margin: [], line: [], join: '\n', furniture: true },
  ];
  if (missing > 0)
    rows.push({
      margin: [],
      line: [piece(`… ${plural(missing, 'earlier act')}`, 'quiet')],
      join: '\n',
      furniture: true,
    });
  for (const act of acts) {
    if (act.kind !== 'said') rows.push(actRow(act, width));
    else rows.push(...textRows(act.text, act.label?.integrity === 'untrusted' ? [RAIL, FOG] : [RAIL], 'text', options));
  }
  if (isAtWork(row)) return rows;
  const time = row.ended === null ? '' : ` after ${clockTime(row.ended - row.started)}`;
  const words = row.ending === 'reported' ? `reported${time}` : row.ending;
  const role = row.state === 'reported' ? 'good' : row.state === 'failed' ? 'bad' : 'warn';
  return [...rows, ...textRows(words, [piece('── ', 'line')], role, options)];
}
