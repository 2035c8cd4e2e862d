import {
  BLANK,
  BOLD,
  type ClusterTable,
  CONTINUATION,
  DIM,
  type Grid,
  INVERSE,
  ITALIC,
  isFragile,
  STRIKE,
  UNDERLINE,
} from './cell.ts';
import { type ColorDepth, color256, contrast, nearest16, nearest256, readable256 } from './color.ts';
import type { Cursor } from './grid-painter.ts';
import type { Color } from './painter.ts';

export interface OutputOptions {
  readonly depth: ColorDepth;
  /** False until the terminal said that it holds back half-drawn frames: then the cursor is hidden while drawing. */
  readonly synchronized: boolean;
  /** The terminal's own background where it is known: fewer colours must not make text on it harder to read. */
  readonly ground?: Color;
}

const BEGIN = '\x1b[?2026h';
const END = '\x1b[?2026l';
/** Unchanged cells up to this many are written again where that is shorter than moving the cursor. */
const BRIDGE = 3;
const SHAPES = { block: 2, underline: 4, bar: 6 } as const;

/**
 * The bytes that turn the shown screen into the next one; empty when they are equal. The pen is at its default before
 * and after. After a cluster whose width terminals disagree about, the cursor is placed anew, so that nothing shifts.
 */
export class Output {
  #bytes = '';
  /** Where the terminal's cursor is; row -1 when that is not known. */
  #x = 0;
  #y = -1;
  #fg = 0;
  #bg = 0;
  #attributes = 0;
  readonly #colors = new Map<number, string>();
  #depth: ColorDepth = 'truecolor';
  #ground: Color = null;

  difference(
    shown: Grid,
    next: Grid,
    clusters: ClusterTable,
    was: Cursor | null,
    cursor: Cursor | null,
    options: OutputOptions,
  ): string {
    const ground = options.ground ?? null;
    if (this.#depth !== options.depth || this.#ground !== ground) this.#colors.clear();
    this.#depth = options.depth;
    this.#ground = ground;
    this.#bytes = '';
    this.#y = -1;
    this.#fg = this.#bg = this.#attributes = 0;
    for (let row = 0; row < next.height; row++) if (next.kept[row] === 0) this.#row(shown, next, clusters, row);
    const drew = this.#bytes !== '';
    if (drew) this.#pen(0, 0, 0);
    const hides = drew && !options.synchronized && was !== null;
    const tail = this.#cursorBytes(was, cursor, drew, hides);
    if (!drew && tail === '') return '';
    return `${BEGIN}${hides ? '\x1b[?25l' : ''}${this.#bytes}${tail}${END}`;
  }

  #row(shown: Grid, next: Grid, clusters: ClusterTable, row: number): void {
    const { width } = next;
    const start = row * width;
    const blankFrom = this.#blankTail(shown, next, start);
    for (let x = 0; x < width; ) {
      const at = start + x;
      const size = x + 1 < width && next.ch[at + 1] === CONTINUATION ? 2 : 1;
      if (same(shown, next, at) && (size === 1 || same(shown, next, at + 1))) {
        x += size;
        continue;
      }
      if (x >= blankFrom) {
        this.#goTo(x, row);
        this.#pen(0, 0, 0);
        this.#bytes += '\x1b[K';
        return;
      }
      if (!this.#bridge(next, clusters, start, x, row)) this.#goTo(x, row);
      this.#cell(next, clusters, at, x, row, size);
      x += size;
    }
  }

  /** From where on the row is blank and worth erasing in one go; `width` when it is not. */
  #blankTail(shown: Grid, next: Grid, start: number): number {
    let from = next.width;
    let changed = 0;
    while (from > 0 && isPlainBlank(next, start + from - 1)) {
      from--;
      if (!same(shown, next, start + from)) changed++;
    }
    return changed > 4 ? from : next.width;
  }

