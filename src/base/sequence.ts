/** Runs asynchronous jobs one after another, in the order they were given. One that fails does not stop the next. */
export interface Sequence {
  /** Settles as the job does. */
  run<T>(job: () => T | Promise<T>): Promise<T>;
  /** Resolves when everything given so far has settled. */
  idle(): Promise<void>;
  /** Jobs that are waiting or running. */
  readonly pending: number;
}

export function createSequence(): Sequence {
  let tail: Promise<unknown> = Promise.resolve();
  let pending = 0;
  return {
    run(job) {
      pending++;
      const result = tail.then(job).finally(() => {
        pending--;
      });
      tail = result.catch(() => {});
      return result;
    },
    async idle() {
      while (pending > 0) await tail;
    },
    get pending() {
      return pending;
    },
  };
}
