/** When to try again after a link was lost. */
export interface ReconnectPolicy {
  /** Milliseconds before try number `attempt` (from 1); null gives up. */
  delay(attempt: number): number | null;
}

export const NEVER_RECONNECT: ReconnectPolicy = { delay: () => null };

/** Doubles from `firstMs` up to `mostMs` for `attempts` tries. */
export function backOff(options: { firstMs: number; mostMs: number; attempts: number }): ReconnectPolicy {
  const { firstMs, mostMs, attempts } = options;
  return {
    delay: (attempt) => (attempt > attempts ? null : Math.min(mostMs, firstMs * 2 ** (attempt - 1))),
  };
}

/** Another machine may be out of reach for as long as a laptop sleeps: about an hour of being awake. */
export const REMOTE_RECONNECT = backOff({ firstMs: 100, mostMs: 5_000, attempts: 720 });

/** A host on this machine is back at once or not at all: about three seconds. */
export const LOCAL_RECONNECT = backOff({ firstMs: 20, mostMs: 500, attempts: 10 });

/** Whoever can start a session's host anew goes on trying: what keeps it away, such as a full disk, may take its time. */
export const HOSTED_RECONNECT = backOff({ firstMs: 20, mostMs: 5_000, attempts: 720 });
