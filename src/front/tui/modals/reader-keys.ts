import type { View } from '../../../protocol/view.ts';
import { chordOf, type InputEvent } from '../input/event.ts';
import { plainText } from '../piece.ts';
import type { CardList, Place } from '../regions/card-list.ts';
import { findInRow } from './find-in-rows.ts';
import type { ReaderModal, ReaderSearch } from './modal.ts';
import { counted, pagingOf, stepRows } from './paging.ts';
import { heldAtEnd } from './reader.ts';

/** What the scroller reads: the cards at the width they are drawn with, and how many rows it shows. */
export interface ReaderPlace {
  readonly view: View;
  readonly cards: CardList;
  readonly window: number;
  /** The chord that opened it closes it (SCR-4). */
  readonly ownChords: readonly string[];
}

export type ReaderKey =
  | { readonly kind: 'modal'; readonly modal: ReaderModal }
  | { readonly kind: 'close' }
  | { readonly kind: 'open' }
  | { readonly kind: 'editor' };

/** A key in the scroller: it takes every one (SCR-1, SCR-2, SCR-4). */
export function readerKey(
  modal: ReaderModal,
  event: Extract<InputEvent, { type: 'key' }>,
  place: ReaderPlace,
): ReaderKey {
  const chord = chordOf(event.key);
  const text = event.key.ctrl || event.key.alt ? null : event.key.text;
  if (modal.keys) return change(modal, { keys: false });
  if (modal.search?.typing) return typeSearch(modal, modal.search, chord, text, place);
  const count = counted(modal.count, text);
  if (count !== null) return change(modal, { count });
  const times = modal.count ?? 1;
  const calm: ReaderModal = modal.count === null ? modal : { ...modal, count: null };
  const paging = pagingOf(chord, text);
  if (paging !== null) return { kind: 'modal', modal: moved(calm, paging, times, place) };
  if (chord === 'ctrl-c' || place.ownChords.includes(chord)) return { kind: 'close' };
  switch (text ?? chord) {
    case 'q':
      return { kind: 'close' };
    case 'escape':
      if (modal.count !== null) return change(modal, { count: null });
      return modal.search === null ? { kind: 'close' } : change(modal, { search: null });
    case '?':
      return change(calm, { keys: true });
    case '/':
      return change(calm, { search: { typing: true, needle: '', at: null, note: '' } });
    case 'n':
    case 'N': {
      let next = calm;
      for (let step = 0; step < times && next.search !== null; step++)
        next = searched(next, next.search, text === 'n' ? 1 : -1, place);
      return { kind: 'modal', modal: next };
    }
    case 'v':
      return { kind: 'editor' };
    case 'enter':
      return { kind: 'open' };
    default:
      return { kind: 'modal', modal: calm };
  }
}

function change(modal: ReaderModal, with_: Partial<ReaderModal>): ReaderKey {
  return { kind: 'modal', modal: { ...modal, ...with_ } };
}

function moved(
  modal: ReaderModal,
  paging: NonNullable<ReturnType<typeof pagingOf>>,
  times: number,
  place: ReaderPlace,
): ReaderModal {
  const { view, cards, window } = place;
  const at = (top: Place): ReaderModal => ({ ...modal, top: heldAtEnd(view, cards, top, window) });
  if ('to' in paging) return at(paging.to === 'first' ? { index: 0, row: 0 } : cards.tail(view, window));
  if (paging.by === 'prompt') return at(promptFrom(modal.top, paging.direction, times, place));
  return scrolledReader(modal, paging.direction * times * stepRows(paging.by, window), place);
}

export function scrolledReader(modal: ReaderModal, rows: number, { view, cards, window }: ReaderPlace): ReaderModal {
  const top = cards.clamp(view, modal.top);
  const next = rows < 0 ? cards.back(view, top, -rows) : cards.forward(view, top, rows, window);
  return { ...modal, top: next ?? cards.tail(view, window) };
}

/** The `times`-th thing a person said before or after the top row; the farthest there is. */
function promptFrom(top: Place, direction: 1 | -1, times: number, { view, cards }: ReaderPlace): Place {
  let found = top;
  let left = times;
  // A prompt above whose first row is out of sight is the one before.
  const start = direction < 0 && top.row > 1 ? top.index : top.index + direction;
  for (let index = start; index >= 0 && index < cards.count(view) && left > 0; index += direction) {
    if (cards.itemAt(view, index)?.kind !== 'user') continue;
    found = { index, row: 0 };
    left--;
  }
  return found;
}

function typeSearch(
  modal: ReaderModal,
  search: ReaderSearch,
  chord: string,
  text: string | null,
  place: ReaderPlace,
): ReaderKey {
  switch (chord) {
    case 'enter':
      if (search.needle === '') return change(modal, { search: null });
      return { kind: 'modal', modal: searched(modal, { ...search, typing: false }, 1, place) };
    case 'escape':
    case 'ctrl-c':
      return change(modal, { search: null });
    case 'ctrl-u':
      return change(modal, { search: { ...search, needle: '' } });
    case 'backspace':
      if (search.needle === '') return change(modal, { search: null });
      return change(modal, { search: { ...search, needle: [...search.needle].slice(0, -1).join('') } });
    default:
      return text === null
        ? { kind: 'modal', modal }
        : change(modal, { search: { ...search, needle: search.needle + text } });
  }
}

/** The next match from the one that stands, or from the top row; it goes round, and two on a row are two (SCR-3). */
export function searched(modal: ReaderModal, search: ReaderSearch, direction: 1 | -1, place: ReaderPlace): ReaderModal {
  const { view, cards, window } = place;
  const count = cards.count(view);
  const from = search.at ?? { ...modal.top, number: direction > 0 ? -1 : Number.MAX_SAFE_INTEGER };
  for (let step = 0; step <= count; step++) {
    const index = (((from.index + direction * step) % count) + count) % count;
    const rows = cards.rowsAt(view, index);
    for (let offset = 0; offset < rows.length; offset++) {
      const row = direction > 0 ? offset : rows.length - 1 - offset;
      const matches = findInRow(rows[row]!, search.needle);
      for (let next = 0; next < matches.length; next++) {
        const number = direction > 0 ? next : matches.length - 1 - next;
        const here = compare({ row, number }, from) * direction;
        // On the card one begins at: only what lies ahead, and once round only what lies behind or is the same.
        if ((step === 0 && here <= 0) || (step === count && here > 0)) continue;
        const round = direction > 0 ? index < from.index || step === count : index > from.index || step === count;
        const at = { index, row, number };
        const shown = cards
          .from(view, cards.clamp(view, modal.top), window)
          .some((each) => each.place.index === index && each.place.row === row);
        const top = shown
          ? modal.top
          : heldAtEnd(view, cards, cards.back(view, { index, row }, Math.floor(window / 3)), window);
        return { ...modal, top, search: { ...search, at, note: round ? 'search went round' : 'match' } };
      }
    }
  }
  return { ...modal, search: { ...search, at: null, note: 'not found' } };
}

function compare(a: { row: number; number: number }, b: { row: number; number: number }): number {
  return a.row - b.row || a.number - b.number;
}

/** Every row as it is drawn, margins included, for an editor (SCR-5). */
export function drawnRows({ view, cards }: ReaderPlace): string {
  const lines: string[] = [];
  for (let index = 0; index < cards.count(view); index++) {
    for (const row of cards.rowsAt(view, index))
      lines.push(row === null ? '' : `${plainText(row.margin)}${plainText(row.line)}`.trimEnd());
  }
  return `${lines.join('\n')}\n`;
}
