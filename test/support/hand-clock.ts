import type { Clock } from '../../src/system/clock.ts';

/** A clock whose time moves by hand for timers, and whose sleeps take no time at all. */
export interface HandClock extends Clock {
  advance(ms: number): void;
  /** Timers that stand. */
  readonly timers: number;
}

export function createHandClock(): HandClock {
  const timers = new Set<{ readonly at: number; readonly callback: () => void }>();
  let now = 1_000_000;
  return {
    now: () => now,
    ticks: () => now,
    sleep: async (_ms, signal) => {
      await Promise.resolve();
      return signal?.aborted !== true;
    },
    after(ms, callback) {
      const timer = { at: now + ms, callback };
      timers.add(timer);
      return () => void timers.delete(timer);
    },
    advance(ms) {
      const until = now + ms;
      for (;;) {
        const due = [...timers].filter((timer) => timer.at <= until).sort((a, b) => a.at - b.at)[0];
        if (due === undefined) break;
        timers.delete(due);
        now = Math.max(now, due.at);
        due.callback();
      }
      now = until;
    },
    get timers() {
      return timers.size;
    },
  };
}
