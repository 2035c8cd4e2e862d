import { apply, type Edit, inverse, withCaret } from './edit.ts';
import type { Buffer, Piece } from './editor.ts';

export const UNDO_STEPS = 1000;
/** Text kept for undo, in UTF-16 units: past it the oldest steps go, whatever their number. */
const UNDO_TEXT = 16 * 1024 * 1024;

/** One step back: the edits it takes back, newest last, with the carets before and after them. */
interface Step {
  readonly edits: readonly Edit[];
  readonly before: Place;
  readonly after: Place;
  /** What kind of typing it grew from; only the same kind joins it. */
  readonly kind: StepKind;
}

export type StepKind = 'typing' | 'erasing' | 'other';

interface Place {
  readonly caret: number;
  readonly anchor: number | null;
}

/** Immutable; `done` and `undone` are stacks with the newest step last. */
export interface UndoHistory {
  readonly done: readonly Step[];
  readonly undone: readonly Step[];
  readonly size: number;
}

export const NO_HISTORY: UndoHistory = { done: [], undone: [], size: 0 };

/** Adds an edit that led from `before` to `after`. Typing joins into word-sized steps. */
export function record(history: UndoHistory, before: Buffer, after: Buffer, edit: Edit, kind: StepKind): UndoHistory {
  const size = history.size + weight(edit);
  const last = history.done.at(-1);
  if (last !== undefined && history.undone.length === 0 && joins(last, before, edit, kind)) {
    const step: Step = { ...last, edits: joined(last.edits, edit), after: placeOf(after) };
    return { done: [...history.done.slice(0, -1), step], undone: [], size };
  }
  const step: Step = { edits: [edit], before: placeOf(before), after: placeOf(after), kind };
  return bounded({ done: [...history.done, step], undone: [], size });
}

export function undo(history: UndoHistory, buffer: Buffer): { history: UndoHistory; buffer: Buffer } | null {
  const step = history.done.at(-1);
  if (step === undefined) return null;
  const restored = step.edits.reduceRight((current, edit) => apply(current, inverse(edit)), buffer);
  return {
    history: { ...history, done: history.done.slice(0, -1), undone: [...history.undone, step] },
    buffer: withCaret(restored, step.before.caret, step.before.anchor),
  };
}

export function redo(history: UndoHistory, buffer: Buffer): { history: UndoHistory; buffer: Buffer } | null {
  const step = history.undone.at(-1);
  if (step === undefined) return null;
  const again = step.edits.reduce(apply, buffer);
  return {
    history: { ...history, done: [...history.done, step], undone: history.undone.slice(0, -1) },
    buffer: withCaret(again, step.after.caret, step.after.anchor),
  };
}

function joins(last: Step, before: Buffer, edit: Edit, kind: StepKind): boolean {
  if (kind === 'other' || last.kind !== kind) return false;
  if (last.after.caret !== before.caret || last.after.anchor !== before.anchor) return false;
  const latest = last.edits.at(-1)!;
  if (kind === 'erasing') return edit.removed.atoms.length === 0 && !startsWord(latest.removed.text, edit.removed.text);
  return (
    latest.removed.text === '' && edit.removed.text === '' && !startsWord(latest.inserted.text, edit.inserted.text)
  );
}

/** A step ends before a new word and before a new line, so that each undo takes back a word with the blanks behind it. */
function startsWord(written: string, text: string): boolean {
  if (text === '\n') return true;
  return /\s$/.test(written) && /^\S/.test(text);
}

/** Typing in a row becomes one edit, so that a long word costs one step and one string. */
function joined(edits: readonly Edit[], edit: Edit): readonly Edit[] {
  const last = edits.at(-1)!;
  const plain = isPlain(last.removed) && isPlain(last.inserted) && isPlain(edit.removed) && isPlain(edit.inserted);
  if (
    plain &&
    last.removed.text === '' &&
    edit.removed.text === '' &&
    edit.at === last.at + last.inserted.text.length
  ) {
    return [...edits.slice(0, -1), { ...last, inserted: { text: last.inserted.text + edit.inserted.text, atoms: [] } }];
  }
  if (
    plain &&
    last.inserted.text === '' &&
    edit.inserted.text === '' &&
    edit.at + edit.removed.text.length === last.at
  ) {
    return [...edits.slice(0, -1), { ...edit, removed: { text: edit.removed.text + last.removed.text, atoms: [] } }];
  }
  return [...edits, edit];
}

function isPlain(piece: Piece): boolean {
  return piece.atoms.length === 0;
}

function weight(edit: Edit): number {
  return weightOf(edit.removed) + weightOf(edit.inserted);
}

function weightOf(piece: Piece): number {
  return piece.atoms.reduce((sum, atom) => sum + atom.payload.length, piece.text.length);
}

function bounded(history: UndoHistory): UndoHistory {
  if (history.done.length <= UNDO_STEPS && history.size <= UNDO_TEXT) return history;
  let { size } = history;
  let drop = 0;
  while (drop < history.done.length - 1 && (history.done.length - drop > UNDO_STEPS || size > UNDO_TEXT)) {
    for (const edit of history.done[drop]!.edits) size -= weight(edit);
    drop++;
  }
  return { ...history, done: history.done.slice(drop), size };
}

function placeOf(buffer: Buffer): Place {
  return { caret: buffer.caret, anchor: buffer.anchor };
}

/**
 * All steps since `before` as one, back to `caret`; nothing joins it later. Where `before` itself was taken back meanwhile,
 * only the last one is closed.
 */
export function asOneStep(before: UndoHistory, after: UndoHistory, caret: number): UndoHistory {
  const mark = before.done.at(-1);
  const from = mark === undefined ? 0 : after.done.lastIndexOf(mark) + 1;
  const steps = after.done.slice(from);
  const last = steps.at(-1);
  if (last === undefined || (mark !== undefined && from === 0)) return closed(after);
  const edits = steps.length === 1 ? last.edits : steps.flatMap((step) => step.edits);
  const whole: Step = { edits, before: { caret, anchor: null }, after: last.after, kind: 'other' };
  return { ...after, done: [...after.done.slice(0, from), whole] };
}

/** Nothing that is typed later joins the last step. */
export function closed(history: UndoHistory): UndoHistory {
  const last = history.done.at(-1);
  if (last === undefined || last.kind === 'other') return history;
  return { ...history, done: [...history.done.slice(0, -1), { ...last, kind: 'other' }] };
}
