import { refuse } from '../../../base/refusal.ts';
import { atomStartingAt, nextStop, previousStop } from './atoms.ts';
import { PROMPT_LIMIT, pieceOf } from './edit.ts';
import type { Piece, Selection } from './editor.ts';
import { type EditorEffect, type EditorState, placeCaret, replaceRange } from './editor-state.ts';
import { lineEnd, lineStart } from './motions.ts';
import { changedText, framed, repeated } from './registers.ts';
import { firstInked } from './vi-motions.ts';

/** What an edit of vi's made of the box; it is refused whole where the prompt would grow too long. */
export interface Edited {
  readonly editor: EditorState;
  readonly effect: EditorEffect | null;
}

/** Blanks that `>` puts before a line and `<` takes from it. */
const SHIFT = '  ';

/** Text behind (or before) the cell at the caret, so many times; the caret ends on the last cell of it. */
export function putText(editor: EditorState, piece: Piece, before: boolean, count: number): Edited {
  const { caret, text } = editor.buffer;
  const at = before ? caret : Math.min(lineEnd(text, caret), nextStop(editor.buffer, caret));
  const put = copies(editor, at, at, piece, count, '');
  return put.effect === null ? { ...put, editor: onPut(put.editor, at, piece) } : put;
}

/** Lines below (or above) the caret's. */
export function putLines(editor: EditorState, piece: Piece, before: boolean, count: number): Edited {
  const { caret, text } = editor.buffer;
  const at = before ? lineStart(text, caret) : lineEnd(text, caret);
  const whole = before ? framed('', piece, '\n') : framed('\n', piece, '');
  const put = copies(editor, at, at, whole, count, '');
  if (put.effect !== null) return put;
  return { ...put, editor: placeCaret(put.editor, firstInked(put.editor.buffer, before ? at : at + 1), false) };
}

/** In place of what was chosen; lines among other text stand on rows of their own. */
export function putOver(
  editor: EditorState,
  over: Selection & { readonly rows: boolean },
  register: { readonly piece: Piece; readonly lines: boolean },
  count: number,
): Edited {
  const { from, to } = over;
  const apart = register.lines && !over.rows;
  const piece = apart ? framed('\n', register.piece, '\n') : register.piece;
  const put = copies(editor, from, to, piece, count, register.lines && over.rows ? '\n' : '');
  if (put.effect !== null) return put;
  if (over.rows || apart)
    return { ...put, editor: placeCaret(put.editor, firstInked(put.editor.buffer, apart ? from + 1 : from), false) };
  return { ...put, editor: onPut(put.editor, from, piece) };
}

/** The last cell of what was put; its first one where it has several lines. */
function onPut(editor: EditorState, at: number, piece: Piece): EditorState {
  if (piece.text.includes('\n')) return placeCaret(editor, at, false);
  return placeCaret(editor, Math.max(at, previousStop(editor.buffer, editor.buffer.caret)), false);
}

function copies(editor: EditorState, from: number, to: number, piece: Piece, count: number, between: string): Edited {
  if ((piece.text.length + between.length) * count > PROMPT_LIMIT) return { editor, effect: TOO_LONG };
  return outcome(editor, from, to, repeated(piece, count, between));
}

export const TOO_LONG: EditorEffect = {
  kind: 'refused',
  refusal: refuse('prompt-too-long', 'Prompt is limited to 1 MiB; edit rejected').refusal,
};

/** So many lines become one; `blanks` puts one between them where there was more than none (VI-8). */
export function join(editor: EditorState, lines: number, blanks: boolean): Edited {
  let state = editor;
  for (let left = lines - 1; left > 0; left--) {
    const { buffer } = state;
    const { text } = buffer;
    const end = lineEnd(text, buffer.caret);
    if (end >= text.length) break;
    let next = end + 1;
    while (blanks && /^[ \t]$/.test(text.charAt(next))) next++;
    const bare = end === lineStart(text, end) || /[ \t]/.test(text.charAt(end - 1));
    const closing = next >= text.length || /[\n)]/.test(text.charAt(next));
    const between = blanks && !bare && !closing ? ' ' : '';
    const joined = outcome(state, end, next, { text: between, atoms: [] });
    if (joined.effect !== null) return { editor, effect: joined.effect };
    state = placeCaret(joined.editor, end, false);
  }
  return { editor: state, effect: null };
}

/** Each cell becomes this character; markers and line ends stay. The caret ends on the last of them. */
export function replaceCells(editor: EditorState, { from, to }: Selection, char: string): Edited {
  const { buffer } = editor;
  let text = '';
  const atoms: Piece['atoms'][number][] = [];
  for (let at = from; at < to; ) {
    const next = nextStop(buffer, at);
    const atom = atomStartingAt(buffer.atoms, at);
    const cell = buffer.text.slice(at, next);
    if (atom !== null) atoms.push({ ...atom, from: text.length, to: text.length + cell.length });
    text += atom !== null || cell === '\n' ? cell : char;
    at = next;
  }
  const result = outcome(editor, from, to, { text: text.toWellFormed(), atoms });
  if (result.effect !== null) return result;
  const last = Math.max(from, previousStop(result.editor.buffer, result.editor.buffer.caret));
  return { ...result, editor: placeCaret(result.editor, last, false) };
}

/** `~`: the other case, the caret behind it. */
export function toggled(editor: EditorState, range: Selection): Edited {
  return caseOf(editor, range, 'g~');
}

export function caseOf(editor: EditorState, { from, to }: Selection, operator: 'gu' | 'gU' | 'g~'): Edited {
  const piece = changedText(pieceOf(editor.buffer, from, to), CASES[operator]);
  return outcome(editor, from, to, piece);
}

const CASES: Readonly<Record<'gu' | 'gU' | 'g~', (text: string) => string>> = {
  gu: (text) => text.toLowerCase(),
  gU: (text) => text.toUpperCase(),
  'g~': (text) =>
    text.replace(/\p{L}/gu, (letter) =>
      letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase(),
    ),
};

/** Whole lines one step in or out, `times` over; empty ones stay. The caret ends at the first one's text. */
export function shifted(editor: EditorState, { from, to }: Selection, operator: '>' | '<', times: number): Edited {
  let state = editor;
  const blanks = SHIFT.repeat(Math.min(times, LONGEST_SHIFT));
  // From the last line up, so that what is above keeps its place.
  for (let at = lineStart(editor.buffer.text, to); ; at = lineStart(state.buffer.text, at - 1)) {
    const { text } = state.buffer;
    const done =
      operator === '>'
        ? lineEnd(text, at) === at
          ? null
          : outcome(state, at, at, { text: blanks, atoms: [] })
        : outdented(state, at, blanks.length);
    if (done?.effect != null) return { editor, effect: done.effect };
    state = done?.editor ?? state;
    if (at <= from) break;
  }
  return { editor: placeCaret(state, firstInked(state.buffer, from), false), effect: null };
}

const LONGEST_SHIFT = 100;

function outdented(state: EditorState, at: number, most: number): Edited | null {
  let to = at;
  for (let taken = 0; taken < most; to++) {
    const char = state.buffer.text.charAt(to);
    if (char !== ' ' && char !== '\t') break;
    taken += char === '\t' ? SHIFT.length : 1;
  }
  return to === at ? null : outcome(state, at, to, { text: '', atoms: [] });
}

function outcome(editor: EditorState, from: number, to: number, piece: Piece): Edited {
  if (from === to && piece.text === '') return { editor, effect: null };
  const { state, effect } = replaceRange(editor, from, to, piece, 'other');
  return { editor: state, effect };
}
