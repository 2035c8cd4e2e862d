import type { Failure } from '../../protocol/failure.ts';
import type { UsageLimit } from '../../protocol/usage.ts';
import { RETRY_LIMITS } from '../models/retry.ts';
import type { Runtime, TurnTerms } from './runtime.ts';
import type { TurnProgress } from './turn-progress.ts';

/** Nobody waits longer than the longest window there is, a week. */
const LONGEST_MS = 8 * 86_400_000;
/** A machine that was suspended wakes to a clock that has moved: it is looked at this often. */
const LOOK_MS = 60_000;

/** The limit this failure names, where waiting for it takes longer than a retry does and ends at a known time. */
export function usageLimit(failure: Failure, now: number): UsageLimit | null {
  const { category, retryAfterMs } = failure;
  if (category !== 'rate-limited' && category !== 'quota-exhausted') return null;
  if (retryAfterMs === null || retryAfterMs <= RETRY_LIMITS.longestAskedMs || retryAfterMs > LONGEST_MS) return null;
  return { until: now + retryAfterMs, failure };
}

/**
 * Sleeps until the limit is lifted; the time is on the disk first, so that a restart goes on sleeping. False when it was
 * ended before.
 */
export async function sleepUntilLifted(
  { recorder, system: { clock } }: Pick<Runtime, 'recorder' | 'system'>,
  { turn, signal }: Pick<TurnTerms, 'turn' | 'signal'>,
  progress: Pick<TurnProgress, 'phase'>,
  { until, failure }: UsageLimit,
): Promise<boolean> {
  const text = `${failure.message}. This turn sleeps until the limit is lifted, in ${inWords(until - clock.now())}, and then goes on by itself. Esc ends it.`;
  await recorder.write(
    [
      { kind: 'sleep', turn, until, failure },
      { kind: 'note', level: 'warning', identifier: 'usage-limit', text },
    ],
    { onFailure: 'keep' },
  );
  progress.phase('sleeping', failure.message, { at: until, attempt: 1, attempts: 1, failure });
  for (let left = until - clock.now(); left > 0; left = until - clock.now())
    if (!(await clock.sleep(Math.min(left, LOOK_MS), signal))) return false;
  return !signal.aborted;
}

function inWords(ms: number): string {
  const minutes = Math.max(1, Math.ceil(ms / 60_000));
  const hours = Math.floor(minutes / 60);
  const days = Math.floor(hours / 24);
  if (days > 1) return `${days} days and ${hours % 24} h`;
  return hours > 0 ? `${hours} h ${minutes % 60} min` : `${minutes} min`;
}
