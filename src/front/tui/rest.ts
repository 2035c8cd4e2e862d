import type { FrameClock } from './frame/scheduler.ts';

/** Work for when nobody does anything: a piece of a few milliseconds; false when there is no more. */
export type RestWork = () => boolean;

/** Nothing was typed and nothing came for so long, in milliseconds. */
const REST_AFTER = 300;
/** Between two pieces whoever comes is let in. */
const BETWEEN = 4;

/** Does `work` piece by piece while nothing else goes on, and has no timer once it is done. */
export class Rest {
  readonly #clock: FrameClock;
  #work: RestWork | null;
  #disturbedAt: number;
  #cancel: (() => void) | null = null;

  constructor(clock: FrameClock, work: RestWork | undefined) {
    this.#clock = clock;
    this.#work = work ?? null;
    this.#disturbedAt = clock.ticks();
  }

  begin(): void {
    if (this.#work !== null) this.#wait(REST_AFTER);
  }

  disturbed(): void {
    if (this.#work !== null) this.#disturbedAt = this.#clock.ticks();
  }

  stop(): void {
    this.#work = null;
    this.#cancel?.();
  }

  #wait(ms: number): void {
    this.#cancel = this.#clock.after(ms, () => {
      const left = REST_AFTER - (this.#clock.ticks() - this.#disturbedAt);
      if (left > 0) return this.#wait(left);
      if (this.#work?.() === true) return this.#wait(BETWEEN);
      this.stop();
    });
  }
}