  /** Writes the few unchanged cells between the cursor and `x` again, when that is simple and short. */
  #bridge(next: Grid, clusters: ClusterTable, start: number, x: number, row: number): boolean {
    if (this.#y !== row || this.#x > x || x - this.#x > BRIDGE) return false;
    for (let i = this.#x; i < x; i++) {
      const at = start + i;
      const plain = next.ch[at]! >= BLANK && next.ch[at]! < 0x7f;
      if (!plain || next.fg[at] !== this.#fg || next.bg[at] !== this.#bg || next.attributes[at] !== this.#attributes)
        return false;
    }
    for (; this.#x < x; this.#x++) this.#bytes += clusters.text(next.ch[start + this.#x]!);
    return true;
  }

  #cell(next: Grid, clusters: ClusterTable, at: number, x: number, row: number, size: number): void {
    const code = next.ch[at]!;
    this.#pen(next.fg[at]!, next.bg[at]!, next.attributes[at]!);
    if (isFragile(code)) {
      // A terminal that thinks it narrower leaves a cell as it was: blank both first.
      if (size === 2) {
        this.#bytes += '  ';
        this.#y = -1;
        this.#goTo(x, row);
      }
      this.#bytes += clusters.text(code);
      this.#y = -1;
      return;
    }
    this.#bytes += code === CONTINUATION ? ' ' : clusters.text(code);
    this.#x = x + size;
  }

  #goTo(x: number, row: number): void {
    if (this.#y === row && this.#x === x) return;
    if (this.#y === row && x > this.#x) this.#bytes += x - this.#x === 1 ? '\x1b[C' : `\x1b[${x - this.#x}C`;
    else this.#bytes += x === 0 ? (row === 0 ? '\x1b[H' : `\x1b[${row + 1}H`) : `\x1b[${row + 1};${x + 1}H`;
    this.#x = x;
    this.#y = row;
  }

  #pen(fg: number, bg: number, attributes: number): void {
    const colors = this.#depth !== 'none';
    let codes = '';
    if (attributes !== this.#attributes) {
      codes += `;0${attributeCodes(attributes)}`;
      if (colors) codes += (fg === 0 ? '' : this.#text(fg, bg)) + (bg === 0 ? '' : this.#back(bg));
    } else if (colors) {
      // With few colours the one of the text depends on what it stands on.
      if (fg !== this.#fg || (bg !== this.#bg && fg !== 0 && this.#depth === '256')) codes += this.#text(fg, bg);
      if (bg !== this.#bg) codes += this.#back(bg);
    }
    this.#attributes = attributes;
    this.#fg = fg;
    this.#bg = bg;
    if (codes !== '') this.#bytes += `\x1b[${codes === ';0' ? '' : codes.slice(1)}m`;
  }

  #text(fg: number, bg: number): string {
    if (fg === 0) return ';39';
    return this.#cached(this.#depth === '256' ? fg * 0x4000000 + bg : fg, () => {
      if (this.#depth !== '256') return colorCode(fg & 0xffffff, false, this.#depth);
      const ground = bg === 0 ? this.#ground : color256(nearest256(bg & 0xffffff));
      const color = fg & 0xffffff;
      if (ground === null) return `;38;5;${nearest256(color)}`;
      const meant = contrast(color, bg === 0 ? ground : bg & 0xffffff);
      return `;38;5;${readable256(color, ground, meant)}`;
    });
  }

  #back(bg: number): string {
    return bg === 0 ? ';49' : this.#cached(-bg, () => colorCode(bg & 0xffffff, true, this.#depth));
  }

  /** Colours come from themes and contrast fitting, hence are few; a bound all the same. */
  #cached(key: number, make: () => string): string {
    let code = this.#colors.get(key);
    if (code === undefined) {
      if (this.#colors.size > 4096) this.#colors.clear();
      code = make();
      this.#colors.set(key, code);
    }
    return code;
  }

  #cursorBytes(was: Cursor | null, cursor: Cursor | null, drew: boolean, hidden: boolean): string {
    if (cursor === null) return was === null || hidden ? '' : '\x1b[?25l';
    let bytes = '';
    if (drew || was === null || was.x !== cursor.x || was.y !== cursor.y)
      bytes += `\x1b[${cursor.y + 1};${cursor.x + 1}H`;
    if (was === null || was.shape !== cursor.shape) bytes += `\x1b[${SHAPES[cursor.shape]} q`;
    if (was === null || hidden) bytes += '\x1b[?25h';
    return bytes;
  }
}

function same(a: Grid, b: Grid, at: number): boolean {
  return (
    a.ch[at] === b.ch[at] && a.fg[at] === b.fg[at] && a.bg[at] === b.bg[at] && a.attributes[at] === b.attributes[at]
  );
}

function isPlainBlank(grid: Grid, at: number): boolean {
  return grid.ch[at] === BLANK && grid.bg[at] === 0 && (grid.attributes[at]! & (INVERSE | UNDERLINE | STRIKE)) === 0;
}

function attributeCodes(attributes: number): string {
  let codes = '';
  if (attributes & BOLD) codes += ';1';
  if (attributes & DIM) codes += ';2';
  if (attributes & ITALIC) codes += ';3';
  if (attributes & UNDERLINE) codes += ';4';
  if (attributes & INVERSE) codes += ';7';
  if (attributes & STRIKE) codes += ';9';
  return codes;
}

function colorCode(color: number, background: boolean, depth: ColorDepth): string {
  const base = background ? 48 : 38;
  if (depth === 'truecolor') return `;${base};2;${(color >> 16) & 0xff};${(color >> 8) & 0xff};${color & 0xff}`;
  if (depth === '256') return `;${base};5;${nearest256(color)}`;
  const index = nearest16(color);
  return `;${(index < 8 ? 30 + index : 82 + index) + (background ? 10 : 0)}`;
}
