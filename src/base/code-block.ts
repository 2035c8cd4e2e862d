import { type Span, type StyledLine, sliceSpans } from './styled-line.ts';

/** Code whose colours may come later: the rows that show it ask each time they are drawn. */
export class CodeBlock {
  /** All of it; empty while it still streams. */
  text: string;
  readonly language: string;
  /** The lines in colours, once somebody worked them out. */
  colored: readonly (readonly Span[])[] | null = null;

  constructor(text: string, language: string) {
    this.text = text;
    this.language = language;
  }
}

/** Part of one line of a code block. */
export class CodeRow implements StyledLine {
  readonly margin: readonly Span[];
  readonly join: string;
  readonly fill = 'code-block';
  readonly #block: CodeBlock;
  readonly #line: number;
  readonly #from: number;
  readonly #plain: string;
  #spans: readonly Span[];
  #isColored = false;

  /** `plain` is what stands on the row, from `from` of its line on. */
  constructor(margin: readonly Span[], block: CodeBlock, line: number, from: number, plain: string, join: string) {
    this.margin = margin;
    this.join = join;
    this.#block = block;
    this.#line = line;
    this.#from = from;
    this.#plain = plain;
    this.#spans = plain === '' ? [] : [{ text: plain, role: 'code-block' }];
  }

  get spans(): readonly Span[] {
    const colored = this.#block.colored;
    if (!this.#isColored && colored !== null) {
      const spans = sliceSpans(colored[this.#line] ?? [], this.#from, this.#from + this.#plain.length);
      // Colours that do not spell the same text are not used.
      if (spans.map((span) => span.text).join('') === this.#plain) this.#spans = spans;
      this.#isColored = true;
    }
    return this.#spans;
  }

  behind(margin: readonly Span[]): CodeRow {
    return new CodeRow([...margin, ...this.margin], this.#block, this.#line, this.#from, this.#plain, this.join);
  }
}
