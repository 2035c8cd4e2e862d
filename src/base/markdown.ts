import { CodeBlock } from './code-block.ts';
import { borderAtOrBefore } from './graphemes.ts';
import { type Block, closesFence, opensFence, parseBlocks, withoutIndent } from './markdown-blocks.ts';
import {
  appendCodeLine,
  EMPTY_LINE,
  hasGap,
  type ListPlace,
  newListPlace,
  type RenderOptions,
  renderBlocks,
} from './markdown-lines.ts';
import type { StyledLine } from './styled-line.ts';

/** The rows of a finished text. */
export function renderMarkdown(text: string, options: RenderOptions): readonly StyledLine[] {
  const markdown = new Markdown(options);
  markdown.update(text);
  return markdown.lines;
}

/** A last block longer than this is drawn in pieces that are finished one by one. */
const LONGEST_TAIL = 4096;
/** A last block that has no such pieces (a table, an item) is read again only when it grew by a sixteenth. */
const LAGGING_TAIL = 16_384;
/** By so many of its last characters a text is known again. */
const ENDING = 64;

/**
 * Markdown that grows at its end. Finished blocks keep their rows; each update reads the last block only, so that its
 * cost does not grow with the reply: a list is finished item by item, an open fence line by line, an endless paragraph
 * piece by piece.
 */
export class Markdown {
  readonly #options: RenderOptions;
  /** What is still to be read; of an open fence, its last line. What was finished is let go. */
  #source = '';
  /** Where in it the text begins that is not finished: right behind the last finished block. */
  #tail = 0;
  /** How long the whole text is, and its last characters. */
  #length = 0;
  #ending = '';
  readonly #lines: StyledLine[] = [];
  /** How many of the rows are finished. */
  #finished = 0;
  #last: Block | null = null;
  #place: ListPlace = newListPlace();
  #fence: OpenFence | null = null;
  #lagsUntil = 0;

  constructor(options: RenderOptions) {
    this.#options = options;
  }

  /** All rows. The array is the same one each time; its finished part never changes. */
  get lines(): readonly StyledLine[] {
    return this.#lines;
  }

  /** How many rows at the beginning will not change any more. */
  get finished(): number {
    return this.#finished;
  }

