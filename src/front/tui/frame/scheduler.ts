/** The part of a clock that is needed here. */
export interface FrameClock {
  ticks(): number;
  after(ms: number, callback: () => void): () => void;
}

/**
 * Between two frames of what was not typed, in ms, from start to start. A host passes on what streams every 32 ms, more or
 * less: each of its updates finds the last frame long enough ago, and is drawn as it comes.
 */
const STREAM_INTERVAL = 24;
/** A frame may take this share of the time, so that a slow terminal (whose writes block) leaves room for keys. */
const BUSY_SHARE = 0.3;
const LONGEST_INTERVAL = 250;

/**
 * Decides when to draw. What a person does is drawn at once; what streams in is drawn together, with at most one frame
 * pending. Nothing is scheduled while nothing changes.
 */
export class FrameScheduler {
  readonly #clock: FrameClock;
  readonly #draw: () => void;
  #cancel: (() => void) | null = null;
  #lastStart = Number.NEGATIVE_INFINITY;
  #interval = STREAM_INTERVAL;
  #stopped = false;

  constructor(clock: FrameClock, draw: () => void) {
    this.#clock = clock;
    this.#draw = draw;
  }

  /** Draws now: for keys, the mouse and a new size. Call it once for all events of one read. */
  now(): void {
    if (this.#stopped) return;
    this.#cancel?.();
    this.#cancel = null;
    const start = this.#clock.ticks();
    this.#draw();
    const cost = this.#clock.ticks() - start;
    this.#lastStart = start;
    this.#interval = Math.min(LONGEST_INTERVAL, Math.max(STREAM_INTERVAL, cost / BUSY_SHARE));
  }

  /** Draws soon: for what streams in. */
  soon(): void {
    if (this.#stopped || this.#cancel !== null) return;
    const wait = this.#lastStart + this.#interval - this.#clock.ticks();
    this.#cancel = this.#clock.after(Math.max(0, wait), () => {
      this.#cancel = null;
      this.now();
    });
  }

  /** Milliseconds since the last frame began. */
  get idleFor(): number {
    return this.#clock.ticks() - this.#lastStart;
  }

  get pending(): boolean {
    return this.#cancel !== null;
  }

  /** Draws no more (the terminal is given away or lost) until `resume`. */
  stop(): void {
    this.#stopped = true;
    this.#cancel?.();
    this.#cancel = null;
  }

  resume(): void {
    this.#stopped = false;
  }
}
