import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { byteLength, keepEnd, keepStart, limitOutput, OUTPUT_LIMIT } from './limit-output.ts';

const FAMILY = '👨‍👩‍👧‍👦';
const text = fc.string({ unit: fc.constantFrom('a', 'é', '漢', '🚀', FAMILY, '\n', ' ', 'e\u0301') });
const whole = (value: string) => ({ head: value, tail: '', omittedBytes: 0 });

describe('limit output', () => {
  test('a text that fits stays as it is', () => {
    expect(limitOutput(whole('short\n'), null)).toBe('short\n');
  });

  test('UP-29: huge lines of pictographs keep both ends, well-formed, with the amount and the place of the whole', () => {
    for (const letters of ['', 'x', 'xy', 'xyz']) {
      const limited = limitOutput(whole(`${letters}${'🚀'.repeat(60_000)}\nFATAL 42\n`), 'output:call.log');
      expect(byteLength(limited)).toBeLessThanOrEqual(OUTPUT_LIMIT);
      expect(limited.isWellFormed()).toBe(true);
      expect(limited).not.toContain('\ufffd');
      expect(limited).toStartWith(`${letters}🚀`);
      expect(limited).toEndWith('🚀\nFATAL 42\n');
      expect(limited).toMatch(/\n\[\.\.\. \d+ bytes left out; the whole is in output:call\.log/);
    }
  });

  test('the amount left out is exact', () => {
    const value = 'é'.repeat(20_000);
    const limited = limitOutput(whole(value), null);
    const [, missing] = /\[\.\.\. (\d+) bytes left out/.exec(limited)!;
    const kept = limited
      .split('\n')
      .filter((line) => line.startsWith('é'))
      .join('');
    expect(Number(missing) + byteLength(kept)).toBe(byteLength(value));
  });

  test('cuts never split what people see as one character, and never exceed the bound', () => {
    fc.assert(
      fc.property(text, fc.integer({ min: 30, max: 120 }), (value, bytes) => {
        const long = value.repeat(20);
        const start = keepStart(long, bytes);
        const end = keepEnd(long, bytes);
        for (const part of [start, end]) {
          expect(byteLength(part)).toBeLessThanOrEqual(bytes);
          expect(part.isWellFormed()).toBe(true);
        }
        expect(long.startsWith(start)).toBe(true);
        expect(long.endsWith(end)).toBe(true);
        expect(end.startsWith('\u200d')).toBe(false);
        expect(end.startsWith('\u0301')).toBe(false);
      }),
    );
  });
});
