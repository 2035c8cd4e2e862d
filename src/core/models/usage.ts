import { contextTokens, type Usage } from '../../protocol/message.ts';
import type { ModelFacts } from './model.ts';

export const NO_USAGE: Usage = { input: null, output: null, cacheRead: null, cacheWrite: null, reasoning: null };

/** Whether the service reported any count at all: a request that never began has nothing to add up. */
export function hasUsage(usage: Usage): boolean {
  return contextTokens(usage) !== null || usage.output !== null;
}

/**
 * US dollars of one request; null while the price is unknown, never a guess. Counts the service did not report cost
 * nothing (reasoning tokens are part of `output`).
 */
export function costOf(facts: ModelFacts, usage: Usage, tier?: string): number | null {
  // Faster service has a price of its own: the usual one would be a guess.
  const price = tier === 'priority' ? (facts.price?.fast ?? null) : facts.price;
  if (price === null) return null;
  const long = price.long !== undefined && (contextTokens(usage) ?? 0) > price.long.tokens;
  const rate = long && price.long ? price.long.price : price;
  const millionths =
    (usage.input ?? 0) * rate.input +
    (usage.output ?? 0) * rate.output +
    (usage.cacheRead ?? 0) * rate.cacheRead +
    (usage.cacheWrite ?? 0) * rate.cacheWrite;
  return millionths / 1_000_000;
}
