// Whatever keys come in whatever order: nothing breaks, and nothing is lost that no key took away.
import { expect, test } from 'bun:test';
import { boxOf, layouts, press, type ViBox } from '../../../../test/support/vi-box.ts';
import { stopAtOrBefore } from './atoms.ts';
import { visualRange } from './vi-state.ts';

const LINES = [
  '|',
  '|one',
  'one t|wo, (three "four") [A] five\n  six\n\nseven [B][C] eight',
  '[A]|',
  'a\n\n\n|b',
  '👩‍👩‍👧 é|é 日本語\n\tx  [A]\n',
  "f(x, |{y: [1, 'q']}) <z> `w`",
];

const EVERYTHING = [
  ...'hlwebWEB0$^_|G%;,jkiIaAoOxXDCsSYRu.dcy><pPJrvV~gfFtT"q@m\'`zZ[](){}bB123459 nK!?/:',
  ...['gg', 'ge', 'gE', 'gu', 'gU', 'g~', 'gJ', 'gr', 'gv', 'iw', 'aw', 'i(', 'a"', 'dd', 'cc', 'yy', 'x[', 'é', '👍'],
  ...[
    '<esc>',
    '<esc>',
    '<esc>',
    '<bs>',
    '<del>',
    '<left>',
    '<right>',
    '<up>',
    '<down>',
    '<home>',
    '<end>',
    '<nl>',
    '<cw>',
  ],
];

/** Keys that take no text away: they move, write, copy, put back, and change only how letters are written. */
const KEEPING = [
  ...'hlwebWEB0$^_G%;,jkaAiIoO',
  ...[
    'fo',
    'Te',
    'gg',
    'ge',
    'yw',
    'yy',
    'y$',
    'yiw',
    'p',
    'P',
    '2p',
    'guw',
    'gUU',
    'g~~',
    '~',
    '>>',
    've',
    'V',
    'y',
    'o',
    'u',
  ],
  ...['<esc>', '<esc>', '<left>', '<right>', '<up>', '<down>', '<nl>'],
];

test('random keys never throw, and the caret stays where one may stand', () => {
  const random = numbers(20261201);
  const layoutOf = layouts(24);
  for (let round = 0; round < 300; round++) {
    let box = boxOf(LINES[round % LINES.length]!);
    const pressed: string[] = [];
    for (let at = 0; at < 60; at++) {
      const key = EVERYTHING[random(EVERYTHING.length)]!;
      pressed.push(key);
      box = press(box, key, layoutOf);
      const { buffer } = box.editor;
      const why = pressed.join('');
      expect(stopAtOrBefore(buffer, buffer.caret), why).toBe(buffer.caret);
      const chosen = visualRange(box.vi, box.editor);
      if (chosen !== null) expect(chosen.to, why).toBeGreaterThanOrEqual(chosen.from);
      for (const atom of buffer.atoms) expect(buffer.text.slice(atom.from, atom.to), why).toMatch(/^\[[A-Z]\]$/);
      if (buffer.text.length > 20_000) break;
    }
  }
});

test('no text is lost but by a key that deletes, and markers stand for what they stood for', () => {
  const random = numbers(7);
  const layoutOf = layouts(24);
  for (let round = 0; round < 200; round++) {
    const start = boxOf(LINES[round % LINES.length]!);
    const had = bare(start);
    let box = start;
    const pressed: string[] = [];
    for (let at = 0; at < 30; at++) {
      const key = KEEPING[random(KEEPING.length)]!;
      // In VISUAL letters such as `o` and `u` mean other things, and `p` puts over what is chosen.
      if (box.vi.mode.startsWith('visual') && /^[pPu]|2p|iw/.test(key)) continue;
      pressed.push(key);
      box = press(box, key, layoutOf);
    }
    expect(isWithin(had, bare(box)), `${start.editor.buffer.text} ${pressed.join('')}`).toBe(true);
    const before = start.editor.buffer.atoms.map((atom) => atom.payload);
    const now = box.editor.buffer.atoms.map((atom) => atom.payload);
    for (const payload of before) expect(now).toContain(payload);
  }
});

test('one undo behind one command brings back the text and the caret', () => {
  const random = numbers(11);
  const layoutOf = layouts(24);
  const changes = [
    'x',
    '3x',
    'X',
    'dw',
    'd2w',
    'dd',
    '2dd',
    'D',
    'cwnew<esc>',
    'ccnew<esc>',
    'Anew<esc>',
    'Onew<esc>',
    'onew<esc>',
  ];
  const more = [
    '~',
    '5~',
    'rx',
    'J',
    'gJ',
    'p',
    '3P',
    '>>',
    '<lt><lt>',
    'gUU',
    'guiw',
    'diw',
    'da(',
    'ci"q<esc>',
    'Rover<esc>',
    '.',
    'vjd',
    'Vp',
  ];
  for (let round = 0; round < 600; round++) {
    const start = press(boxOf(LINES[round % LINES.length]!), 'yw', layoutOf);
    const placed = press(start, `${1 + random(9)}${['l', 'w', 'b', 'j'][random(4)]}`, layoutOf);
    const primed = press(placed, ['x', 'cwq<esc>', 'yy'][random(3)]!, layoutOf);
    const keys = [...changes, ...more][random(changes.length + more.length)]!;
    const after = press(primed, keys, layoutOf);
    if (after.editor.buffer.text === primed.editor.buffer.text) continue;
    const back = press(after, 'u', layoutOf);
    expect(back.editor.buffer.text.toString(), keys).toBe(primed.editor.buffer.text.toString());
    if (!keys.startsWith('v')) expect(back.editor.buffer.caret, keys).toBe(primed.editor.buffer.caret);
    expect(back.editor.buffer.atoms.map(({ payload }) => payload)).toEqual(
      primed.editor.buffer.atoms.map(({ payload }) => payload),
    );
  }
});

function bare(box: ViBox): string {
  return box.editor.buffer.text.toString().toLowerCase();
}

/** Whether all characters of `part` stand in `whole`, in order. */
function isWithin(part: string, whole: string): boolean {
  let at = 0;
  for (let place = 0; place < whole.length && at < part.length; place++) if (whole[place] === part[at]) at++;
  return at === part.length;
}

function numbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1103515245) + 12345) >>> 0;
    return (state >>> 8) % below;
  };
}
