import type { CodeBlock } from '../../../base/code-block.ts';
import { textWidth } from '../../../base/text-width.ts';
import type { DelegateRow } from '../../../protocol/delegate.ts';
import type { Label } from '../../../protocol/label.ts';
import { type Line, type Piece, piece } from '../piece.ts';
import type { Role } from '../theme.ts';

/**
 * One drawn row of a card. `margin` is furniture (glyphs, indents, rails): drawn, never copied. `join` is what stands
 * between this row and the next in the source, so that a copied selection is the source again (UP-17).
 */
export interface Row {
  readonly margin: Line;
  readonly line: Line;
  readonly join: string;
  /** The row as its source has it, where what is drawn differs (tabs). */
  readonly source?: string;
  /** Laid under the whole row. */
  readonly fill?: Role;
  /** Furniture as a whole: rules, counts, titles. Left out of a copy. */
  readonly furniture?: boolean;
  /** Drawn to the right edge, where it fits beside the line; with `cuts` the line gives way to it. */
  readonly right?: Line;
  readonly cuts?: boolean;
  /** What a click on `right` does, where that is another thing than on the row. */
  readonly rightAction?: string;
  /** Parts of the line with a click of their own. */
  readonly spots?: readonly Spot[];
  /** What a click on the row does. */
  readonly action?: 'toggle' | 'open';
  /** A rule from the end of the line to the right edge. */
  readonly rule?: boolean;
}

/** What the person wants to see of hooks. It shows what was done and changes nothing of it (HK-5). */
export interface HooksShown {
  /** Rows under the call they ran for. */
  readonly rows: boolean;
  /** How what they told the model is shown in the transcript. */
  readonly injected: 'hidden' | 'content' | 'metadata';
  /** How it is shown in the activity tree; missing: not at all (HK-3). */
  readonly inTree?: 'content' | 'metadata';
}

/** The delegates of one call, and which of them its card shows. */
export interface DelegateBatch {
  readonly rows: readonly DelegateRow[];
  /** Null: the first. */
  readonly chosen: string | null;
  /** Rows of what the chosen one did last (SA-2). */
  readonly limit: number;
}

/** Columns of a line, the margin not counted, `to` not among them. */
export interface Spot {
  readonly from: number;
  readonly to: number;
  readonly action: string;
}

export interface BlockOptions {
  /** Columns a row may fill, margin included. */
  readonly width: number;
  readonly expanded: boolean;
  /** Chord that opens a card in full, as written on the screen. */
  readonly openKey: string;
  /** What is shown of hooks; missing: nothing. */
  readonly hooks?: HooksShown;
  /** The delegates of a call at work; absent where none are known. */
  readonly batch?: DelegateBatch;
  /** Told of code whose colours can be worked out when there is time. */
  readonly onCode?: (block: CodeBlock) => void;
}

/** Prose stays readable: never wider than this, whatever the terminal (docs/screen-style.md §14). */
export const TEXT_COLUMNS = 110;

export const INDENT: Piece = piece('  ');
export const RAIL: Piece = piece('│ ', 'line');
export const FOG: Piece = piece('▒ ', 'quarantine');

/** The margin for bytes with `label`: the fog stands on every row of what nobody vouched for (SEC-40). */
export function fogOf(label: Label): Line {
  return label.integrity === 'untrusted' ? [FOG] : [];
}

export function marginColumns(margin: Line): number {
  return margin.reduce((sum, each) => sum + textWidth(each.text), 0);
}

export function textColumns(options: BlockOptions, margin: Line): number {
  return Math.max(1, Math.min(TEXT_COLUMNS, options.width - marginColumns(margin)));
}

/** As wide as the card: for text that is not read as prose. */
export function fullColumns(options: BlockOptions, margin: Line): number {
  return Math.max(1, options.width - marginColumns(margin));
}
