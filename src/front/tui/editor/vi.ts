import { chordOf, type Key } from '../input/event.ts';
import { nextStop, previousStop } from './atoms.ts';
import { PROMPT_LIMIT } from './edit.ts';
import { EMPTY_PIECE, type Piece } from './editor.ts';
import {
  applyAction,
  applyKey,
  type EditorEffect,
  type EditorState,
  insertPiece,
  placeCaret,
  replaceRange,
} from './editor-state.ts';
import type { Layout } from './layout.ts';
import { lineEnd, lineStart, moveRow } from './motions.ts';
import { gainedAtoms } from './registers.ts';
import type { Text } from './text.ts';
import { objectAt } from './text-objects.ts';
import { asOneStep, closed, undo } from './undo.ts';
import { caseOf, join, putLines, putOver, putText, replaceCells, shifted, TOO_LONG, toggled } from './vi-edits.ts';
import { endOfWordHere, endOfWords, firstInked, foundAgain, kindAt, lineBelow, reachOf } from './vi-motions.ts';
import { awaitsCharacter, type Command, type MotionKey, type Operator, parseKeys } from './vi-parse.ts';
import { onCell, type Typed, type ViState, visualRange } from './vi-state.ts';

export interface ViResult {
  readonly editor: EditorState;
  readonly vi: ViState;
  readonly effect: EditorEffect | null;
}

/** The two things keys do in it, for whoever was handed this part once it was loaded. */
export interface ViKeys {
  readonly viKey: typeof viKey;
  readonly viEscape: typeof viEscape;
}

export type LayoutOf = (text: Text) => Layout;

/** A key in a box where vi editing is on; null when it has no use for it. Escape has a function of its own. */
export function viKey(editor: EditorState, before: ViState, key: Key, layoutOf: LayoutOf): ViResult | null {
  const vi = caughtUp(editor, before);
  if (vi.mode === 'insert') return typing(editor, vi, key, layoutOf);
  if (vi.mode === 'replace') return overwriting(editor, vi, key, layoutOf);
  const letter = letterOf(key, vi.pending);
  if (letter === null) return null;
  const keys = [...vi.pending, letter];
  const parsed = parseKeys(keys, vi.mode !== 'normal');
  if (parsed.kind === 'more') return same(editor, { ...vi, pending: keys });
  const calm: ViState = { ...vi, pending: [] };
  if (parsed.kind === 'nothing') return same(editor, calm);
  return finished(run(editor, calm, parsed.command, layoutOf));
}

/** Escape, nearest first: a half-typed instruction, then the mode (VI-2, VI-3). Null in NORMAL with nothing to abandon. */
export function viEscape(editor: EditorState, before: ViState): ViResult | null {
  const vi = caughtUp(editor, before);
  switch (vi.mode) {
    case 'normal':
      return vi.pending.length === 0 ? null : same(editor, { ...vi, pending: [] });
    case 'visual':
    case 'visual-rows':
      return vi.pending.length > 0
        ? same(editor, { ...vi, pending: [] })
        : finished(same(editor, unselected(vi, editor)));
    case 'insert':
    case 'replace':
      return finished(backToNormal(editor, vi));
  }
}

/** What something else put in while INSERT went on counts as typed where it is plain text. */
function caughtUp(editor: EditorState, vi: ViState): ViState {
  const { text, atoms } = editor.buffer;
  if (vi.text === text) return vi;
  const { opened } = vi;
  if (vi.mode !== 'insert' || opened === null || opened.command === null) return { ...vi, text };
  const start = vi.text.commonStart(text);
  const end = vi.text.commonEnd(text, start);
  const put = text.slice(start, text.length - end);
  const plain =
    start + end === vi.text.length && atoms.every((atom) => atom.to <= start || atom.from >= text.length - end);
  const command = plain ? opened.command : null;
  return { ...vi, text, opened: { ...opened, command, typed: plain ? [...opened.typed, put] : [] } };
}

