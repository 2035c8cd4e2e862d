import { exactRows } from '../blocks/prose.ts';
import { FOG, marginColumns, type Row } from '../blocks/row.ts';
import { drawBox, drawLine, drawScrollbar } from '../draw.ts';
import type { Painter } from '../frame/painter.ts';
import { type Rect, rect } from '../frame/rect.ts';
import { chordOf, type InputEvent } from '../input/event.ts';
import { type Line, piece } from '../piece.ts';
import type { Theme } from '../theme.ts';
import { findInRow } from './find-in-rows.ts';
import { CHUNK_LINES, type ScrollerModal } from './modal.ts';
import { pagingOf, stepRows } from './paging.ts';

/** Rows of a body at a width. Lines of an output that are not here yet stand as empty rows, one each. */
export function scrollerRows(
  modal: ScrollerModal,
  width: number,
  help: (width: number) => readonly Row[],
): readonly Row[] {
  const { body } = modal;
  if (body.kind === 'rows') return body.rows;
  if (body.kind === 'help') return help(width);
  if (body.failed !== null) return [...body.head, { margin: [], line: [piece(body.failed, 'warn')], join: '\n' }];
  if (body.totalLines === null) return [...body.head, { margin: [], line: [piece('one moment', 'quiet')], join: '\n' }];
  const rows: Row[] = [...body.head];
  const margin: Line = body.fogged ? [FOG] : [];
  const options = { width, expanded: true, openKey: '' };
  for (let from = 0; from < body.totalLines; from += CHUNK_LINES) {
    const chunk = body.chunks.get(from);
    const count = Math.min(CHUNK_LINES, body.totalLines - from);
    if (chunk === undefined) for (let line = 0; line < count; line++) rows.push({ margin, line: [], join: '\n' });
    else rows.push(...chunk.flatMap((line) => exactRows(line, margin, 'text', options)));
  }
  if (body.totalLines === 0) rows.push({ margin: [], line: [piece('It printed nothing', 'quiet')], join: '\n' });
  return rows;
}

/** The first chunk of an output that the window needs and that is not here; null when all is. */
export function missingChunk(modal: ScrollerModal, window: number): number | null {
  const { body } = modal;
  if (body.kind !== 'output' || body.totalLines === null) return null;
  // Rows before a missing chunk may be wrapped lines: what is asked for is found by line, near enough.
  const line = Math.max(0, modal.top - body.head.length);
  for (const at of [line, line + window]) {
    const from = Math.floor(Math.min(at, Math.max(0, body.totalLines - 1)) / CHUNK_LINES) * CHUNK_LINES;
    if (from < body.totalLines && !body.chunks.has(from)) return from;
  }
  return null;
}

export type ScrollerKey =
  | { readonly kind: 'modal'; readonly modal: ScrollerModal }
  | { readonly kind: 'close' }
  | { readonly kind: 'none' };

/** A key in a scroller: line, half a page, page, ends, search (SCR-2, SCR-3, SCR-4). */
export function scrollerKey(
  modal: ScrollerModal,
  event: Extract<InputEvent, { type: 'key' }>,
  rows: readonly Row[],
  window: number,
): ScrollerKey {
  const chord = chordOf(event.key);
  if (modal.search?.typing) return searchKey(modal, event, chord, rows, window);
  const end = Math.max(0, rows.length - window);
  const to = (top: number): ScrollerKey => ({
    kind: 'modal',
    modal: { ...modal, top: Math.max(0, Math.min(end, top)) },
  });
  const text = event.key.ctrl || event.key.alt ? null : event.key.text;
  const paging = pagingOf(chord, text);
  if (paging !== null) {
    if ('to' in paging) return to(paging.to === 'first' ? 0 : end);
    return paging.by === 'prompt' ? { kind: 'none' } : to(modal.top + paging.direction * stepRows(paging.by, window));
  }
  switch (chord) {
    case 'q':
    case 'ctrl-o':
    case 'ctrl-c':
      return { kind: 'close' };
    // Who asks for help over another text must not find it closed: the Esc that follows would stop the turn.
    case 'f1':
      return { kind: modal.body.kind === 'help' ? 'close' : 'none' };
    case 'escape':
      return modal.search === null ? { kind: 'close' } : { kind: 'modal', modal: { ...modal, search: null } };
    case 'enter':
      return to(modal.top + 1);
    case '/':
      return { kind: 'modal', modal: { ...modal, search: { typing: true, needle: '' } } };
    case 'n':
      return modal.search === null ? { kind: 'none' } : to(nextMatch(rows, modal.search.needle, modal.top, 1));
    case 'shift-n':
    case 'N':
      return modal.search === null ? { kind: 'none' } : to(nextMatch(rows, modal.search.needle, modal.top, -1));
    default:
      return { kind: 'none' };
  }
}

