/** What a piece of text is; a theme gives it its colours. */
export type TextRole =
  | 'text'
  | 'heading'
  | 'code'
  | 'code-block'
  | 'link'
  | 'url'
  | 'quote'
  /** Bullets, numbers, boxes of tasks. */
  | 'marker'
  /** Rules, borders of tables, bars of quotes. */
  | 'line'
  | 'table-head'
  | SyntaxRole;

/** Parts of highlighted code. */
export type SyntaxRole =
  | 'keyword'
  | 'string'
  | 'number'
  | 'comment'
  | 'function'
  | 'type'
  | 'variable'
  | 'operator'
  | 'attribute'
  | 'meta'
  | 'added'
  | 'removed';

export interface Span {
  readonly text: string;
  readonly role: TextRole;
  readonly bold?: boolean;
  readonly italic?: boolean;
  readonly strike?: boolean;
  /** What a copy takes instead of `text`: a drawn bullet stands for a dash. */
  readonly source?: string;
}

/** One row of rendered text. */
export interface StyledLine {
  /** Indents and bars before the text: drawn, never copied. */
  readonly margin: readonly Span[];
  readonly spans: readonly Span[];
  /** What stands between this row and the next in the source: a newline, or the blank swallowed by a soft wrap. */
  readonly join: string;
  /** Code keeps its ground under the whole row. */
  readonly fill: 'code-block' | null;
}

export function lineText(line: StyledLine): string {
  return textOfSpans(line.margin) + textOfSpans(line.spans);
}

function textOfSpans(spans: readonly Span[]): string {
  let text = '';
  for (const span of spans) text += span.text;
  return text;
}

/** The spans of a text between two of its offsets. */
export function sliceSpans(spans: readonly Span[], from: number, to: number): Span[] {
  return splitSpans(spans, [{ from, to }])[0]!;
}

/** The spans of each of several ranges of a text, which must follow each other: one pass over all. */
export function splitSpans(
  spans: readonly Span[],
  ranges: readonly { readonly from: number; readonly to: number }[],
): Span[][] {
  let index = 0;
  let at = 0;
  return ranges.map(({ from, to }) => {
    const sliced: Span[] = [];
    while (index < spans.length) {
      const span = spans[index]!;
      const end = at + span.text.length;
      if (at >= to) break;
      if (end > from) {
        const text = span.text.slice(Math.max(0, from - at), to - at);
        sliced.push(text.length === span.text.length ? span : { ...span, text });
      }
      // A span that reaches past this range goes on in the next one.
      if (end > to) break;
      index++;
      at = end;
    }
    return sliced;
  });
}
