import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { emptyTerminal, type TerminalScreen } from './terminal-screen.ts';

const textOf = ({ lines }: TerminalScreen): string[] =>
  lines.map((line) =>
    line
      .map(({ text }) => text)
      .join('')
      .trimEnd(),
  );
const shown = (text: string, columns = 10, rows = 4): string[] =>
  textOf(emptyTerminal(columns, rows, false).feed(text));

describe('what a program draws on a terminal', () => {
  test('lines, wrapping, scrolling; what scrolled off is kept', () => {
    const screen = emptyTerminal(5, 2, true).feed('one\ntwo\nthree!');
    expect(textOf(screen)).toEqual(['three', '!']);
    expect(screen.above).toHaveLength(2);
  });

  test('moves, erases, inserts and deletes', () => {
    expect(shown('abc\r\x1b[2CX')).toEqual(['abX', '', '', '']);
    expect(shown('abcdef\x1b[3D\x1b[K')).toEqual(['abc', '', '', '']);
    expect(shown('abc\x1b[H\x1b[2@')).toEqual(['  abc', '', '', '']);
    expect(shown('abcdef\x1b[1;2H\x1b[2P')).toEqual(['adef', '', '', '']);
    expect(shown('1\r\n2\r\n3\x1b[2;1H\x1b[L')).toEqual(['1', '', '2', '3']);
    expect(shown('1\r\n2\r\n3\x1b[1;1H\x1b[M')).toEqual(['2', '3', '', '']);
    expect(shown('1\r\n2\r\n3\r\n4\x1b[2;3r\x1b[3;1H\n')).toEqual(['1', '3', '', '4']);
  });

  test('the alternate screen gives the first one back', () => {
    const within = emptyTerminal(10, 2, false).feed('shell$ vi\x1b[?1049h\x1b[2J\x1b[Htext');
    expect(textOf(within)).toEqual(['text', '']);
    expect(textOf(within.feed('\x1b[?1049l'))).toEqual(['shell$ vi', '']);
  });

  test('colours and modes', () => {
    const screen = emptyTerminal(10, 1, false).feed('\x1b[1;38;2;1;2;3mA\x1b[0mB\x1b[?1h\x1b[?25l');
    expect(screen.lines[0]![0]).toMatchObject({ text: 'A', style: { bold: true, fg: 0x010203 } });
    expect(screen.lines[0]![1]!.style.bold).toBe(false);
    expect(screen).toMatchObject({ cursor: { x: 2, y: 0, shown: false }, modes: { applicationKeys: true } });
  });

  test('titles and the clipboard end here, whole or in pieces', () => {
    expect(shown('a\x1b]0;title\x07b\x1b]52;c;aGk=\x1b\\c')).toEqual(['abc', '', '', '']);
  });

  test('whatever comes, in whatever pieces: the same cells, and none of them a control character', () => {
    const piece = fc.oneof(
      fc.string({ maxLength: 6 }),
      fc.constantFrom(
        '\x1b[',
        '\x1b[3;2H',
        '\x1b[J',
        '\x1b[2L',
        '\x1b[5M',
        '\x1b[31m',
        '\r\n',
        '\x1bM',
        '漢',
        '\t',
        '\x1b[1;9999H',
      ),
      fc.constantFrom(
        '\x1b[?1049h',
        '\x1b[?1049l',
        '\x1b[2;3r',
        '\x1b[9@',
        '\x1b[9P',
        '\x1b[S',
        '\x1b[T',
        '\x1bc',
        '\x1b]0;',
      ),
    );
    fc.assert(
      fc.property(
        fc.array(piece, { maxLength: 20 }),
        fc.integer({ min: 1, max: 12 }),
        fc.integer({ min: 1, max: 5 }),
        (pieces, columns, rows) => {
          const start = emptyTerminal(columns, rows, true);
          const screen = pieces.reduce((now, text) => now.feed(text), start).resize(rows + 2, columns);
          expect(screen.lines).toHaveLength(columns);
          for (const line of screen.lines) {
            expect(line).toHaveLength(rows + 2);
            for (const { text } of line) expect(text).not.toMatch(/[\x00-\x1f\x7f]/);
          }
          expect(screen.cursor.y).toBeLessThan(columns);
        },
      ),
    );
  });
});
