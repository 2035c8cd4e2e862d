import type { Files } from '../../system/files.ts';
import { createJournalIndex, type JournalIndex } from './journal-index.ts';
import { parseLine, readHead } from './line.ts';

/** What lies in a journal file: the index of its sound lines, and what is wrong with the others. */
export interface JournalScan {
  readonly index: JournalIndex;
  /** Bytes that hold whole lines; a torn last line lies behind them. */
  readonly sound: number;
  readonly size: number;
  /** Whether the last whole line lacks its newline. */
  readonly openEnd: boolean;
  readonly damaged: DamagedLine[];
  /** Session id of the first line, null when that line is lost. */
  readonly session: string | null;
  /** Lines that brought no entry: the damaged ones, and those that repeat an id. From 1, ascending. */
  readonly skipped: readonly number[];
  /** Lines in all. */
  readonly lines: number;
}

/** What was found of the beginning of a file, as far as a line's end, in an earlier scan. */
export type ScanStart = Pick<JournalScan, 'index' | 'sound' | 'damaged' | 'skipped' | 'session' | 'lines'>;

export interface DamagedLine {
  readonly line: number;
  readonly bytes: number;
}

const CHUNK = 1024 * 1024;
const NEWLINE = 10;

/** Reads the file once, in pieces, from `start` on where that is given, and changes nothing. Throws `SystemError`. */
export async function scanJournal(files: Files, path: string, size: number, start?: ScanStart): Promise<JournalScan> {
  const index = start?.index ?? createJournalIndex();
  const damaged: DamagedLine[] = [...(start?.damaged ?? [])];
  const skipped: number[] = [...(start?.skipped ?? [])];
  let session = start?.session ?? null;
  let line = start?.lines ?? 0;
  let rest = Buffer.alloc(0);
  /** Where the next branch entry most likely stands. */
  let leaf = '';
  let restAt = start?.sound ?? 0;

  function lose(bytes: number): void {
    damaged.push({ line, bytes });
    skipped.push(line);
  }

  function takeLine(bytes: Buffer, from: number, to: number, at: number): boolean {
    const head = readHead(bytes, from, to, leaf);
    if (head === null) return false;
    let target: string | null = null;
    if (head.kind === 'position' || head.kind === 'session') {
      const entry = parseLine(bytes.subarray(from, to));
      if (entry === null) return false;
      if (entry.kind === 'position') target = entry.leaf;
      if (entry.kind === 'session') session ??= entry.session;
    }
    const row = index.add(head.id, head.parent, head.kind, target);
    if (row === null) skipped.push(line);
    else index.place(row, at, to - from);
    if (index.leaf >= 0) leaf = index.idOf(index.leaf);
    return true;
  }

  function takeOrLose(bytes: Buffer, from: number, to: number, at: number, hasNull: boolean): void {
    line++;
    const spoiled = hasNull && bytes.subarray(from, to).includes(0);
    if (spoiled || !takeLine(bytes, from, to, at)) lose(to - from);
  }

  for (let read = restAt; read < size; ) {
    const chunk = await files.readRange(path, read, Math.min(CHUNK, size - read));
    if (chunk.length === 0) break;
    const at = read;
    read += chunk.length;
    const bytes = bufferOf(chunk);
    let from = 0;
    let end = bytes.indexOf(NEWLINE);
    if (rest.length > 0) {
      // Only the line that two pieces share is put together: joining the pieces would cost more than all else.
      rest = Buffer.concat([rest, bytes.subarray(0, end < 0 ? bytes.length : end)]);
      if (end < 0) continue;
      takeOrLose(rest, 0, rest.length, restAt, true);
      from = end + 1;
      end = bytes.indexOf(NEWLINE, from);
    }
    // Zero bytes are what a lost page leaves behind; a chunk without any needs no look at each line.
    const hasNull = bytes.includes(0);
    for (; end >= 0; end = bytes.indexOf(NEWLINE, from)) {
      takeOrLose(bytes, from, end, at + from, hasNull);
      from = end + 1;
    }
    // Copied, so that the whole chunk does not live on behind a few bytes.
    rest = Buffer.from(bytes.subarray(from));
    restAt = at + from;
  }

  // What stands behind the last newline is a whole line only if all of it parses.
  if (rest.length > 0) line++;
  const openEnd = rest.length > 0 && parseLine(rest) !== null && takeLine(rest, 0, rest.length, restAt);
  if (rest.length > 0 && !openEnd) lose(rest.length);
  const seen = restAt + rest.length;
  return { index, sound: openEnd ? seen : restAt, size: seen, openEnd, damaged, skipped, session, lines: line };
}

/** The same bytes, with a buffer's faster decoding. */
export function bufferOf(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
