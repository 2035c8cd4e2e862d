import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { createHeadTail } from './head-tail.ts';

describe('head and tail of a stream', () => {
  test('is the whole while it fits, whatever the pieces', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'grapheme', maxLength: 5 }), { maxLength: 6 }), (pieces) => {
        const kept = createHeadTail(64);
        const text = pieces.join('').toWellFormed().slice(0, 20).toWellFormed();
        for (const byte of new TextEncoder().encode(text)) kept.push(Uint8Array.of(byte));
        expect(kept.read()).toEqual({ head: text, tail: '', omittedBytes: 0 });
      }),
    );
  });

  test('UP-29: beyond that both ends are whole characters and the count of what is missing is exact', () => {
    const characters = fc.array(fc.constantFrom('a', 'é', '漢', '🚀', '\n'), { minLength: 20, maxLength: 200 });
    fc.assert(
      fc.property(characters, fc.integer({ min: 1, max: 50 }), (units, step) => {
        const bytes = new TextEncoder().encode(units.join(''));
        const kept = createHeadTail(8);
        for (let at = 0; at < bytes.length; at += step) kept.push(bytes.subarray(at, at + step));
        const { head, tail, omittedBytes } = kept.read();
        const size = (part: string) => new TextEncoder().encode(part).length;
        expect(head + tail).not.toContain('\ufffd');
        expect(size(head) + size(tail) + omittedBytes).toBe(bytes.length);
        expect(units.join('').startsWith(head)).toBe(true);
        expect(units.join('').endsWith(tail)).toBe(true);
        expect(kept.totalLines).toBe(units.join('').replace(/\n$/, '').split('\n').length);
      }),
    );
  });
});
