import type { NewAttachment } from '../../../protocol/intent.ts';
import { Text } from './text.ts';

/**
 * The text of a box with its caret, selection and folded atoms; immutable. Offsets count UTF-16 units and always lie on
 * grapheme borders, never inside an atom.
 */
export interface Buffer {
  readonly text: Text;
  readonly caret: number;
  /** The other end of the selection; null when nothing is selected. */
  readonly anchor: number | null;
  /** Sorted, not overlapping. The label stands in `text` as itself; what it stands for lies here (PE-23). */
  readonly atoms: readonly Atom[];
}

export interface Atom {
  readonly from: number;
  readonly to: number;
  readonly kind: 'paste' | 'image' | 'file';
  /** The normalised text of a folded paste; empty for pictures and files, which travel as attachments. */
  readonly payload: string;
  readonly attachment: NewAttachment | null;
}

/** A buffer out of the box: sent, put away, remembered, on its way back. Its text is one string. */
export interface Line extends Omit<Buffer, 'text'> {
  readonly text: string;
}

/** Text with its atoms, offsets counted from its own start: what is inserted, deleted, copied and put back. */
export interface Piece {
  readonly text: string;
  readonly atoms: readonly Atom[];
}

export const EMPTY_BUFFER: Buffer = { text: Text.EMPTY, caret: 0, anchor: null, atoms: [] };
export const EMPTY_PIECE: Piece = { text: '', atoms: [] };
export const EMPTY_LINE: Line = { text: '', caret: 0, anchor: null, atoms: [] };

export interface Selection {
  readonly from: number;
  readonly to: number;
}

/** The selected range; null when it is empty. */
export function selectionOf(buffer: Buffer): Selection | null {
  if (buffer.anchor === null || buffer.anchor === buffer.caret) return null;
  return { from: Math.min(buffer.anchor, buffer.caret), to: Math.max(buffer.anchor, buffer.caret) };
}

export function isEmpty(buffer: Buffer): boolean {
  return buffer.text.length === 0;
}

export function lineOf(buffer: Buffer): Line {
  return { ...buffer, text: buffer.text.toString() };
}
