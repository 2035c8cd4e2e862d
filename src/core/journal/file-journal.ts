import { basename, join } from 'node:path';
import { done, type Outcome, refuse } from '../../base/refusal.ts';
import type { Entry, EntryBody } from '../../protocol/entry.ts';
import type { Clock } from '../../system/clock.ts';
import type { Ids } from '../../system/environment.ts';
import { type AppendFile, type FileStat, type Files, SystemError } from '../../system/files.ts';
import { assembleJournal } from './assemble-journal.ts';
import { type Checkpoint, readCheckpoint } from './checkpoint.ts';
import type { Journal } from './journal.ts';
import { createJournalIndex, type JournalIndex, type Row } from './journal-index.ts';
import { encodeLine, makeEntry } from './line.ts';
import { createJournalReader } from './reader.ts';
import { type DamagedLine, type JournalScan, scanJournal } from './scan.ts';
import { createJournalWriter } from './writer.ts';

export interface JournalPlace {
  readonly files: Files;
  readonly clock: Clock;
  readonly ids: Ids;
  /** The session's own folder. */
  readonly folder: string;
  /** Names the code that makes something of a journal; with it, what an earlier run of the same code kept is used. */
  readonly build?: string;
}

export const JOURNAL_FILE = 'journal.jsonl';
const FOLDER_MODE = 0o700;
const FILE_MODE = 0o600;

/**
 * Makes the folder and a journal whose first line is `first`, on the disk when this resolves. Refusals: `session-exists`,
 * `session-unwritable`.
 */
export async function createJournal(
  place: JournalPlace & { readonly session: string; readonly first: Extract<EntryBody, { kind: 'session' }> },
): Promise<Outcome<Journal>> {
  const { files, clock, ids, folder, session, first } = place;
  const path = join(folder, JOURNAL_FILE);
  try {
    await files.makeFolder(folder, FOLDER_MODE);
    if ((await files.linkStat(path)) !== null)
      return refuse('session-exists', `there is a session in ${folder} already`);
    const entry = makeEntry(ids.uuid(), null, clock.now(), first);
    const line = encodeLine(entry);
    await files.writeAtomic(path, line, { mode: FILE_MODE, flush: true });
    const file = await files.openAppend(path, FILE_MODE);
    const index = createJournalIndex();
    index.place(index.add(entry.id, null, entry.kind, null)!, 0, line.length - 1);
    return done(
      assemble(place, session, file, { index, sound: line.length, openEnd: false, damaged: [], skipped: [] }),
    );
  } catch (error) {
    return refuseFor(error, 'session-unwritable', 'the session cannot be saved');
  }
}

/**
 * Opens a journal and repairs its end: torn bytes behind the last whole line are copied to `journal.damaged-<n>` beside
 * it, then cut off. Other damaged lines are left as they are. Refusals: `session-not-found`, `session-unsafe` (a link, a
 * pipe or the like in its place), `session-unreadable`.
 */
export async function openJournal(place: JournalPlace): Promise<Outcome<Journal>> {
  const { files, folder } = place;
  const path = join(folder, JOURNAL_FILE);
  try {
    const scanned = await readJournalFile(files, folder, place.build);
    if (!scanned.ok) return scanned;
    const { scan, checkpoint } = scanned.value;
    const file = await files.openAppend(path, FILE_MODE);
    if (scan.size > scan.sound) {
      await keepAside(files, folder, await files.readRange(path, scan.sound, scan.size - scan.sound));
      await file.truncate(scan.sound);
    }
    return done(assemble(place, scan.session ?? basename(folder), file, scan, checkpoint));
  } catch (error) {
    return refuseFor(error, 'session-unreadable', 'the session cannot be read');
  }
}

export interface ReadJournal {
  readonly scan: JournalScan;
  /** What the scan began with; null where it read the whole file. */
  readonly checkpoint: Checkpoint | null;
  /** The file as it was told of before. */
  readonly stat: FileStat;
}

