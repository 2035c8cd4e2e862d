import { type Rect, rect } from './frame/rect.ts';
import { type Line, piece } from './piece.ts';

/** How a side conversation stands while it is hidden. */
export type SideStatus = 'none' | 'working' | 'asks' | 'unread';

const WORDS: Readonly<Record<SideStatus, string>> = {
  none: '',
  working: '◐ Side: working',
  asks: '◍ Side: asks',
  unread: '● Side: unread',
};

/** At the top right of the screen. */
export function sideLine(status: SideStatus): Line {
  if (status === 'none') return [];
  return [piece(WORDS[status], status === 'working' ? 'signal' : 'accent')];
}

/** Columns and rows from which on three fifths of them are enough (SI-10). */
const ENOUGH_COLUMNS = 60;
const ENOUGH_ROWS = 16;

/** In the middle, three fifths wide and high; more where that would be too little. */
export function sideArea({ columns, rows }: { readonly columns: number; readonly rows: number }): Rect {
  const width = Math.min(columns, Math.max(Math.round(columns * 0.6), ENOUGH_COLUMNS));
  const height = Math.min(rows, Math.max(Math.round(rows * 0.6), ENOUGH_ROWS));
  return rect(Math.floor((columns - width) / 2), Math.floor((rows - height) / 2), width, height);
}
