import type { View } from '../../../protocol/view.ts';
import type { CardList, Place } from './card-list.ts';

/**
 * Where the transcript stands: at the newest row, following it, or at a row that stays put whatever arrives (UP-03).
 * `seenTotal` is how many cards there were when following ended.
 */
export type Scroll =
  | { readonly follow: true }
  | { readonly follow: false; readonly top: Place; readonly seenTotal: number };

export const FOLLOW: Scroll = { follow: true };

interface Scrolled {
  readonly view: View;
  readonly cards: CardList;
  readonly screen: { readonly scroll: Scroll };
}

/** The place drawn on the first row of `height` rows. */
export function topOf({ view, cards, screen }: Scrolled, height: number): Place {
  return screen.scroll.follow ? cards.tail(view, height) : cards.clamp(view, screen.scroll.top);
}

/** Scrolls by `rows` (negative: back). Reaching the newest row follows again. */
export function scrollBy(scrolled: Scrolled, rows: number, height: number): Scroll {
  const { view, cards, screen } = scrolled;
  const { scroll } = screen;
  if (scroll.follow && rows > 0) return scroll;
  const top = topOf(scrolled, height);
  const seenTotal = scroll.follow ? view.transcript.total : scroll.seenTotal;
  if (rows < 0) {
    if (scroll.follow && cards.isAtTail(view, { index: 0, row: 0 }, height)) return scroll;
    return { follow: false, top: cards.back(view, top, -rows), seenTotal };
  }
  const next = cards.forward(view, top, rows, height);
  return next === null ? FOLLOW : { follow: false, top: next, seenTotal };
}

/** The first row of the whole session. */
export function scrollToTop({ view, cards, screen }: Scrolled, height: number): Scroll {
  const first = { index: 0, row: 0 };
  if (cards.isAtTail(view, first, height)) return screen.scroll;
  return {
    follow: false,
    top: first,
    seenTotal: screen.scroll.follow ? view.transcript.total : screen.scroll.seenTotal,
  };
}

/** Brings card `index` to the top, or follows where it is among the last rows. */
export function scrollToCard({ view, cards, screen }: Scrolled, index: number, height: number): Scroll {
  const top = { index, row: 0 };
  if (cards.isAtTail(view, top, height)) return FOLLOW;
  return { follow: false, top, seenTotal: screen.scroll.follow ? view.transcript.total : screen.scroll.seenTotal };
}
