import { expect, test } from 'bun:test';
import { newOnScreen, textOnScreen } from './screen-text.ts';

test('what a program left on its terminal: colours, moves, what was overwritten and what was erased leave nothing', () => {
  expect(textOnScreen('\x1b[1;31mred\x1b[0m\r\n10%\r50%\rdone\x1b[K\r\n\x1b]0;title\x07$ \x1b[?2004h')).toBe(
    'red\ndone\n$',
  );
  expect(textOnScreen('typo\b\b\b\bword\x1b[2K\rnothing of it')).toBe('nothing of it');
  expect(textOnScreen('before\r\n\x1b[?1049h\x1b[Han editor\x1b[?1049lafter')).toBe('before\nafter');
  expect(textOnScreen('')).toBe('');
});

test('a line longer than a row stays one line, so that what must not be shown in it is known again', () => {
  const secret = `sk-${'k'.repeat(300)}`;
  expect(textOnScreen(`key ${secret}\r\nnext`)).toBe(`key ${secret}\nnext`);
  expect(textOnScreen(`${'一'.repeat(60)}\r\n`, { columns: 7, rows: 3 })).toBe('一'.repeat(60));
  const full = 'x'.repeat(100);
  expect(textOnScreen(`${full}\r\nnext`)).toBe(`${full}\nnext`);
});

test('what is new: lines that came, and the line that was gone on with', () => {
  expect(newOnScreen('one\r\n$ ', 'ls\r\nfile\r\n$ ')).toBe('$ ls\nfile\n$');
  expect(newOnScreen('one\r\n', '\x1b[?25l\x1b[?25h')).toBe('');
  const many = Array.from({ length: 3000 }, (_, at) => `line ${at}\r\n`).join('');
  expect(newOnScreen(many, 'the last\r\n').endsWith('the last')).toBe(true);
  expect(newOnScreen(many, 'the last\r\n').length).toBeLessThan(100);
});
