import type { Entry, EntryId } from '../../protocol/entry.ts';

export interface Cut {
  /** First entry that stays word for word; null when nothing does. */
  readonly keepFrom: EntryId | null;
  /** Its place among the entries; their number when nothing stays. */
  readonly at: number;
}

/**
 * Where a conversation is cut: whole exchanges stay as far as `most` tokens go, else the last rounds of the newest one.
 * A call is never parted from its results, and never more is kept than is summarised. `tokens` are those of each entry.
 */
export function chooseCut(entries: readonly Entry[], tokens: readonly number[], most: number): Cut {
  const behind: number[] = Array(entries.length + 1).fill(0);
  for (let at = entries.length - 1; at >= 0; at--) behind[at] = behind[at + 1]! + tokens[at]!;
  const limit = Math.min(most, behind[0]! / 2);
  const fits = (at: number): boolean => behind[at]! > 0 && behind[at]! <= limit;
  const exchange = entries.findIndex((entry, at) => beginsExchange(entry) && fits(at));
  const at = exchange >= 0 ? exchange : entries.findIndex((entry, place) => beginsRound(entry) && fits(place));
  return at < 0 ? { keepFrom: null, at: entries.length } : { keepFrom: entries[at]!.id, at };
}

function beginsExchange(entry: Entry): boolean {
  return entry.kind === 'taken' && entry.as !== 'steering';
}

function beginsRound(entry: Entry): boolean {
  return entry.kind === 'taken' || entry.kind === 'assistant';
}
