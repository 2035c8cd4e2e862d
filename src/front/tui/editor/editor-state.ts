import type { Refusal } from '../../../base/refusal.ts';
import type { NewAttachment } from '../../../protocol/intent.ts';
import { chordOf, type Key } from '../input/event.ts';
import {
  atomEndingAt,
  atomStartingAt,
  expand,
  filePiece,
  imagePiece,
  isFolded,
  normalisePaste,
  numberOf,
  pastePiece,
  stopAtOrBefore,
} from './atoms.ts';
import { pieceOf, replace, withCaret } from './edit.ts';
import { type Atom, type Buffer, EMPTY_BUFFER, EMPTY_PIECE, lineOf, type Piece, selectionOf } from './editor.ts';
import { EDITOR_KEYS, type EditorAction } from './editor-keys.ts';
import type { Layout } from './layout.ts';
import { lineEnd, lineStart, type Motion, moveBy, moveRow, wordAround } from './motions.ts';
import { NO_HISTORY, record, redo, type StepKind, type UndoHistory, undo } from './undo.ts';

/** Everything an editor is, as one immutable value. Each function below answers a new one. */
export interface EditorState {
  readonly buffer: Buffer;
  readonly history: UndoHistory;
  /** The column Up and Down aim for while they follow each other; null after anything else. */
  readonly goal: number | null;
  /** What a kill took last, for `yank`. */
  readonly killed: Piece;
}

export const NEW_EDITOR: EditorState = { buffer: EMPTY_BUFFER, history: NO_HISTORY, goal: null, killed: EMPTY_PIECE };

export type EditorEffect =
  /** The edit was refused whole: say why. */
  | { readonly kind: 'refused'; readonly refusal: Refusal }
  /** Up on the first row or Down on the last: whoever holds the editor may walk history or scroll. */
  | { readonly kind: 'edge'; readonly edge: 'up' | 'down' };

export interface EditorResult {
  readonly state: EditorState;
  readonly effect: EditorEffect | null;
}

/** A key in the editor; null when the editor has no use for it. `layout` is that of the state's text. */
export function applyKey(state: EditorState, key: Key, layout: Layout): EditorResult | null {
  if (key.kind === 'release') return null;
  const action = EDITOR_KEYS[chordOf(key)];
  if (action !== undefined) return applyAction(state, action, layout);
  if (key.text === null || key.ctrl || key.alt) return null;
  return insertText(state, key.text);
}

export function applyAction(state: EditorState, action: EditorAction, layout: Layout): EditorResult {
  switch (action) {
    case 'left':
    case 'right':
    case 'word-left':
    case 'word-right':
    case 'line-start':
    case 'line-end':
    case 'start':
    case 'end':
      return same(move(state, action));
    case 'select-left':
    case 'select-right':
    case 'select-word-left':
    case 'select-word-right':
    case 'select-line-start':
    case 'select-line-end':
    case 'select-start':
    case 'select-end':
      return same(placeCaret(state, moveBy(state.buffer, action.slice('select-'.length) as Motion), true));
    case 'up':
    case 'down':
      return moveRows(state, action, layout, false);
    case 'select-up':
    case 'select-down':
      return moveRows(state, action === 'select-up' ? 'up' : 'down', layout, true);
    case 'backspace':
      return erase(state, backspaceFrom(state.buffer), 'erasing');
    case 'delete':
      return erase(state, deleteFrom(state.buffer), 'other');
    case 'word-backspace':
      return kill(state, moveBy(state.buffer, 'word-left'));
    case 'word-delete':
      return kill(state, moveBy(state.buffer, 'word-right'));
    case 'kill-to-start':
      return kill(state, beforeBorder(state.buffer.caret, lineStart(state.buffer.text, state.buffer.caret), -1));
    case 'kill-to-end':
      return kill(state, beforeBorder(state.buffer.caret, lineEnd(state.buffer.text, state.buffer.caret), 1));
    case 'yank':
      return insertPiece(state, state.killed, 'other');
    case 'newline':
      return insertText(state, '\n');
    case 'undo':
      return same(stepped(state, undo(state.history, state.buffer)));
    case 'redo':
      return same(stepped(state, redo(state.history, state.buffer)));
    case 'select-all':
      return same(selectRange(state, 0, state.buffer.text.length));
    case 'clear':
      return replaceRange(state, 0, state.buffer.text.length, EMPTY_PIECE, 'other');
    case 'unfold':
      return unfold(state);
  }
}

