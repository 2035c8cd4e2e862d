import { cutToWidth } from '../../../base/text-width.ts';
import { textRows } from '../blocks/prose.ts';
import { drawBox, drawLine, drawRight, lineWidth } from '../draw.ts';
import type { Painter } from '../frame/painter.ts';
import { type Rect, rect } from '../frame/rect.ts';
import { chordOf, type InputEvent } from '../input/event.ts';
import { type Line, piece } from '../piece.ts';
import type { Theme } from '../theme.ts';

/** Rows to choose one of, with what the chosen one would do shown below, and a key for each thing that can be done. */
export interface ListModal {
  readonly kind: 'list';
  readonly of: ListOf;
  readonly title: string;
  /** Null while they are on their way. */
  readonly rows: readonly ListRow[] | null;
  readonly cursor: number;
  /** What was typed to narrow the rows; null where letters are keys. */
  readonly filter: string | null;
  readonly keys: readonly ListKey[];
  /** What stands below matters more than the rows: it gets most of the room. */
  readonly deep?: boolean;
  /** Said where there are no rows. */
  readonly none: string;
}

export type ListOf = 'tree' | 'rewind' | 'threads' | 'sessions' | 'running' | 'jobs';

export interface ListRow {
  /** What a key is about. */
  readonly value: string;
  readonly indent: number;
  /** One stands here. */
  readonly here: boolean;
  /** Drawn before the text, such as `you`. */
  readonly mark: string;
  readonly text: string;
  readonly detail: string;
  readonly below: string;
}

export interface ListKey {
  readonly chord: string;
  /** As the border names it. */
  readonly label: string;
  readonly words: string;
  /** The word for it, for whoever carries it out. */
  readonly does: string;
}

export type ListMeant =
  | { readonly kind: 'modal'; readonly modal: ListModal }
  | { readonly kind: 'does'; readonly does: string; readonly row: ListRow }
  | { readonly kind: 'close' }
  | { readonly kind: 'none' };

