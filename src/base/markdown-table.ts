import type { Alignment } from './markdown-blocks.ts';
import { parseInline } from './markdown-inline.ts';
import { type Span, type StyledLine, splitSpans } from './styled-line.ts';
import { textWidth } from './text-width.ts';
import { wrapText } from './wrap.ts';

export interface Table {
  readonly align: readonly Alignment[];
  readonly head: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

const BORDER = ' │ ';
/** Narrower columns cannot be read: then each row is told as a list of its cells. */
const NARROWEST = 5;

/** A table in `width` cells: columns side by side where they fit, wrapped cell by cell; else one row after the other. */
export function tableLines(table: Table, width: number): StyledLine[] {
  const head = table.head.map((cell) => cellOf(cell, true));
  const rows = table.rows.map((row) => row.map((cell) => cellOf(cell, false)));
  const widest = head.map((cell, column) => Math.max(cell.width, 1, ...rows.map((row) => row[column]!.width)));
  const room = width - BORDER.length * (head.length - 1);
  const columns = fitColumns(widest, room);
  if (columns === null) return recordLines(head, rows, width);
  const lines = rowLines(head, columns, table.align);
  lines.push(borderLine(columns.map((size) => '─'.repeat(size)).join('─┼─')));
  for (const row of rows) lines.push(...rowLines(row, columns, table.align));
  return lines;
}

interface CellText {
  readonly text: string;
  readonly spans: readonly Span[];
  readonly width: number;
}

function cellOf(source: string, isHead: boolean): CellText {
  const spans = parseInline(source.replace(/<br\s*\/?>/gi, '\n'), isHead ? 'table-head' : 'text').map((span) =>
    isHead ? { ...span, bold: true } : span,
  );
  const text = spans.map((span) => span.text).join('');
  return { text, spans, width: Math.max(...text.split('\n').map(textWidth)) };
}

/** Widths of the columns: narrow ones whole, the others share what is left. Null when they cannot be read. */
function fitColumns(widest: readonly number[], room: number): number[] | null {
  if (widest.reduce((sum, size) => sum + size, 0) <= room) return [...widest];
  if (widest.reduce((sum, size) => sum + Math.min(size, NARROWEST), 0) > room) return null;
  let left = room;
  const fitted = new Array<number>(widest.length).fill(0);
  const order = widest.map((_, column) => column).sort((a, b) => widest[a]! - widest[b]!);
  for (const [place, column] of order.entries()) {
    const share = Math.floor(left / (order.length - place));
    fitted[column] = Math.min(widest[column]!, share);
    left -= fitted[column]!;
  }
  return fitted;
}

function rowLines(cells: readonly CellText[], columns: readonly number[], align: readonly Alignment[]): StyledLine[] {
  const wrapped = cells.map((cell, column) => wrapSpans(cell.text, cell.spans, columns[column]!));
  const height = Math.max(...wrapped.map((rows) => rows.length));
  const lines: StyledLine[] = [];
  for (let row = 0; row < height; row++) {
    const spans: Span[] = [];
    for (const [column, size] of columns.entries()) {
      if (column > 0) spans.push({ text: BORDER, role: 'line', source: ' | ' });
      const content = wrapped[column]![row] ?? [];
      const free = Math.max(0, size - content.reduce((sum, span) => sum + textWidth(span.text), 0));
      const before = align[column] === 'right' ? free : align[column] === 'center' ? Math.floor(free / 2) : 0;
      if (before > 0) spans.push(blanks(before));
      spans.push(...content);
      if (free > before && column < columns.length - 1) spans.push(blanks(free - before));
    }
    lines.push({ margin: [], spans, join: '\n', fill: null });
  }
  return lines;
}

function recordLines(head: readonly CellText[], rows: readonly (readonly CellText[])[], width: number): StyledLine[] {
  const lines: StyledLine[] = [];
  for (const [index, row] of rows.entries()) {
    if (index > 0) lines.push(borderLine('─'.repeat(Math.min(width, 12))));
    for (const [column, cell] of row.entries()) {
      const label = head[column]!;
      const spans: Span[] =
        label.text === '' ? [...cell.spans] : [...label.spans, { text: ': ', role: 'table-head' }, ...cell.spans];
      const text = spans.map((span) => span.text).join('');
      for (const rowSpans of wrapSpans(text, spans, width))
        lines.push({ margin: [], spans: rowSpans, join: '\n', fill: null });
    }
  }
  if (rows.length === 0)
    lines.push(...head.map((cell): StyledLine => ({ margin: [], spans: cell.spans, join: '\n', fill: null })));
  return lines;
}

function wrapSpans(text: string, spans: readonly Span[], width: number): Span[][] {
  return splitSpans(spans, wrapText(text, width));
}

function borderLine(text: string): StyledLine {
  return { margin: [], spans: [{ text, role: 'line' }], join: '\n', fill: null };
}

function blanks(count: number): Span {
  return { text: ' '.repeat(count), role: 'text' };
}
