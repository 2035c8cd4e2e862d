import { clusters } from './graphemes.ts';
import { textWidth } from './text-width.ts';

/** Colours are 0xRRGGBB; null is the terminal's own. */
export interface CellStyle {
  readonly fg: number | null;
  readonly bg: number | null;
  readonly bold: boolean;
  readonly dim: boolean;
  readonly italic: boolean;
  readonly underline: boolean;
  readonly inverse: boolean;
  readonly strike: boolean;
}

/** One column; the second one of a wide character holds an empty text. */
export interface ScreenCell {
  readonly text: string;
  readonly style: CellStyle;
  /** The last one of a row that was too short: what was written goes on in the next row. */
  readonly goesOn?: true;
}

export type ScreenLine = readonly ScreenCell[];

/**
 * What a terminal of a given size shows after a program wrote to it: a value, of which `feed` makes the next one. It
 * understands what full-screen programs send to an xterm; what it does not know it leaves out. Nothing a program writes
 * gets any further than these cells.
 */
export interface TerminalScreen {
  readonly columns: number;
  readonly rows: number;
  readonly lines: readonly ScreenLine[];
  /** Lines that scrolled off the top, oldest first. */
  readonly above: readonly ScreenLine[];
  readonly cursor: { readonly x: number; readonly y: number; readonly shown: boolean };
  /** How it wants arrow keys and pastes. */
  readonly modes: { readonly applicationKeys: boolean; readonly bracketedPaste: boolean };
  feed(text: string): TerminalScreen;
  resize(columns: number, rows: number): TerminalScreen;
}

const PLAIN: CellStyle = {
  fg: null,
  bg: null,
  bold: false,
  dim: false,
  italic: false,
  underline: false,
  inverse: false,
  strike: false,
};
const BLANK: ScreenCell = { text: ' ', style: PLAIN };
const MOST_ABOVE = 2000;
/** A sequence longer than this is no sequence. */
const MOST_PENDING = 4096;

/** `lineFeeds`: a line feed also goes back to the first column, as a log without a terminal means it. */
export function emptyTerminal(columns: number, rows: number, lineFeeds: boolean): TerminalScreen {
  return snapshotOf(new State(Math.max(1, columns), Math.max(1, rows), lineFeeds));
}

function snapshotOf(state: State): TerminalScreen {
  const { columns, rows, lines, above, x, y, hidden, applicationKeys, bracketedPaste } = state;
  return {
    columns,
    rows,
    lines,
    above,
    cursor: { x: Math.min(x, columns - 1), y, shown: !hidden },
    modes: { applicationKeys, bracketedPaste },
    feed: (text) => snapshotOf(state.copy().feed(text)),
    resize: (wide, high) => snapshotOf(state.copy().resize(Math.max(1, wide), Math.max(1, high))),
  };
}

/** The same while it is being moved; nobody else holds it then. */
class State {
  columns: number;
  rows: number;
  readonly lineFeeds: boolean;
  lines: ScreenCell[][];
  above: ScreenCell[][] = [];
  /** The other one of the main and the alternate screen, while the alternate one is shown. */
  main: { lines: ScreenCell[][]; x: number; y: number } | null = null;
  x = 0;
  y = 0;
  saved = { x: 0, y: 0, style: PLAIN };
  style: CellStyle = PLAIN;
  top = 0;
  bottom: number;
  hidden = false;
  applicationKeys = false;
  bracketedPaste = false;
  wraps = true;
  pending = '';
  last = ' ';

  constructor(columns: number, rows: number, lineFeeds: boolean) {
    this.columns = columns;
    this.rows = rows;
    this.lineFeeds = lineFeeds;
    this.bottom = rows - 1;
    this.lines = Array.from({ length: rows }, () => blankLine(columns, PLAIN));
  }

  copy(): State {
    const next = Object.assign(new State(this.columns, 1, this.lineFeeds), this);
    next.lines = this.lines.map((line) => [...line]);
    next.above = [...this.above];
    return next;
  }

  feed(text: string): State {
    const all = this.pending + text;
    this.pending = '';
    let at = 0;
    while (at < all.length) {
      const code = all.charCodeAt(at);
      if (code === 0x1b) {
        const used = this.#escape(all, at);
        if (used === null) {
          this.pending = all.length - at > MOST_PENDING ? '' : all.slice(at);
          return this;
        }
        at += used;
      } else if (code < 0x20 || code === 0x7f) {
        this.#control(code);
        at++;
      } else {
        let end = at + 1;
        while (end < all.length && all.charCodeAt(end) >= 0x20 && all.charCodeAt(end) !== 0x7f) end++;
        this.#print(all.slice(at, end));
        at = end;
      }
    }
    return this;
  }

