import { dirname } from 'node:path';
import { done, type Outcome, refuse } from '../../base/refusal.ts';
import { type Files, SystemError } from '../../system/files.ts';
import { type LockSystem, underLock } from './session-lock.ts';

/** A prompt as it was sent. Time and workspace are null for entries from before they were kept. */
export interface PromptRecord {
  readonly id: string | null;
  /** Milliseconds since the epoch. */
  readonly time: number | null;
  readonly text: string;
  readonly workspace: string | null;
}

/**
 * What a person sent, over all projects and processes. The file is only ever appended to, a line with one write, so that
 * any number of processes may add to it at once; when it has grown enough it becomes `<name>.old` and is begun anew.
 */
export interface PromptHistory {
  /** The newest 10,000, oldest first, the same text never twice in a row. */
  readonly records: readonly PromptRecord[];
  /** Refusal `history-unwritable`: then it is remembered by this process only. */
  add(text: string, workspace: string): Promise<Outcome<PromptRecord | null>>;
  /** Takes one back, wherever it stands by now. */
  remove(id: string): Promise<Outcome<null>>;
  /** Reads what other processes added. */
  reload(): Promise<void>;
}

const MOST = 10_000;
const READ_MOST = 64 * 1024 * 1024;
const LOCK_WAIT_MS = 2_000;

/** A missing, unreadable or damaged file reads as far as it can be read. */
export async function openPromptHistory(system: LockSystem, path: string): Promise<PromptHistory> {
  const { files, clock, ids } = system;
  const old = `${path}.old`;
  let records: PromptRecord[] = [];

  async function load(): Promise<{ lines: number; size: number }> {
    // In this order: what moves over to the old file meanwhile is read twice rather than not at all.
    const current = await readLines(files, path);
    const older = await readLines(files, old);
    records = fold([...older.lines, ...current.lines]);
    return { lines: current.lines.length, size: current.size };
  }

  /** Begins a new file once this one alone holds enough; the size tells whether another process was faster. */
  async function rotate(size: number): Promise<void> {
    await underLock(system, `${path}.lock`, LOCK_WAIT_MS, async () => {
      const stat = await files.linkStat(path);
      if (stat?.kind === 'file' && stat.size >= size) await files.rename(path, old);
    });
  }

  async function append(line: Line): Promise<Outcome<null>> {
    try {
      await files.makeFolder(dirname(path), 0o700);
      const file = await files.openAppend(path, 0o600);
      try {
        // The leading newline ends whatever torn line a killed process or a full disk left: it costs itself only.
        await file.append(new TextEncoder().encode(`\n${JSON.stringify(line)}\n`));
      } finally {
        await file.close();
      }
      return done(null);
    } catch (error) {
      if (!(error instanceof SystemError)) throw error;
      return refuse('history-unwritable', `the prompt history cannot be written: ${error.message} (${error.code})`);
    }
  }

  const found = await load();
  if (found.lines >= MOST) {
    try {
      await rotate(found.size);
    } catch (error) {
      // A folder that cannot be written: the history can still be read.
      if (!(error instanceof SystemError)) throw error;
    }
  }

  return {
    get records() {
      return records;
    },
    async add(text, workspace) {
      const last = records[records.length - 1];
      if (text.trim() === '' || (last?.text === text && last.workspace === workspace)) return done(null);
      const record = { id: ids.hex(8), time: clock.now(), text, workspace };
      records = [...records.slice(1 - MOST), record];
      const written = await append(record);
      return written.ok ? done(record) : written;
    },
    async remove(id) {
      if (!records.some((record) => record.id === id)) return done(null);
      records = records.filter((record) => record.id !== id);
      return await append({ removed: id });
    },
    async reload() {
      await load();
    },
  };
}

type Line = PromptRecord | { readonly removed: string };

/** Applies removals, drops repetitions, keeps the newest of what follows itself, and cuts to the newest ones. */
function fold(lines: readonly Line[]): PromptRecord[] {
  const removed = new Set(lines.flatMap((line) => ('removed' in line ? line.removed : [])));
  const seen = new Set<string>();
  const records: PromptRecord[] = [];
  for (const line of lines) {
    if ('removed' in line) continue;
    if (line.id !== null) {
      if (removed.has(line.id) || seen.has(line.id)) continue;
      seen.add(line.id);
    }
    const last = records[records.length - 1];
    if (last?.text === line.text && last.workspace === line.workspace) records.pop();
    records.push(line);
  }
  return records.slice(-MOST);
}

async function readLines(files: Files, path: string): Promise<{ lines: Line[]; size: number }> {
  try {
    const stat = await files.linkStat(path);
    if (stat?.kind !== 'file') return { lines: [], size: 0 };
    const from = Math.max(0, stat.size - READ_MOST);
    const bytes = await files.readRange(path, from, stat.size - from);
    const lines = new TextDecoder()
      .decode(bytes)
      .split('\n')
      .flatMap((line) => parse(line) ?? []);
    return { lines, size: stat.size };
  } catch (error) {
    if (error instanceof SystemError) return { lines: [], size: 0 };
    throw error;
  }
}

function parse(line: string): Line | null {
  if (line === '') return null;
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return null;
  }
  if (typeof value === 'string') return { id: null, time: null, text: value, workspace: null };
  const found = value as {
    removed?: unknown;
    id?: unknown;
    time?: unknown;
    text?: unknown;
    workspace?: unknown;
  } | null;
  if (typeof found?.removed === 'string') return { removed: found.removed };
  if (typeof found?.text !== 'string') return null;
  return {
    id: typeof found.id === 'string' ? found.id : null,
    time: typeof found.time === 'number' ? found.time : null,
    text: found.text,
    workspace: typeof found.workspace === 'string' ? found.workspace : null,
  };
}
