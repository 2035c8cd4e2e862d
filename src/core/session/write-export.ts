import nodePath from 'node:path';
import { done, type Outcome, refuse } from '../../base/refusal.ts';
import { createZipWriter } from '../../base/zip.ts';
import type { Clock } from '../../system/clock.ts';
import { type Files, SystemError } from '../../system/files.ts';
import { JOURNAL_FILE } from '../journal/file-journal.ts';
import type { Journal } from '../journal/journal.ts';
import { loadSaid } from '../journal/said.ts';
import { entryText, inLine } from './export-text.ts';

/** Of Houston's state folder. */
export const EXPORTS_FOLDER = 'exports';

export interface ExportOrder {
  readonly files: Files;
  readonly clock: Pick<Clock, 'now' | 'sleep'>;
  readonly journal: Journal;
  /** The session's own folder: what is exported. */
  readonly place: string;
  /** Where it goes, absolute; made where it is missing. */
  readonly exports: string;
  readonly title: string;
  readonly version: string;
}

export interface Exported {
  readonly path: string;
  readonly bytes: number;
}

/** Said wherever there is one: it is what a person has to know before giving it to anybody. */
export const EXPORT_WARNING = 'It is not encrypted and may hold secrets: read it before you give it away.';

/** Read at a time; between two pieces everything else gets its turn. */
const PIECE = 256 * 1024;
const ENTRIES = 64;
const PAUSE_MS = 1;
/** A part that nobody wrote to for so long is left of a process that is gone. */
const STALE_MS = 60 * 60 * 1000;
const PART = '.part';

const LEFT_OUT = [
  { name: 'outputs/', why: 'whole outputs of tools, as they came: nobody vouched for them, and they may hold secrets' },
  { name: 'before-images/', why: 'what files of yours held before they were changed' },
] as const;

/**
 * Everything a session's folder knows of its conversation, and the transcript of the current branch for reading, as one
 * private ZIP. It is there whole or not at all, never in place of another file, and not after `signal`. Refusals:
 * `export-stopped`, `not-exported` (the disk, in words).
 */
export async function writeExport(order: ExportOrder, signal: AbortSignal): Promise<Outcome<Exported>> {
  const { files, clock, journal, exports } = order;
  let part: string | null = null;
  try {
    if (journal.trouble !== null) return refuse('not-exported', `Not everything is saved yet: ${journal.trouble}.`);
    await journal.flush();
    await files.makeFolder(exports, 0o700);
    await removeStale(files, exports, clock.now());
    const name = await reserve(order);
    part = `${name}${PART}`;
    const bytes = await fill(order, part, signal);
    if (signal.aborted) return STOPPED;
    // Nobody of us takes a name whose part another holds; whatever else lies there stays.
    if ((await files.linkStat(name)) !== null) return refuse('not-exported', `There is a file ${name} already.`);
    if (signal.aborted) return STOPPED;
    await files.rename(part, name);
    part = null;
    return done({ path: name, bytes });
  } catch (error) {
    if (signal.aborted) return STOPPED;
    if (error instanceof SystemError) return refuse('not-exported', wordsFor(error, exports));
    if (error instanceof RangeError)
      return refuse('not-exported', `The session is too large for one file: ${error.message}.`);
    throw error;
  } finally {
    if (part !== null) await files.remove(part).catch(() => undefined);
  }
}

const STOPPED = refuse('export-stopped', 'The export was stopped: nothing was written.');

function wordsFor({ code, message }: SystemError, exports: string): string {
  if (code === 'ENOSPC' || code === 'EDQUOT') return `The disk is full: there is no room for an export in ${exports}.`;
  return `The export could not be written to ${exports}: ${message} (${code}).`;
}

/** A name that no file has; its part, made here and nowhere else, keeps others off it. */
async function reserve({ files, clock, journal, exports }: ExportOrder): Promise<string> {
  const time = new Date(clock.now()).toISOString().slice(0, 19).replaceAll(':', '').replace('T', '-');
  const stem = nodePath.join(exports, `houston-export-${journal.session.slice(0, 8)}-${time}`);
  for (let number = 1; ; number++) {
    const name = `${stem}${number === 1 ? '' : `-${number}`}.zip`;
    if ((await files.linkStat(name)) !== null) continue;
    try {
      await files.createNew(`${name}${PART}`, new Uint8Array(0), 0o600);
      return name;
    } catch (error) {
      if (error instanceof SystemError && error.code === 'EEXIST') continue;
      // Made and not flushed: it is ours.
      await files.remove(`${name}${PART}`).catch(() => undefined);
      throw error;
    }
  }
}

