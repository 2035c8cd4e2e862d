import type { Entry, EntryBody, EntryId } from '../../protocol/entry.ts';
import { hasShape } from './entry-shape.ts';

/** What the index needs of a line, read without parsing the rest of it. */
export interface LineHead {
  readonly id: EntryId;
  readonly parent: EntryId | null;
  readonly time: number;
  readonly kind: string;
}

const encoder = new TextEncoder();
const utf8 = new TextDecoder();

const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;

/** The entry as it is written: `id`, `parent`, `time`, `kind` always come first and in this order. */
export function makeEntry(id: EntryId, parent: EntryId | null, time: number, body: EntryBody): Entry {
  return Object.assign({ id, parent, time, kind: body.kind }, body, { id, parent, time }) as Entry;
}

/** One line, newline included. */
export function encodeLine(entry: Entry): Uint8Array {
  return encoder.encode(`${JSON.stringify(entry)}\n`);
}

/** Parses a whole line (without its newline); null when it is no entry. */
export function parseLine(bytes: Uint8Array): Entry | null {
  if (bytes.length < 2 || bytes[0] !== OPEN_BRACE || bytes[bytes.length - 1] !== CLOSE_BRACE) return null;
  let value: unknown;
  try {
    value = JSON.parse(utf8.decode(bytes));
  } catch {
    return null;
  }
  return isEntry(value) ? value : null;
}

function isEntry(value: unknown): value is Entry {
  const entry = value as Partial<Entry> | null;
  return (
    typeof entry?.id === 'string' &&
    entry.id !== '' &&
    (entry.parent === null || typeof entry.parent === 'string') &&
    typeof entry.time === 'number' &&
    typeof entry.kind === 'string' &&
    hasShape(entry.kind, entry)
  );
}

/** A head in its fixed order: strings of printable ASCII without escapes. */
const HEAD = /^\{"id":"([ !#-[\]-~]+)","parent":(?:null|"([ !#-[\]-~]+)"),"time":([0-9]+),"kind":"([ !#-[\]-~]+)"/;
/** Where an id begins in its line. */
const ID_FROM = '{"id":"'.length;
/** Longer than any head we write; one that is longer still is parsed with its line. */
const HEAD_BYTES = 192;

/**
 * Reads the head of the line at `from`..`to` by its fixed order; a line that was written otherwise (by hand, by another
 * tool) is parsed. Null when the line is damaged. Damage behind a sound head shows only when the line is loaded.
 * `likelyParent` saves decoding where it is right, which it nearly always is.
 */
export function readHead(bytes: Buffer, from: number, to: number, likelyParent = ''): LineHead | null {
  return scanHead(bytes, from, to, likelyParent) ?? parseHead(bytes.subarray(from, to));
}

function parseHead(line: Uint8Array): LineHead | null {
  const entry = parseLine(line);
  return entry && { id: entry.id, parent: entry.parent, time: entry.time, kind: entry.kind };
}

/** By the engine's own pattern matcher: a session is opened once a process, before any loop of ours has been compiled. */
function scanHead(bytes: Buffer, from: number, to: number, likelyParent: string): LineHead | null {
  if (to - from < 2 || bytes[to - 1] !== CLOSE_BRACE) return null;
  const found = HEAD.exec(bytes.toString('latin1', from, Math.min(to, from + HEAD_BYTES)));
  if (found === null) return null;
  const [, foundId, foundParent, time, kind] = found as unknown as [string, string, string | undefined, string, string];
  return {
    // Decoded anew: a piece of the matched text would keep all of it in memory.
    id: bytes.toString('latin1', from + ID_FROM, from + ID_FROM + foundId.length),
    parent: foundParent === undefined ? null : foundParent === likelyParent ? likelyParent : copyOf(foundParent),
    time: Number(time),
    kind: kindName(kind),
  };
}

function copyOf(text: string): string {
  return Buffer.from(text, 'latin1').toString('latin1');
}

const kindNames = new Map<string, string>();

/** The same string object for the same kind. */
function kindName(kind: string): string {
  const known = kindNames.get(kind);
  if (known !== undefined) return known;
  const name = copyOf(kind);
  if (kindNames.size < 256) kindNames.set(name, name);
  return name;
}
