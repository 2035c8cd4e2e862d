import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { emptyHead, emptyView } from '../../../protocol/reduce.ts';
import type { Item, View } from '../../../protocol/view.ts';
import { CardList } from './card-list.ts';
import { selectedText } from './selection.ts';
import { FOLLOW, scrollBy, scrollToTop, topOf } from './transcript-scroll.ts';

function viewOf(texts: readonly string[]): View {
  const view = emptyView(emptyHead('s', '/p', '1'));
  const items = texts.map(
    (text, index): Item => ({
      id: `i${index}`,
      entry: `i${index}`,
      time: 0,
      revision: 0,
      kind: 'user',
      text,
      attachments: [],
      as: 'prompt',
      turn: index,
      stopped: false,
    }),
  );
  view.transcript = { total: items.length, first: 0, items, generation: 0 };
  return view;
}

function listOf(width = 40): CardList {
  const cards = new CardList();
  cards.configure({ width, openKey: '', expandAll: false, toggled: new Set() });
  return cards;
}

const texts = fc.array(
  fc.array(fc.constantFrom('word', 'longer words here', ''), { maxLength: 5 }).map((lines) => lines.join('\n')),
  { minLength: 1, maxLength: 40 },
);

describe('card list', () => {
  test('what is drawn at the tail ends with the newest row and fills the room, or begins at the first', () => {
    fc.assert(
      fc.property(texts, fc.integer({ min: 1, max: 30 }), (each, height) => {
        const view = viewOf(each);
        const cards = listOf();
        const top = cards.tail(view, height);
        const rows = cards.from(view, top, height + 5);
        const all = each.reduce((sum, _, index) => sum + cards.heightAt(view, index), 0);
        expect(rows.length).toBe(Math.min(all, height));
        expect(cards.position(view, top)).toEqual({ above: all - rows.length, total: Math.max(1, all) });
      }),
    );
  });

  test('scrolling back and forth by any steps shows every row once and comes back to following (UP-03)', () => {
    fc.assert(
      fc.property(texts, fc.integer({ min: 1, max: 12 }), fc.integer({ min: 1, max: 7 }), (each, height, step) => {
        const view = viewOf(each);
        const cards = listOf();
        const scrolled = { view, cards, screen: { scroll: FOLLOW as ReturnType<typeof scrollBy> } };
        scrolled.screen.scroll = scrollToTop(scrolled, height);
        const seen = new Set<string>();
        for (let guard = 0; guard < 500; guard++) {
          for (const { place } of cards.from(view, topOf(scrolled, height), height))
            seen.add(`${place.index}.${place.row}`);
          if (scrolled.screen.scroll.follow) break;
          scrolled.screen.scroll = scrollBy(scrolled, Math.min(step, height), height);
        }
        const all = each.reduce((sum, _, index) => sum + cards.heightAt(view, index), 0);
        expect(seen.size).toBe(all);
        expect(scrolled.screen.scroll.follow).toBe(true);
      }),
    );
  });

  test('selecting everything gives the source of each card, whatever the width (UP-17)', () => {
    fc.assert(
      fc.property(texts, fc.integer({ min: 6, max: 60 }), (each, width) => {
        const view = viewOf(each);
        const cards = listOf(width);
        const end = { index: each.length - 1, row: 1000, column: 1000 };
        expect(selectedText(view, cards, { from: { index: 0, row: 0, column: 0 }, to: end })).toBe(each.join('\n\n'));
      }),
    );
  });

  test('hidden thinking takes no row, is not copied, and the scrollbar counts it only where it stands (SC-19.14)', () => {
    const view = viewOf(['one', 'thought\nof it', 'two', 'three']);
    Object.assign(view.transcript.items[1]!, { kind: 'thinking' });
    const cards = listOf();
    const shown = { width: 40, openKey: '', expandAll: false, toggled: new Set<string>() };
    const measured = (hidesThinking: boolean) => {
      cards.configure({ ...shown, hidesThinking });
      while (cards.measure(view, 3));
      return cards.position(view, { index: 3, row: 0 });
    };
    expect(measured(false)).toEqual({ above: 5, total: 7 });
    expect(measured(true)).toEqual({ above: 3, total: 5 });
    const all = { from: { index: 0, row: 0, column: 0 }, to: { index: 3, row: 1000, column: 1000 } };
    expect(selectedText(view, cards, all)).toBe('one\n\ntwo\n\nthree');
    expect(measured(false)).toEqual({ above: 5, total: 7 });
  });

  test('once what is out of sight was measured, the scrollbar stands exactly where the row is (TC-2)', () => {
    fc.assert(
      fc.property(texts, fc.nat(), fc.integer({ min: 8, max: 60 }), fc.boolean(), (each, pick, width, changes) => {
        const view = viewOf(each);
        const cards = listOf(width);
        const whole = () => {
          while (cards.measure(view, 3));
          const fresh = listOf(width);
          const heights = each.map((_, index) => fresh.heightAt(view, index));
          const sum = (count: number) => heights.slice(0, count).reduce((all, rows) => all + rows, 0);
          const index = pick % each.length;
          expect(cards.position(view, { index, row: 0 })).toEqual({
            above: sum(index),
            total: Math.max(1, sum(each.length)),
          });
        };
        whole();
        if (!changes) return;
        const item = view.transcript.items[pick % each.length] as { text: string; revision: number };
        item.text += '\nand\nmore\nof it';
        item.revision++;
        whole();
      }),
    );
  });

  test('only cards that are looked at are laid out (UP-07)', () => {
    const view = viewOf(Array.from({ length: 400 }, (_, index) => `card ${index}`));
    const cards = listOf();
    let laidOut = 0;
    for (const item of view.transcript.items) {
      const text = (item as { text: string }).text;
      Object.defineProperty(item, 'text', {
        get: () => {
          laidOut++;
          return text;
        },
      });
    }
    cards.from(view, cards.tail(view, 20), 20);
    expect(laidOut).toBeLessThan(15);
    cards.from(view, cards.tail(view, 20), 20);
    expect(laidOut).toBeLessThan(15);
  });
});