async function fill(order: ExportOrder, part: string, signal: AbortSignal): Promise<number> {
  const { files, clock, journal } = order;
  const file = await files.openAppend(part, 0o600);
  let bytes = 0;
  const zip = createZipWriter({
    time: clock.now(),
    write: async (piece) => {
      if (signal.aborted) throw new SystemError('ECANCELED', 'the export was stopped', part);
      await file.append(piece);
      bytes += piece.length;
    },
  });
  try {
    const held: { name: string; bytes: number }[] = [];
    const add = async (name: string, pieces: AsyncIterable<Uint8Array>): Promise<void> => {
      held.push({ name, bytes: await zip.add(name, pieces) });
    };
    await add('transcript.md', transcript(order, signal));
    for (const { name, path, size } of await exportedFiles(files, order.place))
      await add(name, readPieces(order, path, size, signal));
    const manifest = {
      format: 'houston-session-export',
      version: 1,
      houston: order.version,
      session: journal.session,
      title: order.title,
      exported: new Date(clock.now()).toISOString(),
      sensitive: EXPORT_WARNING,
      files: held,
      leftOut: LEFT_OUT,
    };
    await zip.add('manifest.json', once(`${JSON.stringify(manifest, null, 2)}\n`));
    await zip.end();
    await file.flush();
    return bytes;
  } finally {
    await file.close();
  }
}

async function* once(text: string): AsyncIterable<Uint8Array> {
  yield new TextEncoder().encode(text);
}

/** The current branch, for reading. */
export async function* transcript(
  { clock, journal, title, version }: Pick<ExportOrder, 'clock' | 'journal' | 'title' | 'version'>,
  signal: AbortSignal,
): AsyncIterable<Uint8Array> {
  const encoder = new TextEncoder();
  const time = new Date(clock.now()).toISOString();
  yield encoder.encode(
    `# ${inLine(title) || 'A session without a title'}\n\nSession ${inLine(journal.session)}, exported ${time} by Houston ${version}. ${EXPORT_WARNING}\n\n`,
  );
  const branch = journal.branch();
  for (let from = 0; from < branch.length; from += ENTRIES) {
    const entries = await journal.load(branch.slice(from, from + ENTRIES));
    const said = await loadSaid(journal, entries);
    const text = entries.map((entry) => entryText(entry, said.get(entry.id) ?? null)).join('');
    if (text !== '') yield encoder.encode(text);
    if (!(await clock.sleep(PAUSE_MS, signal))) return;
  }
}

interface ExportedFile {
  readonly name: string;
  readonly path: string;
  readonly size: number;
}

/** What of a session's folder goes along, by name: nothing that is not known to belong to it, and no link. */
async function exportedFiles(files: Files, folder: string): Promise<ExportedFile[]> {
  const found: ExportedFile[] = [];
  const take = async (name: string): Promise<void> => {
    const path = nodePath.join(folder, name);
    const stat = await files.linkStat(path);
    if (stat?.kind === 'file') found.push({ name, path, size: stat.size });
  };
  const namesIn = async (name: string, kind: 'file' | 'folder'): Promise<string[]> => {
    const path = nodePath.join(folder, name);
    if ((await files.linkStat(path))?.kind !== 'folder') return [];
    const list = await files.list(path);
    return list.flatMap((one) => (one.kind === kind ? [one.name] : [])).sort();
  };
  await take(JOURNAL_FILE);
  for (const name of await namesIn('.', 'file'))
    if (name.startsWith('journal.damaged-') || /^(?:audit\.jsonl|errors\.log(?:\.1)?)$/.test(name)) await take(name);
  for (const name of await namesIn('attachments', 'file')) await take(nodePath.join('attachments', name));
  for (const name of await namesIn('children', 'folder')) await take(nodePath.join('children', name, JOURNAL_FILE));
  return found;
}

/** As much as the file held when it was looked at: what is appended meanwhile is not in here. */
async function* readPieces(
  { files, clock }: Pick<ExportOrder, 'files' | 'clock'>,
  path: string,
  size: number,
  signal: AbortSignal,
): AsyncIterable<Uint8Array> {
  for (let at = 0; at < size; ) {
    const bytes = await files.readRange(path, at, Math.min(PIECE, size - at));
    if (bytes.length === 0) return;
    yield bytes;
    at += bytes.length;
    if (at < size && !(await clock.sleep(PAUSE_MS, signal))) return;
  }
}

async function removeStale(files: Files, exports: string, now: number): Promise<void> {
  for (const { name, kind } of await files.list(exports)) {
    if (kind !== 'file' || !name.endsWith(`.zip${PART}`)) continue;
    const path = nodePath.join(exports, name);
    const stat = await files.linkStat(path);
    if (stat !== null && now - stat.modifiedMs > STALE_MS) await files.remove(path);
  }
}
