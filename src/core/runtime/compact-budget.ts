import type { ModelFacts } from '../models/model.ts';

/** What the person wants of automatic compaction. */
export interface CompactionWish {
  readonly automatic: boolean;
  /** Tokens it may grow to; null: as the window allows. */
  readonly cap: number | null;
}

/** Smallest cap: below it a conversation would be summarised all the time. */
export const LEAST_CAP = 50_000;
const SHARE = 0.9;

/**
 * Tokens of input at which the conversation is compacted: about 90 % of the window, with room for the reply (never more
 * than half the window), or the cap where that is less. Null while it is off or the window is unknown.
 */
export function compactionBudget(
  { contextWindow, maxOutput }: Pick<ModelFacts, 'contextWindow' | 'maxOutput'>,
  { automatic, cap }: CompactionWish,
): number | null {
  if (!automatic || contextWindow === null) return null;
  const reserve = Math.min(maxOutput ?? 0, contextWindow / 2);
  const most = Math.floor(Math.min(contextWindow * SHARE, contextWindow - reserve));
  return cap === null ? most : Math.min(cap, most);
}

/** `200k`, `200000`, `1.5m`; null for anything else, and for less than the least cap (SC-14.5). */
export function parseTokens(text: string): number | null {
  const match = /^(\d+(?:\.\d+)?)([km]?)$/i.exec(text.trim());
  if (match === null) return null;
  const unit = match[2]!.toLowerCase();
  const tokens = Math.round(Number(match[1]) * (unit === 'm' ? 1_000_000 : unit === 'k' ? 1_000 : 1));
  return tokens >= LEAST_CAP && Number.isSafeInteger(tokens) ? tokens : null;
}
