// Vi editing as triples: a line with its caret, keys, the line they make of it.
import { expect, test } from 'bun:test';
import { boxOf, press, shown, type ViBox } from '../../../../test/support/vi-box.ts';
import { applyAction } from './editor-state.ts';
import { Layout } from './layout.ts';
import { modeWords } from './vi-state.ts';

type Triple = readonly [before: string, keys: string, after: string];

function check(triples: readonly Triple[]): void {
  for (const [before, keys, after] of triples)
    expect(shown(press(boxOf(before), keys)), `${JSON.stringify(before)} ${keys}`).toBe(after);
}

test('keys that open INSERT, letters without a meaning, and prefixes that swallow what follows (VI-5)', () =>
  check([
    ['on|e', 'iX<esc>', 'on|Xe'],
    ['  on|e', 'IX<esc>', '  |Xone'],
    ['on|e', 'aX<esc>', 'one|X'],
    ['|one', 'AX<esc>', 'one|X'],
    ['o|ne\ntwo', 'oX<esc>', 'one\n|X\ntwo'],
    ['one\nt|wo', 'OX<esc>', 'one\n|X\ntwo'],
    // Letters without a meaning, and what shell and help are elsewhere.
    ['on|e', 'Q!?:/nN&*#', 'on|e'],
    ['|one', '"xqxmxzxZx[x]x@x\'x`x', '|one'],
    ['|one', "g'xg`x", '|one'],
    ['|one two', 'g?wgqiwgwwg@$', '|one two'],
    ['|one two', 'gqqx', '|ne two'],
  ]));

test('motions by cells, words, lines, brackets and searches; a failed jump leaves the caret (VI-6)', () =>
  check([
    ['one t|wo', 'hh', 'one| two'],
    ['a\n|bc', 'h', 'a\n|bc'],
    ['|one', 'l ', 'on|e'],
    ['|one\ntwo', '9l', 'on|e\ntwo'],
    ['|one, two', 'w', 'one|, two'],
    ['|one, two', 'W', 'one, |two'],
    ['|one\n\ntwo', 'w', 'one\n|\ntwo'],
    ['one, t|wo', 'b', 'one, |two'],
    ['one, |two', 'b', 'one|, two'],
    ['one, |two', 'B', '|one, two'],
    ['|one two', 'e', 'on|e two'],
    ['on|e, two', 'e', 'one|, two'],
    ['|one, two', 'E', 'one|, two'],
    ['one, t|wo', 'ge', 'one|, two'],
    ['one,x t|wo', 'gE', 'one,|x two'],
    ['  on|e', '0', '|  one'],
    ['  on|e', '^', '  |one'],
    ['|one', '$', 'on|e'],
    ['|one\ntwo', '2$', 'one\ntw|o'],
    ['  on|e\n  two', '2_', '  one\n  |two'],
    ['|one two', '4|', 'one| two'],
    ['one\ntw|o', 'gg', '|one\ntwo'],
    ['|one\ntwo', 'G', 'one\n|two'],
    ['|one\ntwo\nthree', '2G', 'one\n|two\nthree'],
    ['|a(b[c)d', '%', 'a(b[c|)d'],
    ['a(b[c|)d', '%', 'a|(b[c)d'],
    ['|a(b\n)', '%', '|a(b\n)'],
    ['|abcabc', 'fc', 'ab|cabc'],
    ['|abcabc', '2fc', 'abcab|c'],
    ['abcab|c', 'Fa', 'abc|abc'],
    ['|abcabc', 'tc', 'a|bcabc'],
    ['abcab|c', 'Ta', 'abca|bc'],
    ['|abcabc', 'fc;', 'abcab|c'],
    ['|abcabc', 'fc;,', 'ab|cabc'],
    ['|abcabc', 'tc;', 'abca|bc'],
    // On this line only; a failed jump leaves the caret.
    ['|abc\nxd', 'fd', '|abc\nxd'],
    ['|abc', 'fz', '|abc'],
    ['|one\ntwo', 'j', 'one\n|two'],
    ['one\nt|wo', 'k', 'o|ne\ntwo'],
    ['|a\nb\nc', '2j', 'a\nb\n|c'],
    ['|a\nb', '9j', 'a\n|b'],
  ]));

