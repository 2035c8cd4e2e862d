import { expect, test } from 'bun:test';
import { createRepeats } from './repeats.ts';

const same = (repeats: ReturnType<typeof createRepeats>, times: number): boolean[] =>
  Array.from({ length: times }, () => repeats.isStuck('grep', { words: 'zzz' }, 'nothing'));

test('the fifth equal call with the equal result is stuck (UP-30)', () => {
  expect(same(createRepeats(), 5)).toEqual([false, false, false, false, true]);
});

test('a result never seen before is progress and forgives what went before', () => {
  const repeats = createRepeats();
  same(repeats, 4);
  expect(repeats.isStuck('edit', { file: 'a' }, 'done')).toBe(false);
  expect(same(repeats, 5)).toEqual([false, false, false, false, true]);
});

test('two calls taking turns without news are stuck as well', () => {
  const repeats = createRepeats();
  const found = Array.from({ length: 12 }, (_, at) => repeats.isStuck('read', { at: at % 2 }, 'same'));
  expect(found.indexOf(true)).toBe(9);
});
