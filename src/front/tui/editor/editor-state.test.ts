import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { trickyText } from '../../../../test/support/tricky-text.ts';
import type { Key } from '../input/event.ts';
import { stopAtOrBefore } from './atoms.ts';
import { PROMPT_LIMIT, sizeOf } from './edit.ts';
import type { Buffer } from './editor.ts';
import { EDITOR_KEYS, type EditorAction } from './editor-keys.ts';
import {
  applyAction,
  applyKey,
  draftContent,
  type EditorState,
  insertFile,
  insertImage,
  insertText,
  NEW_EDITOR,
  paste,
  placeCaret,
  replaceAll,
  selectedText,
  selectRange,
  selectWord,
} from './editor-state.ts';
import { LayoutCache } from './layout.ts';
import { Text } from './text.ts';

const key = (name: string, text: string | null = null): Key => ({
  name,
  ctrl: false,
  alt: false,
  shift: false,
  text,
  kind: 'press',
});
const lines = (count: number): string => Array.from({ length: count }, (_, index) => `row ${index}`).join('\n');
const image = { kind: 'image', name: 'a.png', mediaType: 'image/png', base64: '' } as const;

function act(state: EditorState, ...actions: EditorAction[]): EditorState {
  const cache = new LayoutCache();
  return actions.reduce((now, action) => applyAction(now, action, cache.of(now.buffer.text, 40)).state, state);
}

function type(state: EditorState, text: string): EditorState {
  return [...text].reduce((now, character) => insertText(now, character).state, state);
}

/** The text with its caret as `|` and the selection in brackets. */
function show({ buffer }: EditorState): string {
  const { text, caret, anchor } = buffer;
  if (anchor === null) return `${text.slice(0, caret)}|${text.slice(caret)}`;
  const [from, to] = [Math.min(anchor, caret), Math.max(anchor, caret)];
  return `${text.slice(0, from)}‹${text.slice(from, to)}›${text.slice(to)}`;
}

describe('typing and moving', () => {
  test('words, lines and the document', () => {
    const state = type(NEW_EDITOR, 'one two-three\nfour 👩‍🚀');
    expect(show(act(state, 'word-left'))).toBe('one two-three\n|four 👩‍🚀');
    expect(show(act(state, 'left', 'left'))).toBe('one two-three\nfour| 👩‍🚀');
    expect(show(act(state, 'line-start', 'left', 'word-left'))).toBe('one two-|three\nfour 👩‍🚀');
    expect(show(act(state, 'start', 'word-right', 'word-right'))).toBe('one two|-three\nfour 👩‍🚀');
    expect(show(act(state, 'start', 'line-end'))).toBe('one two-three|\nfour 👩‍🚀');
  });

  test('Up and Down keep their column over shorter rows', () => {
    const state = placeCaret(type(NEW_EDITOR, 'abcdef\nx\nabcdef'), 5, false);
    expect(show(act(state, 'down'))).toBe('abcdef\nx|\nabcdef');
    expect(show(act(state, 'down', 'down'))).toBe('abcdef\nx\nabcde|f');
    expect(show(act(state, 'down', 'down', 'up', 'up'))).toBe('abcde|f\nx\nabcdef');
  });

  test('Up on the first row says so and leaves the text alone', () => {
    const state = type(NEW_EDITOR, 'abc');
    const layout = new LayoutCache().of(Text.of('abc'), 40);
    expect(applyAction(state, 'up', layout)).toEqual({ state, effect: { kind: 'edge', edge: 'up' } });
    expect(applyAction(state, 'down', layout).effect).toEqual({ kind: 'edge', edge: 'down' });
  });

  test('BOX-11 erasing and killing by word and line, and yanking it back', () => {
    const state = type(NEW_EDITOR, 'one two three');
    expect(show(act(state, 'word-backspace'))).toBe('one two |');
    expect(show(act(state, 'left', 'word-backspace'))).toBe('one two |e');
    expect(show(act(state, 'kill-to-start'))).toBe('|');
    expect(show(act(state, 'start', 'word-delete'))).toBe('| two three');
    expect(show(act(state, 'start', 'kill-to-end', 'yank', 'yank'))).toBe('one two threeone two three|');
    expect(show(act(type(NEW_EDITOR, 'a\nb'), 'kill-to-start', 'kill-to-start'))).toBe('a|');
  });

  test('PE-15 one Backspace takes one whole cluster', () => {
    expect(show(act(type(NEW_EDITOR, 'x👩‍🚀'), 'backspace'))).toBe('x|');
    expect(show(act(type(NEW_EDITOR, 'xe\u0301'), 'backspace'))).toBe('x|');
    expect(show(act(type(NEW_EDITOR, '🇨🇭🇩🇪'), 'left', 'delete'))).toBe('🇨🇭|');
  });

  test('PE-15 a character that joins its neighbours leaves the caret behind all of them', () => {
    const state = insertText(act(type(NEW_EDITOR, '👩🚀!'), 'left', 'left'), '\u200d').state;
    expect(show(state)).toBe('👩\u200d🚀|!');
  });

  test('a selection is replaced by what is typed, and left by a plain step', () => {
    const state = act(type(NEW_EDITOR, 'one two'), 'select-word-left');
    expect(show(state)).toBe('one ‹two›');
    expect(show(type(state, 'x'))).toBe('one x|');
    expect(show(act(state, 'left'))).toBe('one |two');
    expect(show(act(state, 'right'))).toBe('one two|');
    expect(show(act(state, 'select-all', 'backspace'))).toBe('|');
    expect(show(selectWord(state, 1))).toBe('‹one› two');
  });

  test('PE-1 BOX-3 the chords of a new line insert one, and letters are typed', () => {
    const layout = new LayoutCache().of(Text.EMPTY, 40);
    for (const chord of ['ctrl-j', 'shift-enter', 'alt-enter', 'ctrl-enter'])
      expect(EDITOR_KEYS[chord]).toBe('newline');
    expect(show(applyKey(NEW_EDITOR, { ...key('j'), ctrl: true }, layout)!.state)).toBe('\n|');
    expect(show(applyKey(NEW_EDITOR, key('a', 'a'), layout)!.state)).toBe('a|');
    expect(applyKey(NEW_EDITOR, { ...key('a', 'a'), kind: 'release' }, layout)).toBe(null);
    expect(applyKey(NEW_EDITOR, key('f5'), layout)).toBe(null);
  });
});

