import { type Entry, entryClass } from '../../protocol/entry.ts';
import type { Clock } from '../../system/clock.ts';
import { type AppendFile, SystemError } from '../../system/files.ts';
import type { Row } from './journal-index.ts';
import { encodeLine } from './line.ts';

/** Entries that are written together or not at all. */
export interface Batch {
  entries: readonly Entry[];
  readonly rows: readonly Row[];
  readonly leafBefore: Row;
  readonly keep: boolean;
}

export interface JournalWriter {
  readonly trouble: string | null;
  onTrouble(listener: (trouble: string | null) => void): void;
  /** Whatever waits for its next try is tried now. */
  retry(): void;
  /** Resolves as the classes of the entries ask; rejects with `SystemError` when the batch was withdrawn, or lost at close. */
  write(batch: Batch): Promise<void>;
  flush(): Promise<void>;
  close(): Promise<void>;
}

export interface WriterEvents {
  /** A line lies in the file at `from`, `length` bytes without its newline. */
  placed(row: Row, from: number, length: number): void;
  /** The batch is on the disk for good. */
  solid(batch: Batch): void;
  /** These batches never were; what is kept behind them must be read again from the index before it is written. */
  withdrawn(batches: readonly Batch[], kept: readonly Batch[]): void;
}

interface Waiting {
  readonly batch: Batch;
  readonly flushed: boolean;
  settled: boolean;
  readonly resolve: () => void;
  readonly reject: (error: SystemError) => void;
}

const FIRST_RETRY_MS = 1_000;
/** Somebody waits for it and reads how often it is tried. */
export const LONGEST_RETRY_MS = 5_000;
const NEWLINE = new Uint8Array([10]);

/**
 * Writes batches in order, all that wait with one write and one flush. When that fails the file is cut back to what it
 * soundly held; then every waiting batch is withdrawn, save those to be kept, which are tried again before anything later.
 */