/** What a key means as a letter of a command; null for what the rest of the screen is asked. */
function letterOf(key: Key, pending: readonly string[]): string | null {
  if (key.ctrl || key.alt) return null;
  if (key.text !== null && key.name !== 'enter' && key.name !== 'tab') return key.text;
  if (key.shift) return null;
  const letter = LETTERS[key.name];
  // A place to go to is no character to look for.
  return letter === undefined || awaitsCharacter(pending) ? null : letter;
}

const LETTERS: Readonly<Record<string, string>> = {
  left: 'h',
  right: 'l',
  up: 'k',
  down: 'j',
  home: '0',
  end: '$',
  backspace: 'h',
  delete: 'x',
};

function typing(editor: EditorState, vi: ViState, key: Key, layoutOf: LayoutOf): ViResult | null {
  const result = applyKey(editor, key, layoutOf(editor.buffer.text));
  if (result === null) return null;
  const opened = vi.opened === null ? null : { ...vi.opened, typed: [...vi.opened.typed, key] };
  return { editor: result.state, vi: { ...vi, opened, text: result.state.buffer.text }, effect: result.effect };
}

/** VI-11: what is typed goes over what stands there, markers and line ends excepted; Backspace brings it back. */
function overwriting(editor: EditorState, vi: ViState, key: Key, layoutOf: LayoutOf): ViResult | null {
  const { buffer } = editor;
  const newline = NEWLINES.has(chordOf(key));
  if (newline || (key.text !== null && !key.ctrl && !key.alt && key.name !== 'enter' && key.name !== 'tab')) {
    const text = newline ? '\n' : key.text!;
    const over =
      newline || OVER_NOTHING.has(kindAt(buffer, buffer.caret, false)) ? buffer.caret : nextStop(buffer, buffer.caret);
    const had: Piece = { text: buffer.text.slice(buffer.caret, over), atoms: [] };
    const result = replaceRange(editor, buffer.caret, over, { text: text.toWellFormed(), atoms: [] }, 'other');
    if (result.effect !== null) return { editor, vi, effect: result.effect };
    const after = result.state.buffer;
    const last = { from: buffer.caret, to: after.caret, had };
    return { editor: result.state, vi: { ...vi, replaced: [...vi.replaced, last], text: after.text }, effect: null };
  }
  if (chordOf(key) === 'backspace' || chordOf(key) === 'ctrl-h') {
    const last = vi.replaced.at(-1);
    if (last === undefined || last.to !== buffer.caret) return same(editor, vi);
    const result = replaceRange(editor, last.from, last.to, last.had, 'other');
    const back = placeCaret(result.state, last.from, false);
    return {
      editor: back,
      vi: { ...vi, replaced: vi.replaced.slice(0, -1), text: back.buffer.text },
      effect: result.effect,
    };
  }
  const result = applyKey(editor, key, layoutOf(buffer.text));
  if (result === null) return null;
  return { editor: result.state, vi: { ...vi, replaced: [], text: result.state.buffer.text }, effect: result.effect };
}

const NEWLINES = new Set(['ctrl-j', 'shift-enter', 'alt-enter']);
const OVER_NOTHING = new Set(['newline', 'atom', 'end']);

/** INSERT or REPLACE is over: what it did is one change (VI-12). */
function backToNormal(editor: EditorState, vi: ViState): ViResult {
  const { opened } = vi;
  const again = opened === null ? null : typedAgain(editor, opened.command, opened.typed);
  const typed = again?.state ?? editor;
  const history = opened === null ? closed(typed.history) : asOneStep(opened.history, typed.history, opened.caret);
  const left = Math.max(
    lineStart(typed.buffer.text, typed.buffer.caret),
    previousStop(typed.buffer, typed.buffer.caret),
  );
  const moved = typed.buffer.caret === 0 ? typed : placeCaret(typed, left, false);
  const change =
    opened === null ? vi.change : opened.command === null ? null : { command: opened.command, typed: opened.typed };
  return {
    editor: { ...moved, history },
    vi: { ...vi, mode: 'normal', pending: [], opened: null, replaced: [], change, text: moved.buffer.text },
    effect: again?.effect ?? null,
  };
}