describe('pastes', () => {
  test('PE-4 line ends become newlines, other controls go, tabs stay', () => {
    expect(paste(NEW_EDITOR, 'a\r\nb\rc\td\x1b[31m\x07\x7f').state.buffer.text.toString()).toBe(
      '[Pasted #1 · 3 lines]',
    );
    expect(paste(NEW_EDITOR, 'a\r\tb\x1b[31m\x07\x7f').state.buffer.text.toString()).toBe('a\n\tb[31m');
  });

  test('PE-5 three lines or more than 800 bytes fold; exactly 800 on two lines stay', () => {
    expect(paste(NEW_EDITOR, lines(3)).state.buffer.text.toString()).toBe('[Pasted #1 · 3 lines]');
    expect(paste(NEW_EDITOR, `${'x'.repeat(400)}\n${'y'.repeat(399)}`).state.buffer.atoms).toEqual([]);
    expect(paste(NEW_EDITOR, `${'x'.repeat(400)}\n${'y'.repeat(400)}`).state.buffer.text.toString()).toBe(
      '[Pasted #1 · 2 lines]',
    );
    expect(paste(NEW_EDITOR, 'é'.repeat(401)).state.buffer.text.toString()).toBe('[Pasted #1 · 1 line]');
  });

  test('PE-6 what begins like a command is never folded', () => {
    for (const text of [`/plan\n${lines(5)}`, `  /plan\n${lines(5)}`, `!ls\n${lines(5)}`])
      expect(paste(NEW_EDITOR, text).state.buffer.text.toString()).toBe(text);
  });

  test('PE-8 PE-9 a folded paste is crossed and deleted whole, and sent and copied in full', () => {
    const state = type(paste(type(NEW_EDITOR, 'see '), lines(4)).state, ' ok');
    expect(draftContent(state).text).toBe(`see ${lines(4)} ok`);
    expect(selectedText(selectRange(state, 0, state.buffer.text.length))).toBe(`see ${lines(4)} ok`);
    expect(show(act(state, 'left', 'left', 'left', 'left'))).toBe('see |[Pasted #1 · 4 lines] ok');
    expect(show(act(state, 'left', 'left', 'left', 'backspace'))).toBe('see | ok');
    expect(show(act(state, 'word-left', 'word-left', 'delete'))).toBe('see | ok');
    expect(placeCaret(state, 10, false).buffer.caret).toBe(4);
    expect(show(selectWord(state, 9))).toBe('see ‹[Pasted #1 · 4 lines]› ok');
  });

  test('MARK-3 Backspace on the highlighted marker takes it', () => {
    const state = paste(type(NEW_EDITOR, 'see '), lines(4)).state;
    expect(show(act(state, 'left', 'backspace'))).toBe('see |');
  });

  test('MARK-2 markers of each kind are numbered apart', () => {
    let state = paste(NEW_EDITOR, lines(3)).state;
    state = insertImage(paste(state, lines(40)).state, image).state;
    state = insertFile(insertImage(state, image).state, null, 'notes.md').state;
    expect(state.buffer.text.toString()).toBe(
      '[Pasted #1 · 3 lines][Pasted #2 · 40 lines][Image #1][Image #2][File #1 notes.md]',
    );
    expect(draftContent(state).attachments.length).toBe(2);
  });

  test('PE-12 MARK-6 text that looks like a marker stays text', () => {
    const state = type(NEW_EDITOR, '[Pasted #1 · 3 lines]');
    expect(show(act(state, 'backspace'))).toBe('[Pasted #1 · 3 lines|');
    expect(draftContent(state).text).toBe('[Pasted #1 · 3 lines]');
  });

  test('PE-7 what would grow past a mebibyte is refused whole, pastes counted in full', () => {
    const half = paste(NEW_EDITOR, `${'é'.repeat(PROMPT_LIMIT / 4)}\n\n\n`).state;
    const refused = paste(half, 'é'.repeat(PROMPT_LIMIT / 4));
    expect(refused.state).toBe(half);
    expect(refused.effect).toEqual({
      kind: 'refused',
      refusal: { identifier: 'prompt-too-long', message: 'Prompt is limited to 1 MiB; edit rejected' },
    });
    expect(insertText(half, 'x').effect).toBe(null);
  });

  test('PE-13 undoing a paste is one step and restores its payload as one', () => {
    const state = paste(type(NEW_EDITOR, 'see '), lines(4)).state;
    expect(show(act(state, 'undo'))).toBe('see |');
    expect(draftContent(act(state, 'undo', 'redo')).text).toBe(`see ${lines(4)}`);
    expect(act(state, 'backspace', 'undo').buffer).toEqual(state.buffer);
  });

  test('UP-11 a marker opens for editing, and closes again by undo', () => {
    const state = paste(type(NEW_EDITOR, 'see '), lines(4)).state;
    expect(show(act(state, 'unfold'))).toBe(`see ${lines(4)}|`);
    expect(act(state, 'unfold', 'undo').buffer).toEqual(state.buffer);
  });

  test('a paste that came in pieces is one marker', () => {
    const state = paste(paste(NEW_EDITOR, lines(4)).state, `\n${lines(2)}`, true).state;
    expect(state.buffer.text.toString()).toBe('[Pasted #1 · 6 lines]');
    expect(draftContent(state).text).toBe(`${lines(4)}\n${lines(2)}`);
  });
});

