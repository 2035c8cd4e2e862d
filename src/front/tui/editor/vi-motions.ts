import { atomStartingAt, nextStop, previousStop } from './atoms.ts';
import type { Buffer } from './editor.ts';
import { lineEnd, lineStart } from './motions.ts';
import type { MotionKey } from './vi-parse.ts';

/** Where a motion leads. An operator takes the cell there too when it is `inclusive`, and whole lines when it goes by `lines`. */
export interface Reach {
  readonly to: number;
  readonly inclusive: boolean;
  readonly lines: boolean;
}

/** What `;` and `,` do again. */
export interface Find {
  readonly name: string;
  readonly char: string;
}

/** Null: there is nothing to jump to, and the caret stays (VI-6). `;` and `,` come in as the find they stand for. */
export function reachOf(buffer: Buffer, motion: MotionKey, count: number | null, again = false): Reach | null {
  const { caret } = buffer;
  const times = count ?? 1;
  switch (motion.name) {
    case 'h':
      return exclusive(repeat(caret, times, (at) => Math.max(lineStart(buffer.text, caret), previousStop(buffer, at))));
    case 'l':
      return exclusive(repeat(caret, times, (at) => Math.min(lineEnd(buffer.text, caret), nextStop(buffer, at))));
    case 'w':
    case 'W':
      return exclusive(repeat(caret, times, (at) => wordForward(buffer, at, motion.name === 'W')));
    case 'b':
    case 'B':
      return exclusive(repeat(caret, times, (at) => wordBack(buffer, at, motion.name === 'B')));
    case 'e':
    case 'E':
      return inclusive(repeat(caret, times, (at) => wordEnd(buffer, at, motion.name === 'E')));
    case 'ge':
    case 'gE':
      return inclusive(repeat(caret, times, (at) => wordEndBack(buffer, at, motion.name === 'gE')));
    case '0':
      return exclusive(lineStart(buffer.text, caret));
    case '^':
      return exclusive(firstInked(buffer, caret));
    case '$':
      return inclusive(lastCell(buffer, lineBelow(buffer, caret, times - 1) ?? buffer.text.length));
    case '_': {
      const line = lineBelow(buffer, caret, times - 1);
      return line === null ? null : { to: firstInked(buffer, line), inclusive: false, lines: true };
    }
    case '|':
      return exclusive(
        repeat(lineStart(buffer.text, caret), times - 1, (at) =>
          Math.min(lineEnd(buffer.text, caret), nextStop(buffer, at)),
        ),
      );
    case 'gg':
    case 'G': {
      const line = motion.name === 'G' && count === null ? buffer.text.length : lineNumbered(buffer, times);
      return { to: firstInked(buffer, line), inclusive: false, lines: true };
    }
    case 'j':
    case 'k': {
      const line = lineBelow(buffer, caret, motion.name === 'j' ? times : -times);
      return line === null ? null : { to: line, inclusive: false, lines: true };
    }
    case '%':
      return bracketMate(buffer);
    default:
      return find(buffer, motion, times, again);
  }
}

/** `;` goes on as before, `,` the other way. */
export function foundAgain(last: Find, other: boolean): Find {
  if (!other) return last;
  const { name } = last;
  return { name: name === name.toLowerCase() ? name.toUpperCase() : name.toLowerCase(), char: last.char };
}

/** The end of the word at the caret, without going on to the next one: what `cw` changes (VI-8). */
export function endOfWordHere(buffer: Buffer, count: number, big: boolean): number {
  let at = runEnd(buffer, buffer.caret, big);
  for (let more = 1; more < count; more++) at = nextStop(buffer, wordEnd(buffer, previousStop(buffer, at), big));
  return at;
}

/** Up to where `dw` deletes: never past the row of the last word, whose newline stays (VI-8). */
export function endOfWords(buffer: Buffer, count: number, big: boolean): number {
  const last = repeat(buffer.caret, count - 1, (at) => wordForward(buffer, at, big));
  const to = wordForward(buffer, last, big);
  const end = lineEnd(buffer.text, last);
  return Math.min(to, end);
}