/** `3ix` and Escape: what was typed stands there as often as was said. */
function typedAgain(editor: EditorState, command: Command | null, typed: readonly Typed[]) {
  if (command?.kind !== 'insert' || command.count === null || command.count < 2) return null;
  const text = plainText(typed);
  if (text === null || text === '') return null;
  const lead = command.at === 'o' || command.at === 'O' ? '\n' : '';
  return insertCopies(editor, { text: lead + text, atoms: [] }, command.count - 1);
}

function insertCopies(editor: EditorState, piece: Piece, count: number) {
  if (piece.text.length * count > PROMPT_LIMIT) return { state: editor, effect: TOO_LONG };
  return insertPiece(editor, { text: piece.text.repeat(count), atoms: [] }, 'other');
}

/** Null where keys were pressed that type nothing. */
function plainText(typed: readonly Typed[]): string | null {
  let text = '';
  for (const each of typed) {
    if (typeof each === 'string') text += each;
    else if (NEWLINES.has(chordOf(each))) text += '\n';
    else if (each.text !== null && !each.ctrl && !each.alt) text += each.text;
    else return null;
  }
  return text;
}

function run(editor: EditorState, vi: ViState, command: Command, layoutOf: LayoutOf): ViResult {
  switch (command.kind) {
    case 'motion':
      return moved(editor, vi, command.motion, command.count, layoutOf);
    case 'insert':
      return opening(editor, vi, command);
    case 'replace-mode':
      return same(editor, {
        ...vi,
        mode: 'replace',
        replaced: [],
        opened: { command: null, history: editor.history, caret: editor.buffer.caret, typed: [] },
      });
    case 'undo':
      return undone(editor, vi, command.count ?? 1);
    case 'repeat':
      return repeatedChange(editor, vi, command.count, layoutOf);
    case 'select': {
      const mode = command.rows ? 'visual-rows' : 'visual';
      if (vi.mode === mode) return same(editor, unselected(vi, editor));
      return same(unmarked(editor), { ...vi, mode, anchor: vi.mode === 'normal' ? editor.buffer.caret : vi.anchor });
    }
    case 'select-again': {
      if (vi.selected === null) return same(editor, vi);
      const { anchor, caret, rows } = vi.selected;
      const placed = placeCaret(editor, caret, false);
      const other = placeCaret(editor, anchor, false).buffer.caret;
      return same(placed, { ...unselected(vi, editor), mode: rows ? 'visual-rows' : 'visual', anchor: other });
    }
    case 'swap-ends':
      return same(placeCaret(editor, vi.anchor, false), { ...vi, anchor: editor.buffer.caret });
    case 'select-object': {
      const found = objectAt(editor.buffer, command.object, command.around, command.count ?? 1);
      if (found === null || found.from === found.to) return same(editor, vi);
      const end = previousStop(editor.buffer, found.to);
      return same(placeCaret(editor, end, false), { ...vi, mode: 'visual', anchor: found.from });
    }
    case 'operate':
      return operated(editor, vi, command);
    default:
      return edited(editor, vi, command);
  }
}

function moved(
  editor: EditorState,
  vi: ViState,
  motion: MotionKey,
  count: number | null,
  layoutOf: LayoutOf,
): ViResult {
  if (motion.name === 'j' || motion.name === 'k') return movedRows(editor, vi, motion.name, count, layoutOf);
  const { known, next } = remembering(vi, motion);
  if (known === null) return same(editor, vi);
  const reach = reachOf(editor.buffer, known.motion, count, known.again);
  return same(reach === null ? unmarked(editor) : placeCaret(editor, reach.to, false), next);
}

