import type { Draft, DraftEdit, FoldedText } from './intent.ts';

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
