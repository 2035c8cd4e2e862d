import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { titleOf } from './naming.ts';

test('a title is the first line with words on it', () => {
  expect(titleOf('\n\n  fix   the\tparser \nand more')).toBe('fix the parser');
  expect(titleOf(' \n ')).toBeNull();
});

test('a long line is cut at a word, an endless one anywhere, never inside a character', () => {
  expect(titleOf(`${'word '.repeat(30)}`)).toBe(`${'word '.repeat(14).trim()}…`);
  expect(titleOf('🚀'.repeat(100))).toBe(`${'🚀'.repeat(71)}…`);
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 300 }), (text) => {
      const title = titleOf(text);
      if (title !== null) expect([...title].length).toBeLessThanOrEqual(72);
      expect(title?.includes('\n') ?? false).toBe(false);
    }),
  );
});
