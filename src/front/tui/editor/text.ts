import { borderAtOrBefore, isSureBorder, LONGEST_RUN, nextBorder, previousBorder } from '../../../base/graphemes.ts';

/** A piece is never longer; what an edit makes is cut to it. UTF-16 units. */
const LONGEST_PIECE = 8192;
/** A piece that an edit leaves shorter than this joins its neighbour, so that edits here and there leave no crumbs. */
const SHORTEST_PIECE = 1024;
/** What is looked at around an offset: the grapheme functions read no farther back or ahead. */
const BACK = LONGEST_RUN + 8;
const AHEAD = 2 * LONGEST_RUN + 8;

/**
 * The text of a box, as a list of short strings: a key copies the piece it falls into and the list, never the whole. Reads
 * like a string. Immutable; texts made of each other share their pieces.
 */
export class Text {
  readonly length: number;
  readonly #pieces: readonly string[];
  /** Where each piece starts. */
  readonly #starts: Int32Array;
  /** The piece read last: who reads goes on nearby. */
  #near = 0;
  #whole: string | null = null;

  private constructor(pieces: readonly string[]) {
    const starts = new Int32Array(pieces.length);
    let length = 0;
    for (let at = 0; at < pieces.length; at++) {
      starts[at] = length;
      length += pieces[at]!.length;
    }
    this.#pieces = pieces;
    this.#starts = starts;
    this.length = length;
  }

  static readonly EMPTY = new Text(['']);

  static of(text: string): Text {
    if (text === '') return Text.EMPTY;
    const made = new Text(cut(text));
    made.#whole = text;
    return made;
  }

