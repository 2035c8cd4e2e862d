import { describe, expect, test } from 'bun:test';
import { InputReader } from '../input/bytes.ts';
import { hasLightBackground, learn, NOTHING_KNOWN, QUERIES, type TerminalFacts } from './detect.ts';

function hear(bytes: string): TerminalFacts {
  const events = new InputReader().feed(new TextEncoder().encode(bytes), 0);
  return events.reduce((facts, event) => (event.type === 'reply' ? learn(facts, event.reply) : facts), NOTHING_KNOWN);
}

describe('what a terminal tells', () => {
  test('UP-05 its colours, its keyboard, its modes, its name, and that it is done', () => {
    const answers =
      '\x1b]11;rgb:ffff/ffff/ffff\x07\x1b]10;rgb:0000/0000/0000\x1b\\\x1b]4;8;rgb:d0/d0/d0\x07\x1b[?5u\x1b[?2026;2$y\x1b[?2027;2$y\x1bP>|kitty(0.40)\x1b\\\x1b[?62;22c';
    expect(hear(answers)).toEqual({
      background: 0xffffff,
      foreground: 0x000000,
      palette: { 8: 0xd0d0d0 },
      kittyKeyboard: 5,
      synchronized: true,
      graphemeWidths: 'available',
      version: 'kitty(0.40)',
      complete: true,
    });
  });

  test('a terminal that knows little leaves the rest unknown', () => {
    expect(hear('\x1b[?2026;0$y\x1b[?1;2c')).toEqual({ ...NOTHING_KNOWN, synchronized: false, complete: true });
  });

  test('the question every terminal answers comes last', () => {
    expect(QUERIES.endsWith('\x1b[c')).toBe(true);
  });

  test('SC-34.3 the background is measured, else told by COLORFGBG, else dark', () => {
    expect(hasLightBackground({ ...NOTHING_KNOWN, background: 0xfafafa }, '15;0')).toBe(true);
    expect(
      ['0;15', '15;0', '0;default;15', '12;8', '0;7', undefined].map((value) =>
        hasLightBackground(NOTHING_KNOWN, value),
      ),
    ).toEqual([true, false, true, false, true, false]);
  });
});
