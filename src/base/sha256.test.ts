import { expect, test } from 'bun:test';
import { createHash } from 'node:crypto';
import { sha256, startSha256 } from './sha256.ts';

test('text and bytes hash alike, whole or in pieces, as everywhere else', () => {
  const text = 'abc é 漢';
  const bytes = new TextEncoder().encode(text);
  const expected = createHash('sha256').update(text).digest('hex');
  expect(sha256(text)).toBe(expected);
  expect(sha256(bytes)).toBe(expected);
  const pieces = startSha256();
  pieces.update(bytes.subarray(0, 3));
  pieces.update(bytes.subarray(3));
  expect(pieces.hex()).toBe(expected);
  expect(sha256('')).toBe('e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855');
});
