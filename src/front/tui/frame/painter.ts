import type { Rect } from './rect.ts';

/** 24-bit colour as 0xRRGGBB; `null` is the terminal's own default. */
export type Color = number | null;

export interface Style {
  readonly fg?: Color;
  /** Left out, text keeps the background it is drawn upon. */
  readonly bg?: Color;
  readonly bold?: boolean;
  readonly dim?: boolean;
  readonly italic?: boolean;
  readonly underline?: boolean;
  readonly inverse?: boolean;
  readonly strike?: boolean;
}

/** What a click or a wheel turn on a cell means; written while drawing, so that what is hit is what is seen. */
export interface Target {
  readonly region: string;
  readonly action?: string;
  readonly item?: string;
  readonly line?: number;
}

export type CursorShape = 'bar' | 'block' | 'underline';

/**
 * What regions and blocks draw with: everything outside the clip is dropped. Text never holds control characters: `text`
 * replaces each by its visible glyph (TR-6), so no content can reach the terminal as a command (SEC-40).
 */
export interface Painter {
  readonly clip: Rect;
  /** Draws from column `x` (may lie left of the clip), cut at the clip and at `maxWidth` columns; returns the columns used. */
  text(x: number, y: number, text: string, style: Style, maxWidth?: number): number;
  fill(area: Rect, style: Style, glyph?: string): void;
  /** Changes the given colours and attributes of cells already drawn (selection, highlight); what `style` leaves out stays. */
  restyle(area: Rect, style: Style): void;
  hit(area: Rect, target: Target): void;
  /** Where the terminal's real cursor goes; outside the clip it is hidden. Only the focused editor sets it. */
  cursor(x: number, y: number, shape?: CursorShape): void;
  /** The same painter cut to `area`. */
  within(area: Rect): Painter;
}