/** `;` and `,` as the search they stand for; null where nothing was looked for yet. */
function remembering(vi: ViState, motion: MotionKey) {
  if (motion.name === ';' || motion.name === ',') {
    const known = vi.find === null ? null : { motion: foundAgain(vi.find, motion.name === ','), again: true };
    return { known, next: vi };
  }
  const next = 'fFtT'.includes(motion.name) ? { ...vi, find: motion } : vi;
  return { known: { motion, again: false }, next };
}

/** Rows as they are seen. Beyond the first and the last lies what Up and Down mean, but not for a count (VI-6). */
function movedRows(
  editor: EditorState,
  vi: ViState,
  name: 'j' | 'k',
  count: number | null,
  layoutOf: LayoutOf,
): ViResult {
  const layout = layoutOf(editor.buffer.text);
  if (count === null) {
    const result = applyAction(editor, name === 'j' ? 'down' : 'up', layout);
    return { editor: result.state, vi, effect: vi.mode === 'normal' ? result.effect : null };
  }
  const goal = editor.goal ?? layout.place(editor.buffer.caret).column;
  let state = editor;
  for (let left = count; left > 0; left--) {
    const target = moveRow(state.buffer, layout, name === 'j' ? 1 : -1, goal);
    if (target === null) break;
    state = { ...placeCaret(state, target, false), goal };
  }
  return same(state, vi);
}

function opening(editor: EditorState, vi: ViState, command: Extract<Command, { kind: 'insert' }>): ViResult {
  const { text, caret } = editor.buffer;
  const opened = { command, history: editor.history, caret, typed: [] };
  const next: ViState = { ...vi, mode: 'insert', opened };
  const end = lineEnd(text, caret);
  switch (command.at) {
    case 'i':
      return same(unmarked(editor), next);
    case 'I':
      return same(placeCaret(editor, firstInked(editor.buffer, caret), false), next);
    case 'a':
      return same(placeCaret(editor, Math.min(end, nextStop(editor.buffer, caret)), false), next);
    case 'A':
      return same(placeCaret(editor, end, false), next);
    case 'o':
    case 'O': {
      const at = command.at === 'o' ? end : lineStart(text, caret);
      const result = replaceRange(unmarked(editor), at, at, { text: '\n', atoms: [] }, 'other');
      if (result.effect !== null) return { editor, vi, effect: result.effect };
      return same(placeCaret(result.state, command.at === 'o' ? at + 1 : at, false), next);
    }
  }
}

function undone(editor: EditorState, vi: ViState, count: number): ViResult {
  let state = editor;
  for (let left = count; left > 0; left--) {
    const last = state.history.done.at(-1);
    if (last === undefined || last === vi.floor) break;
    const step = undo(state.history, state.buffer);
    if (step === null) break;
    state = unmarked({ ...state, buffer: step.buffer, history: step.history, goal: null });
  }
  return same(state, vi);
}

/** `.`: the last change with what was typed in it, as one step of undo. */
function repeatedChange(editor: EditorState, vi: ViState, count: number | null, layoutOf: LayoutOf): ViResult {
  const { change } = vi;
  if (change === null) return same(editor, vi);
  const command: Command =
    count === null || !('count' in change.command) ? change.command : { ...change.command, count };
  let result = run(editor, vi, command, layoutOf);
  if (result.effect !== null || result.vi.mode !== 'insert') return result;
  for (const each of change.typed) {
    const typed =
      typeof each === 'string'
        ? insertPiece(result.editor, { text: each, atoms: [] }, 'typing')
        : applyKey(result.editor, each, layoutOf(result.editor.buffer.text));
    if (typed === null) continue;
    if (typed.effect?.kind === 'refused') return { editor, vi, effect: typed.effect };
    result = { ...result, editor: typed.state };
  }
  const opened = { command, history: editor.history, caret: editor.buffer.caret, typed: change.typed };
  return backToNormal(result.editor, { ...result.vi, opened });
}

