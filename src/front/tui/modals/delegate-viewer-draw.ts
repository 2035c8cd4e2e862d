import { cutToWidth, textWidth } from '../../../base/text-width.ts';
import { type DelegateRow, isAtWork } from '../../../protocol/delegate.ts';
import { chipName, delegateMark } from '../blocks/delegate-card.ts';
import type { Row } from '../blocks/row.ts';
import { drawBox, drawLine } from '../draw.ts';
import type { EditorState } from '../editor/editor-state.ts';
import { Layout } from '../editor/layout.ts';
import { paintEditor } from '../editor/paint-editor.ts';
import { clockTime } from '../figures.ts';
import type { Painter } from '../frame/painter.ts';
import { type Rect, rect } from '../frame/rect.ts';
import { modelText } from '../model-text.ts';
import { oneLine } from '../one-line.ts';
import { type Line, piece } from '../piece.ts';
import type { Theme } from '../theme.ts';
import { type DelegateModal, delegateRows, hears, siblingsOf } from './delegate-viewer.ts';

const MOST_EDITOR_ROWS = 6;
const MOST_UNREAD_ROWS = 3;

/** Where what stands inside the dialog; heights that do not fit are 0. */
export interface ViewerPlaces {
  readonly tabs: Rect;
  readonly timeline: Rect;
  readonly unread: Rect;
  readonly editor: Rect;
}

export function viewerPlaces(
  area: Rect,
  modal: DelegateModal,
  row: DelegateRow | null,
  siblings: number,
  draft: EditorState,
): ViewerPlaces {
  const x = area.x + 2;
  const width = Math.max(1, area.width - 4);
  const inner = Math.max(0, area.height - 2);
  const speaking = hears(modal, row);
  const layout = Layout.of(draft.buffer.text, Math.max(1, width - 2));
  const editorRows = speaking ? Math.min(MOST_EDITOR_ROWS, layout.rowCount, Math.max(1, inner - 2)) : 0;
  const unreadRows = Math.min(MOST_UNREAD_ROWS, row?.unread.length ?? 0, Math.max(0, inner - editorRows - 2));
  const tabRows = siblings > 1 && inner - editorRows - unreadRows > 2 ? 1 : 0;
  // A rule parts what it did from what is said to it.
  const rule = speaking && inner - editorRows - unreadRows - tabRows > 1 ? 1 : 0;
  const timelineRows = Math.max(0, inner - editorRows - unreadRows - tabRows - rule);
  const top = area.y + 1;
  return {
    tabs: rect(x, top, width, tabRows),
    timeline: rect(x, top + tabRows, width, timelineRows),
    unread: rect(x, top + tabRows + timelineRows + rule, width, unreadRows),
    editor: rect(x + 2, top + tabRows + timelineRows + rule + unreadRows, Math.max(1, width - 2), editorRows),
  };
}

