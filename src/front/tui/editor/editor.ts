import type { NewAttachment } from '../../../protocol/intent.ts';

/**
 * The text of a box with its caret, selection and folded atoms; immutable, so that undo is a list of these. Offsets count
 * UTF-16 units and always lie on grapheme borders, never inside an atom.
 */
export interface Buffer {
  readonly text: string;
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
  readonly payload: string;
  readonly attachment: NewAttachment | null;
}

export const EMPTY_BUFFER: Buffer = { text: '', caret: 0, anchor: null, atoms: [] };
