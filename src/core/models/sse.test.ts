import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { ServerEventDecoder } from './sse.ts';

function decode(pieces: readonly Uint8Array[]): [string, string | null][] {
  const events: [string, string | null][] = [];
  const decoder = new ServerEventDecoder((data, name) => events.push([data, name]));
  for (const piece of pieces) decoder.push(piece);
  return events;
}

test('reads names, joined data lines, comments and both line ends', () => {
  const text =
    ': hello\r\nevent: one\r\ndata: a\r\ndata: b\r\n\r\ndata:{"x":1}\n\nid: 7\nevent: empty\n\ndata: last\n\n';
  expect(decode([new TextEncoder().encode(text)])).toEqual([
    ['a\nb', 'one'],
    ['{"x":1}', null],
    ['last', null],
  ]);
});

test('an event whose end never came is not given out', () => {
  expect(decode([new TextEncoder().encode('data: whole\n\ndata: half\n')])).toEqual([['whole', null]]);
});

test('where the bytes are cut does not matter, inside a character either', () => {
  const line = fc.string({ unit: 'grapheme', maxLength: 12 }).map((text) => text.replace(/[\r\n]/g, ' '));
  fc.assert(
    fc.property(fc.array(line, { maxLength: 6 }), fc.infiniteStream(fc.integer({ min: 1, max: 7 })), (datas, sizes) => {
      const bytes = new TextEncoder().encode(datas.map((data) => `event: e\ndata: ${data}\n\n`).join(''));
      const pieces: Uint8Array[] = [];
      for (let from = 0; from < bytes.length; ) {
        const size = sizes.next().value;
        pieces.push(bytes.subarray(from, from + size));
        from += size;
      }
      expect(decode(pieces)).toEqual(datas.map((data) => [data, 'e']));
    }),
  );
});
