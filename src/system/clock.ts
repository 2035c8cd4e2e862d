export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Milliseconds that never go backwards, for durations. */
  ticks(): number;
  /** Resolves after `ms`, or at once (with false) when `signal` aborts. */
  sleep(ms: number, signal?: AbortSignal): Promise<boolean>;
  /** Calls back once after `ms`; the returned function takes it back. */
  after(ms: number, callback: () => void): () => void;
}
