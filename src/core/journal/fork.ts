import { basename, join } from 'node:path';
import { done, type Outcome, refuse } from '../../base/refusal.ts';
import type { Entry, EntryId } from '../../protocol/entry.ts';
import type { Clock } from '../../system/clock.ts';
import type { Ids } from '../../system/environment.ts';
import { type Files, SystemError } from '../../system/files.ts';
import { JOURNAL_FILE, readJournalFile } from './file-journal.ts';
import type { JournalIndex } from './journal-index.ts';
import { encodeLine, makeEntry } from './line.ts';
import { createJournalReader } from './reader.ts';
import { recoveryEntries } from './recover.ts';

export interface ForkOptions {
  readonly files: Files;
  readonly clock: Clock;
  readonly ids: Ids;
  /** Folder of the session that is copied: only read, also while another process writes to it. */
  readonly from: string;
  /** Folder of the copy, which must not hold a session yet. */
  readonly to: string;
  readonly session: string;
  readonly build: string;
  /** Where the copy stands, default where the original does. */
  readonly at?: EntryId;
}

/**
 * Copies a session with its whole tree and the attachments and outputs it names. What waited stays with the original,
 * and a turn under way is copied up to its last settled step, where it counts as interrupted. The copy is there whole or
 * not at all. Refusals: `session-exists`, `session-not-found`, `session-unsafe`, `entry-not-found`, `fork-failed`.
 */
export async function forkSession(options: ForkOptions): Promise<Outcome<{ readonly leaf: EntryId | null }>> {
  const { files, from, to } = options;
  let made = false;
  try {
    if ((await files.linkStat(join(to, JOURNAL_FILE))) !== null)
      return refuse('session-exists', `there is a session in ${to} already`);
    const scanned = await readJournalFile(files, from);
    if (!scanned.ok) return scanned;
    const { index, session } = scanned.value.scan;
    if (options.at !== undefined && index.rowOf(options.at) === null)
      return refuse('entry-not-found', 'the session holds no such entry');
    made = (await files.linkStat(to)) === null;
    return done({ leaf: await copy(options, index, session ?? basename(from)) });
  } catch (error) {
    if (!(error instanceof SystemError)) throw error;
    if (made) await files.remove(to, { recursive: true }).catch(() => {});
    return refuse('fork-failed', `the session cannot be copied: ${error.message} (${error.code})`);
  }
}

/** Of no use in a copy: moves of the original's leaf, and changes whose before-images stay with the original. */
const LEFT_OUT = new Set<string>(['position', 'file-change', 'ask']);
const PIECE = 1024 * 1024;

async function copy(options: ForkOptions, index: JournalIndex, original: string): Promise<EntryId | null> {
  const { files, clock, ids, from, to, session, build } = options;
  const reader = createJournalReader(files, join(from, JOURNAL_FILE), index, () => {});
  const load = (wanted: readonly EntryId[]) => reader.load(wanted.map((id) => index.rowOf(id)!));

  const branch = options.at === undefined ? index.branch(index.leaf) : index.branch(index.rowOf(options.at)!);
  const after = branch.findLastIndex((id) => index.kindOf(index.rowOf(id)!) === 'turn-end') + 1;
  const openTurn = await load(branch.slice(after));
  const settled = options.at === undefined ? settledLength(openTurn) : openTurn.length;
  const unsettled = new Set<EntryId>(openTurn.slice(settled).map((entry) => entry.id));
  const taken = new Set<EntryId>();
  for (const entry of await load(index.ofKind(['taken'])))
    if (entry.kind === 'taken' && !unsettled.has(entry.id)) taken.add(entry.input);

  await files.makeFolder(to, 0o700);
  const part = join(to, `${JOURNAL_FILE}.part`);
  await files.remove(part);
  const file = await files.openAppend(part, 0o600);
  const names = new Set<string>();
  let leaf: EntryId | null = null;
  try {
    const write = linesInto(async (bytes) => file.append(bytes));
    const first: Entry = makeEntry(rootId(index) ?? ids.uuid(), null, clock.now(), {
      kind: 'session',
      version: 1,
      session,
      folder: await folderOf(load, index),
      build,
      forkedFrom: { session: original, entry: openTurn[settled - 1]?.id ?? branch[after - 1] ?? null },
    });
    await write(first);
    for await (const entry of reader.all(0)) {
      if (entry.kind === 'session' || LEFT_OUT.has(entry.kind) || unsettled.has(entry.id)) continue;
      if ((entry.kind === 'input' && !taken.has(entry.id)) || entry.kind === 'dropped') continue;
      nameFiles(entry, names);
      // What was rewritten while it waited still counts; that something waited or was held does not.
      if (entry.kind === 'queue') await write({ ...entry, order: [], paused: null });
      else await write(entry);
    }
    leaf = openTurn[settled - 1]?.id ?? branch[after - 1] ?? first.id;
    await write(makeEntry(ids.uuid(), leaf, clock.now(), { kind: 'position', leaf }));
    if (options.at === undefined) {
      for (const body of recoveryEntries(openTurn.slice(0, settled), { inputs: [], paused: null })) {
        const entry: Entry = makeEntry(ids.uuid(), leaf, clock.now(), body);
        await write(entry);
        leaf = entry.id;
      }
    }
    await write(null);
    await file.flush();
  } finally {
    await file.close();
  }
  for (const name of names) await copyFile(files, join(from, name), join(to, name));
  await files.rename(part, join(to, JOURNAL_FILE));
  return leaf;
}

