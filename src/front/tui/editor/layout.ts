import { eachCluster } from '../../../base/graphemes.ts';
import { widthInText } from '../../../base/text-width.ts';
import { type Fill, fillRow } from '../../../base/wrap.ts';
import type { Text } from './text.ts';

export interface Place {
  readonly row: number;
  readonly column: number;
}

/**
 * In a huge line without blanks a change would move every row below it. After so many rows one is ended early, where an
 * old row began: it takes up what the change moved, and all rows below stay as they were.
 */
const LONGEST_REWRAP = 48;

/**
 * A text as visual rows. One column stays free at the right, so that a caret behind a full row has a cell. Offsets and
 * cells map both ways; the cost of a query depends on the width, not on the text.
 */
export class Layout {
  readonly text: Text;
  readonly width: number;
  /** Where each row starts. */
  readonly #starts: Int32Array;

  private constructor(text: Text, width: number, starts: Int32Array) {
    this.text = text;
    this.width = width;
    this.#starts = starts;
  }

  static of(text: Text, width: number): Layout {
    const starts: number[] = [];
    const whole = text.toString();
    let at = 0;
    for (;;) {
      starts.push(at);
      const next = nextStart(whole, at, width);
      if (next < 0) return new Layout(text, width, Int32Array.from(starts));
      at = next;
    }
  }

  /** The layout of a changed text: only rows near the change are wrapped again. */
  changed(text: Text): Layout {
    if (text === this.text) return this;
    const old = this.#starts;
    const prefix = this.text.commonStart(text);
    const suffix = this.text.commonEnd(text, prefix);
    const delta = text.length - this.text.length;
    // A change can pull a word back to the row above it, and a joined cluster one row more.
    const firstRow = Math.max(0, this.rowOf(prefix) - 2);
    const fresh: number[] = [];
    const reader = new RowReader(text, this.width);
    let at = old[firstRow]!;
    let row = firstRow;
    let behind = 0;
    for (;;) {
      while (row < old.length && old[row]! + delta < at) row++;
      if (at >= text.length - suffix && row < old.length && old[row]! + delta === at) break;
      fresh.push(at);
      let next = reader.nextStart(at);
      if (at >= text.length - suffix && ++behind > LONGEST_REWRAP) next = this.#oldStartIn(at, next, delta) ?? next;
      if (next < 0) {
        row = old.length;
        break;
      }
      at = next;
    }
    const starts = new Int32Array(firstRow + fresh.length + old.length - row);
    starts.set(old.subarray(0, firstRow));
    starts.set(fresh, firstRow);
    const offset = firstRow + fresh.length - row;
    for (let i = row; i < old.length; i++) starts[offset + i] = old[i]! + delta;
    return new Layout(text, this.width, starts);
  }

  /** The last old row start, moved by `delta`, behind `at` and not past `next` (negative: the end). */
  #oldStartIn(at: number, next: number, delta: number): number | null {
    const limit = next < 0 ? this.text.length + delta : next;
    const start = this.#starts[this.rowOf(limit - delta)]! + delta;
    return start > at && start <= limit ? start : null;
  }

  get rowCount(): number {
    return this.#starts.length;
  }

  from(row: number): number {
    return this.#starts[row]!;
  }

  /** End of what is drawn on the row: before its newline. */
  to(row: number): number {
    const next = this.#starts[row + 1];
    if (next === undefined) return this.text.length;
    return this.text.charCodeAt(next - 1) === 0x0a ? next - 1 : next;
  }

  /** The row that holds `offset`; at a soft break it is the lower one. */
  rowOf(offset: number): number {
    let low = 0;
    let high = this.#starts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.#starts[middle]! <= offset) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  place(offset: number): Place {
    const row = this.rowOf(offset);
    let column = 0;
    this.#eachCell(row, (cluster, at, width) => {
      if (at + cluster.length > offset) return false;
      column += width;
      return undefined;
    });
    return { row, column };
  }

  /** The start of the cluster whose cells hold `column`; past the end of the row, the last place a caret has on it. */
  offsetAt(row: number, column: number): number {
    const inside = Math.max(0, Math.min(row, this.rowCount - 1));
    const end = this.to(inside);
    let found = end;
    let used = 0;
    let last = this.from(inside);
    this.#eachCell(inside, (_, at, width) => {
      last = at;
      used += width;
      if (used <= column) return undefined;
      found = at;
      return false;
    });
    // The end of a softly broken row already belongs to the next one.
    return found === end && this.#starts[inside + 1] === end ? last : found;
  }

  /** Visits what stands on a row: each cluster, its offset and its cells. */
  #eachCell(row: number, visit: (cluster: string, offset: number, width: number) => false | undefined): void {
    const from = this.from(row);
    let column = 0;
    eachCluster(this.text.slice(from, this.to(row)), (cluster, offset) => {
      const width = widthInText(cluster, column);
      column += width;
      return visit(cluster, from + offset, width);
    });
  }
}

/** Keeps the last layout, so that the next one costs only what changed. One for each editor. */
export class LayoutCache {
  #last: Layout | null = null;

  of(text: Text, width: number): Layout {
    const usable = Math.max(1, width - 1);
    if (this.#last === null || this.#last.width !== usable) this.#last = Layout.of(text, usable);
    else this.#last = this.#last.changed(text);
    return this.#last;
  }
}

/** The first of at most `rows` visible rows, moved from `previous` no more than needed to show the caret's row. */
export function visibleTop(layout: Layout, caretRow: number, rows: number, previous: number): number {
  const last = Math.max(0, layout.rowCount - rows);
  return Math.max(0, Math.min(Math.max(Math.min(previous, caretRow), caretRow - rows + 1), last));
}

const fill: Fill = { end: 0, next: 0 };

/** A row is read from so much text at once, and begun anew nearer to its end than half of that. UTF-16 units. */
const WINDOW = 32 * 1024;

/** Finds rows one after the other in a long text, reading only what lies near them. */
class RowReader {
  readonly #text: Text;
  readonly #width: number;
  /** A part of the text that ends at a line's end, or far behind the rows read from it. */
  #window = '';
  #from = 0;
  #trusted = 0;

  constructor(text: Text, width: number) {
    this.#text = text;
    this.#width = width;
  }

  /** Start of the row after the one that starts at `at`; -1 when it is the last. */
  nextStart(at: number): number {
    if (at < this.#from || at >= this.#trusted) this.#read(at, WINDOW);
    for (let size = WINDOW; ; size *= 4) {
      const next = nextStart(this.#window, at - this.#from, this.#width);
      if (this.#trusted > this.#text.length) return next < 0 ? -1 : this.#from + next;
      if (next >= 0 && this.#from + next <= this.#trusted) return this.#from + next;
      // Hardly ever: a row of many thousand units, as characters that pile up make it.
      this.#read(at, size * 4);
    }
  }

  #read(at: number, size: number): void {
    const end = at + size;
    this.#from = at;
    this.#window = this.#text.slice(at, end);
    this.#trusted = end >= this.#text.length ? this.#text.length + 1 : at + (size >> 1);
  }
}

/** Start of the row after the one that starts at `at`; -1 when it is the last. */
function nextStart(text: string, at: number, width: number): number {
  const newline = text.indexOf('\n', at);
  const lineEnd = newline < 0 ? text.length : newline;
  fillRow(text, at, lineEnd, width, 'keep', fill);
  if (fill.next < lineEnd) return fill.next;
  return newline < 0 ? -1 : newline + 1;
}