test('j and k at the edges ask for what Up and Down do there; with a count they do not (VI-6)', async () => {
  const { viKey } = await import('./vi.ts');
  const { keysOf, layouts } = await import('../../../../test/support/vi-box.ts');
  const box = boxOf('on|e');
  expect(viKey(box.editor, box.vi, keysOf('k')[0]!, layouts())?.effect).toEqual({ kind: 'edge', edge: 'up' });
  expect(viKey(box.editor, box.vi, keysOf('j')[0]!, layouts())?.effect).toEqual({ kind: 'edge', edge: 'down' });
  const counted = press(box, '3');
  expect(viKey(counted.editor, counted.vi, keysOf('k')[0]!, layouts())?.effect).toBeNull();
});

test('counts multiply, stop at the bound of the line, and are one change (VI-7)', () =>
  check([
    ['|a b c d e f g h', '2d3w', '|g h'],
    ['|a b c d', 'd2w', '|c d'],
    ['|abc\nd', '9x', '|\nd'],
    ['|ab', 'ylP', '|aab'],
    ['|ab', 'yl3p', 'aaa|ab'],
    ['|abcdef', '5rx', 'xxxx|xf'],
    ['|abcd', '5rx', '|abcd'],
    ['|a b c d', '3dwu', '|a b c d'],
    ['|abcdef', '5rxu', '|abcdef'],
    ['|ab', 'yl3pu', '|ab'],
    ['|', '3iab<esc>', 'ababa|b'],
    ['|', '3iab<esc>u', '|'],
  ]));

test('operators, doubled and with motions, and the letters that stand for them (VI-8)', () =>
  check([
    ['|one two', 'dw', '|two'],
    ['one |two\nthree', 'dw', 'one| \nthree'],
    ['|one\ntwo\nthree', 'dd', '|two\nthree'],
    ['one\n|two', 'dd', '|one'],
    ['|one\ntwo\nthree', '2dd', '|three'],
    ['|one\ntwo\nthree', 'dj', '|three'],
    ['one\ntwo\nthr|ee', 'dk', '|one'],
    ['on|e two', 'db', '|e two'],
    ['one\n|two', 'db', '|\ntwo'],
    ['o|ne two', 'de', 'o| two'],
    ['o|ne', 'D', '|o'],
    ['one t|wo', 'd0', '|wo'],
    ['x|(a b)y', 'd%', 'x|y'],
    ['|a,b', 'dt,', '|,b'],
    ['|a,b', 'df,', '|b'],
    ['|one two', 'cwX<esc>', '|X two'],
    ['one| two', 'cwX<esc>', 'one|Xtwo'],
    ['|one two three', 'c2wX<esc>', '|X three'],
    ['on|e two', 'cwX<esc>', 'on|X two'],
    ['one\n|two\nx', 'ccX<esc>', 'one\n|X\nx'],
    ['one\n|two\nx', 'SX<esc>', 'one\n|X\nx'],
    ['o|ne', 'CX<esc>', 'o|X'],
    ['o|ne', 'sX<esc>', 'o|Xe'],
    ['|one two', 'ywP', 'one| one two'],
    ['o|ne\ntwo', 'yyp', 'one\n|one\ntwo'],
    ['o|ne\ntwo', 'YjP', 'one\n|one\ntwo'],
    ['o|ne', 'x', 'o|e'],
    ['on|e', 'X', 'o|e'],
    ['on|e', '2X', '|e'],
    ['|aBc', '~~', 'Ab|c'],
    ['|aBc', '3~', 'Ab|C'],
    ['|abc', 'rx', '|xbc'],
    ['|abc', 'grx', '|xbc'],
    ['|one\n  two', 'J', 'one| two'],
    ['|one\n  two', 'gJ', 'one|  two'],
    ['|one\n)', 'J', 'one|)'],
    ['|a\nb\nc', '3J', 'a b| c'],
    ['|one\ntwo', '>>', '  |one\ntwo'],
    ['|one\ntwo', '>j', '  |one\n  two'],
    ['    o|ne', '<lt><lt>', '  |one'],
    ['|One', 'guu', '|one'],
    ['|one two', 'gUw', '|ONE two'],
    ['|oNe', 'g~~', '|OnE'],
    ['|oNe x', 'gUgU', '|ONE X'],
    ['|ab', 'xp', 'b|a'],
    ['|ab', 'ddp', '\n|ab'],
    ['a|b', 'xP', '|ba'],
  ]));

test('r and Enter is just Enter: the key is not taken, and nothing was replaced (VI-8)', async () => {
  const { viKey } = await import('./vi.ts');
  const { layouts } = await import('../../../../test/support/vi-box.ts');
  const box = press(boxOf('|abc'), 'r');
  const enter = { name: 'enter', ctrl: false, alt: false, shift: false, text: null, kind: 'press' } as const;
  expect(viKey(box.editor, box.vi, enter, layouts())).toBeNull();
});