/** Rows that hold every typed word, in any place and order. */
export function shownRows({ rows, filter }: ListModal): readonly ListRow[] {
  const words = (filter ?? '')
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
  if (rows === null || words.length === 0) return rows ?? [];
  return rows.filter((row) => {
    const text = `${row.mark} ${row.text} ${row.detail} ${row.below} ${row.value}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });
}

export function withRows(modal: ListModal, rows: readonly ListRow[]): ListModal {
  const here = rows.findIndex((row) => row.here);
  return { ...modal, rows, cursor: Math.max(0, here) };
}

export function listKey(modal: ListModal, event: Extract<InputEvent, { type: 'key' }>): ListMeant {
  const rows = shownRows(modal);
  const cursor = Math.max(0, Math.min(modal.cursor, rows.length - 1));
  const move = (to: number): ListMeant => ({
    kind: 'modal',
    modal: { ...modal, cursor: Math.max(0, Math.min(rows.length - 1, to)) },
  });
  const chord = chordOf(event.key);
  const key = modal.keys.find((one) => one.chord === chord);
  if (key !== undefined) {
    const row = rows[cursor];
    return row === undefined ? { kind: 'none' } : { kind: 'does', does: key.does, row };
  }
  switch (chord) {
    case 'escape':
    case 'ctrl-c':
      return { kind: 'close' };
    case 'up':
    case 'ctrl-p':
      return move(cursor - 1);
    case 'down':
    case 'ctrl-n':
      return move(cursor + 1);
    case 'pageup':
      return move(cursor - 10);
    case 'pagedown':
      return move(cursor + 10);
    case 'home':
      return move(0);
    case 'end':
      return move(rows.length - 1);
    default:
      break;
  }
  if (modal.filter === null) return { kind: 'none' };
  if (chord === 'backspace') return refilter(modal, [...modal.filter].slice(0, -1).join(''));
  if (chord === 'ctrl-u') return refilter(modal, '');
  const { text, ctrl, alt } = event.key;
  return text === null || ctrl || alt ? { kind: 'none' } : refilter(modal, modal.filter + text);
}

export function refilter(modal: ListModal, filter: string): ListMeant {
  return { kind: 'modal', modal: { ...modal, filter, cursor: 0 } };
}

/** Rows for what the chosen one would do, at most. */
const BELOW = 6;

export function drawList(painter: Painter, theme: Theme, area: Rect, modal: ListModal): void {
  const rows = shownRows(modal);
  const cursor = Math.max(0, Math.min(modal.cursor, rows.length - 1));
  const width = area.width - 4;
  painter.fill(area, theme.styles.text);
  painter.hit(area, { region: 'modal' });
  drawBox(painter, theme, area, 'accent', {
    topLeft: [piece(modal.title, 'accent')],
    topRight: modal.rows === null ? [] : [piece(`${rows.length === 0 ? 0 : cursor + 1} of ${rows.length}`, 'quiet')],
    bottomLeft: keyLine(modal, area.width - 6),
  });
  let top = area.y + 1;
  if (modal.filter !== null) {
    const typed: Line = [piece('⌕ ', 'accent'), piece(modal.filter, 'text')];
    const used = drawLine(painter, theme, area.x + 2, top, typed, width);
    painter.cursor(area.x + 2 + Math.min(used, width - 1), top);
    top++;
  }
  const chosen = rows[cursor];
  const words = textRows(chosen?.below ?? '', [], 'text', { width, expanded: true, openKey: '' });
  const below =
    chosen === undefined || chosen.below === ''
      ? []
      : words.slice(0, modal.deep === true ? Math.max(BELOW, area.height - 6 - Math.min(rows.length, 6)) : BELOW);
  const room = Math.max(1, area.y + area.height - 1 - top - (below.length > 0 ? below.length + 1 : 0));
  const first = Math.max(0, Math.min(cursor - Math.floor(room / 2), rows.length - room));
  const said = modal.rows === null ? 'one moment' : rows.length === 0 ? modal.none : null;
  if (said !== null) drawLine(painter, theme, area.x + 2, top, [piece(said, 'quiet')], width);
  rows.slice(first, first + room).forEach((row, offset) => {
    drawRow(painter, theme, rect(area.x, top + offset, area.width, 1), row, first + offset, cursor);
  });
  below.forEach((row, offset) => {
    const y = area.y + area.height - 1 - below.length + offset;
    if (offset === 0) drawLine(painter, theme, area.x + 2, y - 1, [piece('─'.repeat(width), 'quiet')], width);
    drawLine(painter, theme, area.x + 2, y, row.line, width);
  });
}

function drawRow(painter: Painter, theme: Theme, at: Rect, row: ListRow, index: number, cursor: number): void {
  const chosen = index === cursor;
  if (chosen) painter.fill(rect(at.x + 1, at.y, at.width - 2, 1), theme.styles.chosen);
  painter.hit(at, { region: 'list', item: String(index) });
  const width = at.width - 4;
  const detail = lineWidth([piece(row.detail, 'quiet')]);
  const fits = row.detail !== '' && detail + 24 < width;
  const room = fits ? width - detail - 2 : width;
  const indent = '  '.repeat(Math.min(row.indent, 12));
  const head = `${chosen ? '❯ ' : row.here ? '● ' : '  '}${indent}`;
  const line: Line = [
    piece(head, 'accent'),
    piece(row.mark === '' ? '' : `${row.mark} `, 'quiet'),
    piece(cutToWidth(row.text, Math.max(8, room - head.length - row.mark.length - 1)), chosen ? 'strong' : 'text'),
  ];
  drawLine(painter, theme, at.x + 2, at.y, line, room, chosen ? 'chosen' : undefined);
  if (fits) drawRight(painter, theme, at.x + 2, at.y, [piece(row.detail, chosen ? 'chosen' : 'quiet')], width);
}

/** As many keys as fit, the first ones first, and always the one that closes. */
function keyLine({ keys }: ListModal, width: number): Line {
  const close: Line = [piece('[Esc]', 'accent'), piece(' Close', 'quiet')];
  let line: Line = [];
  for (const key of keys) {
    const more: Line = [...line, piece(`[${key.label}]`, 'accent'), piece(` ${key.words}  `, 'quiet')];
    if (lineWidth([...more, ...close]) > width) break;
    line = more;
  }
  return [...line, ...close];
}
