import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import { type IBufferCell, Terminal } from '@xterm/headless';
import fc from 'fast-check';
import { trickyText } from '../../../../test/support/tricky-text.ts';
import { BOLD, DIM, INVERSE, ITALIC, isFragile, STRIKE, UNDERLINE } from './cell.ts';
import { color256, contrast } from './color.ts';
import { type Cell, Frame } from './frame.ts';
import type { OutputOptions } from './output.ts';
import type { Color, Painter, Style } from './painter.ts';
import { rect } from './rect.ts';

// A busy machine takes its time over what is tried many times.
setDefaultTimeout(60_000);

const TRUE: OutputOptions = { depth: 'truecolor', synchronized: true };

type Step =
  | { kind: 'text'; x: number; y: number; text: string; style: Style; max: number }
  | { kind: 'fill'; x: number; y: number; width: number; height: number; style: Style; glyph: string }
  | { kind: 'restyle'; x: number; y: number; width: number; height: number; style: Style }
  | { kind: 'cursor'; x: number; y: number };

const color: fc.Arbitrary<Color> = fc.constantFrom(null, 0x000000, 0xff0000, 0x12ab9f, 0xffffff);
const style: fc.Arbitrary<Style> = fc.record(
  {
    fg: color,
    bg: color,
    bold: fc.boolean(),
    dim: fc.boolean(),
    italic: fc.boolean(),
    underline: fc.boolean(),
    inverse: fc.boolean(),
    strike: fc.boolean(),
  },
  { requiredKeys: [] },
);
/** What every terminal measures alike. */
const settledText = fc
  .array(fc.constantFrom('a', 'Z', ' ', '状', '한', 'e\u0301', '│', 'é', '\x1b', '\u202e', 'xyz', '   '), {
    maxLength: 12,
  })
  .map((parts) => parts.join(''));

function steps(text: fc.Arbitrary<string>): fc.Arbitrary<Step[]> {
  const place = { x: fc.integer({ min: -3, max: 22 }), y: fc.integer({ min: -1, max: 7 }) };
  const size = { width: fc.integer({ min: 0, max: 12 }), height: fc.integer({ min: 0, max: 4 }) };
  return fc.array(
    fc.oneof(
      fc.record({ kind: fc.constant('text' as const), ...place, text, style, max: fc.constantFrom(3, 8, 100) }),
      fc.record({
        kind: fc.constant('fill' as const),
        ...place,
        ...size,
        style,
        glyph: fc.constantFrom(' ', '·', '状'),
      }),
      fc.record({ kind: fc.constant('restyle' as const), ...place, ...size, style }),
      fc.record({ kind: fc.constant('cursor' as const), ...place }),
    ),
    { maxLength: 10 },
  );
}

function draw(painter: Painter, list: readonly Step[]): void {
  for (const step of list) {
    if (step.kind === 'text') painter.text(step.x, step.y, step.text, step.style, step.max);
    else if (step.kind === 'cursor') painter.cursor(step.x, step.y);
    else if (step.kind === 'fill') painter.fill(rect(step.x, step.y, step.width, step.height), step.style, step.glyph);
    else painter.restyle(rect(step.x, step.y, step.width, step.height), step.style);
  }
}

function write(terminal: Terminal, bytes: string): Promise<void> {
  return new Promise((resolve) => terminal.write(bytes, resolve));
}

function terminalOf(width: number, height: number): Terminal {
  return new Terminal({ cols: width, rows: height, allowProposedApi: true });
}

function shownCell(cell: IBufferCell): Cell {
  const flags =
    (cell.isBold() ? BOLD : 0) |
    (cell.isDim() ? DIM : 0) |
    (cell.isItalic() ? ITALIC : 0) |
    (cell.isUnderline() ? UNDERLINE : 0) |
    (cell.isInverse() ? INVERSE : 0) |
    (cell.isStrikethrough() ? STRIKE : 0);
  return {
    text: cell.getWidth() === 0 ? '' : cell.getChars() || ' ',
    fg: cell.isFgRGB() ? cell.getFgColor() : null,
    bg: cell.isBgRGB() ? cell.getBgColor() : null,
    attributes: flags,
  };
}

