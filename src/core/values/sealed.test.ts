import { describe, expect, test } from 'bun:test';
import { inspect } from 'node:util';
import fc from 'fast-check';
import {
  isNoBetter,
  type Label,
  TRUSTED_PRIVATE,
  TRUSTED_PUBLIC,
  UNTRUSTED_PRIVATE,
  UNTRUSTED_PUBLIC,
} from '../../protocol/label.ts';
import { opener } from '../policy/opener.ts';
import { claimOpener, derive, lower, seal } from './sealed.ts';

const CANARY = 'canary-5b1';
const labels = fc.constantFrom(TRUSTED_PUBLIC, TRUSTED_PRIVATE, UNTRUSTED_PUBLIC, UNTRUSTED_PRIVATE);

describe('a sealed value', () => {
  test('SEC-4: gives nothing away to anything the language offers', () => {
    const sealed = seal(CANARY, UNTRUSTED_PRIVATE);
    const seen = [
      `${sealed}`,
      String(sealed),
      JSON.stringify(sealed),
      inspect(sealed, { depth: 10, showHidden: true }),
      JSON.stringify(Object.entries(sealed)),
      JSON.stringify(Object.getOwnPropertyDescriptors(sealed)),
      JSON.stringify(Reflect.ownKeys(sealed).map(String)),
      JSON.stringify({ ...sealed }),
    ];
    for (const text of seen) expect(text).not.toContain(CANARY);
    expect(() => structuredClone(sealed)).not.toThrow();
    expect(JSON.stringify(structuredClone(sealed))).not.toContain(CANARY);
    expect(() => Object.assign(sealed, { label: TRUSTED_PUBLIC })).toThrow();
    expect(() => [...(sealed as unknown as Iterable<unknown>)]).toThrow();
  });

  test('SEC-4: opens for the one holder of the key, and no copy opens', () => {
    const sealed = seal(CANARY, UNTRUSTED_PRIVATE);
    expect(opener.open(sealed)).toBe(CANARY);
    expect(() => opener.open({ ...sealed })).toThrow();
    expect(() => opener.open(Object.create(sealed) as typeof sealed)).toThrow();
    expect(() => claimOpener()).toThrow();
  });

  test('SEC-3: no sequence of operations improves a label', () => {
    const step = fc.oneof(fc.record({ lower: labels }), fc.record({ join: labels }));
    fc.assert(
      fc.property(labels, fc.array(step, { maxLength: 8 }), (first, steps) => {
        let value = seal('x', first);
        for (const one of steps) {
          const before: Label = value.label;
          value =
            'lower' in one
              ? (lower(value, one.lower) ?? value)
              : derive([value, seal('y', one.join)], (parts) => parts.join(''), opener);
          expect(isNoBetter(value.label, before)).toBe(true);
          if ('join' in one) expect(isNoBetter(value.label, one.join)).toBe(true);
        }
      }),
    );
  });

  test('SEC-3: a relabel that would improve either axis gives nothing', () => {
    expect(lower(seal(1, UNTRUSTED_PRIVATE), TRUSTED_PRIVATE)).toBeNull();
    expect(lower(seal(1, TRUSTED_PUBLIC), UNTRUSTED_PUBLIC)?.label).toEqual(UNTRUSTED_PUBLIC);
    expect(lower(seal(1, UNTRUSTED_PUBLIC), TRUSTED_PRIVATE)).toBeNull();
    expect(derive([], () => 1, opener).label).toEqual(TRUSTED_PUBLIC);
  });

  test('SEC-1, SEC-2: two axes of their own: each is tainted by any input, in any order, and nothing in is the best out', () => {
    fc.assert(
      fc.property(fc.array(labels, { maxLength: 6 }), (inputs) => {
        const make = (order: readonly Label[]) =>
          derive(
            order.map((label) => seal('x', label)),
            (parts) => parts.join(''),
            opener,
          ).label;
        const found = make(inputs);
        expect(found.integrity === 'untrusted').toBe(inputs.some((label) => label.integrity === 'untrusted'));
        expect(found.confidentiality === 'private').toBe(inputs.some((label) => label.confidentiality === 'private'));
        expect(make(inputs.toReversed())).toEqual(found);
      }),
    );
    // Neither of these two is the better one.
    expect(lower(seal(1, UNTRUSTED_PRIVATE), TRUSTED_PUBLIC)).toBeNull();
    expect(isNoBetter(TRUSTED_PRIVATE, UNTRUSTED_PUBLIC) || isNoBetter(UNTRUSTED_PUBLIC, TRUSTED_PRIVATE)).toBe(false);
  });
});
