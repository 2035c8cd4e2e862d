import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import {
  color256,
  colorDepthOf,
  contrast,
  isLight,
  mix,
  nearest16,
  nearest256,
  readable256,
  withContrast,
} from './color.ts';

const color = fc.integer({ min: 0, max: 0xffffff });

describe('contrast', () => {
  test('is 21 for black on white and 1 for equal colours', () => {
    expect(contrast(0x000000, 0xffffff)).toBeCloseTo(21, 5);
    expect(contrast(0x777777, 0x777777)).toBe(1);
    expect(contrast(0x767676, 0xffffff)).toBeCloseTo(4.54, 2);
  });

  test('UP-05 a colour is moved until it is readable, on any background', () => {
    fc.assert(
      fc.property(color, color, (text, background) =>
        expect(contrast(withContrast(text, background), background)).toBeGreaterThanOrEqual(4.5),
      ),
    );
  });

  test('a colour that is readable already stays as it is', () => {
    expect(withContrast(0xffb454, 0x101010)).toBe(0xffb454);
  });

  test('light and dark are told by what stands out more', () => {
    expect([isLight(0xffffff), isLight(0xfdf6e3), isLight(0x808080), isLight(0x002b36), isLight(0)]).toEqual([
      true,
      true,
      true,
      false,
      false,
    ]);
  });

  test('mixing ends at both colours', () => {
    expect([mix(0x102030, 0xa0b0c0, 0), mix(0x102030, 0xa0b0c0, 1), mix(0, 0xffffff, 0.5)]).toEqual([
      0x102030, 0xa0b0c0, 0x808080,
    ]);
  });
});

describe('colour depth', () => {
  test.each([
    [{ TERM: 'xterm-256color', COLORTERM: 'truecolor' }, 'truecolor'],
    [{ TERM: 'xterm-256color', COLORTERM: '24bit' }, 'truecolor'],
    [{ TERM: 'xterm-256color' }, '256'],
    [{ TERM: 'xterm' }, '16'],
    [{ TERM: 'dumb', COLORTERM: 'truecolor' }, 'none'],
    [{ TERM: 'xterm-256color', COLORTERM: 'truecolor', NO_COLOR: '' }, 'none'],
  ] as const)('AP-3 of %j is %s', (environment, depth) => {
    expect(colorDepthOf(environment, true)).toBe(depth);
  });

  test('AP-3 there is none where nobody looks', () => {
    expect(colorDepthOf({ TERM: 'xterm-256color', COLORTERM: 'truecolor' }, false)).toBe('none');
  });

  test('UP-05 with 256 colours what was readable stays so', () => {
    fc.assert(
      fc.property(color, fc.constantFrom(0xffffff, 0x000000, 0x1e1e1e, 0xfdf6e3), (text, ground) => {
        const wanted = contrast(text, ground);
        const shown = contrast(color256(readable256(text, ground)), ground);
        expect(shown).toBeGreaterThanOrEqual(wanted >= 4.5 ? 4.5 : wanted >= 3 ? 3 : 1);
      }),
    );
    expect(nearest256(color256(200))).toBe(200);
  });

  test('palettes are matched by the nearest colour', () => {
    expect([nearest256(0xff0000), nearest256(0x000000), nearest256(0x808080), nearest256(0xffffff)]).toEqual([
      196, 16, 244, 231,
    ]);
    expect([nearest16(0x000000), nearest16(0xffffff), nearest16(0xff1111), nearest16(0x00c800)]).toEqual([0, 15, 9, 2]);
  });
});
