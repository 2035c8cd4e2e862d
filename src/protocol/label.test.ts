import { expect, test } from 'bun:test';
import fc from 'fast-check';
import {
  combineLabels,
  isNoBetter,
  type Label,
  readLabel,
  TRUSTED_PRIVATE,
  TRUSTED_PUBLIC,
  UNTRUSTED_PRIVATE,
  UNTRUSTED_PUBLIC,
} from './label.ts';

const ALL: readonly Label[] = [TRUSTED_PUBLIC, TRUSTED_PRIVATE, UNTRUSTED_PUBLIC, UNTRUSTED_PRIVATE];
const anyLabel = fc.constantFrom(...ALL);

test('the two axes are independent: (U,priv) and (T,pub) order, (U,pub) and (T,priv) do not (SEC-1)', () => {
  expect(isNoBetter(UNTRUSTED_PRIVATE, TRUSTED_PUBLIC)).toBe(true);
  expect(isNoBetter(TRUSTED_PUBLIC, UNTRUSTED_PRIVATE)).toBe(false);
  expect(isNoBetter(UNTRUSTED_PUBLIC, TRUSTED_PRIVATE)).toBe(false);
  expect(isNoBetter(TRUSTED_PRIVATE, UNTRUSTED_PUBLIC)).toBe(false);
});

test('what is made from labels is no better than any of them, in any order; from nothing it is (T,pub) (SEC-2)', () => {
  expect(combineLabels([])).toEqual(TRUSTED_PUBLIC);
  fc.assert(
    fc.property(fc.array(anyLabel, { minLength: 1 }), (labels) => {
      const combined = combineLabels(labels);
      for (const label of labels) expect(isNoBetter(combined, label)).toBe(true);
      expect(combineLabels([...labels].reverse())).toEqual(combined);
      expect(combineLabels([combined, ...labels])).toEqual(combined);
    }),
  );
});

test('an unreadable label counts as the worst one (SEC-41)', () => {
  fc.assert(
    fc.property(fc.anything(), (value) => {
      const label = readLabel(value);
      expect(ALL).toContainEqual(label);
      if (!ALL.some((one) => Bun.deepEquals(one, value))) expect(label).toEqual(UNTRUSTED_PRIVATE);
    }),
  );
  expect(readLabel({ integrity: 'trusted' })).toEqual(UNTRUSTED_PRIVATE);
});