  resize(columns: number, rows: number): State {
    const fit = (lines: ScreenCell[][], y: number): ScreenCell[][] => {
      const drop = Math.max(0, y - rows + 1);
      const kept = lines.slice(drop, drop + rows).map((line) => fitted(line, columns));
      while (kept.length < rows) kept.push(blankLine(columns, PLAIN));
      return kept;
    };
    if (this.main === null) this.#keepAbove(this.lines.slice(0, Math.max(0, this.y - rows + 1)));
    this.lines = fit(this.lines, this.y);
    if (this.main !== null)
      this.main = { ...this.main, lines: fit(this.main.lines, this.main.y), y: Math.min(this.main.y, rows - 1) };
    this.columns = columns;
    this.rows = rows;
    this.top = 0;
    this.bottom = rows - 1;
    this.x = Math.min(this.x, columns - 1);
    this.y = Math.min(this.y, rows - 1);
    return this;
  }

  #print(text: string): void {
    for (const segment of clusters(text)) {
      const width = Math.min(2, textWidth(segment));
      if (width === 0) continue;
      if (this.x + width > this.columns) {
        if (this.wraps) {
          const row = this.lines[this.y]!;
          // One of two columns leaves the last one free.
          const edge = this.x < this.columns ? { ...BLANK, text: '' } : row[this.columns - 1]!;
          row[this.columns - 1] = { ...edge, goesOn: true };
          this.x = 0;
          this.#lineFeed();
        } else this.x = this.columns - width;
      }
      const line = this.lines[this.y]!;
      line[this.x] = { text: segment, style: this.style };
      if (width === 2) line[this.x + 1] = { text: '', style: this.style };
      this.x += width;
      this.last = segment;
    }
  }

  #control(code: number): void {
    switch (code) {
      case 0x08:
        this.x = Math.max(0, Math.min(this.x, this.columns - 1) - 1);
        return;
      case 0x09:
        this.x = Math.min(this.columns - 1, (Math.floor(this.x / 8) + 1) * 8);
        return;
      case 0x0a:
      case 0x0b:
      case 0x0c:
        if (this.lineFeeds) this.x = 0;
        this.#lineFeed();
        return;
      case 0x0d:
        this.x = 0;
        return;
      default:
        return;
    }
  }

  #lineFeed(): void {
    if (this.y === this.bottom) this.#scroll(1);
    else this.y = Math.min(this.rows - 1, this.y + 1);
  }

  /** Up by `count` lines inside the region; down where it is negative. */
  #scroll(count: number): void {
    const height = this.bottom - this.top + 1;
    const by = Math.min(height, Math.abs(count));
    const region = this.lines.slice(this.top, this.bottom + 1);
    const fresh = Array.from({ length: by }, () => blankLine(this.columns, this.#ground()));
    if (count > 0) {
      if (this.top === 0 && this.main === null) this.#keepAbove(region.slice(0, by));
      region.splice(0, by);
      region.push(...fresh);
    } else {
      region.splice(height - by, by);
      region.unshift(...fresh);
    }
    this.lines.splice(this.top, height, ...region);
  }

  #keepAbove(lines: readonly ScreenCell[][]): void {
    this.above.push(...lines);
    if (this.above.length > MOST_ABOVE) this.above.splice(0, this.above.length - MOST_ABOVE);
  }

  #ground(): CellStyle {
    return this.style.bg === null ? PLAIN : { ...PLAIN, bg: this.style.bg };
  }

  /** How many characters the sequence at `at` has; null while it is not whole. */
  #escape(all: string, at: number): number | null {
    const kind = all[at + 1];
    if (kind === undefined) return null;
    if (kind === '[') {
      const match = CONTROL_SEQUENCE.exec(all.slice(at, at + 256));
      if (match === null) return INCOMPLETE.test(all.slice(at, at + 256)) && all.length - at < 256 ? null : 2;
      this.#sequence(match[1]!, match[2]!, match[3]!);
      return match[0].length;
    }
    // Titles, colours and the clipboard: none of them is this screen's business.
    if (kind === ']' || kind === 'P' || kind === '_' || kind === '^' || kind === 'X') {
      for (let end = at + 2; end < all.length; end++) {
        if (all[end] === '\x07') return end + 1 - at;
        if (all[end] === '\x1b')
          return all[end + 1] === undefined ? null : (all[end + 1] === '\\' ? end + 2 : end) - at;
      }
      return null;
    }
    if (kind === '(' || kind === ')' || kind === '#' || kind === '%') return all[at + 2] === undefined ? null : 3;
    this.#single(kind);
    return 2;
  }

  #single(kind: string): void {
    switch (kind) {
      case '7':
        this.saved = { x: this.x, y: this.y, style: this.style };
        return;
      case '8':
        ({ x: this.x, y: this.y, style: this.style } = this.saved);
        this.y = Math.min(this.y, this.rows - 1);
        return;
      case 'D':
        this.#lineFeed();
        return;
      case 'E':
        this.x = 0;
        this.#lineFeed();
        return;
      case 'M':
        if (this.y === this.top) this.#scroll(-1);
        else this.y = Math.max(0, this.y - 1);
        return;
      case 'c':
        Object.assign(this, new State(this.columns, this.rows, this.lineFeeds));
        return;
      default:
        return;
    }
  }

  #sequence(prefix: string, given: string, final: string): void {
    if (prefix === '?') this.#mode(given, final);
    if (prefix !== '') return;
    const numbers = given.split(/[;:]/).map((text) => (text === '' ? null : Number(text)));
    const first = numbers[0] ?? null;
    const count = Math.max(1, first ?? 1);
    const line = this.lines[this.y]!;
    const x = Math.min(this.x, this.columns - 1);
    switch (final) {
      case 'A':
        this.y = Math.max(this.y >= this.top ? this.top : 0, this.y - count);
        return;
      case 'B':
      case 'e':
        this.y = Math.min(this.y <= this.bottom ? this.bottom : this.rows - 1, this.y + count);
        return;
      case 'C':
      case 'a':
        this.x = Math.min(this.columns - 1, x + count);
        return;
      case 'D':
        this.x = Math.max(0, x - count);
        return;
      case 'E':
      case 'F':
        this.x = 0;
        this.y = Math.max(0, Math.min(this.rows - 1, this.y + (final === 'E' ? count : -count)));
        return;
      case 'G':
      case '`':
        this.x = Math.min(this.columns, count) - 1;
        return;
      case 'd':
        this.y = Math.min(this.rows, count) - 1;
        return;
      case 'H':
      case 'f':
        this.y = Math.min(this.rows, count) - 1;
        this.x = Math.min(this.columns, Math.max(1, numbers[1] ?? 1)) - 1;
        return;
      case 'J':
        this.#eraseScreen(first ?? 0, x);
        return;
      case 'K': {
        const from = first === 1 || first === 2 ? 0 : x;
        const to = first === 1 ? x + 1 : this.columns;
        for (let column = from; column < to; column++) line[column] = this.#blank();
        return;
      }
      case 'L':
      case 'M': {
        if (this.y < this.top || this.y > this.bottom) return;
        const { top } = this;
        this.top = this.y;
        this.#scroll(final === 'M' ? count : -count);
        this.top = top;
        return;
      }
      case 'P':
        line.splice(x, count);
        while (line.length < this.columns) line.push(this.#blank());
        return;
      case '@':
        line.splice(x, 0, ...Array.from({ length: Math.min(count, this.columns) }, () => this.#blank()));
        line.length = this.columns;
        return;
      case 'X':
        for (let column = x; column < Math.min(this.columns, x + count); column++) line[column] = this.#blank();
        return;
      case 'S':
        this.#scroll(count);
        return;
      case 'T':
        this.#scroll(-count);
        return;
      case 'b':
        this.#print(this.last.repeat(Math.min(count, this.columns * this.rows)));
        return;
      case 'r':
        this.top = Math.min(this.rows, count) - 1;
        this.bottom = Math.min(this.rows, numbers[1] ?? this.rows) - 1;
        if (this.bottom <= this.top) {
          this.top = 0;
          this.bottom = this.rows - 1;
        }
        this.x = 0;
        this.y = 0;
        return;
      case 's':
        this.#single('7');
        return;
      case 'u':
        this.#single('8');
        return;
      case 'm':
        this.style = styled(this.style, numbers);
        return;
      default:
        return;
    }
  }

  #mode(given: string, final: string): void {
    if (final !== 'h' && final !== 'l') return;
    const on = final === 'h';
    for (const mode of given.split(';')) {
      switch (mode) {
        case '1':
          this.applicationKeys = on;
          break;
        case '7':
          this.wraps = on;
          break;
        case '25':
          this.hidden = !on;
          break;
        case '2004':
          this.bracketedPaste = on;
          break;
        case '47':
        case '1047':
        case '1049':
          this.#alternate(on);
          break;
        default:
          break;
      }
    }
  }

  #alternate(on: boolean): void {
    if (on === (this.main !== null)) return;
    if (on) {
      this.main = { lines: this.lines, x: this.x, y: this.y };
      this.lines = Array.from({ length: this.rows }, () => blankLine(this.columns, PLAIN));
    } else if (this.main !== null) {
      ({ lines: this.lines, x: this.x, y: this.y } = this.main);
      this.main = null;
    }
    this.top = 0;
    this.bottom = this.rows - 1;
  }

  #eraseScreen(which: number, x: number): void {
    if (which === 3) {
      this.above = [];
      return;
    }
    const here = this.y * this.columns + x;
    this.lines.forEach((line, y) => {
      for (let column = 0; column < this.columns; column++) {
        const at = y * this.columns + column;
        if (which === 2 || (which === 0 ? at >= here : at <= here)) line[column] = this.#blank();
      }
    });
  }

  #blank(): ScreenCell {
    return this.style.bg === null ? BLANK : { text: ' ', style: this.#ground() };
  }
}

