import { CodeBlock, CodeRow } from './code-block.ts';
import type { Block } from './markdown-blocks.ts';
import { parseInline } from './markdown-inline.ts';
import { tableLines } from './markdown-table.ts';
import { type Span, type StyledLine, splitSpans } from './styled-line.ts';
import { expandTabs, textWidth } from './text-width.ts';
import { wrapText } from './wrap.ts';

export interface RenderOptions {
  readonly width: number;
  /** Told of each finished block of code, to work out its colours when there is time. */
  readonly onCode?: (block: CodeBlock) => void;
}

const BULLETS = ['• ', '◦ ', '▪ '] as const;
const QUOTE_BAR: Span = { text: '│ ', role: 'line' };
const CODE_MARGIN: Span = { text: '  ', role: 'code-block' };
export const EMPTY_LINE: StyledLine = { margin: [], spans: [], join: '\n', fill: null };
/** A margin never takes more than this share of the width. */
const NARROWEST = 8;

/** Numbers of ordered items follow each other, whatever they say themselves; this is what the next one would be. */
export interface ListPlace {
  next: number | null;
  ordered: boolean;
}

export function newListPlace(): ListPlace {
  return { next: null, ordered: false };
}

/** Rows of blocks that follow each other. `previous` is the block before the first one, for the gap between. */
export function renderBlocks(
  blocks: readonly Block[],
  options: RenderOptions,
  previous: Block | null = null,
  place = newListPlace(),
  depth = 0,
): StyledLine[] {
  const lines: StyledLine[] = [];
  let before = previous;
  for (const block of blocks) {
    if (before !== null && hasGap(before, block, depth)) lines.push(EMPTY_LINE);
    if (block.kind !== 'item' || before?.kind !== 'item') place.next = null;
    for (const line of renderBlock(block, options, place, depth)) lines.push(line);
    before = block;
  }
  return lines;
}

/** Gaps are those of the source, and one around what stands out. */
export function hasGap(before: Block, block: Block, depth: number): boolean {
  if (block.gap) return true;
  if (depth > 0) return false;
  const standsOut = (each: Block): boolean => each.kind === 'code' || each.kind === 'table' || each.kind === 'quote';
  return block.kind === 'heading' || standsOut(block) || standsOut(before);
}

function renderBlock(block: Block, options: RenderOptions, place: ListPlace, depth: number): StyledLine[] {
  switch (block.kind) {
    case 'paragraph':
      return proseLines(parseInline(block.text), options.width);
    case 'heading':
      return proseLines(
        parseInline(block.text, 'heading').map((span) => ({ ...span, bold: true })),
        options.width,
      );
    case 'code':
      return codeLines(block.text, block.language, options, block.fence !== 'open');
    case 'quote': {
      const inner = renderBlocks(block.blocks, narrowed(options, 2), null, newListPlace(), depth + 1);
      return inner.map((line) => behind([QUOTE_BAR], asQuoted(line)));
    }
    case 'item':
      return itemLines(block, options, place, depth);
    case 'table':
      return tableLines(block, options.width);
    case 'rule':
      return [
        {
          margin: [],
          spans: [{ text: '─'.repeat(Math.min(options.width, 40)), role: 'line', source: '---' }],
          join: '\n',
          fill: null,
        },
      ];
  }
}

function itemLines(
  block: Extract<Block, { kind: 'item' }>,
  options: RenderOptions,
  place: ListPlace,
  depth: number,
): StyledLine[] {
  const ordered = block.number !== null;
  if (place.ordered !== ordered) place.next = null;
  place.ordered = ordered;
  const number = ordered ? (place.next ?? block.number!) : 0;
  place.next = number + 1;
  const listDepth = Math.floor(depth / 2);
  const label = ordered ? `${number}${block.marker.slice(-1)} ` : BULLETS[listDepth % BULLETS.length]!;
  const marker: Span[] = [{ text: label, role: 'marker', source: ordered ? label : `${block.marker} ` }];
  if (block.task !== null)
    marker.push({ text: block.task ? '☑ ' : '☐ ', role: 'marker', source: block.task ? '[x] ' : '[ ] ' });
  const size = marker.reduce((sum, span) => sum + textWidth(span.text), 0);
  const indent: Span = { text: ' '.repeat(size), role: 'text' };
  const inner = renderBlocks(block.blocks, narrowed(options, size), null, newListPlace(), depth + 2);
  if (inner.length === 0) return [{ ...EMPTY_LINE, spans: marker }];
  return inner.map((line, index) => {
    if (index > 0) return line === EMPTY_LINE ? line : behind([indent], line);
    if (line instanceof CodeRow) return line.behind(marker);
    return line.margin.length > 0 ? behind(marker, line) : { ...line, spans: [...marker, ...line.spans] };
  });
}

function proseLines(spans: readonly Span[], width: number): StyledLine[] {
  const text = spans.map((span) => span.text).join('');
  const rows = wrapText(text, width);
  const pieces = splitSpans(spans, rows);
  return rows.map((row, index) => {
    const next = rows[index + 1];
    return {
      margin: [],
      spans: pieces[index]!,
      join: next?.continues === true ? text.slice(row.to, next.from) : '\n',
      fill: null,
    };
  });
}

/** Rows of code, its columns kept. An open block (still streaming) is drawn plain. */
function codeLines(text: string, language: string, options: RenderOptions, closed: boolean): StyledLine[] {
  const block = new CodeBlock(text, language);
  if (closed && language !== '') options.onCode?.(block);
  const lines: StyledLine[] = [];
  for (const [index, line] of text.split('\n').entries()) appendCodeLine(lines, block, index, line, options.width);
  return lines;
}

export function appendCodeLine(
  lines: StyledLine[],
  block: CodeBlock,
  index: number,
  line: string,
  width: number,
): void {
  const drawn = expandTabs(line);
  const rows = wrapText(drawn, Math.max(1, width - CODE_MARGIN.text.length), { exact: true });
  for (const [place, row] of rows.entries()) {
    const join = place < rows.length - 1 ? '' : '\n';
    lines.push(new CodeRow([CODE_MARGIN], block, index, row.from, drawn.slice(row.from, row.to), join));
  }
}

function behind(margin: readonly Span[], line: StyledLine): StyledLine {
  if (line instanceof CodeRow) return line.behind(margin);
  return { ...line, margin: [...margin, ...line.margin] };
}

function asQuoted(line: StyledLine): StyledLine {
  if (line instanceof CodeRow) return line;
  return { ...line, spans: line.spans.map((span) => (span.role === 'text' ? { ...span, role: 'quote' } : span)) };
}

function narrowed(options: RenderOptions, by: number): RenderOptions {
  return { ...options, width: Math.max(NARROWEST, options.width - by) };
}