  /** The whole text so far. It must go on from the text before; any other text starts anew. */
  update(text: string): void {
    const source = text.includes('\r') ? text.replaceAll('\r\n', '\n') : text;
    if (!this.#goesOn(source)) this.#reset();
    this.append(source.slice(this.#length));
  }

  /** What came since the last time; its lines end in line feeds alone. Costs nothing for the length of what was before. */
  append(more: string): void {
    if (more === '') return;
    this.#length += more.length;
    this.#ending = more.length < ENDING ? (this.#ending + more).slice(-ENDING) : more.slice(-ENDING);
    this.#source += more;
    if (this.#source.length < this.#lagsUntil) return;
    this.#lines.length = this.#finished;
    if (this.#fence === null || this.#readFence(this.#fence)) this.#readTail();
    this.#letGo();
  }

  #goesOn(text: string): boolean {
    if (text.length < this.#length) return false;
    return text.slice(Math.max(0, this.#length - ENDING), this.#length) === this.#ending;
  }

  /** Nobody reads again what lies before the tail. */
  #letGo(): void {
    const done = this.#fence?.at ?? this.#tail;
    if (done === 0) return;
    this.#source = this.#source.slice(done);
    this.#lagsUntil -= done;
    this.#tail = 0;
    if (this.#fence !== null) this.#fence.at = 0;
  }

  #reset(): void {
    this.#source = '';
    this.#length = 0;
    this.#ending = '';
    this.#tail = 0;
    this.#lines.length = 0;
    this.#finished = 0;
    this.#last = null;
    this.#place = newListPlace();
    this.#fence = null;
    this.#lagsUntil = 0;
  }

  #readTail(): void {
    for (;;) {
      const tail = this.#source.slice(this.#tail);
      const blocks = parseBlocks(tail);
      const last = blocks.at(-1);
      if (last === undefined) return;
      // A line that is still being written may turn out to belong to the block before it.
      const sure = isSure(last, tail);
      const open = sure || isClosed(blocks.at(-2), last) ? 1 : 2;
      const finished = blocks.splice(0, Math.max(0, blocks.length - open));
      for (const block of finished) this.#finish(block);
      const begin = finished.at(-1)?.to ?? 0;
      if (sure && last.kind === 'code' && last.fence === 'open') {
        this.#tail += begin;
        if (!this.#openFence(last, tail.slice(last.from))) return;
        continue;
      }
      if (last.kind === 'code' && last.fence === 'closed' && tail.charAt(last.to - 1) === '\n') {
        this.#finish(last);
        this.#tail += last.to;
        return;
      }
      const size = last.to - last.from;
      const cut = size > LONGEST_TAIL && last.kind === 'paragraph' ? this.#cutOf(last, tail) : 0;
      if (cut > 0) {
        for (const block of parseBlocks(tail.slice(begin, cut))) this.#finish(block);
        this.#tail += cut;
        continue;
      }
      // A copy of the place: these blocks are read again with the next update.
      for (const line of renderBlocks(blocks, this.#options, this.#last, { ...this.#place })) this.#lines.push(line);
      this.#tail += begin;
      this.#lagsUntil = size > LAGGING_TAIL ? this.#source.length + (size >> 4) : 0;
      return;
    }
  }

  /** Where a long paragraph may be cut: behind its last whole line, else between words, else anywhere. */
  #cutOf(block: Block, tail: string): number {
    const newline = tail.lastIndexOf('\n', block.to - 2);
    if (newline > block.from) return newline + 1;
    const blank = tail.lastIndexOf(' ', block.to - 2);
    if (blank > block.from) return blank + 1;
    return borderAtOrBefore(tail, block.from + LONGEST_TAIL - (LONGEST_TAIL % this.#options.width));
  }

  #finish(block: Block): void {
    for (const line of renderBlocks([block], this.#options, this.#last, this.#place)) this.#lines.push(line);
    this.#finished = this.#lines.length;
    this.#last = block;
  }

  /** Starts reading a fence line by line; true when it was closed at once. */
  #openFence(block: Block, text: string): boolean {
    const first = text.split('\n', 1)[0]!;
    const opened = opensFence(first);
    if (opened === null) return false;
    if (this.#last !== null && hasGap(this.#last, block, 0)) this.#lines.push(EMPTY_LINE);
    this.#finished = this.#lines.length;
    this.#last = block;
    this.#place.next = null;
    const at = this.#source.length - text.length + first.length + 1;
    this.#fence = { ...opened, code: new CodeBlock('', opened.language), at, lines: [] };
    return this.#readFence(this.#fence);
  }

  /** Reads the new lines of an open fence; true when it was closed and what follows is to be read. */
  #readFence(fence: OpenFence): boolean {
    const { width, onCode } = this.#options;
    for (let end = this.#source.indexOf('\n', fence.at); end >= 0; end = this.#source.indexOf('\n', fence.at)) {
      const line = this.#source.slice(fence.at, end);
      fence.at = end + 1;
      if (closesFence(line, fence.mark)) {
        if (fence.lines.length === 0) appendCodeLine(this.#lines, fence.code, 0, '', width);
        this.#finished = this.#lines.length;
        fence.code.text = fence.lines.join('\n');
        if (fence.language !== '') onCode?.(fence.code);
        this.#fence = null;
        this.#tail = fence.at;
        return true;
      }
      const body = withoutIndent(line, fence.indent);
      appendCodeLine(this.#lines, fence.code, fence.lines.length, body, width);
      this.#finished = this.#lines.length;
      fence.lines.push(body);
    }
    const rest = this.#source.slice(fence.at);
    // What may become the closing mark is not shown as code first.
    const mayClose = rest !== '' && /^ {0,3}(`+|~+)[ \t]*$/.test(rest) && rest.includes(fence.mark.charAt(0));
    const isShown = rest === '' ? fence.lines.length === 0 : !mayClose;
    if (isShown) appendCodeLine(this.#lines, fence.code, fence.lines.length, withoutIndent(rest, fence.indent), width);
    return false;
  }
}

interface OpenFence {
  readonly mark: string;
  readonly language: string;
  readonly indent: number;
  readonly code: CodeBlock;
  /** Where the first line begins that was not read. */
  at: number;
  readonly lines: string[];
}

/** Whether the lines that decide where a block begins are whole: its first one, of a table also the one below. */
function isSure(block: Block, text: string): boolean {
  const first = text.indexOf('\n', block.from);
  return first >= 0 && (block.kind !== 'table' || text.includes('\n', first + 1));
}

/** Whether nothing that `next` may still turn out to be goes on with `block`. */
function isClosed(block: Block | undefined, next: Block): boolean {
  if (block === undefined) return false;
  return block.kind === 'heading' || block.kind === 'rule' || (block.kind === 'paragraph' && next.gap);
}