const CONTROL_SEQUENCE = /^\x1b\[([<=>?]?)([\d;:]*)[ -/]*([@-~])/;
const INCOMPLETE = /^\x1b\[[<=>?]?[\d;:]*[ -/]*$/;

function blankLine(columns: number, style: CellStyle): ScreenCell[] {
  const cell = style === PLAIN ? BLANK : { text: ' ', style };
  return Array.from({ length: columns }, () => cell);
}

function fitted(line: ScreenCell[], columns: number): ScreenCell[] {
  const cut = line.slice(0, columns);
  while (cut.length < columns) cut.push(BLANK);
  return cut;
}

function styled(before: CellStyle, numbers: readonly (number | null)[]): CellStyle {
  let style = before;
  for (let at = 0; at < numbers.length; at++) {
    const code = numbers[at] ?? 0;
    if (code === 38 || code === 48) {
      const kind = numbers[at + 1];
      const color =
        kind === 5 ? paletteColor(numbers[at + 2] ?? 0) : kind === 2 ? rgb(numbers.slice(at + 2, at + 5)) : null;
      style = code === 38 ? { ...style, fg: color } : { ...style, bg: color };
      at += kind === 5 ? 2 : kind === 2 ? 4 : 1;
    } else style = withCode(style, code);
  }
  return style;
}

function withCode(style: CellStyle, code: number): CellStyle {
  if (code === 0) return PLAIN;
  const flag = FLAGS[code];
  if (flag !== undefined) return { ...style, ...flag };
  if (code >= 30 && code <= 37) return { ...style, fg: paletteColor(code - 30) };
  if (code >= 90 && code <= 97) return { ...style, fg: paletteColor(code - 82) };
  if (code >= 40 && code <= 47) return { ...style, bg: paletteColor(code - 40) };
  if (code >= 100 && code <= 107) return { ...style, bg: paletteColor(code - 92) };
  return style;
}

const FLAGS: Readonly<Record<number, Partial<CellStyle>>> = {
  1: { bold: true },
  2: { dim: true },
  3: { italic: true },
  4: { underline: true },
  7: { inverse: true },
  9: { strike: true },
  22: { bold: false, dim: false },
  23: { italic: false },
  24: { underline: false },
  27: { inverse: false },
  29: { strike: false },
  39: { fg: null },
  49: { bg: null },
};

const SIXTEEN = [
  0x000000, 0xcd3131, 0x0dbc79, 0xe5e510, 0x2472c8, 0xbc3fbc, 0x11a8cd, 0xe5e5e5, 0x666666, 0xf14c4c, 0x23d18b,
  0xf5f543, 0x3b8eea, 0xd670d6, 0x29b8db, 0xffffff,
];
const STEPS = [0, 95, 135, 175, 215, 255];

function paletteColor(index: number): number | null {
  if (index < 16) return SIXTEEN[index] ?? null;
  if (index > 255) return null;
  if (index >= 232) return rgb([8 + (index - 232) * 10, 8 + (index - 232) * 10, 8 + (index - 232) * 10]);
  const cube = index - 16;
  return rgb([STEPS[Math.floor(cube / 36)]!, STEPS[Math.floor(cube / 6) % 6]!, STEPS[cube % 6]!]);
}

function rgb([red = 0, green = 0, blue = 0]: readonly (number | null)[]): number {
  const part = (value: number | null): number => Math.max(0, Math.min(255, value ?? 0));
  return (part(red) << 16) | (part(green) << 8) | part(blue);
}
