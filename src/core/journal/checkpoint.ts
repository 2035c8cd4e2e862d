import { join } from 'node:path';
import { sha256 } from '../../base/sha256.ts';
import type { EntryId } from '../../protocol/entry.ts';
import { type FileStat, type Files, SystemError } from '../../system/files.ts';
import { type FileIdentity, identityOf, isUntouched } from './file-identity.ts';
import { joined } from './id-table.ts';
import { createJournalIndex, type SavedIndex } from './journal-index.ts';
import type { JournalScan, ScanStart } from './scan.ts';

/**
 * What a journal came to up to some byte, kept beside it, so that opening reads only what was written since. Made of the
 * journal alone and never trusted over it: one that is damaged, of another build, or of a journal that is not word for
 * word the same up to there is left aside, and the journal is read whole.
 */
export interface Checkpoint {
  readonly start: ScanStart;
  /** Entries it covers: rows before this one; and the leaf there. */
  readonly rows: number;
  readonly leaf: EntryId | null;
  /** What others made of those entries, as text, by their own names. */
  readonly notes: Map<string, string>;
  /** SHA-256 of the journal up to there, block by block. */
  readonly blocks: readonly string[];
}

export const CHECKPOINT_FILE = 'checkpoint';
/** Of the file itself; what is in it is named by the code that made it. */
const CHECKPOINT_FORMAT = 1;

const FILE_MODE = 0o600;
const LARGEST = 256 * 1024 * 1024;
const BLOCK = 1024 * 1024;
const NEWLINE = 10;
const DIGEST_BYTES = 64;

interface Head {
  readonly format: number;
  readonly build: string;
  readonly journal: FileIdentity;
  readonly blocks: readonly string[];
  readonly scan: Pick<ScanStart, 'sound' | 'damaged' | 'skipped' | 'session' | 'lines'>;
  readonly index: SavedIndex['rest'];
  /** Names and lengths of what follows, in its order. */
  readonly pieces: readonly (readonly [string, number])[];
}

/** Null for any reason not to use it. `journal`: as the system tells of the file now. */
export async function readCheckpoint(
  files: Files,
  folder: string,
  path: string,
  journal: FileStat,
  build: string,
): Promise<Checkpoint | null> {
  try {
    const found = await readWhole(files, folder);
    if (found === null || found.head.format !== CHECKPOINT_FORMAT || found.head.build !== build) return null;
    const { head, rest } = found;
    if (!(await coversSame(files, path, journal, head))) return null;
    const text = new TextDecoder();
    const pieces = new Map<string, Uint8Array>();
    let at = 0;
    for (const [name, length] of head.pieces) {
      pieces.set(name, rest.subarray(at, at + length));
      at += length;
    }
    /** In memory of its own, where numbers lie as the processor wants them. */
    const copyOf = (name: string): ArrayBuffer => pieces.get(name)!.slice().buffer as ArrayBuffer;
    const index = createJournalIndex({
      text: new Uint8Array(copyOf('text')),
      ends: new Uint32Array(copyOf('ends')),
      slots: new Int32Array(copyOf('slots')),
      kinds: new Uint8Array(copyOf('kinds')),
      parents: new Int32Array(copyOf('parents')),
      froms: new Float64Array(copyOf('froms')),
      lengths: new Uint32Array(copyOf('lengths')),
      rest: head.index,
    });
    const notes = new Map<string, string>();
    for (const [name, piece] of pieces)
      if (name.startsWith(NOTE)) notes.set(name.slice(NOTE.length), text.decode(piece));
    const leaf = index.leaf < 0 ? null : index.idOf(index.leaf);
    return { start: { index, ...head.scan }, rows: index.rows, leaf, notes, blocks: head.blocks };
  } catch (error) {
    if (error instanceof SystemError || error instanceof SyntaxError) return null;
    throw error;
  }
}

const NOTE = 'note ';

export interface NewCheckpoint {
  readonly scan: JournalScan;
  /** The journal as the system told of it before it was scanned. */
  readonly journal: FileStat;
  readonly build: string;
  readonly notes: ReadonlyMap<string, string>;
  /** The checkpoint the scan began with, whose blocks need not be read again. */
  readonly before: Checkpoint | null;
}

/**
 * Writes a checkpoint of all that was found; false when the journal changed meanwhile, ends in the middle of a line, or
 * there is no room. The journal must be flushed.
 */
