import { isWithin } from './paths.ts';

/**
 * What the person vouched for: absolute, link-free paths with both polarities (TRUST-4). The longest whole-segment prefix
 * wins; what nothing covers is untrusted.
 */
export type TrustMap = ReadonlyMap<string, boolean>;

export const NOTHING_TRUSTED: TrustMap = new Map();

export function trusts(map: TrustMap, path: string): boolean {
  let longest = -1;
  let answer = false;
  for (const [prefix, trusted] of map) {
    if (prefix.length > longest && isWithin(path, prefix)) {
      longest = prefix.length;
      answer = trusted;
    }
  }
  return answer;
}

/** The map after one more answer about exactly `path`. */
export function withTrust(map: TrustMap, path: string, trusted: boolean): TrustMap {
  return new Map(map).set(path, trusted);
}