interface Range {
  readonly from: number;
  readonly to: number;
  /** Whole lines, `to` before the newline of the last one. */
  readonly lines: boolean;
  /** Where the caret stands after what only looks at the text. */
  readonly caret: number;
}

function operated(editor: EditorState, before: ViState, command: Extract<Command, { kind: 'operate' }>): ViResult {
  const { operator, target } = command;
  const motion = target.kind === 'motion' ? remembering(before, target.motion) : null;
  const vi = motion?.next ?? before;
  const range = rangeOf(editor, vi, command, motion?.known ?? null);
  const calm = target.kind === 'selection' ? unselected(vi, editor) : vi;
  if (range === null || operator === 'nothing') return same(unmarked(editor), calm);
  const again = repeatable(editor, command, range);
  return changed(editor, work(editor, calm, operator, range, command), again);
}

/** What `.` does for it: d and c over characters that were chosen by hand can not be done again (VI-12). */
function repeatable(editor: EditorState, command: Extract<Command, { kind: 'operate' }>, range: Range): Command | null {
  const { operator, target } = command;
  if (target.kind !== 'selection') return command;
  const shifts = operator === '>' || operator === '<';
  if (!shifts && (!range.lines || (operator !== 'd' && operator !== 'c'))) return null;
  const rows = editor.buffer.text.slice(range.from, range.to).split('\n').length;
  return { kind: 'operate', operator, target: { kind: 'lines' }, count: rows };
}

function rangeOf(
  editor: EditorState,
  vi: ViState,
  { operator, target, count }: Extract<Command, { kind: 'operate' }>,
  known: { readonly motion: MotionKey; readonly again: boolean } | null,
): Range | null {
  const { buffer } = editor;
  const { caret, text } = buffer;
  switch (target.kind) {
    case 'lines': {
      const last = lineBelow(buffer, caret, (count ?? 1) - 1) ?? text.length;
      return { from: lineStart(text, caret), to: lineEnd(text, last), lines: true, caret };
    }
    case 'selection': {
      const chosen = visualRange(vi, editor);
      if (chosen === null) return null;
      if (vi.mode === 'visual-rows' || target.whole || operator === '>' || operator === '<') {
        const end = Math.max(chosen.from, previousStop(buffer, chosen.to));
        const to = vi.mode === 'visual-rows' ? chosen.to : lineEnd(text, end);
        return { from: lineStart(text, chosen.from), to, lines: true, caret: chosen.from };
      }
      return { ...chosen, lines: false, caret: chosen.from };
    }
    case 'object': {
      const found = objectAt(buffer, target.object, target.around, count ?? 1);
      return found === null ? null : { ...found, lines: false, caret: found.from };
    }
    case 'motion':
      return known === null ? null : motionRange(editor, operator, known, count);
  }
}

function motionRange(
  { buffer }: EditorState,
  operator: Operator,
  { motion, again }: { readonly motion: MotionKey; readonly again: boolean },
  count: number | null,
): Range | null {
  const { caret, text } = buffer;
  const big = motion.name === 'W';
  if (motion.name === 'w' || motion.name === 'W') {
    const kind = kindAt(buffer, caret, big);
    const onWord = kind !== 'blank' && kind !== 'newline' && kind !== 'end';
    const to =
      operator === 'c' && onWord ? endOfWordHere(buffer, count ?? 1, big) : endOfWords(buffer, count ?? 1, big);
    return { from: caret, to, lines: false, caret };
  }
  const reach = reachOf(buffer, motion, count, again);
  if (reach === null) return null;
  const from = Math.min(caret, reach.to);
  const last = Math.max(caret, reach.to);
  if (reach.lines) {
    const up = reach.to < lineStart(text, caret);
    return { from: lineStart(text, from), to: lineEnd(text, last), lines: true, caret: up ? reach.to : caret };
  }
  if (!reach.inclusive) {
    // A motion that ends where a line begins stops at the end of the one before.
    const short = last > 0 && last === lineStart(text, last) && lineStart(text, from) < last;
    return { from, to: short ? Math.max(from, last - 1) : last, lines: false, caret: from };
  }
  // On an empty line there is no cell to take.
  const to = text.charCodeAt(last) === 0x0a ? last : nextStop(buffer, last);
  return { from, to, lines: false, caret: from };
}