/** Looks at a journal and changes nothing; safe beside its writer. Refusals as `openJournal`. Throws `SystemError`. */
export async function readJournalFile(files: Files, folder: string, build?: string): Promise<Outcome<ReadJournal>> {
  const path = join(folder, JOURNAL_FILE);
  const stat = await files.linkStat(path);
  if (stat === null) return refuse('session-not-found', `there is no session in ${folder}`);
  if (stat.kind !== 'file') return refuse('session-unsafe', `${path} is not an ordinary file`);
  const checkpoint = build === undefined ? null : await readCheckpoint(files, folder, path, stat, build);
  return done({ scan: await scanJournal(files, path, stat.size, checkpoint?.start), checkpoint, stat });
}

async function keepAside(files: Files, folder: string, bytes: Uint8Array): Promise<void> {
  for (let number = 1; ; number++) {
    try {
      await files.createNew(join(folder, `journal.damaged-${number}`), bytes, FILE_MODE);
      return;
    } catch (error) {
      if (!(error instanceof SystemError && error.code === 'EEXIST')) throw error;
    }
  }
}

function refuseFor(error: unknown, identifier: string, what: string): Outcome<never> {
  if (!(error instanceof SystemError)) throw error;
  return refuse(identifier, `${what}: ${error.message} (${error.code})`);
}

interface Found {
  readonly index: JournalIndex;
  readonly sound: number;
  readonly openEnd: boolean;
  readonly damaged: readonly DamagedLine[];
  readonly skipped: readonly number[];
}

/** A journal that was read and is not written to, whoever writes to it meanwhile. */
export function lookAtJournal(files: Files, folder: string, { scan, checkpoint }: ReadJournal): Journal {
  const damaged: DamagedLine[] = [...scan.damaged];
  const reader = createJournalReader(files, join(folder, JOURNAL_FILE), scan.index, (row, bytes) => {
    damaged.push({ line: lineOf(row, scan.skipped), bytes });
  });
  const never = (): never => {
    throw new Error('this journal is only looked at');
  };
  return assembleJournal({
    session: scan.session ?? basename(folder),
    folder,
    index: scan.index,
    clock: { now: never },
    ids: { uuid: never },
    covered: checkpoint,
    store: {
      ...reader,
      damaged,
      trouble: () => null,
      onTrouble() {},
      retry() {},
      write: never,
      flush: () => Promise.resolve(),
      close: () => Promise.resolve(),
    },
  });
}

function assemble(
  place: JournalPlace,
  session: string,
  file: AppendFile,
  found: Found,
  checkpoint: Checkpoint | null = null,
): Journal {
  const { files, clock, ids, folder } = place;
  const { index } = found;
  const damaged: DamagedLine[] = [...found.damaged];
  const reader = createJournalReader(files, join(folder, JOURNAL_FILE), index, (row, bytes) => {
    const line = lineOf(row, found.skipped);
    if (!damaged.some((known) => known.line === line)) damaged.push({ line, bytes });
  });
  const writer = createJournalWriter(file, { size: found.sound, openEnd: found.openEnd }, clock, {
    placed: index.place,
    solid(batch) {
      for (const row of batch.rows) reader.release(row);
    },
    withdrawn(batches, kept) {
      const rows = batches.flatMap((batch) => [...batch.rows]);
      for (const row of rows) reader.forget(row);
      index.withdraw(rows, batches[0]!.leafBefore);
      for (const batch of kept) {
        batch.entries = batch.entries.map((entry, position) => {
          const moved: Entry = { ...entry, parent: index.parentOf(batch.rows[position]!) };
          reader.hold(batch.rows[position]!, moved);
          return moved;
        });
      }
    },
  });
  return assembleJournal({
    session,
    folder,
    index,
    clock,
    ids,
    covered: checkpoint,
    build: place.build ?? null,
    store: { ...reader, ...writer, damaged, trouble: () => writer.trouble },
  });
}

/** Rows count from 0 and leave out the lines that hold no entry of their own. */
function lineOf(row: Row, skipped: readonly number[]): number {
  let line = row + 1;
  for (const lost of skipped) if (lost <= line) line++;
  return line;
}
