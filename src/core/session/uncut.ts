/** Work that is done to its end once it was begun, whoever leaves meanwhile and however long it takes. */
export interface Uncut {
  run<T>(work: () => Promise<T>): Promise<T>;
  /** Settles when none is under way any more. */
  settled(): Promise<void>;
}

export function createUncut(): Uncut {
  const begun = new Set<Promise<unknown>>();
  return {
    run: (work) => {
      const running = work();
      begun.add(running);
      const over = (): void => void begun.delete(running);
      running.then(over, over);
      return running;
    },
    settled: async () => {
      while (begun.size > 0) await Promise.allSettled(begun);
    },
  };
}