export function createJournalWriter(
  file: AppendFile,
  start: { readonly size: number; readonly openEnd: boolean },
  clock: Clock,
  events: WriterEvents,
): JournalWriter {
  /** Not in the file yet. */
  let pending: Waiting[] = [];
  /** In the file, not flushed yet: written again, should the flush fail. */
  let loose: Waiting[] = [];
  let size = start.size;
  let solid = start.size;
  let openEnd = start.openEnd;
  const openSize = start.openEnd ? start.size : -1;
  let mustCut = false;
  let flushWanted = false;
  /** Something was appended that the running round has not looked at. */
  let fresh = false;
  let running: Promise<SystemError | null> | null = null;
  let trouble: string | null = null;
  let closed = false;
  let retryMs = FIRST_RETRY_MS;
  let stopRetry: (() => void) | null = null;
  const listeners: ((trouble: string | null) => void)[] = [];

  function setTrouble(next: string | null): void {
    if (next === trouble) return;
    trouble = next;
    for (const listener of listeners) listener(next);
  }

  function settle(waiting: Waiting): void {
    if (waiting.settled) return;
    waiting.settled = true;
    waiting.resolve();
  }

  async function cut(): Promise<void> {
    await file.truncate(size);
    openEnd = size === openSize;
    mustCut = false;
  }

  async function writeGroup(): Promise<void> {
    const group = pending.slice();
    fresh = false;
    const pieces: Uint8Array[] = openEnd ? [NEWLINE] : [];
    const places: { row: Row; from: number; length: number }[] = [];
    let end = size + (openEnd ? 1 : 0);
    for (const { batch } of group) {
      for (const [position, entry] of batch.entries.entries()) {
        const line = encodeLine(entry);
        pieces.push(line);
        places.push({ row: batch.rows[position]!, from: end, length: line.length - 1 });
        end += line.length;
      }
    }
    mustCut = true;
    await file.append(pieces.length === 1 ? pieces[0]! : concat(pieces, end - size));
    mustCut = false;
    openEnd = false;
    size = end;
    for (const place of places) events.placed(place.row, place.from, place.length);
    pending = pending.slice(group.length);
    loose.push(...group);
    for (const waiting of group) if (!waiting.flushed) settle(waiting);
  }

  async function flushLoose(): Promise<void> {
    const group = loose;
    try {
      await file.flush();
    } catch (error) {
      // The system may have dropped what it could not write: only a new write of the same bytes helps.
      size = solid;
      mustCut = true;
      pending = [...group, ...pending];
      loose = [];
      throw error;
    }
    solid = size;
    loose = [];
    for (const waiting of group) {
      events.solid(waiting.batch);
      settle(waiting);
    }
  }

  async function drain(): Promise<SystemError | null> {
    // Whatever is appended in the same moment goes into the same write.
    await Promise.resolve();
    try {
      while (pending.length > 0 || flushWanted) {
        if (mustCut) await cut();
        if (pending.length > 0) await writeGroup();
        if (flushWanted || loose.some((waiting) => waiting.flushed)) {
          flushWanted = false;
          await flushLoose();
        }
      }
      retryMs = FIRST_RETRY_MS;
      setTrouble(null);
      return null;
    } catch (error) {
      return await fail(asSystemError(error));
    }
  }

  async function fail(error: SystemError): Promise<SystemError> {
    try {
      if (mustCut) await cut();
    } catch {
      // Cut before the next write instead: nothing is ever written behind torn bytes.
    }
    flushWanted = false;
    fresh = false;
    const withdrawn = pending.filter((waiting) => !waiting.settled && !waiting.batch.keep);
    pending = pending.filter((waiting) => waiting.settled || waiting.batch.keep);
    if (withdrawn.length > 0) {
      events.withdrawn(
        withdrawn.map((waiting) => waiting.batch),
        pending.map((waiting) => waiting.batch),
      );
    }
    for (const waiting of withdrawn) {
      waiting.settled = true;
      waiting.reject(error);
    }
    setTrouble(pending.length > 0 || mustCut ? describe(error) : null);
    if ((pending.length > 0 || mustCut) && !closed) {
      stopRetry?.();
      stopRetry = clock.after(retryMs, tryAgain);
      retryMs = Math.min(retryMs * 2, LONGEST_RETRY_MS);
    }
    return error;
  }

  function tryAgain(): void {
    flushWanted = true;
    void run();
  }

  function run(): Promise<SystemError | null> {
    if (running === null) {
      stopRetry?.();
      stopRetry = null;
      running = drain().then((error) => {
        running = null;
        if (fresh) void run();
        return error;
      });
    }
    return running;
  }

  async function flush(): Promise<void> {
    for (;;) {
      if (pending.length === 0 && loose.length === 0 && running === null) return;
      flushWanted = true;
      const error = await run();
      if (error !== null) throw error;
    }
  }

  return {
    get trouble() {
      return trouble;
    },
    onTrouble(listener) {
      listeners.push(listener);
    },
    retry() {
      if (stopRetry !== null && !closed) tryAgain();
    },
    write(batch) {
      const flushed = batch.entries.some((entry) => entryClass(entry.kind).durability === 'flushed');
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      // Whoever does not wait for it still must not bring the process down.
      promise.catch(() => {});
      pending.push({ batch, flushed, settled: false, resolve, reject });
      fresh = true;
      void run();
      return promise;
    },
    flush,
    async close() {
      if (closed) return;
      closed = true;
      try {
        await flush();
      } catch (error) {
        for (const waiting of pending) if (!waiting.settled) waiting.reject(asSystemError(error));
        pending = [];
      }
      stopRetry?.();
      await file.close();
    },
  };
}

function concat(pieces: readonly Uint8Array[], length: number): Uint8Array {
  const joined = new Uint8Array(length);
  let at = 0;
  for (const piece of pieces) {
    joined.set(piece, at);
    at += piece.length;
  }
  return joined;
}

function asSystemError(error: unknown): SystemError {
  if (error instanceof SystemError) return error;
  return new SystemError('EIO', error instanceof Error ? error.message : String(error));
}

const REASONS: Readonly<Record<string, string>> = {
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota is used up',
  EIO: 'the disk answers with errors',
  EROFS: 'the disk is read-only',
  EACCES: 'the session file may not be written',
};

function describe(error: SystemError): string {
  return `${REASONS[error.code] ?? error.message} (${error.code})`;
}
