import { borderAtOrBefore, nextBorder } from '../../base/graphemes.ts';

/** What a tool's result may bring to the model, in bytes of UTF-8. */
export const OUTPUT_LIMIT = 16 * 1024;
/** Kept free for the sentence that names what was left out. */
const NOTE_ROOM = 256;

/** A long text as its two ends. `head + tail` is all there is when `omittedBytes` is 0. */
export interface Ends {
  readonly head: string;
  readonly tail: string;
  readonly omittedBytes: number;
}

/**
 * Text for the model: whole when it fits, else its beginning and its end (the error is mostly there) around one line that
 * says how much is missing and where the whole is. Cut between characters as people see them. `whole` is the name under
 * which `read_file` gives the rest, null when it was not kept.
 */
export function limitOutput({ head, tail, omittedBytes }: Ends, whole: string | null, limit = OUTPUT_LIMIT): string {
  if (omittedBytes === 0 && byteLength(head) + byteLength(tail) <= limit) return head + tail;
  const half = Math.floor((limit - NOTE_ROOM) / 2);
  const [first, last] = omittedBytes === 0 ? [head + tail, head + tail] : [head, tail];
  const start = keepStart(first, half);
  const end = keepEnd(last, half);
  const inEnds = omittedBytes === 0 ? byteLength(first) : byteLength(head) + byteLength(tail);
  const missing = omittedBytes + inEnds - byteLength(start) - byteLength(end);
  const where = whole === null ? 'the whole was not kept' : `the whole is in ${whole}: read_file reads any part of it`;
  return `${start}\n[... ${missing} bytes left out; ${where} ...]\n${end}`;
}

/** As much from the start as fits in `bytes`, whole characters only. */
export function keepStart(text: string, bytes: number): string {
  if (byteLength(text) <= bytes) return text;
  const window = text.slice(0, bytes);
  let end = borderAtOrBefore(text, unitsWithin(window, bytes));
  if (end <= 0) end = codePointAtOrBefore(text, unitsWithin(window, bytes));
  return text.slice(0, end);
}

/** As much from the end as fits in `bytes`, whole characters only. */
export function keepEnd(text: string, bytes: number): string {
  if (byteLength(text) <= bytes) return text;
  let from = Math.max(0, text.length - bytes);
  let size = byteLength(text.slice(from));
  while (size > bytes) size -= unitBytes(text, from++);
  const start = borderAtOrBefore(text, from) === from ? from : nextBorder(text, from);
  return text.slice(start >= text.length ? codePointAtOrAfter(text, from) : start);
}

function unitsWithin(window: string, bytes: number): number {
  let size = 0;
  for (let at = 0; at < window.length; at++) {
    size += unitBytes(window, at);
    if (size > bytes) return at;
  }
  return window.length;
}

/** UTF-8 bytes a code unit stands for: half of a pair counts two, so that both make four. */
function unitBytes(text: string, at: number): number {
  const unit = text.charCodeAt(at);
  if (unit < 0x80) return 1;
  if (unit < 0x800) return 2;
  return unit >= 0xd800 && unit < 0xe000 ? 2 : 3;
}

function codePointAtOrBefore(text: string, at: number): number {
  return isTrailing(text, at) ? at - 1 : at;
}

function codePointAtOrAfter(text: string, at: number): number {
  return isTrailing(text, at) ? at + 1 : at;
}

function isTrailing(text: string, at: number): boolean {
  const unit = text.charCodeAt(at);
  const before = text.charCodeAt(at - 1);
  return unit >= 0xdc00 && unit < 0xe000 && before >= 0xd800 && before < 0xdc00;
}

export function byteLength(text: string): number {
  return Buffer.byteLength(text, 'utf8');
}
