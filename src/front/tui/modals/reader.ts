import type { View } from '../../../protocol/view.ts';
import type { Keymap } from '../../commands/keymap.ts';
import { marginColumns, type Row } from '../blocks/row.ts';
import { drawLine, drawRight, drawScrollbar, lineWidth } from '../draw.ts';
import { plural } from '../figures.ts';
import type { Painter } from '../frame/painter.ts';
import { type Rect, rect } from '../frame/rect.ts';
import { type Layout, transcriptInner } from '../layout.ts';
import { facts, type Line, piece } from '../piece.ts';
import type { CardList, Place } from '../regions/card-list.ts';
import { drawRow, type ShownCards } from '../regions/transcript.ts';
import type { Scene } from '../scene.ts';
import { findInRow } from './find-in-rows.ts';
import type { ReaderModal } from './modal.ts';

/** Rows of text the scroller shows: all but a footer (SCR-1). */
export function readerRows(rows: number): number {
  return Math.max(1, rows - 1);
}

/** Opens on what is being looked at: every row stays in its place on the terminal, as far as there are rows above (SCR-1). */
export function openReader(view: View, cards: CardList, layout: Layout, top: Place): ReaderModal {
  const lifted = cards.back(view, top, transcriptInner(layout).y);
  return { kind: 'reader', top: lifted, seenTotal: view.transcript.total, count: null, search: null, keys: false };
}

/** A top row that leaves no empty rows at the foot while there are rows above. */
export function heldAtEnd(view: View, cards: CardList, top: Place, window: number): Place {
  return cards.isAtTail(view, top, window) ? cards.tail(view, window) : top;
}

/** The transcript over the whole terminal, with a footer; what arrives meanwhile moves nothing. */
export function drawReader(painter: Painter, scene: Scene, modal: ReaderModal): ShownCards {
  const { view, cards, theme, screen, layout } = scene;
  const whole = rect(0, 0, screen.columns, screen.rows);
  const inner = transcriptInner(layout);
  const window = readerRows(screen.rows);
  painter.fill(whole, theme.styles.text);
  painter.hit(whole, { region: 'modal' });
  const area = rect(inner.x, 0, inner.width, window);
  const top = cards.clamp(view, modal.top);
  const rows = cards.from(view, top, window);
  const clip = painter.within(area);
  for (const [offset, placed] of rows.entries()) {
    drawRow(clip, scene, area, offset, placed);
    if (modal.search !== null && !modal.search.typing && placed.row !== null)
      markMatches(clip, scene, modal, area, offset, placed.row, placed.place);
  }
  const { above, total } = cards.position(view, top);
  drawScrollbar(painter, theme, rect(screen.columns - 1, 0, 1, window), above, window, total);
  if (modal.keys) drawKeys(painter, scene, rect(0, 0, screen.columns, window));
  drawFooter(painter, scene, modal, above, total);
  const first = rows[0]?.place.index ?? 0;
  return { from: first, to: rows.at(-1)?.place.index ?? first };
}

function markMatches(
  painter: Painter,
  scene: Scene,
  modal: ReaderModal,
  area: Rect,
  y: number,
  row: Row,
  place: Place,
) {
  const { search } = modal;
  const at = search?.at ?? null;
  for (const [number, found] of findInRow(row, search?.needle ?? '').entries()) {
    const here = at !== null && at.index === place.index && at.row === place.row && at.number === number;
    const style = scene.theme.styles.match;
    const from = area.x + marginColumns(row.margin) + found.from;
    painter.restyle(rect(from, y, found.to - found.from, 1), here ? { ...style, underline: true } : style);
  }
}

/** Where one is, what arrived below, the count being typed; never a word of the content (SCR-3). */
function drawFooter(painter: Painter, scene: Scene, modal: ReaderModal, above: number, total: number): void {
  const { view, theme, screen } = scene;
  const y = screen.rows - 1;
  const width = screen.columns - 2;
  const { search, count } = modal;
  if (search?.typing) {
    const used = drawLine(painter, theme, 1, y, [piece('/', 'accent'), piece(search.needle, 'text')], width);
    painter.cursor(Math.min(1 + used, screen.columns - 1), y);
    return;
  }
  const fresh = view.transcript.total - modal.seenTotal;
  const last = Math.min(total, above + readerRows(screen.rows));
  const parts: Line[] = [
    count === null ? [] : [piece(String(count), 'accent')],
    [piece(`${String(last).padStart(String(total).length)} of ${total} rows`, 'quiet')],
    fresh > 0
      ? [piece(`▼ ${plural(fresh, 'new card')} below`, 'warn')]
      : view.live === null
        ? []
        : [piece('▼ more below', 'warn')],
    search === null ? [] : [piece(search.note, search.at === null ? 'warn' : 'text')],
  ];
  const left = facts(parts);
  const used = drawLine(painter, theme, 1, y, left, width);
  const keys = footerKeys(scene.keymap, search !== null);
  const fits = keys.find((line) => lineWidth(line) <= width - used - 2) ?? [];
  drawRight(painter, theme, 1 + used + 2, y, fits, width - used - 2);
}

function footerKeys(keymap: Keymap, searching: boolean): Line[] {
  const close: Line = [piece(`[${keymap.label('scroller') ?? 'q'}]`, 'accent'), piece(' Close', 'quiet')];
  const search: Line = searching
    ? [piece('[n]', 'accent'), piece(' Next ', 'quiet'), piece('[N]', 'accent'), piece(' Before  ', 'quiet')]
    : [piece('[/]', 'accent'), piece(' Search  ', 'quiet')];
  const keys: Line = [piece('[?]', 'accent'), piece(' Keys  ', 'quiet')];
  const least: Line = [piece('[q]', 'accent'), piece(' Close', 'quiet')];
  return [[...search, ...keys, ...close], [...keys, ...close], close, least];
}

/** Every key of the scroller, a name and what it does. */
export const READER_KEYS: readonly (readonly [string, string])[] = [
  ['↑ ↓  k j  y e', 'a row'],
  ['u d  Ctrl-U Ctrl-D', 'half a page'],
  ['PgUp PgDn  b f  Space', 'a page'],
  ['g G  < >  Home End', 'first and newest row'],
  ['{ }', 'what was said before and after'],
  ['1 … 1000', 'how often, before a key'],
  ['/  n  N', 'search, next match, the one before'],
  ['Enter', 'open the lowest card in full'],
  ['v', 'all rows in your editor'],
  ['q  Esc  Ctrl-C', 'close'],
];

function drawKeys(painter: Painter, scene: Scene, area: Rect): void {
  const { theme, keymap } = scene;
  const height = Math.min(area.height, READER_KEYS.length);
  const from = area.y + area.height - height;
  painter.fill(rect(area.x, from, area.width, height), theme.styles.chosen);
  READER_KEYS.slice(0, height).forEach(([keys, words], offset) => {
    const chords = keys.startsWith('q') ? `${keys}  ${keymap.label('scroller') ?? ''}`.trimEnd() : keys;
    const line: Line = [piece(chords.padEnd(26), 'strong'), piece(words, 'chosen')];
    drawLine(painter, theme, area.x + 2, from + offset, line, area.width - 4);
  });
}
