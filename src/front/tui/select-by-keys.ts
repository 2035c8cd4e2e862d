import { textWidth } from '../../base/text-width.ts';
import type { Row } from './blocks/row.ts';
import { plainText } from './piece.ts';
import type { PlacedRow } from './regions/card-list.ts';
import { comparePoints, isEmpty, type Point } from './regions/selection.ts';
import { topOf } from './regions/transcript-scroll.ts';
import { scrolled } from './run-command.ts';
import { type Screen, withNote } from './screen.ts';
import type { Context } from './screen-event.ts';
import { type Step, stay } from './step.ts';
import { transcriptRows } from './transcript-rows.ts';

const MOVES: Readonly<Record<string, 'left' | 'right' | 'up' | 'down' | 'home' | 'end' | 'pageup' | 'pagedown'>> = {
  'shift-left': 'left',
  'shift-right': 'right',
  'shift-up': 'up',
  'shift-down': 'down',
  'shift-home': 'home',
  'shift-end': 'end',
  'shift-pageup': 'pageup',
  'shift-pagedown': 'pagedown',
};

/**
 * Shift and an arrow select in the transcript without a mouse: the first begins at the top row on the screen (going up: at
 * the lowest), each moves the end of what is selected, and the transcript follows it. Null for any other key.
 */
export function selectByKey(screen: Screen, context: Context, chord: string): Step | null {
  const move = MOVES[chord];
  if (move === undefined) return null;
  const rows = shownRows(screen, context);
  const begin = move === 'up' || move === 'pageup' ? rows.at(-1) : rows[0];
  if (begin === undefined) return stay(screen);
  const column = move === 'up' || move === 'pageup' ? widthOf(begin.row) : 0;
  const selection = screen.selection ?? { from: { ...begin.place, column }, to: { ...begin.place, column } };
  const end = moved(context, selection.to, move, Math.max(1, transcriptRows(context.layout) - 2));
  const selected = { ...screen, selection: { from: selection.from, to: end } };
  const shown = following(selected, context, end);
  return stay(isEmpty(shown.selection!) ? shown : withNote(shown, 'Ctrl-C sends the selection to the clipboard'));
}

function shownRows(screen: Screen, context: Context): PlacedRow[] {
  const height = transcriptRows(context.layout);
  return context.cards.from(context.view, topOf({ ...context, screen }, height), height);
}

function moved(context: Context, point: Point, move: (typeof MOVES)[string], page: number): Point {
  const { view, cards } = context;
  const width = widthOf(cards.rowsAt(view, point.index)[point.row] ?? null);
  const column = Math.min(point.column, width);
  switch (move) {
    case 'left':
      if (column > 0) return { ...point, column: column - 1 };
      return rowFrom(context, { ...point, column: Number.MAX_SAFE_INTEGER }, -1) ?? point;
    case 'right':
      if (column < width) return { ...point, column: column + 1 };
      return rowFrom(context, { ...point, column: 0 }, 1) ?? point;
    case 'home':
      return { ...point, column: 0 };
    case 'end':
      return { ...point, column: width };
    case 'up':
      return rowFrom(context, point, -1) ?? { ...point, column: 0 };
    case 'down':
      return rowFrom(context, point, 1) ?? { ...point, column: width };
    default: {
      let at = point;
      for (let step = 0; step < page; step++) at = rowFrom(context, at, move === 'pageup' ? -1 : 1) ?? at;
      return at;
    }
  }
}

/** The row above or below, at the same column; null past the first and the last. */
function rowFrom({ view, cards }: Context, point: Point, by: -1 | 1): Point | null {
  const row = point.row + by;
  if (row >= 0 && row < cards.heightAt(view, point.index)) return { ...point, row };
  for (let index = point.index + by; index >= 0 && index < cards.count(view); index += by) {
    const height = cards.heightAt(view, index);
    if (height > 0) return { ...point, index, row: by < 0 ? height - 1 : 0 };
  }
  return null;
}

/** Scrolls until the point is on the screen. */
function following(screen: Screen, context: Context, point: Point): Screen {
  let shown = screen;
  for (let guard = 0; guard < 1000; guard++) {
    const rows = shownRows(shown, context);
    const [first, last] = [rows[0], rows.at(-1)];
    if (first === undefined || last === undefined) return shown;
    const above = comparePoints({ ...point, column: 0 }, { ...first.place, column: 0 }) < 0;
    const below = comparePoints({ ...point, column: 0 }, { ...last.place, column: 0 }) > 0;
    if (!above && !below) return shown;
    const next = scrolled(shown, context, above ? -1 : 1).screen;
    if (next.scroll === shown.scroll) return next;
    shown = next;
  }
  return shown;
}

function widthOf(row: Row | null): number {
  return row === null ? 0 : textWidth(plainText(row.line));
}
