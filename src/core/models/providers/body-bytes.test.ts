import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { BodyBytes } from './body-bytes.ts';

const textOf = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);

test('the bytes are those of the whole object, whatever was encoded before', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), fc.array(fc.object()), (rest, items) => {
      const { list: _, ...others } = rest;
      const bytes = new BodyBytes();
      for (const count of [0, Math.ceil(items.length / 2), items.length]) {
        const some = items.slice(0, count);
        expect(textOf(bytes.encode(others, 'list', some))).toBe(JSON.stringify({ ...others, list: some }));
      }
    }),
  );
});

test('an item is encoded once', () => {
  let times = 0;
  const item = { toJSON: () => ++times };
  const bytes = new BodyBytes();
  expect(textOf(bytes.encode({ a: 1 }, 'list', [item]))).toBe('{"a":1,"list":[1]}');
  expect(textOf(bytes.encode({ a: 1 }, 'list', [item, { b: 2 }]))).toBe('{"a":1,"list":[1,{"b":2}]}');
});
