import type { Clock } from '../clock.ts';

/** A clock that stands still until it is told to go on. */
export interface MemoryClock extends Clock {
  /**
   * Lets `ms` pass: every timer due fires in order, at its own time, and what it set off runs before the next one does.
   * Also what it sets off on the way, if that is due within `ms`.
   */
  advance(ms: number): Promise<void>;
  /** Fires timers, whatever their time, until the promise settles; throws when nothing is left that could settle it. */
  runUntil<T>(promise: Promise<T>, limitMs?: number): Promise<T>;
  /** Lets everything that is ready run, without letting time pass. */
  settle(): Promise<void>;
  /** Timers that are set: zero says that idling costs nothing. */
  readonly timers: number;
  /** As a crash does: no timer set so far will fire. */
  dropTimers(): void;
}

export interface MemoryClockOptions {
  /** Milliseconds since the epoch; default 2026-01-02T03:04:05Z. */
  readonly start?: number;
}

interface Timer {
  readonly due: number;
  readonly order: number;
  readonly fire: () => void;
}

export function createMemoryClock(options: MemoryClockOptions = {}): MemoryClock {
  const start = options.start ?? Date.UTC(2026, 0, 2, 3, 4, 5);
  let elapsed = 0;
  let order = 0;
  let timers: Timer[] = [];

  const after = (ms: number, fire: () => void) => {
    const timer: Timer = { due: elapsed + Math.max(0, ms), order: order++, fire };
    timers.push(timer);
    return () => {
      timers = timers.filter((other) => other !== timer);
    };
  };
  const takeNext = (until: number): Timer | null => {
    let first: Timer | null = null;
    for (const timer of timers) {
      if (timer.due > until) continue;
      if (!first || timer.due < first.due || (timer.due === first.due && timer.order < first.order)) first = timer;
    }
    if (first) {
      timers = timers.filter((other) => other !== first);
      elapsed = Math.max(elapsed, first.due);
    }
    return first;
  };
  const advance = async (ms: number) => {
    const until = elapsed + ms;
    await settle();
    for (let timer = takeNext(until); timer; timer = takeNext(until)) {
      timer.fire();
      await settle();
    }
    elapsed = until;
  };

  return {
    now: () => start + elapsed,
    ticks: () => elapsed,
    after,
    sleep(ms, signal) {
      if (signal?.aborted) return Promise.resolve(false);
      return new Promise((resolve) => {
        const stop = () => {
          cancel();
          resolve(false);
        };
        const cancel = after(ms, () => {
          signal?.removeEventListener('abort', stop);
          resolve(true);
        });
        signal?.addEventListener('abort', stop, { once: true });
      });
    },
    advance,
    async runUntil(promise, limitMs = 3_600_000) {
      let settled = false;
      promise.then(
        () => {
          settled = true;
        },
        () => {
          settled = true;
        },
      );
      const until = elapsed + limitMs;
      await settle();
      while (!settled) {
        const timer = takeNext(until);
        if (!timer) throw new Error(`nothing left within ${limitMs} ms that could settle the promise`);
        timer.fire();
        await settle();
      }
      return promise;
    },
    settle,
    get timers() {
      return timers.length;
    },
    dropTimers() {
      timers = [];
    },
  };
}

/**
 * A turn of the event loop runs every microtask first, however deep; two let a native stream hand on what it has. A message
 * to oneself takes such a turn without any timer.
 */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 2; turn++) {
    await new Promise<void>((resolve) => {
      const { port1, port2 } = new MessageChannel();
      port1.onmessage = () => {
        port1.close();
        resolve();
      };
      port2.postMessage(null);
    });
  }
}