/** One operator over one range. Only d, c and y fill the register (VI-13). */
function work(
  editor: EditorState,
  vi: ViState,
  operator: Operator,
  range: Range,
  { count, target }: Extract<Command, { kind: 'operate' }>,
): ViResult {
  const { text } = editor.buffer;
  const { from, to, lines } = range;
  const kept = (): ViState => ({ ...vi, register: { piece: takenFrom(editor, from, to), lines } });
  switch (operator) {
    case 'y':
      return from === to && !lines ? same(editor, vi) : same(placeCaret(editor, range.caret, false), kept());
    case 'd': {
      if (from === to && !lines) return same(unmarked(editor), vi);
      if (!lines) {
        const result = replaceRange(unmarked(editor), from, to, EMPTY_PIECE, 'other');
        return { editor: placeCaret(result.state, from, false), vi: kept(), effect: result.effect };
      }
      // The newline goes with the lines: the one behind them, or before the last ones.
      const behind = to < text.length;
      const first = behind || from === 0 ? from : from - 1;
      const result = replaceRange(unmarked(editor), first, behind ? to + 1 : to, EMPTY_PIECE, 'other');
      const { buffer } = result.state;
      const line = Math.min(from, buffer.text.length);
      return { editor: placeCaret(result.state, firstInked(buffer, line), false), vi: kept(), effect: result.effect };
    }
    case 'c': {
      const result = replaceRange(unmarked(editor), from, to, EMPTY_PIECE, 'other');
      const opened = { command: null, history: editor.history, caret: editor.buffer.caret, typed: [] };
      const next: ViState = { ...(from === to && !lines ? vi : kept()), mode: 'insert', opened };
      return { editor: placeCaret(result.state, from, false), vi: next, effect: result.effect };
    }
    case '>':
    case '<':
      return { ...shifted(editor, range, operator, target.kind === 'selection' ? (count ?? 1) : 1), vi };
    case 'gu':
    case 'gU':
    case 'g~': {
      const result = caseOf(editor, range, operator);
      return { editor: placeCaret(result.editor, range.caret, false), vi, effect: result.effect };
    }
    case 'nothing':
      return same(editor, vi);
  }
}

/** Everything that changes the text in one go, without an operator. */
function edited(
  editor: EditorState,
  vi: ViState,
  command: Extract<Command, { kind: 'put' | 'join' | 'replace' | 'toggle-case' }>,
): ViResult {
  const chosen = visualRange(vi, editor);
  if (chosen !== null) return editedChosen(editor, vi, command, chosen);
  const count = command.count ?? 1;
  switch (command.kind) {
    case 'put': {
      const { register } = vi;
      if (register.piece.text === '' && !register.lines) return same(editor, vi);
      const result = (register.lines ? putLines : putText)(unmarked(editor), register.piece, command.before, count);
      return changed(editor, { ...result, vi }, command);
    }
    case 'join':
      return changed(editor, { ...join(unmarked(editor), Math.max(2, count), command.blanks), vi }, command);
    case 'replace': {
      const { caret, text } = editor.buffer;
      const end = lineEnd(text, caret);
      let to = caret;
      for (let left = count; left > 0; left--) {
        // Fewer than were asked for: nothing changes (VI-7).
        if (to >= end) return same(editor, vi);
        to = nextStop(editor.buffer, to);
      }
      const result = replaceCells(unmarked(editor), { from: caret, to }, command.char);
      return changed(editor, { ...result, vi }, command);
    }
    case 'toggle-case': {
      const { caret, text } = editor.buffer;
      const end = lineEnd(text, caret);
      let to = caret;
      for (let left = count; left > 0 && to < end; left--) to = nextStop(editor.buffer, to);
      const result = toggled(unmarked(editor), { from: caret, to });
      return changed(editor, { ...result, vi }, command);
    }
  }
}

