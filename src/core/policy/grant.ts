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
  const grant = frozenCopy({ effects, facts });
  unused.add(grant);
  return grant;
}

/** True the first time for a grant that was issued here, false ever after. */
export function consume(grant: Grant): boolean {
  return unused.delete(grant);
}

/** Of plain data, in one go: an engine's own deep copy takes many times as long for the little there is. */
function frozenCopy<T>(value: T): T {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return Object.freeze(value.map(frozenCopy)) as T;
  const copy = { ...value } as Record<string, unknown>;
  for (const [name, part] of Object.entries(copy))
    if (typeof part === 'object' && part !== null) copy[name] = frozenCopy(part);
  return Object.freeze(copy) as T;
}
