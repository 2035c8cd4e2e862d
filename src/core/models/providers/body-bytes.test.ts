import { expect, setDefaultTimeout, test } from 'bun:test';
import fc from 'fast-check';
import { BodyBytes } from './body-bytes.ts';

// A busy machine takes its time over what is tried many times.
setDefaultTimeout(60_000);

const textOf = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);

test('the bytes are those of the whole object, whatever was encoded before', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), fc.array(fc.object()), (rest, items) => {
      const { list: _, ...others } = rest;
      const bytes = new BodyBytes();
      for (const count of [0, Math.ceil(items.length / 2), items.length]) {
        const some = items.slice(0, count);
        const body = bytes.encode(others, 'list', some);
        expect(textOf(body.bytes)).toBe(JSON.stringify({ ...others, list: some }));
        body.giveBack();
      }
    }),
  );
});

test('what was made ready is not encoded again', () => {
  let times = 0;
  const item = { toJSON: () => ++times };
  const bytes = new BodyBytes();
  bytes.ready([item]);
  expect(textOf(bytes.encode({ a: 1 }, 'list', [item]).bytes)).toBe('{"a":1,"list":[1]}');
});

test('an item is encoded once', () => {
  let times = 0;
  const item = { toJSON: () => ++times };
  const bytes = new BodyBytes();
  expect(textOf(bytes.encode({ a: 1 }, 'list', [item]).bytes)).toBe('{"a":1,"list":[1]}');
  expect(textOf(bytes.encode({ a: 1 }, 'list', [item, { b: 2 }]).bytes)).toBe('{"a":1,"list":[1,{"b":2}]}');
});

test('bytes stay what they are until they are given back, however many requests are under way', () => {
  const bytes = new BodyBytes();
  const first = bytes.encode({ a: 1 }, 'list', []);
  const second = bytes.encode({ b: 2 }, 'list', []);
  expect([first, second].map((body) => textOf(body.bytes))).toEqual(['{"a":1,"list":[]}', '{"b":2,"list":[]}']);
  second.giveBack();
  const third = bytes.encode({ c: 3 }, 'list', []);
  expect([first, third].map((body) => textOf(body.bytes))).toEqual(['{"a":1,"list":[]}', '{"c":3,"list":[]}']);
  first.giveBack();
  const fourth = bytes.encode({ d: 4 }, 'list', []);
  expect(fourth.bytes.buffer).toBe(first.bytes.buffer);
  expect([third, fourth].map((body) => textOf(body.bytes))).toEqual(['{"c":3,"list":[]}', '{"d":4,"list":[]}']);
});

test('whatever was sent before, what is sent now is what it is', () => {
  const item = fc.integer({ min: 0, max: 9 });
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.integer({ min: 0, max: 3 }), fc.array(item)), { maxLength: 8 }), (requests) => {
      const known = Array.from({ length: 10 }, (_, number) => ({ text: 'ä'.repeat(number) }));
      const bytes = new BodyBytes();
      for (const [effort, numbers] of requests) {
        const list = numbers.map((number) => known[number]!);
        const body = bytes.encode({ model: 'm', effort }, 'list', list);
        expect(textOf(body.bytes)).toBe(JSON.stringify({ model: 'm', effort, list }));
        body.giveBack();
      }
    }),
  );
});
