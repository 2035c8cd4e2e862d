import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import fc from 'fast-check';
import { trickyText } from '../../../../test/support/tricky-text.ts';
import { clusters } from '../../../base/graphemes.ts';
import { textWidth } from '../../../base/text-width.ts';
import { Layout, LayoutCache, visibleTop } from './layout.ts';
import { Text } from './text.ts';

// A busy machine takes its time over what is tried many times.
setDefaultTimeout(60_000);

const rowsOf = (layout: Layout): string[] =>
  Array.from({ length: layout.rowCount }, (_, row) => layout.text.slice(layout.from(row), layout.to(row)));
const longText = fc
  .array(fc.oneof(trickyText, fc.constantFrom('word ', 'a-b ', '\n', '\t', 'longerthanarow ')), { maxLength: 20 })
  .map((parts) => parts.join(''));

describe('layout', () => {
  test('wraps between words, keeps blanks, and leaves a cell for the caret', () => {
    expect(rowsOf(new LayoutCache().of(Text.of('hello big world'), 10))).toEqual(['hello big ', 'world']);
    expect(rowsOf(new LayoutCache().of(Text.of('abcdefghi'), 10))).toEqual(['abcdefghi']);
    expect(rowsOf(new LayoutCache().of(Text.of('abcdefghij'), 10))).toEqual(['abcdefghi', 'j']);
    expect(rowsOf(new LayoutCache().of(Text.of('a\n\nb\n'), 10))).toEqual(['a', '', 'b', '']);
  });

  test('every place a caret can have leads to a cell and back', () => {
    fc.assert(
      fc.property(longText, fc.integer({ min: 3, max: 20 }), (text, width) => {
        const layout = new LayoutCache().of(Text.of(text), width);
        let offset = 0;
        for (const cluster of [...clusters(text), '']) {
          const { row, column } = layout.place(offset);
          expect(column).toBeLessThan(Math.max(width, 5));
          expect(layout.offsetAt(row, column)).toBe(offset);
          offset += cluster.length;
        }
      }),
      { numRuns: 300 },
    );
  });

  test('after any change it is the layout of the new text', () => {
    fc.assert(
      fc.property(
        longText,
        longText,
        fc.nat(),
        fc.nat(),
        fc.integer({ min: 2, max: 14 }),
        (text, inserted, a, b, width) => {
          const [from, to] = [a % (text.length + 1), b % (text.length + 1)].sort((x, y) => x - y) as [number, number];
          const next = text.slice(0, from) + inserted + text.slice(to);
          expect(rowsOf(Layout.of(Text.of(text), width).changed(Text.of(next)))).toEqual(
            rowsOf(Layout.of(Text.of(next), width)),
          );
        },
      ),
      { numRuns: 800 },
    );
  });

  test('UP-07 a letter typed into a huge line leaves the rows far below as they were', () => {
    const text = '状态'.repeat(100_000);
    let layout = Layout.of(Text.of(text), 20);
    let next = text;
    for (let typed = 0; typed < 30; typed++) {
      next = `${next.slice(0, 500)}x${next.slice(500)}`;
      const before = layout;
      layout = layout.changed(Text.of(next));
      const moved = before.rowOf(before.text.length / 2);
      expect(layout.from(layout.rowOf(before.from(moved) + 1))).toBe(before.from(moved) + 1);
    }
    let at = 0;
    for (const row of rowsOf(layout)) {
      expect(next.startsWith(row, at)).toBe(true);
      expect(textWidth(row)).toBeLessThanOrEqual(20);
      at += row.length;
    }
    expect(at).toBe(next.length);
  });

  test('PE-3 the window follows the caret and no more', () => {
    const layout = new LayoutCache().of(Text.of('1\n2\n3\n4\n5\n6'), 10);
    expect([
      visibleTop(layout, 5, 3, 0),
      visibleTop(layout, 4, 3, 3),
      visibleTop(layout, 2, 3, 3),
      visibleTop(layout, 0, 10, 4),
    ]).toEqual([3, 3, 2, 0]);
  });
});
