import type { Effect } from '../../protocol/effect.ts';
import type { Facts } from './facts.ts';

/**
 * A single-use yes for exactly these effects under exactly these facts. Only `issueGrant` makes one; a look-alike object
 * is refused, and so is a second use (PR-9).
 */
export interface Grant {
  readonly effects: readonly Effect[];
  readonly facts: Facts;
}

const unused = new WeakSet<Grant>();

export function issueGrant(effects: readonly Effect[], facts: Facts): Grant {
  const grant = deepFreeze(structuredClone({ effects, facts }));
  unused.add(grant);
  return grant;
}

/** True the first time for a grant that was issued here, false ever after. */
export function consume(grant: Grant): boolean {
  return unused.delete(grant);
}

function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null) {
    for (const part of Object.values(value)) deepFreeze(part);
    Object.freeze(value);
  }
  return value;
}