export function firstInked(buffer: Buffer, offset: number): number {
  const end = lineEnd(buffer.text, offset);
  let at = lineStart(buffer.text, offset);
  while (at < end && kindAt(buffer, at, false) === 'blank') at = nextStop(buffer, at);
  return at;
}

/** The last cell of the line; its start where it is empty. */
export function lastCell(buffer: Buffer, offset: number): number {
  const end = lineEnd(buffer.text, offset);
  return Math.max(lineStart(buffer.text, offset), previousStop(buffer, end));
}

/** Start of the line so many below (negative: above); null where there is none. */
export function lineBelow(buffer: Buffer, offset: number, lines: number): number | null {
  let at = lineStart(buffer.text, offset);
  for (let left = Math.abs(lines); left > 0; left--) {
    if (lines < 0) {
      if (at === 0) return null;
      at = lineStart(buffer.text, at - 1);
    } else {
      const end = lineEnd(buffer.text, at);
      if (end >= buffer.text.length) return null;
      at = end + 1;
    }
  }
  return at;
}

/** Start of the line, counted from one; the last where there are fewer. */
function lineNumbered(buffer: Buffer, number: number): number {
  let at = 0;
  for (let left = number - 1; left > 0; left--) {
    const end = lineEnd(buffer.text, at);
    if (end >= buffer.text.length) break;
    at = end + 1;
  }
  return at;
}

export type CellKind = 'blank' | 'newline' | 'word' | 'sign' | 'atom' | 'end';

const WORD = /^[\p{L}\p{N}\p{M}_]/u;

/** What stands at an offset; of `big` words everything that is not blank is one kind. */
export function kindAt(buffer: Buffer, at: number, big: boolean): CellKind {
  if (at >= buffer.text.length) return 'end';
  if (atomStartingAt(buffer.atoms, at) !== null) return big ? 'word' : 'atom';
  const code = buffer.text.charCodeAt(at);
  if (code === 0x0a) return 'newline';
  if (code === 0x20 || code === 0x09) return 'blank';
  const cell = buffer.text.slice(at, nextStop(buffer, at));
  if (/^\s/.test(cell)) return 'blank';
  return big || WORD.test(cell) ? 'word' : 'sign';
}

/** Where the run that begins at `at` ends. Each marker is a run of its own. */
export function runEnd(buffer: Buffer, at: number, big: boolean): number {
  const kind = kindAt(buffer, at, big);
  let end = nextStop(buffer, at);
  if (kind === 'atom' || kind === 'newline') return end;
  while (kindAt(buffer, end, big) === kind) end = nextStop(buffer, end);
  return end;
}

/** Where the run that holds the cell at `at` begins. */
export function runStart(buffer: Buffer, at: number, big: boolean): number {
  const kind = kindAt(buffer, at, big);
  let start = at;
  if (kind === 'atom' || kind === 'newline') return start;
  while (start > 0) {
    const before = previousStop(buffer, start);
    if (kindAt(buffer, before, big) !== kind) break;
    start = before;
  }
  return start;
}

/** An empty line is a word of its own: every motion by words stops there. */
function isEmptyLine(buffer: Buffer, at: number): boolean {
  return kindAt(buffer, at, false) === 'newline' && (at === 0 || buffer.text.charCodeAt(at - 1) === 0x0a);
}

function isGap(kind: CellKind): boolean {
  return kind === 'blank' || kind === 'newline';
}

function wordForward(buffer: Buffer, from: number, big: boolean): number {
  if (from >= buffer.text.length) return from;
  let at = isGap(kindAt(buffer, from, big)) ? nextStop(buffer, from) : runEnd(buffer, from, big);
  while (isGap(kindAt(buffer, at, big)) && !isEmptyLine(buffer, at)) at = nextStop(buffer, at);
  return at;
}