/** Erased blanks carry no attributes; where nothing is seen of them they do not count. */
function comparable(cell: Cell): Cell {
  if (cell.text !== ' ' || cell.attributes & (INVERSE | UNDERLINE | STRIKE)) return cell;
  return { ...cell, fg: null, attributes: 0 };
}

function expectShown(terminal: Terminal, frame: Frame, skips: (x: number, y: number) => boolean = () => false): void {
  for (let y = 0; y < frame.height; y++) {
    const line = terminal.buffer.active.getLine(terminal.buffer.active.baseY + y)!;
    for (let x = 0; x < frame.width; x++) {
      if (skips(x, y)) continue;
      expect({ x, y, ...comparable(shownCell(line.getCell(x)!)) }).toEqual({ x, y, ...comparable(frame.cell(x, y)) });
    }
  }
  if (frame.cursor !== null)
    expect([terminal.buffer.active.cursorX, terminal.buffer.active.cursorY]).toEqual([frame.cursor.x, frame.cursor.y]);
}

describe('flush', () => {
  test('UP-02 from any screen to any other, replayed in a terminal, shows the other: cells, colours, attributes, cursor', async () => {
    await fc.assert(
      fc.asyncProperty(steps(settledText), steps(settledText), fc.boolean(), async (first, second, synchronized) => {
        const frame = new Frame(20, 6);
        const terminal = terminalOf(20, 6);
        for (const list of [first, second, first]) {
          draw(frame.painter(), list);
          await write(terminal, frame.flush({ depth: 'truecolor', synchronized }));
          expectShown(terminal, frame);
        }
        terminal.dispose();
      }),
      { numRuns: 150 },
    );
  });

  test('UP-04 whatever a terminal thinks of a cluster, nothing else moves from its place', async () => {
    await fc.assert(
      fc.asyncProperty(steps(trickyText), steps(trickyText), async (first, second) => {
        const frame = new Frame(20, 6);
        // This terminal counts every emoji, flag and joined sequence otherwise than we do.
        const terminal = terminalOf(20, 6);
        await write(terminal, '\x1b[?7l');
        for (const list of [first, second]) {
          draw(frame.painter(), list);
          await write(terminal, frame.flush(TRUE));
        }
        const disputed = (x: number, y: number): boolean => {
          for (let at = Math.max(0, x - 2); at <= x + 1 && at < 20; at++) {
            const { text } = frame.cell(at, y);
            // A mark may also stand behind a plain letter or a blank.
            if ([...text].some((point) => isFragile(point.codePointAt(0)!) || point.codePointAt(0)! >= 0x300))
              return true;
          }
          return false;
        };
        expectShown(terminal, frame, disputed);
        terminal.dispose();
      }),
      { numRuns: 150 },
    );
  });

  test('UP-04 a cluster the terminal draws narrower leaves nothing of what stood there', async () => {
    const frame = new Frame(6, 1);
    const terminal = terminalOf(6, 1);
    for (const text of ['abcdef', '☂\ufe0fcdef']) {
      frame.painter().text(0, 0, text, {});
      await write(terminal, frame.flush(TRUE));
    }
    expect(terminal.buffer.active.getLine(0)!.translateToString()).toBe('☂\ufe0f cdef');
    terminal.dispose();
  });

  test('UP-02 after any storm of sizes the screen equals one drawn afresh', async () => {
    const size = fc.record({ width: fc.integer({ min: 1, max: 30 }), height: fc.integer({ min: 1, max: 8 }) });
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(size, steps(settledText)), { minLength: 1, maxLength: 5 }), async (sizes) => {
        const frame = new Frame(20, 6);
        const terminal = terminalOf(20, 6);
        await write(terminal, '\x1b[?1049h\x1b[?7l');
        for (const [{ width, height }, list] of sizes) {
          terminal.resize(width, height);
          frame.resize(width, height);
          draw(frame.painter(), list);
          await write(terminal, frame.flush(TRUE));
          expectShown(terminal, frame);
        }
        terminal.dispose();
      }),
      { numRuns: 60 },
    );
  });

  test('UP-01 writes nothing when nothing changed, never erases the screen, and pairs its synchronized updates', () => {
    fc.assert(
      fc.property(steps(settledText), steps(settledText), (first, second) => {
        const frame = new Frame(20, 6);
        for (const list of [first, second, second]) {
          draw(frame.painter(), list);
          const bytes = frame.flush(TRUE);
          expect(bytes).not.toMatch(/\x1b\[[23]?J|\x1b\[\?1049/);
          if (bytes !== '')
            expect([
              bytes.startsWith('\x1b[?2026h'),
              bytes.endsWith('\x1b[?2026l'),
              bytes.split('\x1b[?2026').length,
            ]).toEqual([true, true, 3]);
          if (list === second) {
            draw(frame.painter(), list);
            expect(frame.flush(TRUE)).toBe('');
          }
        }
      }),
      { numRuns: 100 },
    );
  });

  test('SEC-40 text sends no control character of its own', () => {
    const flushed = (text: string) => {
      const frame = new Frame(30, 1);
      frame.painter().text(0, 0, text, {});
      return frame.flush(TRUE);
    };
    // What looks like a sequence of the frame's own is none.
    expect(flushed('\x1b[31mred\x1b[2J\x9b1m')).toContain('␛[31mred␛[2J\ufffd1m');
    const control = fc.integer({ min: 0, max: 0x9f }).map((unit) => String.fromCharCode(unit));
    fc.assert(
      fc.property(fc.array(fc.oneof(control, trickyText), { maxLength: 20 }), (pieces) => {
        const own = flushed(pieces.join('')).replace(/\x1b\[\??[\d;]*[A-Za-z]/g, '');
        expect(own).not.toMatch(/[\u0000-\u001f\u007f-\u009f]/);
      }),
      { numRuns: 300 },
    );
  });

  test('AP-3 UP-05 without colour there are no colour codes, and inverse stays', () => {
    const frame = new Frame(10, 1);
    frame.painter().text(0, 0, 'chosen', { fg: 0xff0000, bg: 0x00ff00, inverse: true, bold: true });
    const bytes = frame.flush({ depth: 'none', synchronized: true });
    expect(bytes).toContain('\x1b[0;1;7mchosen');
    expect(bytes).not.toMatch(/\x1b\[[\d;]*(3[0-9]|4[0-9]|9[0-7]|10[0-7])[\d;]*m/);
  });

  test.each([
    ['truecolor', '38;2;255;128;0'],
    ['256', '38;5;208'],
    ['16', '91'],
  ] as const)('AP-3 writes %s colours as the terminal can show them', (depth, code) => {
    const frame = new Frame(4, 1);
    frame.painter().text(0, 0, 'x', { fg: depth === '16' ? 0xff1010 : 0xff8000 });
    expect(frame.flush({ depth, synchronized: true })).toContain(`\x1b[${code}mx`);
  });

  test('UP-05 with 256 colours text is fitted to the ground it stands on', () => {
    const frame = new Frame(4, 1);
    // Readable on white; its nearest palette entry is not.
    frame.painter().text(0, 0, 'ab', { fg: 0x337c36 });
    expect(frame.flush({ depth: '256', synchronized: true })).toContain('\x1b[38;5;65ma');
    frame.painter().text(0, 0, 'AB', { fg: 0x337c36 });
    const code = /38;5;(\d+)mA/.exec(frame.flush({ depth: '256', synchronized: true, ground: 0xffffff }))?.[1];
    expect(contrast(color256(65), 0xffffff)).toBeLessThan(4.5);
    expect(contrast(color256(Number(code)), 0xffffff)).toBeGreaterThanOrEqual(4.5);
  });

  test('one typed letter costs one letter, not a row', () => {
    const frame = new Frame(80, 24);
    const prompt = (text: string): void => {
      const painter = frame.painter();
      painter.text(0, 20, 'transcript '.repeat(7), { fg: 0x888888 });
      painter.text(0, 23, `> ${text}`, {});
      painter.cursor(2 + text.length, 23);
    };
    prompt('hell');
    frame.flush(TRUE);
    prompt('hello');
    expect(frame.flush(TRUE)).toBe('\x1b[?2026h\x1b[24;7Ho\x1b[24;8H\x1b[?2026l');
  });

  test('UP-04 the cursor is hidden only while drawing to a terminal that shows half-drawn frames', () => {
    const frame = new Frame(10, 2);
    const show = (text: string): string => {
      const painter = frame.painter();
      painter.text(0, 0, text, {});
      painter.cursor(1, 1);
      return frame.flush({ depth: 'truecolor', synchronized: false });
    };
    show('a');
    const bytes = show('b');
    expect(bytes.indexOf('\x1b[?25l')).toBeLessThan(bytes.indexOf('b'));
    expect(bytes.endsWith('\x1b[2;2H\x1b[?25h\x1b[?2026l')).toBe(true);
  });

  test('clusters that are no longer shown do not pile up', () => {
    const frame = new Frame(40, 2);
    for (let i = 0; i < 6000; i++) {
      const painter = frame.painter();
      painter.text(
        0,
        0,
        `${String.fromCodePoint(0x61 + (i % 26))}${String.fromCodePoint(0x300 + (i % 64))}${String.fromCodePoint(0x300 + (i >> 7))} 👩‍🚀`,
        {},
      );
      frame.flush(TRUE);
      expect(frame.cell(2, 0).text).toBe('👩‍🚀');
    }
    expect(frame.clusterCount).toBeLessThan(4200);
  });
});

describe('painter', () => {
  test('never draws outside its clip', () => {
    fc.assert(
      fc.property(steps(trickyText), steps(trickyText), (ground, inner) => {
        const frame = new Frame(20, 6);
        const clip = rect(5, 1, 9, 3);
        draw(frame.painter(), ground);
        frame.flush(TRUE);
        const before = cellsOf(frame);
        const painter = frame.painter();
        draw(painter, ground);
        draw(
          painter.within(clip),
          inner.filter((step) => step.kind !== 'cursor'),
        );
        frame.flush(TRUE);
        for (const [index, cell] of cellsOf(frame).entries()) {
          const x = index % 20;
          const y = Math.floor(index / 20);
          const inside = x >= clip.x && x < clip.x + clip.width && y >= clip.y && y < clip.y + clip.height;
          // Half of a wide character cannot stay alone beside the clip: then, and only then, it becomes a blank.
          const wasCut =
            cell.text === ' ' &&
            ((x === clip.x - 1 && before[index + 1]!.text === '') ||
              (x === clip.x + clip.width && before[index]!.text === ''));
          if (!inside && !wasCut) expect({ index, ...cell }).toEqual({ index, ...before[index]! });
        }
      }),
      { numRuns: 200 },
    );
  });

  test('answers the columns it used, also for text that begins left of the clip', () => {
    const painter = new Frame(10, 2).painter();
    expect(painter.text(0, 0, '状态', {})).toBe(4);
    expect(painter.text(0, 0, 'abcdef', {}, 3)).toBe(3);
    expect(painter.text(-2, 0, 'abcdef', {})).toBe(6);
    expect(painter.text(8, 0, 'abcdef', {})).toBe(2);
  });

  test('text keeps the ground it is drawn upon unless it names its own', () => {
    const frame = new Frame(4, 1);
    const painter = frame.painter();
    painter.fill(rect(0, 0, 4, 1), { bg: 0x112233 });
    painter.text(0, 0, 'a', {});
    painter.text(1, 0, 'b', { bg: null });
    frame.flush(TRUE);
    expect([frame.cell(0, 0).bg, frame.cell(1, 0).bg]).toEqual([0x112233, null]);
  });

  test('PE-18 a hit means what was drawn there last', () => {
    const frame = new Frame(10, 2);
    const painter = frame.painter();
    painter.hit(rect(0, 0, 10, 2), { region: 'transcript' });
    painter.within(rect(0, 0, 4, 1)).hit(rect(0, 0, 10, 2), { region: 'modal', item: 'a' });
    expect([frame.hitAt(3, 0), frame.hitAt(4, 0), frame.hitAt(3, 1), frame.hitAt(10, 0)]).toEqual([
      { region: 'modal', item: 'a' },
      { region: 'transcript' },
      { region: 'transcript' },
      null,
    ]);
  });
});

function cellsOf(frame: Frame): Cell[] {
  const cells: Cell[] = [];
  for (let y = 0; y < frame.height; y++) for (let x = 0; x < frame.width; x++) cells.push(frame.cell(x, y));
  return cells;
}
