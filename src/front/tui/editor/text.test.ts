import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { trickyText } from '../../../../test/support/tricky-text.ts';
import { borderAtOrBefore, nextBorder, previousBorder } from '../../../base/graphemes.ts';
import { Layout, LayoutCache } from './layout.ts';
import { Text } from './text.ts';

/** Long enough for many pieces, with what is hard at their borders. */
const long = fc
  .array(
    fc.record({
      part: fc.oneof(
        trickyText,
        fc.constantFrom('word ', '\n', '👩‍🚀', 'e\u0301', '状态', '🇨🇭', '\r\n', 'x\u0301'.repeat(3)),
      ),
      times: fc.constantFrom(1, 2, 700, 3000),
    }),
    { maxLength: 6 },
  )
  .map((parts) => parts.map(({ part, times }) => part.repeat(times)).join(''));
const edits = fc.array(fc.record({ at: fc.nat(), size: fc.constantFrom(0, 0, 1, 2, 40, 9000), inserted: long }), {
  maxLength: 6,
});

/** Both ways of writing it: as one string, and as pieces. */
function edited(start: string, all: readonly { at: number; size: number; inserted: string }[]): [string, Text][] {
  let plain = start;
  let text = Text.of(start);
  return all.map(({ at, size, inserted }) => {
    const from = at % (plain.length + 1);
    const to = Math.min(plain.length, from + size);
    plain = plain.slice(0, from) + inserted + plain.slice(to);
    text = text.replaced(from, to, inserted);
    return [plain, text];
  });
}

describe('text in pieces', () => {
  test('reads like the string after any edits', () => {
    fc.assert(
      fc.property(long, edits, fc.array(fc.nat(), { minLength: 6, maxLength: 6 }), (start, all, places) => {
        for (const [plain, text] of edited(start, all)) {
          expect(text.length).toBe(plain.length);
          expect(text.slice()).toBe(plain);
          for (const place of places) {
            const at = place % (plain.length + 1);
            const to = (at + place) % (plain.length + 1);
            expect(text.slice(at, to)).toBe(plain.slice(at, Math.max(at, to)));
            expect(text.charCodeAt(at)).toBe(plain.charCodeAt(at));
            expect(text.newlineFrom(at)).toBe(plain.indexOf('\n', at));
            expect(text.newlineBefore(at)).toBe(at === 0 ? -1 : plain.lastIndexOf('\n', at - 1));
          }
        }
      }),
      { numRuns: 60 },
    );
  });

  test('PE-15 finds the borders of characters where the string has them', () => {
    fc.assert(
      fc.property(long, edits, fc.nat(), (start, all, place) => {
        for (const [plain, text] of edited(start, all)) {
          const at = borderAtOrBefore(plain, place % (plain.length + 1));
          expect(text.borderAtOrBefore(place % (plain.length + 1))).toBe(at);
          expect(text.nextBorder(at)).toBe(nextBorder(plain, at));
          expect(text.previousBorder(at)).toBe(previousBorder(plain, at));
        }
      }),
      { numRuns: 60 },
    );
  });

  test('knows what two texts have in common at both ends', () => {
    fc.assert(
      fc.property(long, edits, (start, all) => {
        let before = Text.of(start);
        for (const [plain, text] of edited(start, all)) {
          const old = before.toString();
          const head = before.commonStart(text);
          expect(old.slice(0, head)).toBe(plain.slice(0, head));
          if (head < Math.min(old.length, plain.length)) expect(old.charAt(head)).not.toBe(plain.charAt(head));
          const tail = before.commonEnd(text, head);
          expect(tail).toBeLessThanOrEqual(Math.min(old.length, plain.length) - head);
          expect(old.slice(old.length - tail)).toBe(plain.slice(plain.length - tail));
          expect(before.is(text)).toBe(old === plain);
          expect(text.is(plain)).toBe(true);
          before = text;
        }
      }),
      { numRuns: 60 },
    );
  });

  test('UP-07 a letter in a long text leaves all but a few pieces as they were', () => {
    let text = Text.of('a line of a long draft\n'.repeat(45_000));
    const { length } = text;
    for (let typed = 0; typed < 5000; typed++) {
      const before = text;
      text = text.replaced(500_000 + typed, 500_000 + typed, 'x');
      expect(before.commonStart(text)).toBe(500_000 + typed);
    }
    expect(text.slice(500_000, 505_000)).toBe('x'.repeat(5000));
    expect(text.length).toBe(length + 5000);
  });
});

describe('its rows', () => {
  const starts = (layout: Layout) => Array.from({ length: layout.rowCount }, (_, row) => layout.from(row));

  test('are those of the whole laid out anew, edit by edit', () => {
    fc.assert(
      fc.property(edits, fc.integer({ min: 8, max: 90 }), (all, width) => {
        // Lines of ordinary length: past them a row may end early, so that the rest can stay (see `changed`).
        const start = `${'some words 状态 and 👩‍🚀 '.repeat(5)}\n`.repeat(80);
        const short = all.map((edit) => ({ ...edit, inserted: edit.inserted.slice(0, 200) }));
        const cache = new LayoutCache();
        cache.of(Text.of(start), width + 1);
        for (const [plain, text] of edited(start, short)) {
          expect(starts(cache.of(text, width + 1))).toEqual(starts(Layout.of(Text.of(plain), width)));
        }
      }),
      { numRuns: 25 },
    );
  });
});
