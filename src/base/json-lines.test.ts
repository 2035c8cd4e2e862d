import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { createLineSplitter, encodeLine, joinBytes, parseLine } from './json-lines.ts';

const bytes = (text: string) => new TextEncoder().encode(text);
const text = (piece: Uint8Array) => new TextDecoder().decode(piece);

test('any JSON survives the way through lines, wherever the stream is cut', () => {
  fc.assert(
    fc.property(
      fc.array(fc.jsonValue(), { maxLength: 8 }),
      fc.array(fc.nat(200), { maxLength: 12 }),
      (values, cuts) => {
        const stream = joinBytes(values.map(encodeLine));
        const splitter = createLineSplitter();
        const lines = [];
        let at = 0;
        for (const cut of [...cuts, stream.length]) {
          lines.push(...splitter.push(stream.subarray(at, at + cut)));
          at = Math.min(at + cut, stream.length);
        }
        expect(splitter.rest()).toBeNull();
        const expected = values.map((value) => JSON.parse(JSON.stringify(value)));
        expect(lines.map((line) => parseLine(line.bytes))).toEqual(expected.map((value) => ({ kind: 'value', value })));
        for (const line of lines) expect(stream.subarray(line.offset, line.offset + line.length)).toEqual(line.bytes);
      },
    ),
  );
});

test('lines say where they begin; the rest is what no line feed ended', () => {
  const splitter = createLineSplitter();
  const lines = [...splitter.push(bytes('{"a":1}\n\n{"b"')), ...splitter.push(bytes(':2}\nto'))];
  expect(lines.map((line) => [line.offset, text(line.bytes)])).toEqual([
    [0, '{"a":1}'],
    [8, ''],
    [9, '{"b":2}'],
  ]);
  splitter.push(bytes('rn'));
  expect(splitter.rest()).toMatchObject({ offset: 17, length: 4 });
});

test('a line that is too long is counted, not kept, and the next one is read', () => {
  const splitter = createLineSplitter(4);
  const lines = [...splitter.push(bytes('123')), ...splitter.push(bytes('45678\nok\n'))];
  expect(lines.map(({ offset, length, tooLong }) => ({ offset, length, tooLong }))).toEqual([
    { offset: 0, length: 8, tooLong: true },
    { offset: 9, length: 2, tooLong: false },
  ]);
  expect(lines.map((line) => text(line.bytes))).toEqual(['1234', 'ok']);
});

test('damaged lines are told apart and cost themselves only', () => {
  expect(parseLine(bytes('{"a":'))).toEqual({ kind: 'damaged', why: 'not-json' });
  expect(parseLine(new Uint8Array([0x22, 0xff, 0x22]))).toEqual({ kind: 'damaged', why: 'not-utf8' });
  expect(parseLine(new Uint8Array(5))).toEqual({ kind: 'damaged', why: 'not-json' });
  expect(parseLine(bytes(' \t\r'))).toEqual({ kind: 'blank' });
  expect(parseLine(bytes('{"a":1}\r'))).toEqual({ kind: 'value', value: { a: 1 } });
});
