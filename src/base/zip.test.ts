import { expect, test } from 'bun:test';
import { crc32 as zlibCrc32 } from 'node:zlib';
import { readZip } from '../../test/support/read-zip.ts';
import { crc32 } from './crc32.ts';
import { createZipWriter } from './zip.ts';

async function* pieces(...list: readonly (string | Uint8Array)[]): AsyncIterable<Uint8Array> {
  for (const one of list) yield typeof one === 'string' ? new TextEncoder().encode(one) : one;
}

test('CRC-32 is the same whole and piece by piece, and as zlib has it', () => {
  const bytes = new TextEncoder().encode('nothing you typed is lost');
  expect(crc32(bytes)).toBe(zlibCrc32(bytes));
  expect(crc32(bytes.subarray(7), crc32(bytes.subarray(0, 7)))).toBe(crc32(bytes));
  expect(crc32(new Uint8Array(0))).toBe(0);
});

test('what is written is a ZIP: names, bytes over many blocks and pieces, an empty file, time and mode', async () => {
  const written: Uint8Array[] = [];
  const time = Date.UTC(2026, 0, 2, 3, 4, 6);
  const zip = createZipWriter({ write: async (bytes) => void written.push(bytes.slice()), time });
  const large = Uint8Array.from({ length: 200_000 }, (_, at) => (at * 7919) % 251);
  expect(await zip.add('wörds.md', pieces('one ', 'two'))).toBe(7);
  expect(await zip.add('children/a/large', pieces(large))).toBe(large.length);
  expect(await zip.add('empty', pieces())).toBe(0);
  await zip.end();
  const files = readZip(Buffer.concat(written));
  const same = { mode: 0o100600, time: [2026, 1, 2, 3, 4, 6] };
  expect(files.map(({ bytes, ...rest }) => ({ ...rest, size: bytes.length }))).toEqual([
    { name: 'wörds.md', ...same, size: 7 },
    { name: 'children/a/large', ...same, size: 200_000 },
    { name: 'empty', ...same, size: 0 },
  ]);
  expect(new TextDecoder().decode(files[0]!.bytes)).toBe('one two');
  expect(Buffer.compare(files[1]!.bytes, large)).toBe(0);
});
