import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { textWidth } from './text-width.ts';
import { wrapText } from './wrap.ts';

const rowsOf = (text: string, width: number, options = {}): string[] =>
  wrapText(text, width, options).map((row) => ' '.repeat(row.indent) + text.slice(row.from, row.to));

describe('wrapping', () => {
  test('breaks between words and swallows the blanks there', () => {
    expect(rowsOf('the quick  brown fox', 9)).toEqual(['the quick', 'brown fox']);
    expect(rowsOf('a-well-known word', 8)).toEqual(['a-well-', 'known', 'word']);
  });

  test('keeps every column of exact text', () => {
    expect(rowsOf('ab  cd ef', 4, { exact: true })).toEqual(['ab  ', 'cd e', 'f']);
  });

  test('hangs the rows of a line under its first word', () => {
    expect(rowsOf('one two three\nfour', 8, { indent: 0, hanging: 2 })).toEqual(['one two', '  three', 'four']);
  });

  test('breaks between wide characters, and not before what closes', () => {
    expect(rowsOf('状态状态。完了', 8)).toEqual(['状态状', '态。完了']);
  });

  test('an empty line is an empty row', () => {
    expect(rowsOf('\n\na', 5)).toEqual(['', '', 'a']);
  });

  test('loses nothing but blanks, keeps to the width, and its rows say where they came from', () => {
    const text = fc.string({ unit: fc.constantFrom('a', 'b', ' ', '-', '\n', '状', 'é', '👩‍🚀', '\t'), maxLength: 60 });
    fc.assert(
      fc.property(text, fc.integer({ min: 2, max: 12 }), fc.boolean(), (source, width, exact) => {
        let at = 0;
        for (const row of wrapText(source, width, { exact })) {
          expect(source.slice(at, row.from)).toMatch(exact ? /^\n?$/ : /^[ \t]*\n?$/);
          expect(row.to).toBeGreaterThanOrEqual(row.from);
          const drawn = source.slice(row.from, row.to);
          if (!drawn.includes('\t') && drawn.trim() !== '') expect(textWidth(drawn)).toBeLessThanOrEqual(width);
          at = row.to;
        }
        expect(source.slice(at).trim()).toBe('');
      }),
      { numRuns: 500 },
    );
  });

  test('UP-07 a line of a megabyte is cut into rows in one pass', () => {
    const rows = wrapText('A'.repeat(1 << 20), 100);
    expect(rows.length).toBe(Math.ceil((1 << 20) / 100));
    expect(rows.at(-1)).toEqual({ from: (1 << 20) - 76, to: 1 << 20, indent: 0, continues: true });
  });
});
