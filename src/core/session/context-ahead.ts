import type { Clock } from '../../system/clock.ts';
import type { Journal } from '../journal/journal.ts';
import type { Model } from '../models/model.ts';
import { conversationOptions } from '../runtime/request.ts';
import type { Runtime } from '../runtime/runtime.ts';

/**
 * Reads a long conversation for the model while nothing is to be done, so that the next request need not wait for it: after
 * opening, and when another model or another branch asks for all of it anew.
 */
export interface ContextAhead {
  /** Soon, if nothing runs then. */
  soon(): void;
  close(): void;
}

export interface ContextAheadParts {
  readonly clock: Pick<Clock, 'after' | 'sleep'>;
  readonly journal: Pick<Journal, 'branch'>;
  readonly runtime: () => Runtime | null;
  readonly model: () => Model | null;
  readonly isQuiet: () => boolean;
}

/** Fewer entries take no time to speak of. */
const LEAST = 600;
/** Whoever has just opened the session sees it drawn first. */
const AFTER_MS = 400;
/** Between two slices everything else gets its turn. */
const PAUSE_MS = 1;

export function createContextAhead(parts: ContextAheadParts): ContextAhead {
  const { clock, journal, isQuiet } = parts;
  const closed = new AbortController();
  let stopTimer: (() => void) | null = null;

  const read = (): void => {
    stopTimer = null;
    const runtime = parts.runtime();
    const model = parts.model();
    if (closed.signal.aborted || runtime === null || model === null || !isQuiet()) return;
    // Whatever goes wrong with it, the request reads for itself, and says so.
    runtime.context
      .prepare(conversationOptions(runtime, model), () => clock.sleep(PAUSE_MS, closed.signal))
      .catch(() => undefined);
  };

  return {
    soon() {
      if (closed.signal.aborted || journal.branch().length < LEAST) return;
      stopTimer?.();
      stopTimer = clock.after(AFTER_MS, read);
    },
    close() {
      closed.abort();
      stopTimer?.();
    },
  };
}