function wordEnd(buffer: Buffer, from: number, big: boolean): number {
  let at = nextStop(buffer, from);
  while (isGap(kindAt(buffer, at, big))) at = nextStop(buffer, at);
  // No further word: as far as it goes.
  if (at >= buffer.text.length) return Math.max(from, lastCell(buffer, buffer.text.length));
  return previousStop(buffer, runEnd(buffer, at, big));
}

function wordBack(buffer: Buffer, from: number, big: boolean): number {
  let at = previousStop(buffer, from);
  while (at > 0 && isGap(kindAt(buffer, at, big)) && !isEmptyLine(buffer, at)) at = previousStop(buffer, at);
  return isGap(kindAt(buffer, at, big)) ? at : runStart(buffer, at, big);
}

function wordEndBack(buffer: Buffer, from: number, big: boolean): number {
  const kind = kindAt(buffer, from, big);
  let at = from;
  if (kind !== 'end' && !isGap(kind)) at = runStart(buffer, from, big);
  if (at === 0) return 0;
  at = previousStop(buffer, at);
  while (at > 0 && isGap(kindAt(buffer, at, big)) && !isEmptyLine(buffer, at)) at = previousStop(buffer, at);
  return at;
}

const PAIRS = ['()', '[]', '{}'] as const;

/** From the bracket at or behind the caret, on its line, to the one it belongs with (VI-6). */
function bracketMate(buffer: Buffer): Reach | null {
  const end = lineEnd(buffer.text, buffer.caret);
  const begin = lineStart(buffer.text, buffer.caret);
  for (let at = buffer.caret; at < end; at = nextStop(buffer, at)) {
    const char = charOf(buffer, at);
    const pair = char === '' ? undefined : PAIRS.find((each) => each.includes(char));
    if (pair === undefined) continue;
    const opens = char === pair[0];
    const other = opens ? pair[1]! : pair[0]!;
    let depth = 0;
    let place = at;
    while (opens ? place < end : place >= begin) {
      const here = charOf(buffer, place);
      if (here === char) depth++;
      else if (here === other) depth--;
      if (depth === 0) return inclusive(place);
      if (!opens && place === begin) break;
      place = opens ? nextStop(buffer, place) : previousStop(buffer, place);
    }
    return null;
  }
  return null;
}

/** The cell at an offset as a character; empty for markers, whose labels are no text. */
export function charOf(buffer: Buffer, at: number): string {
  if (at >= buffer.text.length || atomStartingAt(buffer.atoms, at) !== null) return '';
  return buffer.text.slice(at, nextStop(buffer, at));
}

/** On the caret's line only. `again`: a `t` that stands before its character already looks for the next one. */
function find(buffer: Buffer, { name, char }: MotionKey, times: number, again: boolean): Reach | null {
  const forward = name === 'f' || name === 't';
  const until = name === 't' || name === 'T';
  const begin = lineStart(buffer.text, buffer.caret);
  const end = lineEnd(buffer.text, buffer.caret);
  let at = buffer.caret;
  if (again && until) {
    const beside = forward ? nextStop(buffer, at) : previousStop(buffer, at);
    if (beside >= begin && beside < end && charOf(buffer, beside) === char) at = beside;
  }
  let left = times;
  while (left > 0) {
    if (forward ? at >= end : at <= begin) return null;
    at = forward ? nextStop(buffer, at) : previousStop(buffer, at);
    if (at >= end || at < begin) return null;
    if (charOf(buffer, at) === char) left--;
  }
  if (until) at = forward ? previousStop(buffer, at) : nextStop(buffer, at);
  return forward ? inclusive(at) : exclusive(at);
}

function repeat(from: number, times: number, move: (at: number) => number): number {
  let at = from;
  for (let left = times; left > 0; left--) {
    const next = move(at);
    if (next === at) break;
    at = next;
  }
  return at;
}

function exclusive(to: number): Reach {
  return { to, inclusive: false, lines: false };
}

function inclusive(to: number): Reach {
  return { to, inclusive: true, lines: false };
}
