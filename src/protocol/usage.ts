import type { Failure } from './failure.ts';
import type { ModelRef, Usage } from './message.ts';

/** Sums over requests. What the price is not known of is counted in `unpriced` and never as if it had cost nothing. */
export interface UsageSum {
  readonly requests: number;
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  /** US dollars of the requests whose price is known. */
  readonly cost: number;
  readonly unpriced: number;
}

/** `purpose`: `turn`, or what was asked beside the conversation, such as `delegate`, `title`, `compaction`, `retry`. */
export interface UsageRow extends UsageSum {
  readonly model: ModelRef;
  readonly purpose: string;
}

/** One window of an allowance, such as five hours or the requests of a minute. */
export interface QuotaWindow {
  /** Short: `5h`, `w`, or what is counted, such as `requests`. */
  readonly name: string;
  /** Percent used, 0-100. */
  readonly used: number;
  /** Milliseconds since the epoch; null when nobody said. */
  readonly resetsAt: number | null;
}

/** What a service said last about the allowance of the account it knows us by. */
export interface Quota {
  /** As people call it, such as `Codex`. */
  readonly label: string;
  readonly plan: string | null;
  readonly windows: readonly QuotaWindow[];
  /** When it was said, milliseconds since the epoch. */
  readonly at: number;
}

/** The one figure of an allowance that stands on the prompt's border (FO-16). */
export interface QuotaFigure {
  readonly label: string;
  readonly used: number;
  readonly window: string;
}

/** A usage limit of an account, and when it is lifted: milliseconds since the epoch. */
export interface UsageLimit {
  readonly until: number;
  readonly failure: Failure;
}

export interface SpendingState {
  readonly what: 'session' | 'day';
  /** US dollars. */
  readonly spent: number;
  readonly limit: number | null;
  readonly unpriced: number;
}

export interface UsageReport {
  /** By model and purpose, the dearest first. */
  readonly session: readonly UsageRow[];
  /** All sessions of this machine since midnight, by model; null where nothing is kept. */
  readonly today: readonly UsageRow[] | null;
  readonly quotas: readonly Quota[];
  readonly spending: readonly SpendingState[];
}

export const NO_USAGE_SUM: UsageSum = {
  requests: 0,
  input: 0,
  output: 0,
  cacheRead: 0,
  cacheWrite: 0,
  cost: 0,
  unpriced: 0,
};

export function addToSum(sum: UsageSum, usage: Usage, cost: number | null): UsageSum {
  return {
    requests: sum.requests + 1,
    input: sum.input + (usage.input ?? 0),
    output: sum.output + (usage.output ?? 0),
    cacheRead: sum.cacheRead + (usage.cacheRead ?? 0),
    cacheWrite: sum.cacheWrite + (usage.cacheWrite ?? 0),
    cost: sum.cost + (cost ?? 0),
    unpriced: sum.unpriced + (cost === null ? 1 : 0),
  };
}

export function joinSums(a: UsageSum, b: UsageSum): UsageSum {
  return {
    requests: a.requests + b.requests,
    input: a.input + b.input,
    output: a.output + b.output,
    cacheRead: a.cacheRead + b.cacheRead,
    cacheWrite: a.cacheWrite + b.cacheWrite,
    cost: a.cost + b.cost,
    unpriced: a.unpriced + b.unpriced,
  };
}