/** Typed text, in place of the selection. */
export function insertText(state: EditorState, text: string): EditorResult {
  return insertPiece(
    state,
    { text: text.toWellFormed(), atoms: [] },
    selectionOf(state.buffer) === null ? 'typing' : 'other',
  );
}

/**
 * Pasted text: normalised (PE-4), folded where it is long (PE-5, PE-6), one step of undo. `joins` adds it to the paste
 * right before the caret: a burst of keys that came in several reads is one paste.
 */
export function paste(state: EditorState, raw: string, joins = false): EditorResult {
  const text = normalisePaste(raw);
  if (text === '') return same(state);
  const { buffer } = state;
  const before = joins && selectionOf(buffer) === null ? atomEndingAt(buffer.atoms, buffer.caret) : null;
  if (before?.kind === 'paste') {
    return replaceRange(
      state,
      before.from,
      before.to,
      pastePiece(before.payload + text, numberOf(buffer, before)),
      'other',
    );
  }
  const piece = isFolded(text) ? pastePiece(text, nextNumber(buffer, 'paste')) : { text, atoms: [] };
  return insertPiece(state, piece, 'other');
}

export function insertImage(state: EditorState, attachment: NewAttachment): EditorResult {
  return insertPiece(state, imagePiece(attachment, nextNumber(state.buffer, 'image')), 'other');
}

export function insertFile(state: EditorState, attachment: NewAttachment | null, name: string): EditorResult {
  return insertPiece(state, filePiece(attachment, name, nextNumber(state.buffer, 'file')), 'other');
}

export function insertPiece(state: EditorState, piece: Piece, kind: StepKind): EditorResult {
  const { caret } = state.buffer;
  const selected = selectionOf(state.buffer) ?? { from: caret, to: caret };
  return replaceRange(state, selected.from, selected.to, piece, kind);
}

/** The one way in which text changes: everything else comes down to it. */
export function replaceRange(state: EditorState, from: number, to: number, piece: Piece, kind: StepKind): EditorResult {
  if (from === to && piece.text === '') return same({ ...state, goal: null });
  const outcome = replace(state.buffer, from, to, piece);
  if (!outcome.ok) return { state, effect: { kind: 'refused', refusal: outcome.refusal } };
  const { buffer, edit } = outcome.value;
  return same({ ...state, buffer, history: record(state.history, state.buffer, buffer, edit, kind), goal: null });
}

/** The whole line is replaced (a recalled prompt, text back from an editor): one step of undo, the caret at `caret` or the end. */
export function replaceAll(state: EditorState, piece: Piece, caret = piece.text.length): EditorResult {
  const result = replaceRange(state, 0, state.buffer.text.length, piece, 'other');
  return result.effect === null ? same(placeCaret(result.state, caret, false)) : result;
}

/** Puts the caret at (or just before) `offset`; `extend` selects from where it was. */
export function placeCaret(state: EditorState, offset: number, extend: boolean): EditorState {
  const { buffer } = state;
  const caret = stopAtOrBefore(buffer, Math.max(0, Math.min(offset, buffer.text.length)));
  return { ...state, buffer: withCaret(buffer, caret, extend ? (buffer.anchor ?? buffer.caret) : null), goal: null };
}

export function selectRange(state: EditorState, from: number, to: number): EditorState {
  return {
    ...state,
    buffer: withCaret(state.buffer, stopAtOrBefore(state.buffer, to), stopAtOrBefore(state.buffer, from)),
    goal: null,
  };
}

export function selectWord(state: EditorState, offset: number): EditorState {
  const { from, to } = wordAround(state.buffer, offset);
  return selectRange(state, from, to);
}

export function selectLine(state: EditorState, offset: number): EditorState {
  return selectRange(state, lineStart(state.buffer.text, offset), lineEnd(state.buffer.text, offset));
}

/** What the selection stands for, pastes in full (PE-9); null when nothing is selected. */
export function selectedText(state: EditorState): string | null {
  const selected = selectionOf(state.buffer);
  return selected === null ? null : expand(pieceOf(state.buffer, selected.from, selected.to)).text;
}

/** What the draft says when it is sent. */
export function draftContent(state: EditorState): { text: string; attachments: readonly NewAttachment[] } {
  return expand(lineOf(state.buffer));
}