describe('undo', () => {
  test('takes back a word of typing at a time', () => {
    const state = type(NEW_EDITOR, 'one two three');
    expect(show(act(state, 'undo'))).toBe('one two |');
    expect(show(act(state, 'undo', 'undo'))).toBe('one |');
    expect(show(act(state, 'undo', 'undo', 'redo'))).toBe('one two |');
  });

  test('a caret that moved in between begins a new step', () => {
    const state = type(act(type(NEW_EDITOR, 'ab'), 'left'), 'c');
    expect(show(act(state, 'undo'))).toBe('a|b');
  });

  test('UP-14 a cleared draft comes back, with its caret', () => {
    const state = act(paste(type(NEW_EDITOR, 'one\ntwo\nthree '), lines(5)).state, 'word-left');
    expect(act(state, 'clear').buffer.text.toString()).toBe('');
    expect(act(state, 'clear', 'undo').buffer).toEqual(state.buffer);
  });

  test('PE-13 keeps a thousand steps', () => {
    let state = NEW_EDITOR;
    for (let i = 0; i < 1100; i++) state = replaceAll(state, { text: `${i}`, atoms: [] }).state;
    let steps = 0;
    for (let now = act(state, 'undo'); now !== state; now = act(state, 'undo')) {
      state = now;
      steps++;
    }
    expect([steps, state.buffer.text.toString()]).toEqual([1000, '99']);
  });
});

