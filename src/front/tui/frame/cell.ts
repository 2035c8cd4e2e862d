import type { Color, Style } from './painter.ts';
import type { Rect } from './rect.ts';

/** The right half of a cluster two cells wide: carries the colours of its left half and no character of its own. */
export const CONTINUATION = 0;
export const BLANK = 0x20;
/** In a shown grid: whatever stands there is unknown, so every cell differs from it. */
export const UNKNOWN = 0xffffffff;
const INTERNED = 0x80000000;
/** Marks a colour as set; a plain 0 is the terminal's default. */
const SET = 0x01000000;

export const BOLD = 1;
export const DIM = 2;
export const ITALIC = 4;
export const UNDERLINE = 8;
export const INVERSE = 16;
export const STRIKE = 32;

export function packColor(color: Color | undefined): number {
  return color === null || color === undefined ? 0 : SET | color;
}

export function unpackColor(packed: number): Color {
  return packed === 0 ? null : packed & 0xffffff;
}

export function packAttributes(style: Style): number {
  return (
    (style.bold === true ? BOLD : 0) |
    (style.dim === true ? DIM : 0) |
    (style.italic === true ? ITALIC : 0) |
    (style.underline === true ? UNDERLINE : 0) |
    (style.inverse === true ? INVERSE : 0) |
    (style.strike === true ? STRIKE : 0)
  );
}

/** Cells in typed arrays, row by row. `ch` holds a code point, the number of an interned cluster, or CONTINUATION. */
export class Grid {
  readonly width: number;
  readonly height: number;
  readonly ch: Uint32Array;
  readonly fg: Uint32Array;
  readonly bg: Uint32Array;
  readonly attributes: Uint16Array;
  /** Rows taken over whole from the shown grid and not drawn on since: 1. */
  readonly kept: Uint8Array;

  constructor(width: number, height: number) {
    this.width = width;
    this.height = height;
    this.ch = new Uint32Array(width * height).fill(BLANK);
    this.fg = new Uint32Array(width * height);
    this.bg = new Uint32Array(width * height);
    this.attributes = new Uint16Array(width * height);
    this.kept = new Uint8Array(height);
  }

  clear(): void {
    this.ch.fill(BLANK);
    this.fg.fill(0);
    this.bg.fill(0);
    this.attributes.fill(0);
    this.kept.fill(0);
  }

  /** Takes `area`, which lies inside both, over from a grid of the same size. */
  copy(from: Grid, { x, y, width, height }: Rect): void {
    if (width === this.width) {
      this.#copyRows(from, y, height);
      return;
    }
    for (let row = y; row < y + height; row++) {
      const start = row * this.width + x;
      const end = start + width;
      this.ch.set(from.ch.subarray(start, end), start);
      this.fg.set(from.fg.subarray(start, end), start);
      this.bg.set(from.bg.subarray(start, end), start);
      this.attributes.set(from.attributes.subarray(start, end), start);
    }
  }

  /** Whole rows lie side by side: they are taken over in one piece, and nobody need look for differences in them. */
  #copyRows(from: Grid, row: number, count: number): void {
    const start = row * this.width;
    const end = start + count * this.width;
    this.ch.set(from.ch.subarray(start, end), start);
    this.fg.set(from.fg.subarray(start, end), start);
    this.bg.set(from.bg.subarray(start, end), start);
    this.attributes.set(from.attributes.subarray(start, end), start);
    this.kept.fill(1, row, row + count);
  }

  forget(): void {
    this.ch.fill(UNKNOWN);
  }
}

/** Past this many different clusters the table is cleared between two frames, so that it cannot grow for ever. */
const TABLE_LIMIT = 4096;

/** Numbers for clusters of several code points: a cell stores a number, never a string. */
export class ClusterTable {
  #numbers = new Map<string, number>();
  #texts: string[] = [];

  /** The `ch` value of a cluster. */
  code(cluster: string): number {
    const point = cluster.codePointAt(0)!;
    if (cluster.length === (point > 0xffff ? 2 : 1)) return point;
    let number = this.#numbers.get(cluster);
    if (number === undefined) {
      number = this.#texts.length;
      this.#numbers.set(cluster, number);
      this.#texts.push(cluster);
    }
    return (INTERNED | number) >>> 0;
  }

  /** The text of a `ch` value; empty for a continuation. */
  text(code: number): string {
    if (code >= INTERNED) return this.#texts[code - INTERNED] ?? ' ';
    return code === CONTINUATION ? '' : String.fromCodePoint(code);
  }

  get size(): number {
    return this.#texts.length;
  }

  /** Drops clusters that `grid` does not show, once there are many. */
  trim(grid: Grid): void {
    if (this.#texts.length <= TABLE_LIMIT) return;
    const old = this.#texts;
    this.#texts = [];
    this.#numbers = new Map();
    for (let i = 0; i < grid.ch.length; i++) {
      const code = grid.ch[i]!;
      if (code >= INTERNED && code !== UNKNOWN) grid.ch[i] = this.code(old[code - INTERNED]!);
    }
  }
}

/** Vowel signs and format characters: drawn beside, over or not at all. */
const SHAPING = /^[\p{Mc}\p{Cf}]$/u;

/** True for codes whose width terminals disagree about: after one the cursor's column is not to be relied on. */
export function isFragile(code: number): boolean {
  if (code < 0x590) return false;
  if (code >= 0x10000) return code < 0x20000 || code >= INTERNED;
  if (code < 0x2000 || (code >= 0xa800 && code < 0xac00)) return SHAPING.test(String.fromCharCode(code));
  // Emoji among the symbols; box drawing and CJK are settled.
  return (code >= 0x2300 && code < 0x2400) || (code >= 0x2600 && code < 0x2800) || (code >= 0x2b00 && code < 0x2c00);
}