/** The atom the caret stands on, drawn as a whole (MARK-5). */
export function atomAtCaret(buffer: Buffer): Atom | null {
  return atomStartingAt(buffer.atoms, buffer.caret);
}

function move(state: EditorState, motion: Motion): EditorState {
  const selected = selectionOf(state.buffer);
  // A plain step with a selection goes to its end instead of past it.
  if (selected !== null && motion === 'left') return placeCaret(state, selected.from, false);
  if (selected !== null && motion === 'right') return placeCaret(state, selected.to, false);
  return placeCaret(state, moveBy(state.buffer, motion), false);
}

function moveRows(state: EditorState, direction: 'up' | 'down', layout: Layout, extend: boolean): EditorResult {
  const goal = state.goal ?? layout.place(state.buffer.caret).column;
  const target = moveRow(state.buffer, layout, direction === 'up' ? -1 : 1, goal);
  if (target !== null) return same({ ...placeCaret(state, target, extend), goal });
  if (!extend) return { state, effect: { kind: 'edge', edge: direction } };
  return same(placeCaret(state, direction === 'up' ? 0 : state.buffer.text.length, true));
}

/** MARK-3: on an atom (drawn as chosen) or just after it, Backspace takes the atom; else the cluster before the caret. */
function backspaceFrom(buffer: Buffer): { from: number; to: number } {
  const on = atomAtCaret(buffer);
  return on ?? { from: moveBy(buffer, 'left'), to: buffer.caret };
}

/** Delete on a marker or just behind it takes the marker, as Backspace does; else the cluster behind the caret. */
function deleteFrom(buffer: Buffer): { from: number; to: number } {
  const marker = atomAtCaret(buffer) ?? atomEndingAt(buffer.atoms, buffer.caret);
  return marker ?? { from: buffer.caret, to: moveBy(buffer, 'right') };
}

function erase(state: EditorState, range: { from: number; to: number }, kind: StepKind): EditorResult {
  const selected = selectionOf(state.buffer);
  const { from, to } = selected ?? range;
  return replaceRange(state, from, to, EMPTY_PIECE, selected === null ? kind : 'other');
}

function eraseTo(state: EditorState, offset: number, kind: StepKind): EditorResult {
  const { caret } = state.buffer;
  return erase(state, { from: Math.min(caret, offset), to: Math.max(caret, offset) }, kind);
}

function kill(state: EditorState, offset: number): EditorResult {
  const { buffer } = state;
  const selected = selectionOf(buffer) ?? { from: Math.min(buffer.caret, offset), to: Math.max(buffer.caret, offset) };
  const result = eraseTo(state, offset, 'other');
  if (selected.from === selected.to || result.effect !== null) return result;
  return same({ ...result.state, killed: pieceOf(buffer, selected.from, selected.to) });
}

/** At the end of a line a kill takes the newline, so that pressing it again goes on. */
function beforeBorder(caret: number, border: number, step: -1 | 1): number {
  return caret === border ? Math.max(0, caret + step) : border;
}

/** The folded paste that `unfold` would open: the one the caret stands on, else the one right before it. */
export function pasteAtCaret({ atoms, caret }: Buffer): Atom | null {
  const atom = atomStartingAt(atoms, caret) ?? atomEndingAt(atoms, caret);
  return atom?.kind === 'paste' ? atom : null;
}

/** A folded paste becomes plain text that can be edited. */
function unfold(state: EditorState): EditorResult {
  const atom = pasteAtCaret(state.buffer);
  if (atom === null) return same(state);
  return replaceRange(state, atom.from, atom.to, { text: atom.payload, atoms: [] }, 'other');
}

/** The number of the next marker of a kind: a second one is told from the first (MARK-2). */
export function nextNumber(buffer: Buffer, kind: Atom['kind']): number {
  let highest = 0;
  for (const atom of buffer.atoms) if (atom.kind === kind) highest = Math.max(highest, numberOf(buffer, atom));
  return highest + 1;
}

function stepped(state: EditorState, step: { history: UndoHistory; buffer: Buffer } | null): EditorState {
  return step === null ? state : { ...state, buffer: step.buffer, history: step.history, goal: null };
}

function same(state: EditorState): EditorResult {
  return { state, effect: null };
}
