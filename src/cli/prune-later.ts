import { pruneSessions } from '../core/journal/prune.ts';
import type { LockSystem } from '../core/journal/session-lock.ts';
import type { Settings } from '../core/settings/schema.ts';

/** After the first frame and the first keys: it is in no hurry. */
const PRUNE_AFTER_MS = 1_000;

/** Old sessions are removed beside whatever starts; nobody waits for it. The returned function calls it off. */
export function pruneLater(
  system: LockSystem,
  state: string | null,
  { pruneDays }: Pick<Settings, 'pruneDays'>,
): () => void {
  if (state === null || pruneDays === null || pruneDays === 0) return () => {};
  const stop = new AbortController();
  const cancel = system.clock.after(PRUNE_AFTER_MS, () => {
    // Whatever goes wrong there is no reason to disturb anybody.
    void pruneSessions(system, state, pruneDays, stop.signal).catch(() => undefined);
  });
  return () => {
    cancel();
    stop.abort();
  };
}