export async function writeCheckpoint(
  files: Files,
  folder: string,
  path: string,
  { scan, journal, build, notes, before }: NewCheckpoint,
): Promise<boolean> {
  // An end without its newline is still being written.
  if (scan.openEnd || scan.size !== scan.sound) return false;
  const index = scan.index.save();
  if (index === null) return false;
  try {
    const blocks = await hashBlocks(files, path, scan.sound, before);
    const now = await files.linkStat(path);
    if (now === null || now.size !== scan.sound || !isUntouched(identityOf(now), identityOf(journal))) return false;
    const { rest, ...columns } = index;
    const encoder = new TextEncoder();
    const pieces: [string, Uint8Array][] = [
      ...Object.entries(columns).map(([name, column]): [string, Uint8Array] => [name, bytesOf(column)]),
      ...[...notes].map(([name, text]): [string, Uint8Array] => [NOTE + name, encoder.encode(text)]),
    ];
    const { sound, damaged, skipped, session, lines } = scan;
    const head: Head = {
      format: CHECKPOINT_FORMAT,
      build,
      journal: identityOf(now),
      blocks,
      scan: { sound, damaged, skipped, session, lines },
      index: rest,
      pieces: pieces.map(([name, piece]) => [name, piece.length]),
    };
    await writeWhole(files, folder, head, joined(pieces.map(([, piece]) => piece)));
    return true;
  } catch (error) {
    if (error instanceof SystemError) return false;
    throw error;
  }
}

/**
 * Notes that the journal still begins with what the checkpoint covers, after it was opened with it and only added to: the
 * next opening need not compare it again. The journal must be closed.
 */
export async function renewCheckpoint(files: Files, folder: string, path: string): Promise<void> {
  try {
    const [found, now] = [await readWhole(files, folder), await files.linkStat(path)];
    if (found === null || now === null || isUntouched(identityOf(now), found.head.journal)) return;
    await writeWhole(files, folder, { ...found.head, journal: identityOf(now) }, found.rest);
  } catch (error) {
    if (!(error instanceof SystemError || error instanceof SyntaxError)) throw error;
  }
}

/** Null when there is none that is whole. */
async function readWhole(files: Files, folder: string): Promise<{ head: Head; rest: Uint8Array } | null> {
  const place = join(folder, CHECKPOINT_FILE);
  if ((await files.linkStat(place))?.kind !== 'file') return null;
  const bytes = await files.read(place, LARGEST);
  const body = bytes.subarray(DIGEST_BYTES + 1);
  const text = new TextDecoder();
  if (bytes[DIGEST_BYTES] !== NEWLINE || text.decode(bytes.subarray(0, DIGEST_BYTES)) !== sha256(body)) return null;
  const headEnd = body.indexOf(NEWLINE);
  return { head: JSON.parse(text.decode(body.subarray(0, headEnd))) as Head, rest: body.subarray(headEnd + 1) };
}

async function writeWhole(files: Files, folder: string, head: Head, rest: Uint8Array): Promise<void> {
  const encoder = new TextEncoder();
  const body = joined([encoder.encode(`${JSON.stringify(head)}\n`), rest]);
  const whole = joined([encoder.encode(`${sha256(body)}\n`), body]);
  await files.writeAtomic(join(folder, CHECKPOINT_FILE), whole, { mode: FILE_MODE, flush: false });
}

/**
 * Whether the journal still begins with the very bytes: a file nobody touched since is taken as it is, since no program
 * can set back when it was changed; of any other every byte is compared.
 */
async function coversSame(files: Files, path: string, journal: FileStat, head: Head): Promise<boolean> {
  if (journal.size < head.scan.sound) return false;
  const now = identityOf(journal);
  if (now.changedMs !== null && isUntouched(now, head.journal)) return true;
  for (const [number, block] of head.blocks.entries())
    if ((await hashBlock(files, path, number, head.scan.sound)) !== block) return false;
  return true;
}

async function hashBlocks(files: Files, path: string, end: number, before: Checkpoint | null): Promise<string[]> {
  const whole = before === null ? 0 : Math.floor(before.start.sound / BLOCK);
  const blocks = before?.blocks.slice(0, whole) ?? [];
  for (let number = blocks.length; number * BLOCK < end; number++)
    blocks.push(await hashBlock(files, path, number, end));
  return blocks;
}

async function hashBlock(files: Files, path: string, number: number, end: number): Promise<string> {
  const from = number * BLOCK;
  return sha256(await files.readRange(path, from, Math.min(BLOCK, end - from)));
}

function bytesOf(column: Uint8Array | Uint32Array | Int32Array | Float64Array): Uint8Array {
  return new Uint8Array(column.buffer, column.byteOffset, column.byteLength);
}
