import type { Entry, EntryBody, EntryId } from '../../protocol/entry.ts';

/** What the index needs of a line, read without parsing the rest of it. */
export interface LineHead {
  readonly id: EntryId;
  readonly parent: EntryId | null;
  readonly time: number;
  readonly kind: string;
}

const encoder = new TextEncoder();
const utf8 = new TextDecoder();

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
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
    typeof entry.kind === 'string'
  );
}

const ID_KEY = encoder.encode('{"id":"');
const PARENT_KEY = encoder.encode(',"parent":');
const TIME_KEY = encoder.encode(',"time":');
const KIND_KEY = encoder.encode(',"kind":"');
const NULL = encoder.encode('null');

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

function scanHead(bytes: Buffer, from: number, to: number, likelyParent: string): LineHead | null {
  if (to - from < 2 || bytes[to - 1] !== CLOSE_BRACE) return null;
  if (!startsWith(bytes, from, to, ID_KEY)) return null;
  let at = from + ID_KEY.length;
  const idEnd = plainStringEnd(bytes, at, to);
  if (idEnd <= at) return null;
  const id = bytes.toString('latin1', at, idEnd);
  at = idEnd + 1;

  if (!startsWith(bytes, at, to, PARENT_KEY)) return null;
  at += PARENT_KEY.length;
  let parent: EntryId | null = null;
  if (bytes[at] === QUOTE) {
    const parentEnd = plainStringEnd(bytes, at + 1, to);
    if (parentEnd <= at + 1) return null;
    parent = isText(bytes, at + 1, parentEnd, likelyParent)
      ? likelyParent
      : bytes.toString('latin1', at + 1, parentEnd);
    at = parentEnd + 1;
  } else if (startsWith(bytes, at, to, NULL)) at += NULL.length;
  else return null;

  if (!startsWith(bytes, at, to, TIME_KEY)) return null;
  at += TIME_KEY.length;
  let time = 0;
  const timeFrom = at;
  for (let digit = bytes[at]! - 48; at < to && digit >= 0 && digit <= 9; digit = bytes[++at]! - 48)
    time = time * 10 + digit;
  if (at === timeFrom) return null;

  if (!startsWith(bytes, at, to, KIND_KEY)) return null;
  at += KIND_KEY.length;
  const kindEnd = plainStringEnd(bytes, at, to);
  if (kindEnd <= at) return null;
  return { id, parent, time, kind: kindName(bytes, at, kindEnd) };
}

function startsWith(bytes: Uint8Array, at: number, to: number, expected: Uint8Array): boolean {
  if (at + expected.length > to) return false;
  for (let index = 0; index < expected.length; index++) if (bytes[at + index] !== expected[index]) return false;
  return true;
}

/** Place of the closing quote of a string of printable ASCII without escapes; -1 when it is anything else. */
function plainStringEnd(bytes: Uint8Array, from: number, to: number): number {
  for (let at = from; at < to; at++) {
    const byte = bytes[at]!;
    if (byte === QUOTE) return at;
    if (byte === BACKSLASH || byte < 0x20 || byte > 0x7e) return -1;
  }
  return -1;
}

function isText(bytes: Uint8Array, from: number, to: number, text: string): boolean {
  if (to - from !== text.length) return false;
  for (let index = 0; index < text.length; index++) if (text.charCodeAt(index) !== bytes[from + index]) return false;
  return true;
}

const kindNames: string[][] = [];

/** The same string object for the same kind: no decoding for kinds seen before. */
function kindName(bytes: Buffer, from: number, to: number): string {
  const known = (kindNames[to - from] ??= []);
  const found = known.find((name) => isText(bytes, from, to, name));
  if (found !== undefined) return found;
  const name = bytes.toString('latin1', from, to);
  if (known.length < 64) known.push(name);
  return name;
}