/** How many of these entries stand before the first message with a call that has no result yet. */
function settledLength(entries: readonly Entry[]): number {
  const answered = new Set(entries.flatMap((entry) => (entry.kind === 'result' ? entry.call : [])));
  const unsettled = entries.findIndex((entry) => {
    if (entry.kind === 'call') return !answered.has(entry.call);
    return entry.kind === 'assistant' && entry.parts.some((part) => part.type === 'call' && !answered.has(part.call));
  });
  return unsettled < 0 ? entries.length : unsettled;
}

function rootId(index: JournalIndex): EntryId | null {
  return index.ofKind(['session'])[0] ?? null;
}

async function folderOf(load: (ids: readonly EntryId[]) => Promise<Entry[]>, index: JournalIndex): Promise<string> {
  const root = rootId(index);
  const [entry] = root === null ? [] : await load([root]);
  return entry?.kind === 'session' ? entry.folder : '';
}

/** Gathers lines into pieces of some size; null writes what is left. */
function linesInto(append: (bytes: Uint8Array) => Promise<void>): (entry: Entry | null) => Promise<void> {
  let lines: Uint8Array[] = [];
  let length = 0;
  return async (entry) => {
    if (entry !== null) {
      const line = encodeLine(entry);
      lines.push(line);
      length += line.length;
    }
    if (length === 0 || (entry !== null && length < PIECE)) return;
    await append(Buffer.concat(lines, length));
    lines = [];
    length = 0;
  };
}

const PLAIN_NAME = /^[A-Za-z0-9_-][A-Za-z0-9._-]*$/;

/** Files beside the journal that the entry needs. Names come from a file: none may lead out of the folder. */
function nameFiles(entry: Entry, into: Set<string>): void {
  const attachments = entry.kind === 'input' ? entry.attachments : entry.kind === 'result' ? entry.images : [];
  for (const { hash } of attachments) if (PLAIN_NAME.test(hash)) into.add(join('attachments', hash));
  if (entry.kind === 'result' && entry.output !== null && PLAIN_NAME.test(entry.output))
    into.add(join('outputs', entry.output));
}

async function copyFile(files: Files, from: string, to: string): Promise<void> {
  const stat = await files.linkStat(from);
  if (stat?.kind !== 'file') return;
  await files.makeFolder(join(to, '..'), 0o700);
  const file = await files.openAppend(to, 0o600);
  try {
    for (let at = 0; at < stat.size; ) {
      const bytes = await files.readRange(from, at, Math.min(PIECE, stat.size - at));
      if (bytes.length === 0) break;
      await file.append(bytes);
      at += bytes.length;
    }
    await file.flush();
  } finally {
    await file.close();
  }
}
