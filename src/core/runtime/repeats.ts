import { sha256 } from '../../base/sha256.ts';

/** The same call with the same result this many times is going in circles. */
const REPEAT_LIMIT = 5;

export interface Repeats {
  /** Notes one finished call; true when it was the fifth of its kind without anything new in between. */
  isStuck(tool: string, input: unknown, result: string): boolean;
}

/**
 * Sees when a turn stops getting anywhere: equal call, equal result, over and over. A pair never seen before in this
 * turn is progress and forgives all, so polling something that changes, or testing between edits, goes on (UP-30).
 */
export function createRepeats(): Repeats {
  const seen = new Set<string>();
  let counts = new Map<string, number>();
  return {
    isStuck: (tool, input, result) => {
      const pair = sha256(`${tool}\n${JSON.stringify(input)}\n${result}`);
      if (!seen.has(pair)) {
        seen.add(pair);
        counts = new Map();
      }
      const count = (counts.get(pair) ?? 0) + 1;
      counts.set(pair, count);
      return count >= REPEAT_LIMIT;
    },
  };
}
