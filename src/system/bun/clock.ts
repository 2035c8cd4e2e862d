import type { Clock } from '../clock.ts';

/** The longest a platform timer can wait; longer ones are set again. */
const LONGEST = 2 ** 31 - 1;

/** A timer that is set keeps the process alive, so that a host that only waits for one does not end. */
export function createBunClock(): Clock {
  const after = (ms: number, callback: () => void) => {
    // Behind what came in already and without going to sleep: the shortest timer would take a millisecond and a waking.
    if (ms <= 0) {
      const soon = setImmediate(callback);
      return () => clearImmediate(soon);
    }
    const due = performance.now() + ms;
    let timer: ReturnType<typeof setTimeout>;
    const arm = () => {
      const left = due - performance.now();
      timer = left > LONGEST ? setTimeout(arm, LONGEST) : setTimeout(callback, Math.max(0, left));
    };
    arm();
    return () => clearTimeout(timer);
  };
  return {
    now: () => Date.now(),
    ticks: () => performance.now(),
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
  };
}