export function drawDelegate(
  painter: Painter,
  theme: Theme,
  area: Rect,
  modal: DelegateModal,
  row: DelegateRow | null,
  all: readonly DelegateRow[] | undefined,
  draft: EditorState,
  now: number,
): void {
  painter.fill(area, theme.styles.text);
  painter.hit(area, { region: 'modal' });
  const siblings = row === null ? [] : siblingsOf(all, row);
  const places = viewerPlaces(area, modal, row, siblings.length, draft);
  drawBox(painter, theme, area, 'accent', {
    topLeft: [piece(row === null ? `Subagent ${modal.name}` : titleOf(row), 'accent')],
    topRight: row === null ? [piece('gone', 'quiet')] : standing(row, now),
    bottomLeft: keys(modal, row, siblings.length),
    bottomRight: modal.back > 0 ? [piece(`${modal.back} rows back`, 'quiet')] : [],
  });
  if (row === null) return;
  drawTabs(painter, theme, places.tabs, siblings, row);
  const rows = delegateRows(row, modal.earlier.get(row.name), places.timeline.width);
  const { timeline } = places;
  const end = rows.length - Math.min(modal.back, Math.max(0, rows.length - timeline.height));
  const clip = painter.within(timeline);
  rows.slice(Math.max(0, end - timeline.height), end).forEach((each, y) => {
    drawRow(clip, theme, timeline.x, timeline.y + y, each, timeline.width);
  });
  const { unread, editor } = places;
  if (editor.height > 0 && unread.y > timeline.y + timeline.height)
    drawLine(painter, theme, unread.x, unread.y - 1, [piece('─'.repeat(unread.width), 'line')], unread.width);
  row.unread.slice(0, unread.height).forEach(({ text }, y) => {
    const words = isAtWork(row) ? 'not read yet' : 'never read';
    const line = [
      piece('○ ', 'accent'),
      piece(cutToWidth(oneLine(text), Math.max(4, unread.width - 16)), 'text'),
      piece(`  ${words}`, 'quiet'),
    ];
    drawLine(painter, theme, unread.x, unread.y + y, line, unread.width);
  });
  if (editor.height === 0) return;
  painter.text(editor.x - 2, editor.y, '❯', theme.styles.accent);
  const styles = {
    text: theme.styles.text,
    selection: theme.styles.selection,
    atom: theme.styles.signal,
    atomAtCaret: theme.styles.selection,
    placeholder: theme.styles.ghost,
  };
  const { buffer } = draft;
  paintEditor(painter, editor, buffer, Layout.of(buffer.text, editor.width), styles, {
    top: 0,
    focused: true,
    placeholder: `Steer ${row.name}`,
  });
}

/** By its kind and its number, never by what a model says (VIEW-11). */
function titleOf({ name, kind, agent }: DelegateRow): string {
  return `Subagent ${name} • ${agent === null ? kind : `${agent}, ${kind}`}`;
}

function standing(row: DelegateRow, now: number): Line {
  const model = row.model === null ? '' : `${modelText(row.model, row.effort)} • `;
  const time = clockTime(Math.max(0, (row.ended ?? now) - row.started));
  return [
    piece(model, 'quiet'),
    piece(`${isAtWork(row) ? 'at work' : row.state} • ${time}`, isAtWork(row) ? 'signal' : 'quiet'),
  ];
}

function drawTabs(painter: Painter, theme: Theme, area: Rect, rows: readonly DelegateRow[], one: DelegateRow): void {
  if (area.height === 0) return;
  let { x } = area;
  for (const row of rows) {
    const name = cutToWidth(oneLine(chipName(row)), 24);
    const width = textWidth(name) + 4;
    if (x + width > area.x + area.width) break;
    const chosen = row.name === one.name;
    drawLine(
      painter,
      theme,
      x,
      area.y,
      [piece(chosen ? `▸${name} ` : ` ${name} `, chosen ? 'accent' : 'quiet'), delegateMark(row)],
      width,
    );
    painter.hit(rect(x, area.y, width - 1, 1), { region: 'delegate', item: row.name });
    x += width;
  }
}

function drawRow(painter: Painter, theme: Theme, x: number, y: number, row: Row, width: number): void {
  let at = x;
  for (const each of row.margin) at += painter.text(at, y, each.text, theme.styles[each.role]);
  drawLine(painter, theme, at, y, row.line, width - (at - x), row.fill);
}

function keys(modal: DelegateModal, row: DelegateRow | null, siblings: number): Line {
  const key = (chord: string, words: string): Line => [piece(`[${chord}]`, 'accent'), piece(` ${words}  `, 'quiet')];
  const unread = row !== null && row.unread.length > 0 && modal.speaks;
  return [
    ...(hears(modal, row) ? key('Enter', 'Steer') : []),
    ...(siblings > 1 ? key(modal.speaks ? 'Tab' : 'n/p', 'Next') : []),
    ...(unread ? key('Alt-C', 'Take back') : hears(modal, row) ? key('Alt-C', 'Stop it') : []),
    ...(!modal.speaks && row !== null && isAtWork(row) ? key('x', 'Stop it') : []),
    ...key('Esc', 'Close'),
  ];
}
