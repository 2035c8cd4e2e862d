/**
 * Markdown's blocks, line by line. Our own and not a library's, since a reply is drawn while it streams: the cost must
 * grow with the text (a one-line paragraph of 8 KB took a regular-expression lexer 116 ms, 20 KB of `>` its whole stack).
 */

export type Block = {
  /** Offsets in the parsed text; `to` is past the last newline. */
  readonly from: number;
  readonly to: number;
  /** A blank line stands before it. */
  readonly gap: boolean;
} & BlockBody;

export type BlockBody =
  | { readonly kind: 'paragraph'; readonly text: string }
  | { readonly kind: 'heading'; readonly level: number; readonly text: string }
  | {
      readonly kind: 'code';
      readonly language: string;
      readonly text: string;
      readonly fence: 'open' | 'closed' | 'none';
    }
  | { readonly kind: 'quote'; readonly blocks: readonly Block[] }
  /** One item: a list is a row of them, so that a streamed list can be finished item by item. */
  | {
      readonly kind: 'item';
      readonly marker: string;
      readonly number: number | null;
      readonly task: boolean | null;
      readonly blocks: readonly Block[];
    }
  | {
      readonly kind: 'table';
      readonly align: readonly Alignment[];
      readonly head: readonly string[];
      readonly rows: readonly (readonly string[])[];
    }
  | { readonly kind: 'rule' };

export type Alignment = 'left' | 'center' | 'right';

/** Deeper nesting is read as text: nothing a person would write, and the stack is bounded. */
const DEEPEST = 12;

const FENCE = /^( {0,3})(`{3,}|~{3,})([^`]*)$/;
const HEADING = /^ {0,3}(#{1,6})(?:[ \t]+(.*))?$/;
const RULE = /^ {0,3}(?:(?:-[ \t]*){3,}|(?:\*[ \t]*){3,}|(?:_[ \t]*){3,})$/;
const UNDERLINE = /^ {0,3}(=+|-{2,})[ \t]*$/;
const QUOTE = /^ {0,3}>/;
const ITEM = /^([ \t]*)([-*+]|\d{1,9}[.)])(?=[ \t]|$)/;
const DELIMITERS = /^ {0,3}\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*$/;

export function parseBlocks(text: string): Block[] {
  const lines = text.split('\n');
  const starts: number[] = [];
  let at = 0;
  for (const line of lines) {
    starts.push(at);
    at += line.length + 1;
  }
  starts.push(Math.max(text.length, at - 1));
  return new BlockReader(lines, starts, 0).read();
}

class BlockReader {
  readonly #lines: readonly string[];
  readonly #starts: readonly number[];
  readonly #depth: number;
  readonly #blocks: Block[] = [];
  #at = 0;
  #gap = false;

  constructor(lines: readonly string[], starts: readonly number[], depth: number) {
    this.#lines = lines;
    this.#starts = starts;
    this.#depth = depth;
  }

  read(): Block[] {
    while (this.#at < this.#lines.length) {
      if (isBlank(this.#lines[this.#at]!)) {
        this.#gap = true;
        this.#at++;
        continue;
      }
      const first = this.#at;
      const body = this.#block();
      this.#blocks.push({ ...body, from: this.#starts[first]!, to: this.#starts[this.#at]!, gap: this.#gap });
      this.#gap = false;
    }
    return this.#blocks;
  }

  #block(): BlockBody {
    const line = this.#lines[this.#at]!;
    const fence = FENCE.exec(line);
    if (fence !== null) return this.#fence(fence);
    const heading = HEADING.exec(line);
    if (heading !== null) {
      this.#at++;
      return { kind: 'heading', level: heading[1]!.length, text: withoutClosingMarks(heading[2] ?? '') };
    }
    if (RULE.test(line)) {
      this.#at++;
      return { kind: 'rule' };
    }
    if (this.#depth < DEEPEST) {
      if (QUOTE.test(line)) return this.#quote();
      const item = itemOf(line);
      if (item !== null && item.indent < 4) return this.#item(item);
    }
    if (this.#isTable()) return this.#table();
    if (indentOf(line) >= 4) return this.#indentedCode();
    return this.#paragraph();
  }

  #fence(fence: RegExpExecArray): BlockBody {
    const indent = fence[1]!.length;
    const mark = fence[2]!;
    const body: string[] = [];
    this.#at++;
    let closed = false;
    while (this.#at < this.#lines.length && !closed) {
      const line = this.#lines[this.#at]!;
      closed = closesFence(line, mark);
      if (!closed) body.push(withoutIndent(line, indent));
      this.#at++;
    }
    return {
      kind: 'code',
      language: fence[3]!.trim().split(/\s/)[0]!.toLowerCase(),
      text: body.join('\n'),
      fence: closed ? 'closed' : 'open',
    };
  }