test('text objects: words, quotes and brackets on the line (VI-9)', () =>
  check([
    ['one t|wo three', 'diw', 'one | three'],
    ['one t|wo three', 'daw', 'one |three'],
    ['one t|wo', 'daw', 'on|e'],
    ['one,t|wo x', 'diW', '| x'],
    ['one,t|wo x', 'daW', '|x'],
    ['one|  two', 'diw', 'one|two'],
    ['a "b |c" d', 'di"', 'a "|" d'],
    ['a "b |c" d', 'da"', 'a |d'],
    ["|a 'b' d", "ci'X<esc>", "a '|X' d"],
    ['|a `b` d', 'di`', 'a `|` d'],
    ['f(a, |b)', 'di(', 'f(|)'],
    ['f(a, |b)', 'dib', 'f(|)'],
    ['f(a, |b)', 'da)', '|f'],
    ['|f(a)', 'di(', 'f(|)'],
    ['{a|}', 'diB', '{|}'],
    ['x[a|]', 'di]', 'x[|]'],
    ['x<a|b>', 'di>', 'x<|>'],
    ['f(a\n|b)', 'di(', 'f(a\n|b)'],
    ['((a|))', 'd2i(', '(|)'],
  ]));

test('selections by cells and by rows, and what each letter does to them (VI-10)', () =>
  check([
    ['|one two', 'vex', '| two'],
    ['|one two', 'ved', '| two'],
    ['|one two', 'vesX<esc>', '|X two'],
    ['|abc', 'vlrx', '|xxc'],
    ['|aBc', 'vl~', '|Abc'],
    ['|aBc', 'vlu', '|abc'],
    ['|aBc', 'vlU', '|ABc'],
    ['|aBc', 'vlg~', '|Abc'],
    ['|aBc', 'vlgu', '|abc'],
    ['|aBc', 'vlgU', '|ABc'],
    ['o|ne\ntwo', 'vD', '|two'],
    ['o|ne\ntwo', 'vX', '|two'],
    ['o|ne\ntwo', 'vSX<esc>', '|X\ntwo'],
    ['o|ne\ntwo', 'Vd', '|two'],
    ['o|ne\ntwo\nthree', 'Vjd', '|three'],
    ['o|ne\ntwo', 'vYp', 'one\n|one\ntwo'],
    ['ab|cd', 'vhox', 'a|d'],
    ['abc|d', 'vhold', 'a|b'],
    ['|one two', 'yiwwviwp', 'one on|e'],
    ['|one two', 'yiwwviwpp', 'one onetw|o'],
    ['|one two', 'yiwwviwP', 'one on|e'],
    ['|one two', 'yiwwviwPp', 'one oneon|e'],
    ['|abcd', 'vl<esc>$gvd', '|cd'],
    ['|abc', 'vlyx', '|bc'],
    ['|one\ntwo', 'VjJ', 'one| two'],
    ['|one\ntwo', 'Vj>', '  |one\n  two'],
  ]));

test('what VISUAL chose is a range across rows, and any operator ends it (VI-10)', async () => {
  const { visualRange } = await import('./vi-state.ts');
  const box = press(boxOf('o|ne\ntwo'), 'vj');
  expect(visualRange(box.vi, box.editor)).toEqual({ from: 1, to: 6 });
  const rows = press(boxOf('o|ne\ntwo'), 'V');
  expect(visualRange(rows.vi, rows.editor)).toEqual({ from: 0, to: 3 });
  expect(press(box, 'y').vi.mode).toBe('normal');
});

test('REPLACE overwrites, Backspace brings back, the dot does not repeat it (VI-11)', () =>
  check([
    ['|abc', 'Rxy<esc>', 'x|yc'],
    ['|ab', 'Rxyz<esc>', 'xy|z'],
    ['|abc', 'Rxy<bs><bs><esc>', '|abc'],
    ['a|bc', 'Rx<bs><bs><bs><esc>', '|abc'],
    ['|ab\nc', 'Rxyz<esc>', 'xy|z\nc'],
    ['|abcd', 'xRx<esc>.', '|xcd'],
    ['|abc', 'Rxy<esc>u', '|abc'],
  ]));

