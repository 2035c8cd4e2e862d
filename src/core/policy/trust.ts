import type { Label } from '../../protocol/label.ts';
import { isWithin } from './paths.ts';

/**
 * What the person vouched for: absolute, link-free paths with both polarities (TRUST-4). The longest whole-segment prefix
 * wins; what nothing covers is untrusted.
 */
export type TrustMap = ReadonlyMap<string, boolean>;

export const NOTHING_TRUSTED: TrustMap = new Map();

export function trusts(map: TrustMap, path: string): boolean {
  return answerFor(map, path) ?? false;
}

/** The map after one more answer about exactly `path`. */
export function withTrust(map: TrustMap, path: string, trusted: boolean): TrustMap {
  return new Map(map).set(path, trusted);
}

/**
 * The write table (SEC-20): what a write of `data` makes of exactly this file, null for no change. What no answer covers
 * takes the trust of the data.
 */
export function trustAfterWrite(map: TrustMap, path: string, data: Label['integrity']): boolean | null {
  const now = data === 'trusted';
  return answerFor(map, path) === now ? null : now;
}

/** Null for a path that no answer covers. */
function answerFor(map: TrustMap, path: string): boolean | null {
  let longest = -1;
  let answer: boolean | null = null;
  for (const [prefix, trusted] of map) {
    if (prefix.length > longest && isWithin(path, prefix)) {
      longest = prefix.length;
      answer = trusted;
    }
  }
  return answer;
}