type Edit =
  | { kind: 'act'; action: EditorAction }
  | { kind: 'type'; text: string }
  | { kind: 'paste'; text: string }
  | { kind: 'image' }
  | { kind: 'click'; offset: number; extend: boolean };

const actions = [...new Set(Object.values(EDITOR_KEYS))].filter((action) => action !== 'undo' && action !== 'redo');
const edit: fc.Arbitrary<Edit> = fc.oneof(
  fc.record({
    kind: fc.constant('act' as const),
    action: fc.constantFrom(...actions, 'clear' as const, 'unfold' as const, 'yank' as const),
  }),
  fc.record({
    kind: fc.constant('type' as const),
    text: fc.constantFrom('a', 'b', ' ', '\n', 'é', '\u0301', '👩', '\u200d', '🚀', '🇨', '状'),
  }),
  fc.record({ kind: fc.constant('paste' as const), text: fc.oneof(trickyText, fc.constant(lines(4))) }),
  fc.constant({ kind: 'image' as const }),
  fc.record({ kind: fc.constant('click' as const), offset: fc.nat(60), extend: fc.boolean() }),
);

function perform(state: EditorState, step: Edit, cache: LayoutCache): EditorState {
  switch (step.kind) {
    case 'act':
      return applyAction(state, step.action, cache.of(state.buffer.text, 12)).state;
    case 'type':
      return insertText(state, step.text).state;
    case 'paste':
      return paste(state, step.text).state;
    case 'image':
      return insertImage(state, image).state;
    case 'click':
      return placeCaret(state, step.offset, step.extend);
  }
}

function placed({ text, caret, anchor, atoms }: Buffer): string {
  return JSON.stringify([text, caret, anchor, atoms]);
}

describe('any edits', () => {
  test('UP-14 PE-8 undone come back to the same text, caret and payloads; redone they come forth again', () => {
    fc.assert(
      fc.property(fc.array(edit, { maxLength: 30 }), (edits) => {
        const cache = new LayoutCache();
        const seen = [placed(NEW_EDITOR.buffer)];
        const end = edits.reduce((now, step) => {
          const next = perform(now, step, cache);
          seen.push(placed(next.buffer));
          return next;
        }, NEW_EDITOR);
        const undone: Buffer[] = [];
        let state = end;
        for (let back = act(state, 'undo'); back !== state; back = act(state, 'undo')) {
          undone.push(state.buffer);
          state = back;
          // Each step leads to a state that was there: its text, its caret, its selection.
          expect(seen).toContain(placed(state.buffer));
        }
        expect(state.buffer.text.toString()).toBe('');
        for (const expected of undone.reverse()) {
          state = act(state, 'redo');
          expect({ text: state.buffer.text.toString(), atoms: state.buffer.atoms }).toEqual({
            text: expected.text.toString(),
            atoms: expected.atoms,
          });
        }
        expect(draftContent(state)).toEqual(draftContent(end));
      }),
      { numRuns: 200 },
    );
  });

  test('MARK-4 leave the caret and the selection on borders of clusters and markers, and the known size right', () => {
    fc.assert(
      fc.property(fc.array(edit, { maxLength: 30 }), (edits) => {
        const cache = new LayoutCache();
        let state = NEW_EDITOR;
        for (const step of edits) {
          state = perform(state, step, cache);
          const { buffer } = state;
          expect(stopAtOrBefore(buffer, buffer.caret)).toBe(buffer.caret);
          if (buffer.anchor !== null) expect(stopAtOrBefore(buffer, buffer.anchor)).toBe(buffer.anchor);
          for (const atom of buffer.atoms)
            expect(buffer.text.slice(atom.from, atom.to)).toMatch(/^\[(Pasted|Image) #\d+/);
          expect(sizeOf(buffer)).toBe(sizeOf({ ...buffer }));
        }
      }),
      { numRuns: 200 },
    );
  });
});