  #indentedCode(): BlockBody {
    const body: string[] = [];
    let blank = 0;
    for (let i = this.#at; i < this.#lines.length; i++) {
      const line = this.#lines[i]!;
      if (isBlank(line)) {
        blank++;
        continue;
      }
      if (indentOf(line) < 4) break;
      for (; blank > 0; blank--) body.push('');
      body.push(withoutIndent(line, 4));
      this.#at = i + 1;
    }
    return { kind: 'code', language: '', text: body.join('\n'), fence: 'none' };
  }

  #quote(): BlockBody {
    const lines: string[] = [];
    const starts: number[] = [];
    const lazy = new LazyLine();
    while (this.#at < this.#lines.length) {
      const line = this.#lines[this.#at]!;
      const marked = QUOTE.exec(line);
      // A line without the mark goes on with a quoted paragraph.
      if (marked === null && (!lazy.allowed || isBlank(line) || this.#interrupts(this.#at))) break;
      const skip = marked === null ? 0 : marked[0].length + (line.charAt(marked[0].length) === ' ' ? 1 : 0);
      lines.push(line.slice(skip));
      starts.push(this.#starts[this.#at]! + skip);
      lazy.after(line.slice(skip));
      this.#at++;
    }
    starts.push(this.#starts[this.#at]!);
    return { kind: 'quote', blocks: new BlockReader(lines, starts, this.#depth + 1).read() };
  }

  #item(item: Item): BlockBody {
    const first = this.#lines[this.#at]!.slice(item.skip);
    const task = /^\[([ xX])\](?:[ \t]+|$)/.exec(first);
    const skip = item.skip + (task?.[0].length ?? 0);
    const lines = [this.#lines[this.#at]!.slice(skip)];
    const starts = [this.#starts[this.#at]! + skip];
    this.#at++;
    const lazy = new LazyLine();
    lazy.after(lines[0]!);
    let end = this.#at;
    while (this.#at < this.#lines.length) {
      const line = this.#lines[this.#at]!;
      if (!isBlank(line)) {
        const indent = indentOf(line);
        const nested = itemOf(line);
        const inside = indent >= item.content || (nested !== null && indent >= item.indent + 2);
        if (!inside && (!lazy.allowed || nested !== null || this.#interrupts(this.#at))) break;
        const body = withoutIndent(line, Math.min(indent, item.content));
        lines.push(body);
        starts.push(this.#starts[this.#at]! + (line.length - body.length));
        lazy.after(body);
        end = this.#at + 1;
      } else {
        lines.push('');
        starts.push(this.#starts[this.#at]!);
        lazy.after('');
      }
      this.#at++;
    }
    // Blank lines at the end belong to what follows.
    lines.length -= this.#at - end;
    starts.length = lines.length;
    this.#at = end;
    starts.push(this.#starts[end]!);
    return {
      kind: 'item',
      marker: item.marker,
      number: item.number,
      task: task === null ? null : task[1] !== ' ',
      blocks: new BlockReader(lines, starts, this.#depth + 1).read(),
    };
  }

  #isTable(): boolean {
    const next = this.#lines[this.#at + 1];
    const line = this.#lines[this.#at]!;
    if (next === undefined || !line.includes('|') || !DELIMITERS.test(next)) return false;
    return cellsOf(line).length === cellsOf(next).length;
  }

  #table(): BlockBody {
    const head = cellsOf(this.#lines[this.#at]!);
    const align = cellsOf(this.#lines[this.#at + 1]!).map(
      (cell): Alignment => (cell.endsWith(':') ? (cell.startsWith(':') ? 'center' : 'right') : 'left'),
    );
    const rows: string[][] = [];
    this.#at += 2;
    while (this.#at < this.#lines.length) {
      const line = this.#lines[this.#at]!;
      if (isBlank(line) || !line.includes('|') || this.#interrupts(this.#at)) break;
      const cells = cellsOf(line);
      rows.push(head.map((_, column) => cells[column] ?? ''));
      this.#at++;
    }
    return { kind: 'table', align, head, rows };
  }

  #paragraph(): BlockBody {
    const lines: string[] = [];
    while (this.#at < this.#lines.length) {
      const line = this.#lines[this.#at]!;
      if (isBlank(line)) break;
      if (lines.length > 0) {
        const underline = UNDERLINE.exec(line);
        if (underline !== null) {
          this.#at++;
          return { kind: 'heading', level: underline[1]!.startsWith('=') ? 1 : 2, text: lines.join(' ') };
        }
        if (this.#interrupts(this.#at) || this.#isTable()) break;
      }
      lines.push(line.trimStart());
      this.#at++;
    }
    return { kind: 'paragraph', text: lines.join('\n') };
  }

  /** Whether a paragraph ends before this line. */
  #interrupts(index: number): boolean {
    const line = this.#lines[index]!;
    if (FENCE.test(line) || HEADING.test(line) || RULE.test(line)) return true;
    if (this.#depth >= DEEPEST) return false;
    if (QUOTE.test(line)) return true;
    const item = itemOf(line);
    return item !== null && item.indent < 4 && line.length > item.skip;
  }
}

/** Whether an unmarked line may go on with a paragraph inside a quote or an item. */
class LazyLine {
  #fence: string | null = null;
  allowed = false;

  after(line: string): void {
    const opened = FENCE.exec(line);
    if (this.#fence !== null) {
      if (closesFence(line, this.#fence)) this.#fence = null;
      this.allowed = false;
      return;
    }
    this.#fence = opened?.[2] ?? null;
    this.allowed = opened === null && !isBlank(line) && !HEADING.test(line) && !RULE.test(line);
  }
}

interface Item {
  readonly indent: number;
  readonly marker: string;
  readonly number: number | null;
  /** Column from which lines belong to the item. */
  readonly content: number;
  /** Characters before its own text. */
  readonly skip: number;
}

function itemOf(line: string): Item | null {
  const match = ITEM.exec(line);
  if (match === null || RULE.test(line)) return null;
  const marker = match[2]!;
  const indent = indentOf(line);
  const blanks = /^[ \t]*/.exec(line.slice(match[0].length))![0].length;
  const whole = match[0].length + blanks === line.length;
  // More blanks than four begin indented code.
  const used = whole || blanks > 4 ? Math.min(blanks, 1) : blanks;
  return {
    indent,
    marker,
    number: /\d/.test(marker) ? Number.parseInt(marker, 10) : null,
    content: indent + marker.length + Math.max(1, used),
    skip: match[0].length + used,
  };
}

/** Whether `line` ends a fence that began with `mark`. */
export function closesFence(line: string, mark: string): boolean {
  const match = /^ {0,3}(`{3,}|~{3,})[ \t]*$/.exec(line);
  return match !== null && match[1]!.charAt(0) === mark.charAt(0) && match[1]!.length >= mark.length;
}

/** A fence that is opened by `line`: its mark, language and indent. */
export function opensFence(line: string): { mark: string; language: string; indent: number } | null {
  const match = FENCE.exec(line);
  if (match === null) return null;
  return { mark: match[2]!, language: match[3]!.trim().split(/\s/)[0]!.toLowerCase(), indent: match[1]!.length };
}

/** Cells of a table's line; a pipe behind a backslash is a character. */
function cellsOf(line: string): string[] {
  const cells: string[] = [];
  let cell = '';
  const inner = line.trim();
  for (let at = inner.startsWith('|') ? 1 : 0; at < inner.length; at++) {
    const character = inner.charAt(at);
    if (character === '\\' && inner.charAt(at + 1) === '|') {
      cell += '|';
      at++;
    } else if (character === '|') {
      cells.push(cell.trim());
      cell = '';
    } else cell += character;
  }
  if (!inner.endsWith('|') || inner.endsWith('\\|')) cells.push(cell.trim());
  return cells;
}

function isBlank(line: string): boolean {
  return /^[ \t\r]*$/.test(line);
}

function indentOf(line: string): number {
  let columns = 0;
  for (let at = 0; at < line.length; at++) {
    const character = line.charAt(at);
    if (character === ' ') columns++;
    else if (character === '\t') columns += 4 - (columns % 4);
    else break;
  }
  return columns;
}

export function withoutIndent(line: string, columns: number): string {
  let at = 0;
  let seen = 0;
  while (at < line.length && seen < columns) {
    const character = line.charAt(at);
    if (character === ' ') seen++;
    else if (character === '\t') seen += 4 - (seen % 4);
    else break;
    at++;
  }
  return ' '.repeat(Math.max(0, seen - columns)) + line.slice(at);
}

function withoutClosingMarks(text: string): string {
  const trimmed = text.trimEnd();
  const marks = /(?:^|[ \t])#+$/.exec(trimmed);
  return (marks === null ? trimmed : trimmed.slice(0, marks.index)).trim();
}
