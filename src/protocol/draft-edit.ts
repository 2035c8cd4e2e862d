import type { Draft, FoldedText } from './intent.ts';

/**
 * What changed of a long draft since it was told last: a client that keeps typing in a mebibyte sends the word, not the
 * mebibyte. Whoever holds another draft than it was made from refuses it, and is told the whole.
 */
export interface DraftEdit {
  /** UTF-16 units of the text it was made from. */
  readonly of: number;
  /** `removed` units at `at` become `inserted`. */
  readonly at: number;
  readonly removed: number;
  readonly inserted: string;
  readonly caret: number;
  /** All markers of the new text; a number stands for what that one of the old draft's markers held. */
  readonly folded: readonly (FoldedText | { readonly at: number; readonly length: number; readonly kept: number })[];
  readonly shell: boolean;
}

/** The draft after the edit; null where it does not fit. */
export function editedDraft(draft: Draft, edit: DraftEdit): Draft | null {
  const { of, at, removed, inserted, caret, shell } = edit;
  const fits = draft.text.length === of && at >= 0 && removed >= 0 && at + removed <= of;
  if (!fits) return null;
  const folded: FoldedText[] = [];
  for (const fold of edit.folded) {
    const held = 'kept' in fold ? draft.folded[fold.kept] : fold;
    if (held === undefined) return null;
    folded.push({ ...held, at: fold.at, length: fold.length });
  }
  return { text: draft.text.slice(0, at) + inserted + draft.text.slice(at + removed), caret, folded, shell };
}
