import type { Entry, EntryOf } from '../../protocol/entry.ts';
import type { ModelRef } from '../../protocol/message.ts';
import { type Files, SystemError } from '../../system/files.ts';
import { parseLine, readHead } from './line.ts';
import { bufferOf } from './scan.ts';

/** What a list shows of a session. */
export interface SessionSummary {
  readonly folder: string;
  readonly created: number;
  /** Time of the last sound entry that is more than a name. */
  readonly updated: number;
  /** Given name, else the first line of the first prompt; empty when there is neither. */
  readonly title: string;
  readonly firstPrompt: string;
  readonly model: ModelRef | null;
  readonly turns: number;
  readonly bytes: number;
  readonly forkedFrom: EntryOf<'session'>['forkedFrom'];
}

const HEAD = 64 * 1024;
const TAIL = 64 * 1024;
/** A name given in the middle of a journal up to this size is looked for; of a larger one only both ends are read. */
const SEARCHED = 32 * 1024 * 1024;
const LONGEST_TITLE = 120;
const LONGEST_PROMPT = 2_000;
const NEWLINE = 10;
const NAME_MARK = new TextEncoder().encode('"kind":"name"');

/** Reads both ends of a journal and changes nothing; null when it is no journal. Never throws for what lies on the disk. */
export async function readSummary(files: Files, path: string): Promise<SessionSummary | null> {
  try {
    const stat = await files.linkStat(path);
    if (stat?.kind !== 'file' || stat.size === 0) return null;
    const whole = stat.size <= HEAD + TAIL;
    const head = linesOf(await files.readRange(path, 0, whole ? stat.size : HEAD), 0, !whole);
    const tail = whole ? head : await readTail(files, path, stat.size);
    const names = newestName(tail) ?? newestName(head) ?? (whole ? null : await searchName(files, path, stat.size));
    return summarise(head, tail, names, stat.size, stat.modifiedMs);
  } catch (error) {
    if (error instanceof SystemError) return null;
    throw error;
  }
}

interface Line {
  readonly kind: string;
  readonly time: number;
  readonly bytes: Uint8Array;
}

/** Sound lines in `bytes`; the first is left out when the read began inside it, the last when it was cut off. */
function linesOf(read: Uint8Array, from: number, cutOff: boolean): Line[] {
  const bytes = bufferOf(read);
  const lines: Line[] = [];
  for (let at = from; at < bytes.length; ) {
    const newline = bytes.indexOf(NEWLINE, at);
    if (newline < 0 && cutOff) break;
    const end = newline < 0 ? bytes.length : newline;
    const head = readHead(bytes, at, end);
    if (head !== null) lines.push({ kind: head.kind, time: head.time, bytes: bytes.subarray(at, end) });
    at = end + 1;
  }
  return lines;
}

/** Reads further back until at least one whole line is found. */
async function readTail(files: Files, path: string, size: number): Promise<Line[]> {
  for (let length = TAIL; ; length *= 4) {
    const from = Math.max(0, size - length);
    const bytes = await files.readRange(path, from, size - from);
    const start = from === 0 ? 0 : bytes.indexOf(NEWLINE) + 1;
    const lines = from > 0 && start === 0 ? [] : linesOf(bytes, start, false);
    if (lines.length > 0 || from === 0) return lines;
  }
}

function newestName(lines: readonly Line[]): string | null {
  const entry = lastOf(lines, 'name');
  return entry === null ? null : entry.name;
}

/** The last name anywhere in the file, without parsing what is no name. */
async function searchName(files: Files, path: string, size: number): Promise<string | null> {
  if (size > SEARCHED) return null;
  const bytes = bufferOf(await files.readRange(path, 0, size));
  let name: string | null = null;
  for (let found = bytes.indexOf(NAME_MARK); found >= 0; found = bytes.indexOf(NAME_MARK, found + 1)) {
    const end = bytes.indexOf(NEWLINE, found);
    const entry = parseLine(bytes.subarray(bytes.lastIndexOf(NEWLINE, found) + 1, end < 0 ? bytes.length : end));
    if (entry?.kind === 'name') name = entry.name;
  }
  return name;
}

function lastOf<K extends Entry['kind']>(lines: readonly Line[], kind: K): EntryOf<K> | null {
  for (let at = lines.length - 1; at >= 0; at--) {
    const line = lines[at]!;
    const entry = line.kind === kind ? parseLine(line.bytes) : null;
    if (entry !== null) return entry as EntryOf<K>;
  }
  return null;
}

function summarise(
  head: readonly Line[],
  tail: readonly Line[],
  name: string | null,
  size: number,
  modified: number,
): SessionSummary {
  const first = head[0]?.kind === 'session' ? (parseLine(head[0].bytes) as EntryOf<'session'> | null) : null;
  const firstPrompt = promptIn(head);
  const started = lastOf(tail, 'turn-start');
  const chosen = lastOf(tail, 'model');
  const newest =
    started !== null && chosen !== null && chosen.time > started.time
      ? chosen
      : (started ?? chosen ?? lastOf(tail, 'assistant') ?? lastOf(head, 'turn-start'));
  const ended = lastOf(tail, 'turn-end') ?? lastOf(head, 'turn-end');
  return {
    folder: movedTo(tail) ?? first?.folder ?? '',
    created: first?.time ?? head[0]?.time ?? modified,
    // A name given later is no work done (SC-21.1).
    updated:
      tail.reduce((latest, line) => (line.kind === 'name' ? latest : Math.max(latest, line.time)), 0) || modified,
    title: titleOf(name ?? firstPrompt),
    firstPrompt: firstPrompt.slice(0, LONGEST_PROMPT).toWellFormed(),
    model: newest?.model ?? null,
    turns: Math.max(started?.turn ?? 0, ended?.turn ?? 0, lastOf(tail, 'assistant')?.turn ?? 0),
    bytes: size,
    forkedFrom: first?.forkedFrom ?? null,
  };
}

/** Where a session is to be gone on with, once the folder it worked in is gone. */
export const WORKSPACE = 'workspace';

function movedTo(lines: readonly Line[]): string | null {
  for (const line of lines.toReversed()) {
    const entry = line.kind === 'record' ? parseLine(line.bytes) : null;
    if (entry?.kind === 'record' && entry.name === WORKSPACE && typeof entry.data === 'string') return entry.data;
  }
  return null;
}

function promptIn(lines: readonly Line[]): string {
  for (const line of lines) {
    const entry = line.kind === 'input' ? parseLine(line.bytes) : null;
    if (
      entry?.kind !== 'input' ||
      entry.delivery === 'command' ||
      entry.delivery === 'shell' ||
      entry.delivery === 'wake'
    )
      continue;
    if (entry.text.trim() !== '') return entry.text;
  }
  return '';
}

function titleOf(text: string): string {
  const line = text.trim().split('\n', 1)[0]!;
  return line.length <= LONGEST_TITLE ? line : `${line.slice(0, LONGEST_TITLE).toWellFormed()}…`;
}
