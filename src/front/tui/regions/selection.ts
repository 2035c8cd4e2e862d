import { eachCluster } from '../../../base/graphemes.ts';
import { textWidth, widthInText } from '../../../base/text-width.ts';
import type { View } from '../../../protocol/view.ts';
import type { Row } from '../blocks/row.ts';
import { type Line, plainText } from '../piece.ts';
import type { CardList, Place } from './card-list.ts';

/** A cell of the transcript's text: `column` counts from the end of the row's margin. */
export interface Point extends Place {
  readonly column: number;
}

/** What a drag covers, from where it began to where it is. */
export interface Selection {
  readonly from: Point;
  readonly to: Point;
}

export function comparePoints(a: Point, b: Point): number {
  return a.index - b.index || a.row - b.row || a.column - b.column;
}

export function ordered(selection: Selection): Selection {
  return comparePoints(selection.from, selection.to) <= 0 ? selection : { from: selection.to, to: selection.from };
}

export function isEmpty(selection: Selection): boolean {
  return comparePoints(selection.from, selection.to) === 0;
}

/** Columns of a row that are selected, [from, to); null when none is. Furniture is never selected. */
export function selectedColumns(selection: Selection, place: Place, row: Row): { from: number; to: number } | null {
  if (row.furniture) return null;
  const { from, to } = ordered(selection);
  const beforeStart = place.index < from.index || (place.index === from.index && place.row < from.row);
  const afterEnd = place.index > to.index || (place.index === to.index && place.row > to.row);
  if (beforeStart || afterEnd) return null;
  const first = place.index === from.index && place.row === from.row ? from.column : 0;
  const last = place.index === to.index && place.row === to.row ? to.column : Number.POSITIVE_INFINITY;
  const width = textWidth(plainText(row.line));
  return { from: Math.min(first, width), to: Math.min(last, width) };
}

/**
 * The source text under a selection: no border, no margin, no padding, no newline that only a wrap made (UP-17).
 * Cards are apart by one empty line.
 */
export function selectedText(view: View, cards: CardList, selection: Selection): string {
  const { from, to } = ordered(selection);
  let text = '';
  let join = '';
  for (let index = from.index; index <= Math.min(to.index, cards.count(view) - 1); index++) {
    const rows = cards.rowsAt(view, index);
    for (const [number, row] of rows.entries()) {
      const place = { index, row: number };
      const columns = row === null ? null : selectedColumns({ from, to }, place, row);
      if (row === null || columns === null) continue;
      const whole = plainText(row.line);
      const all = columns.from === 0 && columns.to >= textWidth(whole);
      text += join + (all ? (row.source ?? sourceOf(row.line)) : sliceSource(row, columns.from, columns.to));
      join = row.join;
    }
    if (join !== '') join = '\n\n';
  }
  return text;
}

function sourceOf(line: Line): string {
  return line.map((each) => each.source ?? each.text).join('');
}

/** The source of what stands in columns `from` to `to` of a row: a tab that is only half in counts as in, a mark stands for what was written. */
export function sliceSource(row: Pick<Row, 'line' | 'source'>, from: number, to: number): string {
  if (row.source !== undefined) return sliceColumns(row.source, from, to);
  let column = 0;
  let slice = '';
  for (const { text, source } of row.line) {
    const width = textWidth(text);
    if (source === undefined) slice += sliceColumns(text, from - column, to - column);
    else if (column + width > from && column < to) slice += source;
    column += width;
  }
  return slice;
}

/** The clusters of `text` that stand in columns `from` to `to`; one that is only half in counts as in. */
export function sliceColumns(text: string, from: number, to: number): string {
  let column = 0;
  let slice = '';
  eachCluster(text, (cluster) => {
    const width = widthInText(cluster, column);
    if (column + width > from && column < to) slice += cluster;
    column += width;
    return column < to;
  });
  return slice;
}

const WORD = /^[\p{L}\p{N}\p{M}_]/u;

/** Columns of the word at `column` of a drawn row, or of the one cluster there that is no letter (a double click). */
export function wordColumns(line: Line, column: number): { readonly from: number; readonly to: number } {
  const cells: { from: number; to: number; word: boolean }[] = [];
  let at = 0;
  eachCluster(plainText(line), (cluster) => {
    const to = at + textWidth(cluster);
    cells.push({ from: at, to, word: WORD.test(cluster) });
    at = to;
    return undefined;
  });
  const hit = cells.findIndex((cell) => column < cell.to);
  if (hit < 0) return { from: at, to: at };
  let [first, last] = [hit, hit];
  while (cells[hit]!.word && cells[first - 1]?.word) first--;
  while (cells[hit]!.word && cells[last + 1]?.word) last++;
  return { from: cells[first]!.from, to: cells[last]!.to };
}

/** The rows of the source line that row `row` is part of: those that only a wrap parted (a triple click). */
export function lineRows(rows: readonly (Row | null)[], row: number): { readonly from: number; readonly to: number } {
  let [from, to] = [row, row];
  while (goesOn(rows[from - 1])) from--;
  while (goesOn(rows[to])) to++;
  return { from, to };
}

function goesOn(row: Row | null | undefined): boolean {
  return row !== null && row !== undefined && !row.furniture && !row.join.includes('\n');
}