test('u takes back whole changes, the dot does the last one again, and what it leaves alone (VI-12)', () =>
  check([
    ['|', 'ione two<esc>u', '|'],
    ['|abc', 'xxuu', '|abc'],
    ['|one two', 'cwX<esc>w.', 'X |X'],
    ['|one two', 'iX<esc>w.', 'Xone |Xtwo'],
    ['|a\nb', 'oX<esc>.', 'a\nX\n|X\nb'],
    ['|a b c', 'dw.', '|c'],
    ['|abcdef', 'x3.', '|ef'],
    ['|a b c', 'dw.u', '|b c'],
    ['|one two', 'cwX<esc>w.u', 'X |two'],
    // Nothing after: R, what was done to a selection, d and c over one.
    ['|abc', 'x Rz<esc>.', 'b|z'],
    ['|abcd', 'vlrx.', '|xxcd'],
    ['|abcd', 'vlU.', '|ABcd'],
    ['|abcd', 'vld.', '|cd'],
    ['|abcd', 'vlcX<esc>l.', 'X|cd'],
    ['|one\ntwo\nthree', 'VjJ.', 'one| two\nthree'],
    ['|one two', 'yiwviwp.', 'on|e two'],
    // Whole rows can be done again.
    ['|a\nb\nc\nd\ne', 'Vjd.', '|e'],
  ]));

test('u goes back a thousand changes and never behind a line that came whole; there is no redo (VI-12)', () => {
  let box: ViBox = boxOf('|');
  for (let at = 0; at < 1001; at++) box = press(box, 'ax<esc>');
  expect(press(box, `${'u'.repeat(1001)}`).editor.buffer.text.toString()).toBe('x');
  const came = boxOf('came |whole');
  expect(shown(press(came, 'xuuu'))).toBe('came |whole');
  // What is not vi's own undo still reaches it: nothing typed is lost.
  expect(applyAction(came.editor, 'undo', Layout.of(came.editor.buffer.text, 60)).state.buffer.text.toString()).toBe(
    '',
  );
});

test('one register, filled by d, c, y, x and not by shifts, case changes and r (VI-13)', () => {
  const box = press(boxOf('|ab cd'), 'yw>>guw~rx');
  expect(box.vi.register).toEqual({ piece: { text: 'ab ', atoms: [] }, lines: false });
  expect(press(box, 'x').vi.register.piece.text).toBe('x');
  expect(press(box, 'dd').vi.register.lines).toBe(true);
});

test('markers are crossed, deleted and kept whole (VI-14)', () =>
  check([
    ['|a[A]b', 'll', 'a[A]|b'],
    ['|a[A]b', 'lx', 'a|b'],
    ['|a [A] b', 'wdw', 'a |b'],
    ['|a[A]b', 'lrx', 'a|[A]b'],
    ['|a[A]b', '3rx', 'x[A]|x'],
    ['|a[A]b', 'gUU', '|A[A]B'],
    ['|a[A]b', '$X', 'a|b'],
    ['|a[A]b', 'fA', '|a[A]b'],
    ['[A]|b', 'di[', '[A]|b'],
    ['|[A]b', 'Rx<esc>', '|x[A]b'],
  ]));

test('a marker that is deleted is detached, and put back it stands for what it stood for (VI-14)', () => {
  const gone = press(boxOf('a|[A]b'), 'x');
  expect(gone.editor.buffer.atoms).toEqual([]);
  const back = press(gone, 'P');
  expect(shown(back)).toBe('a|[A]b');
  expect(back.editor.buffer.atoms).toMatchObject([{ from: 1, to: 4, payload: 'whole [A]' }]);
  // An edit that attached something is not done again.
  expect(shown(press(back, '.'))).toBe('a|[A]b');
  expect(press(boxOf('|a[A]b'), 'gUU').editor.buffer.atoms).toMatchObject([{ from: 1, to: 4 }]);
});

test('the mode and the keys of a half-typed command are said (VI-4)', () => {
  expect(modeWords(boxOf('|', 'insert').vi)).toBe('INSERT');
  expect(modeWords(press(boxOf('|ab'), 'd').vi)).toBe('NORMAL d');
  expect(modeWords(press(boxOf('|ab'), '2d3').vi)).toBe('NORMAL 2d3');
  expect(modeWords(press(boxOf('|ab'), '2d3<esc>').vi)).toBe('NORMAL');
  expect(modeWords(press(boxOf('|ab'), 'v').vi)).toBe('VISUAL');
  expect(modeWords(press(boxOf('|ab'), 'V').vi)).toBe('VISUAL LINE');
  expect(modeWords(press(boxOf('|ab'), 'R').vi)).toBe('REPLACE');
});