/** Over a selection, which ends; `.` does none of it again (VI-10, VI-12). */
function editedChosen(
  editor: EditorState,
  vi: ViState,
  command: Extract<Command, { kind: 'put' | 'join' | 'replace' | 'toggle-case' }>,
  chosen: { readonly from: number; readonly to: number },
): ViResult {
  const calm = unselected(vi, editor);
  const rows = vi.mode === 'visual-rows';
  switch (command.kind) {
    case 'put': {
      const { register } = vi;
      const taken = { piece: takenFrom(editor, chosen.from, chosen.to), lines: rows };
      const result = putOver(unmarked(editor), { ...chosen, rows }, register, command.count ?? 1);
      return changed(editor, { ...result, vi: command.before ? calm : { ...calm, register: taken } }, null);
    }
    case 'join': {
      const lines = editor.buffer.text.slice(chosen.from, Math.max(chosen.from, chosen.to)).split('\n').length;
      const start = placeCaret(editor, chosen.from, false);
      return changed(editor, { ...join(start, Math.max(2, lines), command.blanks), vi: calm }, null);
    }
    case 'replace':
      return changed(editor, onStart(replaceCells(unmarked(editor), chosen, command.char), calm, chosen.from), null);
    case 'toggle-case':
      return changed(editor, onStart(toggled(unmarked(editor), chosen), calm, chosen.from), null);
  }
}

function onStart(
  result: { readonly editor: EditorState; readonly effect: EditorEffect | null },
  vi: ViState,
  at: number,
): ViResult {
  return { editor: placeCaret(result.editor, at, false), vi, effect: result.effect };
}

function takenFrom(editor: EditorState, from: number, to: number): Piece {
  const atoms = editor.buffer.atoms
    .filter((atom) => atom.from >= from && atom.to <= to)
    .map((atom) => ({ ...atom, from: atom.from - from, to: atom.to - from }));
  return { text: editor.buffer.text.slice(from, to), atoms };
}

/** A change is one step of undo, and what `.` does from now on: `again`, or nothing where that is null. */
function changed(before: EditorState, result: ViResult, again: Command | null): ViResult {
  if (result.effect !== null) return { editor: before, vi: result.vi, effect: result.effect };
  const { editor, vi } = result;
  if (vi.mode === 'insert')
    return { ...result, vi: { ...vi, opened: vi.opened === null ? null : { ...vi.opened, command: again } } };
  if (editor.buffer.text === before.buffer.text) return result;
  const history = asOneStep(before.history, editor.history, before.buffer.caret);
  const command = gainedAtoms(before.buffer, editor.buffer) ? null : again;
  return {
    editor: { ...editor, history },
    vi: { ...vi, change: command === null ? null : { command, typed: [] } },
    effect: null,
  };
}

/** After a command: outside INSERT the caret stands on a cell. */
function finished(result: ViResult): ViResult {
  const { editor, vi } = result;
  const placed = vi.mode === 'insert' || vi.mode === 'replace' ? editor : onCell(editor);
  return { ...result, editor: placed, vi: { ...vi, text: placed.buffer.text } };
}

function unselected(vi: ViState, editor: EditorState): ViState {
  if (vi.mode !== 'visual' && vi.mode !== 'visual-rows') return vi;
  const selected = { anchor: vi.anchor, caret: editor.buffer.caret, rows: vi.mode === 'visual-rows' };
  return { ...vi, mode: 'normal', selected };
}

/** Without a selection of the mouse's: vi has its own. */
function unmarked(editor: EditorState): EditorState {
  return editor.buffer.anchor === null ? editor : placeCaret(editor, editor.buffer.caret, false);
}

function same(editor: EditorState, vi: ViState): ViResult {
  return { editor, vi, effect: null };
}
