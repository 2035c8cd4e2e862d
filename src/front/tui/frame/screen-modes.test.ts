import { describe, expect, test } from 'bun:test';
import { Terminal } from '@xterm/headless';
import { clipboardSequence, ENTER_SCREEN, LEAVE_SCREEN, titleSequence } from './screen-modes.ts';

const write = (terminal: Terminal, bytes: string): Promise<void> =>
  new Promise((resolve) => terminal.write(bytes, resolve));

function modes(bytes: string): Map<string, string> {
  const last = new Map<string, string>();
  for (const [, mode, state] of bytes.matchAll(/\x1b\[\?(\d+)([hl])/g)) last.set(mode!, state!);
  return last;
}

describe('terminal modes', () => {
  test('UP-10 TERM-4 leaving switches off every mode that entering switched on', () => {
    const both = modes(ENTER_SCREEN + LEAVE_SCREEN);
    for (const mode of ['1000', '1002', '1003', '1004', '1006', '1015', '1049', '2004', '2026'])
      expect([mode, both.get(mode)]).toEqual([mode, 'l']);
    expect([both.get('25'), both.get('7')]).toEqual(['h', 'h']);
    const count = (text: string, pattern: RegExp): number => [...text.matchAll(pattern)].length;
    expect(count(ENTER_SCREEN, /\x1b\[>5u/g)).toBe(count(LEAVE_SCREEN, /\x1b\[<u/g));
    expect([count(ENTER_SCREEN, /\x1b\[22;0t/g), count(LEAVE_SCREEN, /\x1b\[23;0t/g)]).toEqual([1, 1]);
    expect(LEAVE_SCREEN).toContain('\x1b[>4m');
  });

  test('TERM-2 takes buttons, wheel and drag, paste marks and focus', () => {
    const on = [...modes(ENTER_SCREEN)].filter(([, state]) => state === 'h').map(([mode]) => mode);
    expect(on.sort()).toEqual(['1000', '1002', '1004', '1006', '1049', '2004']);
  });

  test('UP-10 TERM-1 what the terminal showed before is there again, the keyboard set before the screen is left', async () => {
    const terminal = new Terminal({ cols: 20, rows: 4, allowProposedApi: true });
    await write(terminal, 'before\r\n\x1b[?1003h\x1b[4h');
    await write(terminal, `${ENTER_SCREEN}inside`);
    expect([terminal.buffer.active.type, terminal.modes.mouseTrackingMode, terminal.modes.insertMode]).toEqual([
      'alternate',
      'drag',
      false,
    ]);
    await write(terminal, LEAVE_SCREEN);
    const { modes: now } = terminal;
    expect([
      terminal.buffer.active.type,
      now.mouseTrackingMode,
      now.bracketedPasteMode,
      now.sendFocusMode,
      now.wraparoundMode,
    ]).toEqual(['normal', 'none', false, false, true]);
    expect(terminal.buffer.active.getLine(0)!.translateToString(true)).toBe('before');
    expect(LEAVE_SCREEN.indexOf('\x1b[<u')).toBeLessThan(LEAVE_SCREEN.indexOf('\x1b[?1049l'));
    terminal.dispose();
  });

  test('TERM-7 a title holds no control characters and at most sixty', () => {
    expect(titleSequence('a\x07b\x1b]0;evil\u202e')).toBe('\x1b]0;a b ]0;evil \x07');
    expect(titleSequence('x'.repeat(80))).toBe(`\x1b]0;${'x'.repeat(59)}…\x07`);
  });

  test('PE-14 copies as base64 of UTF-8', () => {
    expect(clipboardSequence('한 x')).toBe(`\x1b]52;c;${btoa('\xed\x95\x9c x')}\x07`);
  });
});
