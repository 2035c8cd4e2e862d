import { expect, test } from 'bun:test';
import type { Usage } from '../../protocol/message.ts';
import type { ModelFacts } from './model.ts';
import { costOf, NO_USAGE } from './usage.ts';

const FACTS: ModelFacts = {
  contextWindow: null,
  maxOutput: null,
  images: false,
  thinking: false,
  efforts: [],
  price: { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 },
};
const REPLY: Usage = { input: 1_000, cacheRead: 9_000, cacheWrite: 0, output: 100, reasoning: null };

test('thirteen replies with cached input cost what the price list says (UP-56)', () => {
  const cost = Array.from({ length: 13 }, () => costOf(FACTS, REPLY) ?? 0).reduce((sum, one) => sum + one, 0);
  expect(cost).toBeCloseTo(0.0936, 10);
});

test('an unknown price is unknown, not nothing (UP-56)', () => {
  expect(costOf({ ...FACTS, price: null }, REPLY)).toBeNull();
  expect(costOf(FACTS, NO_USAGE)).toBe(0);
});

test('a long prompt pays its own price for everything, cached tokens counted in', () => {
  const price = {
    ...FACTS.price!,
    long: { tokens: 9_999, price: { input: 30, output: 150, cacheRead: 3, cacheWrite: 37.5 } },
  };
  expect(costOf({ ...FACTS, price }, REPLY)).toBeCloseTo(0.072, 10);
  expect(costOf({ ...FACTS, price }, { ...REPLY, input: 999 })).toBeLessThan(0.01);
});
