import { describe, expect, test } from 'bun:test';
import { FuzzyIndex, fuzzySearch } from './fuzzy.ts';

const paths = [
  'src/front/tui/screen.ts',
  'src/front/tui/frame/scheduler.ts',
  'README.md',
  'src/core/session/controller.ts',
];

describe('fuzzy search', () => {
  test('finds letters in order and says where they stand', () => {
    const [best] = fuzzySearch('sched', paths, (path) => path, 5);
    expect(best?.item).toBe('src/front/tui/frame/scheduler.ts');
    expect(best?.positions.map((at) => best.item[at]).join('')).toBe('sched');
  });

  test('an empty query answers the first items as they stand', () => {
    expect(fuzzySearch('  ', paths, (path) => path, 2).map((match) => match.item)).toEqual(paths.slice(0, 2));
  });

  test('answers no more than asked, and nothing where nothing fits', () => {
    const index = new FuzzyIndex(paths, (path) => path);
    expect(index.search('s', 2).length).toBe(2);
    expect(index.search('zzqx', 5)).toEqual([]);
    expect(index.size).toBe(4);
  });
});
