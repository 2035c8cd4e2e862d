import { join } from 'node:path';
import type { Clock } from '../../system/clock.ts';
import { type Files, SystemError } from '../../system/files.ts';
import { renewCheckpoint, writeCheckpoint } from '../journal/checkpoint.ts';
import { JOURNAL_FILE, lookAtJournal, readJournalFile } from '../journal/file-journal.ts';
import type { Journal } from '../journal/journal.ts';
import { foldKept } from './fold-journal.ts';
import type { Follower } from './follower.ts';

/** Keeps the checkpoint of a running session near the end of its journal: while nothing is to be done, and at its end. */
export interface Checkpointer {
  /** Nothing is to be done for the moment. */
  rest(): void;
  /** After the journal was closed. */
  close(): Promise<void>;
}

export interface CheckpointerParts {
  readonly files: Files;
  readonly clock: Pick<Clock, 'after'>;
  readonly journal: Pick<Journal, 'folder' | 'size' | 'covered' | 'build' | 'flush'>;
  readonly isQuiet: () => boolean;
  /** A new one, which has seen nothing. */
  readonly follower?: () => Follower;
}

/** Entries behind the last checkpoint that make another worth its while: reading fewer takes no time to speak of. */
const LEAST = 200;
/** More of them are not read at the end: somebody waits for it. */
const MOST_AT_END = 4_000;
const QUIET_MS = 5_000;

export function createCheckpointer(parts: CheckpointerParts): Checkpointer {
  const { files, clock, journal, isQuiet, follower } = parts;
  const { build } = journal;
  const folder = build === null ? null : journal.folder;
  let kept = journal.covered?.rows ?? 0;
  /** Whether the one on the disk is known to fit. */
  let fits = journal.covered !== null;
  let stopTimer: (() => void) | null = null;
  let working: Promise<void> | null = null;
  let closed = false;

  const behind = (): number => journal.size - kept;

  async function keep(place: string): Promise<void> {
    // Once tried, it is not tried again before as much has been added.
    kept = journal.size;
    // Whatever goes wrong with it, the session goes on: it is opened without one.
    fits = (await keepCheckpoint(files, place, build ?? '', follower?.()).catch(() => false)) || fits;
  }

  async function keepWhileQuiet(place: string): Promise<void> {
    const flushed = await journal.flush().then(
      () => true,
      () => false,
    );
    if (flushed && isQuiet() && !closed) await keep(place);
  }

  return {
    rest() {
      if (folder === null || closed || behind() < LEAST || working !== null) return;
      stopTimer?.();
      stopTimer = clock.after(QUIET_MS, () => {
        stopTimer = null;
        if (!isQuiet()) return;
        working = keepWhileQuiet(folder).finally(() => {
          working = null;
        });
      });
    },
    async close() {
      closed = true;
      stopTimer?.();
      await working;
      if (folder === null) return;
      if (behind() >= LEAST && behind() <= MOST_AT_END) await keep(folder);
      else if (fits) await renewCheckpoint(files, folder, join(folder, JOURNAL_FILE));
    },
  };
}

/**
 * Reads what stands behind the last checkpoint, just as opening does, and writes the next one. False when there is none to
 * be had: the journal changes just now, lines of it are spoiled, or the disk is full.
 */
export async function keepCheckpoint(
  files: Files,
  folder: string,
  build: string,
  follower?: Follower,
): Promise<boolean> {
  try {
    const read = await readJournalFile(files, folder, build);
    if (!read.ok) return false;
    const { scan, checkpoint, stat } = read.value;
    const journal = lookAtJournal(files, folder, read.value);
    const folded = await foldKept(journal, '', build, undefined, follower);
    const notes = await folded.notes();
    // A line that only showed its damage when it was read is told of at every opening.
    if (journal.damaged.length > scan.damaged.length) return false;
    return await writeCheckpoint(files, folder, join(folder, JOURNAL_FILE), {
      scan,
      journal: stat,
      build,
      notes,
      before: checkpoint,
    });
  } catch (error) {
    if (error instanceof SystemError) return false;
    throw error;
  }
}
