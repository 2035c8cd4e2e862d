import { marginColumns } from '../blocks/row.ts';
import { RUNNING } from '../blocks/tool-call.ts';
import { drawBox, drawLine, drawRight, drawScrollbar, lineWidth } from '../draw.ts';
import { plural } from '../figures.ts';
import type { Painter } from '../frame/painter.ts';
import { type Rect, rect } from '../frame/rect.ts';
import { transcriptInner } from '../layout.ts';
import { type Line, piece } from '../piece.ts';
import { orbit, type Scene } from '../scene.ts';
import type { PlacedRow } from './card-list.ts';
import { drawPreflight } from './preflight.ts';
import { roomAbove } from './room.ts';
import { selectedColumns } from './selection.ts';
import { topOf } from './transcript-scroll.ts';

/** Rows of the transcript that are on the screen, for whoever fetches older pages. */
export interface ShownCards {
  readonly from: number;
  readonly to: number;
}

/** The bordered transcript: visible cards only, a scrollbar in its right border, and what arrived while reading back. */
export function drawTranscript(painter: Painter, scene: Scene): ShownCards | null {
  const { layout, theme, view, screen, cards } = scene;
  const { transcript } = layout;
  if (transcript.height === 0 || transcript.width < 4) return null;
  const focused = screen.focus === 'transcript';
  const inside = screen.inside === true;
  const inner = transcriptInner(layout);
  const room = roomAbove(inner, layout.dialog);
  painter.hit(transcript, { region: 'transcript' });
  if (layout.transcriptBorder) {
    const fresh = newBelow(scene);
    drawBox(painter, theme, transcript, focused ? 'accent' : 'line', {
      topLeft: [piece(inside ? 'Side conversation' : 'Transcript', focused || inside ? 'accent' : 'quiet')],
      topRight: focused ? FOCUS_KEYS : inside ? SIDE_KEYS : [],
      bottomRight: fresh,
    });
  }
  const count = cards.count(view);
  if (count === 0) {
    drawPreflight(painter.within(inner), scene, room);
    return null;
  }
  const top = topOf(scene, room.height);
  const rows = cards.from(view, top, room.height);
  const clip = painter.within(room);
  // A short session stands at the top; a long one fills the room and its newest row is the last.
  for (const [offset, placed] of rows.entries()) drawRow(clip, scene, room, room.y + offset, placed);
  if (layout.transcriptBorder && inner.height > 0) {
    const { above, total } = cards.position(view, top);
    const bar = rect(transcript.x + transcript.width - 1, inner.y, 1, inner.height);
    drawScrollbar(painter, theme, bar, above, room.height, total);
  }
  const first = rows[0]?.place.index ?? 0;
  return { from: first, to: rows.at(-1)?.place.index ?? first };
}

const SIDE_KEYS: Line = [piece('[Esc]', 'accent'), piece(' Hide', 'quiet')];
const FOCUS_KEYS: Line = [
  piece('[↑↓]', 'accent'),
  piece(' Scroll ', 'quiet'),
  piece('[Home]', 'accent'),
  piece(' First ', 'quiet'),
  piece('[End]', 'accent'),
  piece(' Newest', 'quiet'),
];

/** One row of a card at `y`, with what is selected of it. */
export function drawRow(painter: Painter, scene: Scene, area: Rect, y: number, placed: PlacedRow): void {
  const { theme, screen } = scene;
  const { row, place } = placed;
  if (row === null) return;
  const band = rect(area.x, y, area.width, 1);
  painter.hit(band, { region: 'transcript', item: placed.id, line: place.row, action: row.action ?? 'text' });
  if (row.fill !== undefined) painter.fill(band, theme.styles[row.fill]);
  let x = area.x;
  for (const each of row.margin) {
    const text = each.text.startsWith(RUNNING) ? `${orbit(scene)} ` : each.text;
    x += painter.text(x, y, text, theme.styles[each.role], area.x + area.width - x);
  }
  const left = area.x + area.width - x;
  const rightWidth = row.right === undefined ? 0 : lineWidth(row.right);
  const room = row.cuts && rightWidth > 0 && rightWidth < left / 2 ? left - rightWidth - 2 : left;
  const cut = room < left && lineWidth(row.line) > room;
  for (const { from, to, action } of row.spots ?? [])
    painter.hit(rect(x + from, y, to - from, 1), { region: 'transcript', item: placed.id, line: place.row, action });
  const used = drawLine(painter, theme, x, y, row.line, cut ? room - 1 : room, row.fill);
  if (cut) painter.text(x + used, y, '…', theme.styles.quiet);
  if (row.right !== undefined && rightWidth > 0) {
    const from = x + used + (cut ? 1 : 0) + 2;
    const drawn = drawRight(painter, theme, from, y, row.right, area.x + area.width - from);
    if (row.rightAction !== undefined && drawn > 0) {
      const right = rect(area.x + area.width - rightWidth, y, rightWidth, 1);
      painter.hit(right, { region: 'transcript', item: placed.id, line: place.row, action: row.rightAction });
    }
  }
  if (row.rule) {
    const from = x + used + 1;
    painter.fill(rect(from, y, area.x + area.width - from, 1), theme.styles.line, '─');
  }
  if (screen.selection === null) return;
  const columns = selectedColumns(screen.selection, place, row);
  if (columns === null || columns.to <= columns.from) return;
  const start = area.x + marginColumns(row.margin) + columns.from;
  painter.restyle(rect(start, y, columns.to - columns.from, 1), theme.styles.selection);
}

/** `3 new below [Ctrl-End]` while reading back; nothing while following. */
function newBelow(scene: Scene): Line {
  const { scroll } = scene.screen;
  if (scroll.follow) return [];
  const fresh = scene.view.transcript.total - scroll.seenTotal;
  const more = fresh > 0 ? `▼ ${plural(fresh, 'new card')} below ` : scene.view.live !== null ? '▼ more below ' : '▼ ';
  return [
    piece(more, fresh > 0 || scene.view.live !== null ? 'warn' : 'quiet'),
    piece(`[${scene.keymap.label('bottom') ?? 'End'}]`, 'accent'),
  ];
}
