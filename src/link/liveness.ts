import type { Clock } from '../system/clock.ts';

/**
 * Finds out that a silent link is dead. Nothing ticks while nothing is owed an answer: a timer stands only between a
 * request and its answer, and a probe goes out only when the peer was silent for that long.
 */
export interface Liveness {
  /** Bytes came: the peer lives. */
  heard(): void;
  /** Something is owed an answer, or nothing is. */
  owed(count: number): void;
  stop(): void;
}

export function createLiveness(clock: Clock, silenceMs: number, probe: () => void, dead: () => void): Liveness {
  let takeBack: (() => void) | null = null;
  let heardAt = clock.ticks();
  let waiting = false;
  let probed = false;

  function arm(ms: number): void {
    takeBack = clock.after(ms, check);
  }

  function check(): void {
    takeBack = null;
    if (!waiting) return;
    const silent = clock.ticks() - heardAt;
    if (silent < silenceMs) {
      arm(silenceMs - silent);
      return;
    }
    if (probed) {
      dead();
      return;
    }
    probed = true;
    heardAt = clock.ticks();
    probe();
    arm(silenceMs);
  }

  return {
    heard() {
      heardAt = clock.ticks();
      probed = false;
    },
    owed(count) {
      waiting = count > 0;
      if (!waiting || takeBack !== null) return;
      heardAt = clock.ticks();
      probed = false;
      arm(silenceMs);
    },
    stop() {
      waiting = false;
      takeBack?.();
      takeBack = null;
    },
  };
}
