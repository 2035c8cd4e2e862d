import { CodeBlock } from '../../../base/code-block.ts';
import { renderMarkdown } from '../../../base/markdown.ts';
import { appendCodeLine } from '../../../base/markdown-lines.ts';
import type { Span, StyledLine } from '../../../base/styled-line.ts';
import { expandTabs } from '../../../base/text-width.ts';
import { wrapText } from '../../../base/wrap.ts';
import { type Line, type Piece, piece } from '../piece.ts';
import type { Role } from '../theme.ts';
import { type BlockOptions, fullColumns, type Row, textColumns } from './row.ts';

/** Plain text in one role, wrapped between words. */
export function textRows(text: string, margin: Line, role: Role, options: BlockOptions): Row[] {
  return wrapped(text, margin, role, textColumns(options, margin), false);
}

/** Text whose columns matter (output, code, diffs): broken anywhere, every blank kept, as wide as the card. */
export function exactRows(text: string, margin: Line, role: Role, options: BlockOptions): Row[] {
  return wrapped(text, margin, role, fullColumns(options, margin), true);
}

function wrapped(text: string, margin: Line, role: Role, width: number, exact: boolean): Row[] {
  const rows = wrapText(text, width, { exact });
  return rows.map((row, index): Row => {
    const next = rows[index + 1];
    const source = text.slice(row.from, row.to);
    const drawn = expandTabs(source);
    return {
      margin,
      line: drawn === '' ? [] : [piece(drawn, role)],
      join: next?.continues ? text.slice(row.to, next.from) : '\n',
      ...(drawn === source ? {} : { source }),
    };
  });
}

/** Markdown, as it streams or finished. Code keeps its ground; its colours come when somebody worked them out. */
export function proseRows(text: string, margin: Line, options: BlockOptions): Row[] {
  const lines = renderMarkdown(text.trimEnd(), {
    width: textColumns(options, margin),
    ...(options.onCode ? { onCode: options.onCode } : {}),
  });
  return lines.map((styled) => new StyledRow(margin, styled));
}

/** The text of a file, in the colours of its language. */
export function codeRows(text: string, language: string | null, margin: Line, options: BlockOptions): Row[] {
  const source = text.replace(/\n$/, '');
  if (language === null) return exactRows(source, margin, 'quiet', options);
  const block = new CodeBlock(source, language);
  options.onCode?.(block);
  const lines: StyledLine[] = [];
  for (const [index, line] of source.split('\n').entries())
    appendCodeLine(lines, block, index, line, fullColumns(options, margin));
  return lines.map((styled) => new StyledRow(margin, styled, false));
}

/** A row over styled text whose colours may come later: the pieces are made anew when the spans changed. */
export class StyledRow implements Row {
  readonly margin: Line;
  readonly join: string;
  readonly fill?: Role;
  readonly #styled: StyledLine;
  #spans: readonly Span[] | null = null;
  #line: Line = [];

  constructor(margin: Line, styled: StyledLine, grounded = true) {
    this.#styled = styled;
    this.margin = styled.margin.length === 0 || !grounded ? margin : [...margin, ...styled.margin.map(pieceOf)];
    this.join = styled.join;
    if (styled.fill !== null && grounded) this.fill = styled.fill;
  }

  get line(): Line {
    const { spans } = this.#styled;
    if (spans !== this.#spans) {
      this.#spans = spans;
      this.#line = spans.map(pieceOf);
    }
    return this.#line;
  }
}

function pieceOf(span: Span): Piece {
  const { text, role, bold, italic, strike, source } = span;
  return {
    // On its ground plain code needs no background of its own.
    text,
    role: role === 'code-block' ? 'text' : role,
    ...(bold ? { bold } : {}),
    ...(italic ? { italic } : {}),
    ...(strike ? { strike } : {}),
    ...(source === undefined ? {} : { source }),
  };
}
