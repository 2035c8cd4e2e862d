import type { JsonObject } from '../../base/json.ts';
import { type TrustMap, withTrust } from './trust.ts';

/** By whom or what a path came to be trusted or not. */
export type TrustBy = 'person' | 'remembered' | 'start' | 'write' | 'redirection' | 'untouched';

export interface TrustDecision {
  readonly path: string;
  readonly trusted: boolean;
  readonly by: TrustBy;
  /** Of what the project asked for when the person answered: another digest voids the answer. */
  readonly requests?: string;
}

/** The session's trust map as it stands now; every change is written down before it is relied on. */
export interface LiveTrust {
  readonly map: TrustMap;
  /** Lowering holds at once; raising only once it is on the disk. */
  set(decision: TrustDecision): Promise<void>;
}

export function createLiveTrust(initial: TrustMap, write: (decision: TrustDecision) => Promise<void>): LiveTrust {
  let map = initial;
  return {
    get map() {
      return map;
    },
    set: async (decision) => {
      const { path, trusted } = decision;
      if (!trusted) map = withTrust(map, path, false);
      await write(decision);
      if (trusted) map = withTrust(map, path, true);
    },
  };
}

/** As a journal's `decision` entry holds it. */
export function trustDecisionJson(decision: TrustDecision): JsonObject {
  return { about: 'trust', ...decision };
}

/** Null for a decision about anything else, or one that cannot be read: then nothing is trusted by it. */
export function readTrustDecision(value: JsonObject): TrustDecision | null {
  const { about, path, trusted, by, requests } = value;
  if (about !== 'trust' || typeof path !== 'string' || typeof trusted !== 'boolean') return null;
  return {
    path,
    trusted,
    by: (typeof by === 'string' ? by : 'person') as TrustBy,
    ...(typeof requests === 'string' ? { requests } : {}),
  };
}
