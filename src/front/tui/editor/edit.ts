import { done, type Outcome, refuse } from '../../../base/refusal.ts';
import { atomAround, firstEndingAfter, nextStop, stopAtOrBefore, utf8Length } from './atoms.ts';
import { type Atom, type Buffer, lineOf, type Piece } from './editor.ts';

/** PE-7: the whole prompt with its pastes in full, in UTF-8 bytes. */
export const PROMPT_LIMIT = 1024 * 1024;

/** A change that can be turned round: `removed` stood at `at`, `inserted` stands there now. */
export interface Edit {
  readonly at: number;
  readonly removed: Piece;
  readonly inserted: Piece;
}

/** The part of a buffer between two offsets; atoms that reach over its ends are left out. */
export function pieceOf(buffer: Buffer, from: number, to: number): Piece {
  const atoms: Atom[] = [];
  for (let i = firstEndingAfter(buffer.atoms, from); i < buffer.atoms.length; i++) {
    const atom = buffer.atoms[i]!;
    if (atom.to > to) break;
    if (atom.from >= from) atoms.push(moved(atom, -from));
  }
  return { text: ownCopy(buffer.text.slice(from, to)), atoms };
}

/**
 * Replaces the text between two offsets (widened to whole atoms) by `piece`, the caret behind it. Refused whole when the
 * prompt would grow past its limit.
 */
export function replace(
  buffer: Buffer,
  from: number,
  to: number,
  piece: Piece,
): Outcome<{ buffer: Buffer; edit: Edit }> {
  const start = atomAround(buffer.atoms, from)?.from ?? from;
  const end = Math.max(start, atomAround(buffer.atoms, to)?.to ?? to);
  const edit: Edit = { at: start, removed: pieceOf(buffer, start, end), inserted: piece };
  const size = sizeOf(buffer) - sizeOfPiece(edit.removed) + sizeOfPiece(piece);
  if (size > PROMPT_LIMIT && sizeOfPiece(piece) > 0) {
    return refuse('prompt-too-long', 'Prompt is limited to 1 MiB; edit rejected');
  }
  const next = apply(buffer, edit);
  sizes.set(next, size);
  return done({ buffer: next, edit });
}

/** Applies an edit that fits the buffer; the caret ends behind what was inserted. */
export function apply(buffer: Buffer, edit: Edit): Buffer {
  const { at, removed, inserted } = edit;
  const end = at + removed.text.length;
  const shift = inserted.text.length - removed.text.length;
  const text = buffer.text.replaced(at, end, inserted.text);
  const atoms: Atom[] = [];
  for (const atom of buffer.atoms) if (atom.to <= at) atoms.push(atom);
  for (const atom of inserted.atoms) atoms.push(moved(atom, at));
  for (const atom of buffer.atoms) if (atom.from >= end && atom.to > at) atoms.push(moved(atom, shift));
  const behind = at + inserted.text.length;
  const next: Buffer = { text, caret: behind, anchor: null, atoms };
  const stop = stopAtOrBefore(next, behind);
  // What was inserted may have joined the character behind it: then the caret goes behind both.
  return stop === behind ? next : { ...next, caret: nextStop(next, stop) };
}

export function inverse(edit: Edit): Edit {
  return { at: edit.at, removed: edit.inserted, inserted: edit.removed };
}

const sizes = new WeakMap<Buffer, number>();

/** UTF-8 bytes of a buffer with its pastes in full; known without counting for a buffer that an edit made. */
export function sizeOf(buffer: Buffer): number {
  let size = sizes.get(buffer);
  if (size === undefined) {
    size = sizeOfPiece(lineOf(buffer));
    sizes.set(buffer, size);
  }
  return size;
}

/** The same text with another caret keeps its known size. */
export function withCaret(buffer: Buffer, caret: number, anchor: number | null): Buffer {
  if (caret === buffer.caret && anchor === buffer.anchor) return buffer;
  const next: Buffer = { ...buffer, caret, anchor };
  const size = sizes.get(buffer);
  if (size !== undefined) sizes.set(next, size);
  return next;
}

function sizeOfPiece(piece: Piece): number {
  let size = utf8Length(piece.text);
  for (const atom of piece.atoms) {
    if (atom.kind === 'paste') size += utf8Length(atom.payload) - utf8Length(piece.text.slice(atom.from, atom.to));
  }
  return size;
}

function moved(atom: Atom, by: number): Atom {
  return by === 0 ? atom : { ...atom, from: atom.from + by, to: atom.to + by };
}

/** Short slices are copied, so that a step of undo does not keep a whole old draft alive. */
function ownCopy(slice: string): string {
  if (slice.length > 256) return slice;
  let copy = '';
  for (let i = 0; i < slice.length; i++) copy += slice.charAt(i);
  return copy;
}
