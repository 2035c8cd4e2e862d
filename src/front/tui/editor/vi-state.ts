import type { Key } from '../input/event.ts';
import { nextStop, previousStop } from './atoms.ts';
import { withCaret } from './edit.ts';
import type { Piece, Selection } from './editor.ts';
import type { EditorState } from './editor-state.ts';
import { lineEnd, lineStart } from './motions.ts';
import { EMPTY_REGISTER, type Register } from './registers.ts';
import { Text } from './text.ts';
import type { UndoHistory } from './undo.ts';
import type { Find } from './vi-motions.ts';
import type { Command } from './vi-parse.ts';

export type ViMode = 'insert' | 'normal' | 'visual' | 'visual-rows' | 'replace';

/** Vi editing beside the text: what mode it is in and what it remembers. Null in a box where it is not on. */
export interface ViState {
  readonly mode: ViMode;
  /** Keys of a command that is not whole yet. */
  readonly pending: readonly string[];
  readonly register: Register;
  readonly find: Find | null;
  /** The selection's other end, in VISUAL. */
  readonly anchor: number;
  readonly selected: { readonly anchor: number; readonly caret: number; readonly rows: boolean } | null;
  /** What `.` does again; null where it does nothing. */
  readonly change: Change | null;
  /** What an opening key began and Escape ends; null for the INSERT a box opens in. */
  readonly opened: Opened | null;
  /** What REPLACE wrote over, newest last. */
  readonly replaced: readonly Replaced[];
  /** The newest step of undo that `u` leaves alone: what was there when the line came (VI-12). */
  readonly floor: unknown;
  /** The text as the last key left it: another one was changed by something else. */
  readonly text: Text;
}

export interface Change {
  readonly command: Command;
  readonly typed: readonly Typed[];
}

/** A key of the ordinary editor, or text that came in whole. */
export type Typed = Key | string;

export interface Opened {
  /** Null: it can not be done again. */
  readonly command: Command | null;
  /** Before it. */
  readonly history: UndoHistory;
  readonly caret: number;
  readonly typed: readonly Typed[];
}

export interface Replaced {
  readonly from: number;
  readonly to: number;
  readonly had: Piece;
}

/** Sessions open in INSERT (VI-1). */
export const NEW_VI: ViState = {
  mode: 'insert',
  pending: [],
  register: EMPTY_REGISTER,
  find: null,
  anchor: 0,
  selected: null,
  change: null,
  opened: null,
  replaced: [],
  floor: undefined,
  text: Text.EMPTY,
};

/** The box holds a whole other line, or none: undo begins anew with it, and a selection is gone. */
export function onOtherLine(vi: ViState, { history, buffer }: EditorState): ViState {
  const mode = vi.mode === 'insert' ? 'insert' : 'normal';
  return {
    ...vi,
    mode,
    pending: [],
    selected: null,
    opened: null,
    replaced: [],
    floor: history.done.at(-1),
    text: buffer.text,
  };
}

/** What was just put in came from a list or is no text: `.` can not type it (VI-12). */
export function notTyped(vi: ViState): ViState {
  return { ...vi, change: null, opened: vi.opened === null ? null : { ...vi.opened, command: null } };
}

/** After anything that happened: outside INSERT the caret stands on a cell, and what something else changed is no selection's. */
export function settled(vi: ViState, editor: EditorState): { readonly vi: ViState; readonly editor: EditorState } {
  if (vi.mode === 'insert') return { vi, editor };
  const { text, caret } = editor.buffer;
  const moved = vi.text !== text;
  const calm: ViState = moved && vi.mode !== 'normal' ? { ...vi, mode: 'normal', pending: [], replaced: [], text } : vi;
  return { vi: calm, editor: calm.mode === 'replace' || caret === 0 ? editor : onCell(editor) };
}

/** The caret on a cell, not behind the last one of its line. */
export function onCell(editor: EditorState): EditorState {
  const { buffer } = editor;
  const { text, caret, anchor } = buffer;
  const start = lineStart(text, caret);
  if (caret === start || caret < lineEnd(text, caret)) return editor;
  return { ...editor, buffer: withCaret(buffer, Math.max(start, previousStop(buffer, caret)), anchor) };
}

/** What VISUAL has chosen; null in the other modes. */
export function visualRange(vi: ViState, { buffer }: EditorState): Selection | null {
  if (vi.mode !== 'visual' && vi.mode !== 'visual-rows') return null;
  const anchor = Math.min(vi.anchor, buffer.text.length);
  const from = Math.min(anchor, buffer.caret);
  const last = Math.max(anchor, buffer.caret);
  if (vi.mode === 'visual') return { from, to: nextStop(buffer, last) };
  return { from: lineStart(buffer.text, from), to: lineEnd(buffer.text, last) };
}

const WORDS: Readonly<Record<ViMode, string>> = {
  insert: 'INSERT',
  normal: 'NORMAL',
  visual: 'VISUAL',
  'visual-rows': 'VISUAL LINE',
  replace: 'REPLACE',
};

/** `NORMAL 2d3`: the mode, and the keys of a command that is not whole yet (VI-4). */
export function modeWords({ mode, pending }: ViState): string {
  return pending.length === 0 ? WORDS[mode] : `${WORDS[mode]} ${pending.join('')}`;
}
