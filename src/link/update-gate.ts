import { joinBytes } from '../base/json-lines.ts';
import type { Change } from '../protocol/update.ts';
import type { Clock } from '../system/clock.ts';
import { PART_BYTES } from './frame-reader.ts';

/**
 * For so long a host gathers, in milliseconds. A client draws some 30 frames a second: what it is told more often it reads
 * for nothing, and a turn of quick tool calls has four updates a call.
 */
export const GATHER_MS = 32;

export interface UpdateGate {
  /** One encoded update; a calm one may wait for the next, any other goes at once, behind those that wait. */
  give(encoded: Uint8Array, calm: boolean): void;
  /** Lets go what waits, before anything that must come after it. */
  open(): void;
  /** Forgets what waits. */
  drop(): void;
}

/**
 * Calm updates that follow each other closer than `gatherMs` go together. `send` takes one or more whole messages, no more
 * than a part's bytes unless it is a single one.
 */
export function createUpdateGate(
  clock: Pick<Clock, 'ticks' | 'after'>,
  gatherMs: number,
  send: (encoded: Uint8Array) => void,
): UpdateGate {
  let waiting: Uint8Array[] = [];
  let bytes = 0;
  let lastSent = Number.NEGATIVE_INFINITY;
  let takeBack: (() => void) | null = null;

  const drop = (): void => {
    takeBack?.();
    takeBack = null;
    waiting = [];
    bytes = 0;
  };
  const open = (): void => {
    const all = waiting;
    drop();
    if (all.length === 0) return;
    lastSent = clock.ticks();
    send(all.length === 1 ? all[0]! : joinBytes(all));
  };
  return {
    give: (encoded, calm) => {
      if (bytes + encoded.length > PART_BYTES) open();
      waiting.push(encoded);
      bytes += encoded.length;
      const wait = calm ? gatherMs - (clock.ticks() - lastSent) : 0;
      if (wait <= 0) return open();
      takeBack ??= clock.after(wait, open);
    },
    open,
    drop,
  };
}

/** What a running turn says and does: nobody has to act on it, and the next frame is soon enough. */
export function isCalm(change: Change): boolean {
  switch (change.type) {
    case 'delta':
    case 'live-start':
    case 'live-call':
    case 'call-output':
    case 'job-output':
    case 'aside-text':
      return true;
    case 'call':
      return change.state !== 'asking';
    case 'entry':
      return change.entry.kind === 'assistant' || change.entry.kind === 'call' || change.entry.kind === 'result';
    case 'activity':
      return change.activity.phase !== 'asking' && change.activity.phase !== 'idle';
    default:
      return false;
  }
}
