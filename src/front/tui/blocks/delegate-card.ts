import { cutToWidth, textWidth } from '../../../base/text-width.ts';
import { type DelegateAct, type DelegateRow, isAtWork } from '../../../protocol/delegate.ts';
import { modelText } from '../model-text.ts';
import { oneLine } from '../one-line.ts';
import { facts, type Line, type Piece, piece } from '../piece.ts';
import { type BlockOptions, type DelegateBatch, FOG, INDENT, RAIL, type Row, type Spot } from './row.ts';

/** What a click on the card means: `choose d2`, `view d2`. */
export const CHOOSE = 'choose ';
export const VIEW = 'view ';
const VIEW_WORDS = '[View Subagent ↗]';

/** Under the head of a call at work: how many are how far, a chip for each, and what the chosen one is at (SA-1, SA-3). */
export function delegateCardRows({ rows, chosen, limit }: DelegateBatch, options: BlockOptions): Row[] {
  const one = rows.find(({ name }) => name === chosen) ?? rows[0];
  if (one === undefined) return [];
  const width = Math.max(8, options.width - 2);
  return [
    countsRow(rows, one),
    ...chipRows(rows, one, width),
    ...whoRows(one, width),
    ...one.acts.slice(-limit).map((act) => actRow(act, width)),
  ];
}

/** A bare kind has no name of its own; a definition has. */
export function chipName({ name, agent }: Pick<DelegateRow, 'name' | 'agent'>): string {
  return agent ?? name;
}

export function delegateMark(row: Pick<DelegateRow, 'state'>): Piece {
  switch (row.state) {
    case 'running':
      return piece('◌', 'signal');
    case 'reported':
      return piece('✓', 'good');
    case 'failed':
      return piece('✗', 'bad');
    case 'stopped':
      return piece('■', 'warn');
  }
}

function countsRow(rows: readonly DelegateRow[], one: DelegateRow): Row {
  const of = (state: DelegateRow['state']): number => rows.filter((row) => row.state === state).length;
  const waiting = rows.filter((row) => isAtWork(row) && row.count === 0).length;
  const failed = of('failed') + of('stopped');
  const words = facts([
    [piece(`${rows.filter((row) => !isAtWork(row)).length} of ${rows.length} settled`, 'text')],
    [piece(`${of('running') - waiting} running`, 'quiet')],
    [piece(`${failed} failed`, failed > 0 ? 'bad' : 'quiet')],
    [piece(`${waiting} waiting`, 'quiet')],
  ]);
  return {
    margin: [INDENT],
    line: words,
    join: '\n',
    furniture: true,
    right: [piece(VIEW_WORDS, 'accent')],
    rightAction: `${VIEW}${one.name}`,
  };
}

/** As many on a row as there is room for. */
function chipRows(rows: readonly DelegateRow[], one: DelegateRow, width: number): Row[] {
  const lines: { line: Piece[]; spots: Spot[]; used: number }[] = [];
  for (const row of rows) {
    const isChosen = row.name === one.name;
    const label = cutToWidth(`${isChosen ? '▸' : ' '}${oneLine(chipName(row))} `, Math.max(4, width - 3));
    const size = textWidth(label) + 1;
    let last = lines.at(-1);
    if (last === undefined || (last.used > 0 && last.used + 2 + size > width)) {
      last = { line: [], spots: [], used: 0 };
      lines.push(last);
    }
    if (last.used > 0) {
      last.line.push(piece('  ', 'text'));
      last.used += 2;
    }
    last.line.push(piece(label, isChosen ? 'accent' : 'text'), delegateMark(row));
    last.spots.push({ from: last.used, to: last.used + size, action: `${CHOOSE}${row.name}` });
    last.used += size;
  }
  return lines.map(({ line, spots }): Row => ({ margin: [INDENT], line, join: '\n', furniture: true, spots }));
}

/** Who it is, what it runs on and what it was told. */
function whoRows(one: DelegateRow, width: number): Row[] {
  const model: Line = one.model === null ? [] : [piece(modelText(one.model, one.effort), 'quiet')];
  const named: Line = [
    piece(one.agent === null ? `${one.name} ${one.kind}` : `${one.name} ${one.agent}, ${one.kind}`, 'quiet'),
  ];
  const told = one.task.split('\n').filter((line) => line.trim() !== '');
  const last = told.length > 1 ? `${told[0]} … ${told.at(-1)}` : (told[0] ?? '');
  return [
    { margin: [INDENT], line: facts([named, model]), join: '\n', furniture: true },
    { margin: [INDENT], line: [piece(cutToWidth(oneLine(last), width), 'text')], join: '\n', furniture: true },
  ];
}

const ACT_MARKS: Readonly<Record<DelegateAct['kind'], Piece>> = {
  call: piece('', 'quiet'),
  refused: piece('⊘ ', 'warn'),
  said: piece('', 'text'),
  told: piece('❯ ', 'accent'),
  sleep: piece('☾ ', 'quiet'),
};

/** One thing it did, in one row; behind the fog where nobody vouched for the words (SEC-40). */
export function actRow({ kind, text, label }: DelegateAct, width: number): Row {
  const fogged = label?.integrity === 'untrusted';
  const mark = ACT_MARKS[kind];
  return {
    margin: [INDENT, RAIL, ...(fogged ? [FOG] : []), ...(mark.text === '' ? [] : [mark])],
    line: [piece(cutToWidth(oneLine(text), Math.max(4, width - 6)), kind === 'call' ? 'quiet' : 'text')],
    join: '\n',
  };
}