function searchKey(
  modal: ScrollerModal,
  event: Extract<InputEvent, { type: 'key' }>,
  chord: string,
  rows: readonly Row[],
  window: number,
): ScrollerKey {
  const needle = modal.search?.needle ?? '';
  const set = (search: ScrollerModal['search'], top = modal.top): ScrollerKey => ({
    kind: 'modal',
    modal: { ...modal, search, top },
  });
  switch (chord) {
    case 'enter': {
      if (needle === '') return set(null);
      const found = nextMatch(rows, needle, modal.top - 1, 1);
      return set({ typing: false, needle }, Math.max(0, Math.min(found, rows.length - window)));
    }
    case 'escape':
    case 'ctrl-c':
      return set(null);
    case 'backspace':
      return needle === '' ? set(null) : set({ typing: true, needle: [...needle].slice(0, -1).join('') });
    default: {
      const { text, ctrl, alt } = event.key;
      return text === null || ctrl || alt ? { kind: 'none' } : set({ typing: true, needle: needle + text });
    }
  }
}

/** The next row that holds the needle; the search goes round (SCR-3). */
export function nextMatch(rows: readonly Row[], needle: string, from: number, direction: 1 | -1): number {
  for (let step = 1; step <= rows.length; step++) {
    const at = (((from + direction * step) % rows.length) + rows.length) % rows.length;
    if (findInRow(rows[at]!, needle).length > 0) return at;
  }
  return Math.max(0, from);
}

/** Rows a scroller shows in `area`. */
export function scrollerWindow(area: Rect): number {
  return Math.max(1, area.height - 2);
}

export function drawScroller(
  painter: Painter,
  theme: Theme,
  area: Rect,
  modal: ScrollerModal,
  rows: readonly Row[],
): void {
  const window = scrollerWindow(area);
  const top = Math.max(0, Math.min(modal.top, rows.length - window));
  painter.fill(area, theme.styles.text);
  painter.hit(area, { region: 'modal' });
  const { search } = modal;
  const searching: Line =
    search === null
      ? []
      : [piece('/', 'accent'), piece(search.needle, 'text'), piece(search.typing ? '▏' : '', 'accent')];
  drawBox(painter, theme, area, 'accent', {
    topLeft: [piece(modal.title.replace(/\n/g, ' '), 'accent')],
    topRight:
      rows.length > window ? [piece(`${Math.min(rows.length, top + window)} of ${rows.length} rows`, 'quiet')] : [],
    bottomLeft:
      search === null
        ? [piece('[Esc]', 'accent'), piece(' Close  ', 'quiet'), piece('[/]', 'accent'), piece(' Search', 'quiet')]
        : searching,
    bottomRight: search !== null && !search.typing ? [piece('[n]', 'accent'), piece(' Next', 'quiet')] : [],
  });
  const inside = rect(area.x + 2, area.y + 1, area.width - 4, window);
  const clip = painter.within(inside);
  rows.slice(top, top + window).forEach((row, offset) => {
    const y = inside.y + offset;
    if (row.fill !== undefined) clip.fill(rect(inside.x, y, inside.width, 1), theme.styles[row.fill]);
    const used = drawLine(clip, theme, inside.x, y, row.margin, inside.width);
    drawLine(clip, theme, inside.x + used, y, row.line, inside.width - used, row.fill);
    for (const found of findInRow(row, search?.needle ?? '')) {
      const from = inside.x + marginColumns(row.margin) + found.from;
      clip.restyle(rect(from, y, found.to - found.from, 1), theme.styles.match);
    }
  });
  drawScrollbar(painter, theme, rect(area.x + area.width - 1, area.y + 1, 1, window), top, window, rows.length);
}
