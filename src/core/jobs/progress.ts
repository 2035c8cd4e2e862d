import type { Clock } from '../../system/clock.ts';

/** At most one piece in this many milliseconds reaches the screen, and of each only what fits on one. */
const EVERY = 100;
const MOST_BYTES = 4 * 1024;

/** Output for the eye: decoded, thinned out when it comes too fast to be read. */
export interface Progress {
  push(bytes: Uint8Array): void;
  close(): void;
}

export function createProgress(clock: Clock, onText: (text: string) => void): Progress {
  const decoder = new TextDecoder();
  let waiting: Uint8Array[] = [];
  let last = Number.NEGATIVE_INFINITY;
  let forget: (() => void) | null = null;

  function show(): void {
    forget?.();
    forget = null;
    last = clock.ticks();
    const text = waiting.map((bytes) => decoder.decode(bytes, { stream: true })).join('');
    waiting = [];
    if (text !== '') onText(text);
  }

  return {
    push(bytes) {
      waiting.push(bytes.length > MOST_BYTES ? bytes.slice(-MOST_BYTES) : bytes);
      while (waiting.length > 64) waiting.shift();
      const wait = last + EVERY - clock.ticks();
      if (wait <= 0) show();
      else forget ??= clock.after(wait, show);
    },
    close() {
      if (waiting.length > 0) show();
      forget?.();
    },
  };
}