  /** The text with what stands between two offsets replaced. */
  replaced(from: number, to: number, inserted: string): Text {
    const pieces = this.#pieces;
    let first = this.#pieceAt(from);
    let last = this.#pieceAt(to);
    let middle =
      pieces[first]!.slice(0, from - this.#starts[first]!) + inserted + pieces[last]!.slice(to - this.#starts[last]!);
    if (middle.length < SHORTEST_PIECE && last + 1 < pieces.length) middle += pieces[++last]!;
    else if (middle.length < SHORTEST_PIECE && first > 0) middle = pieces[--first]! + middle;
    const kept = pieces.length - (last - first + 1);
    if (middle === '' && kept === 0) return Text.EMPTY;
    return new Text([...pieces.slice(0, first), ...cut(middle), ...pieces.slice(last + 1)]);
  }

  slice(from = 0, to = this.length): string {
    const end = Math.min(to, this.length);
    if (from >= end) return '';
    const first = this.#pieceAt(from);
    const starts = this.#starts;
    const last = end <= starts[first]! + this.#pieces[first]!.length ? first : this.#pieceAt(end);
    if (first === last) return this.#pieces[first]!.slice(from - starts[first]!, end - starts[first]!);
    let text = this.#pieces[first]!.slice(from - starts[first]!);
    for (let at = first + 1; at < last; at++) text += this.#pieces[at]!;
    return text + this.#pieces[last]!.slice(0, end - starts[last]!);
  }

  /** NaN where nothing stands. */
  charCodeAt(offset: number): number {
    if (offset < 0 || offset >= this.length) return Number.NaN;
    const piece = this.#pieceAt(offset);
    return this.#pieces[piece]!.charCodeAt(offset - this.#starts[piece]!);
  }

  charAt(offset: number): string {
    return this.slice(offset, offset + 1);
  }

  /** The first newline at or behind `from`; -1 when there is none. */
  newlineFrom(from: number): number {
    if (from >= this.length) return -1;
    for (let at = this.#pieceAt(from); at < this.#pieces.length; at++) {
      const start = this.#starts[at]!;
      const found = this.#pieces[at]!.indexOf('\n', Math.max(0, from - start));
      if (found >= 0) return start + found;
    }
    return -1;
  }

  /** The last newline before `to`; -1 when there is none. */
  newlineBefore(to: number): number {
    for (let at = to <= 0 ? -1 : this.#pieceAt(to); at >= 0; at--) {
      const start = this.#starts[at]!;
      if (to <= start) continue;
      const found = this.#pieces[at]!.lastIndexOf('\n', to - 1 - start);
      if (found >= 0) return start + found;
    }
    return -1;
  }

  startsWith(text: string): boolean {
    return this.slice(0, text.length) === text;
  }

  /** Whether it reads the same; costs nothing where it is the same or as long as nothing else. */
  is(other: Text | string): boolean {
    if (typeof other === 'string') return this.length === other.length && this.toString() === other;
    return this === other || (this.length === other.length && this.commonStart(other) === this.length);
  }

  /** How many units at the start are the same. Pieces that both texts share cost nothing. */
  commonStart(other: Text): number {
    const [a, b] = [this.#pieces, other.#pieces];
    let at = 0;
    while (at < a.length && at < b.length && a[at] === b[at]) at++;
    if (at === a.length || at === b.length) return Math.min(this.length, other.length);
    const limit = Math.min(this.length, other.length);
    let same = this.#starts[at]!;
    while (same < limit && this.charCodeAt(same) === other.charCodeAt(same)) same++;
    return same;
  }

  /** The same from the end, of what lies behind the first `from` units of both. */
  commonEnd(other: Text, from: number): number {
    const [a, b] = [this.#pieces, other.#pieces];
    const limit = Math.min(this.length, other.length) - from;
    let same = 0;
    for (let at = 1; at <= a.length && at <= b.length; at++) {
      const piece = a[a.length - at]!;
      if (same + piece.length > limit || piece !== b[b.length - at]) break;
      same += piece.length;
    }
    while (same < limit && this.charCodeAt(this.length - 1 - same) === other.charCodeAt(other.length - 1 - same))
      same++;
    return same;
  }

  nextBorder(offset: number): number {
    if (offset + 1 >= this.length) return this.length;
    if (isSureBorder(this.charCodeAt(offset), this.charCodeAt(offset + 1))) return offset + 1;
    return offset + nextBorder(this.slice(offset, offset + AHEAD), 0);
  }

  previousBorder(offset: number): number {
    if (offset <= 1) return 0;
    if (isSureBorder(this.charCodeAt(offset - 2), this.charCodeAt(offset - 1))) return offset - 1;
    const start = Math.max(0, offset - BACK);
    return start + previousBorder(this.slice(start, offset + AHEAD), offset - start);
  }

  borderAtOrBefore(offset: number): number {
    if (offset <= 0) return 0;
    if (offset >= this.length) return this.length;
    if (isSureBorder(this.charCodeAt(offset - 1), this.charCodeAt(offset))) return offset;
    const start = Math.max(0, offset - BACK);
    return start + borderAtOrBefore(this.slice(start, offset + AHEAD), offset - start);
  }

  /** As one string: put together once, so not for what happens at every key. */
  toString(): string {
    this.#whole ??= this.#pieces.join('');
    return this.#whole;
  }

  toJSON(): string {
    return this.toString();
  }

  /** The piece that holds `offset`; the last one at the end. */
  #pieceAt(offset: number): number {
    const starts = this.#starts;
    const near = this.#near;
    if (starts[near]! <= offset && (near + 1 === starts.length || offset < starts[near + 1]!)) return near;
    let low = 0;
    let high = starts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (starts[middle]! <= offset) low = middle;
      else high = middle - 1;
    }
    this.#near = low;
    return low;
  }
}

function cut(text: string): string[] {
  if (text.length <= LONGEST_PIECE) return text === '' ? [] : [text];
  const pieces: string[] = [];
  // Halves of what is too long, not one full piece and a rest: the next letters then have room.
  const count = Math.ceil(text.length / (LONGEST_PIECE / 2));
  for (let at = 0; at < count; at++)
    pieces.push(text.slice(Math.round((at * text.length) / count), Math.round(((at + 1) * text.length) / count)));
  return pieces;
}
