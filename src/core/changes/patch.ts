import { diffLines } from '../../base/diff.ts';
import type { FileDiff } from '../../protocol/display.ts';
import type { Label } from '../../protocol/label.ts';

/** What a person approves and a card shows. A side that is not text (null) gives a summary without hunks. */
export function fileDiff(
  path: string,
  change: FileDiff['change'],
  before: string | null,
  after: string | null,
  label: Label,
): FileDiff {
  if (before === null || after === null)
    return { path, change, added: 0, removed: 0, hunks: [], complete: false, label };
  return { path, change, ...diffLines(before, after), label };
}
