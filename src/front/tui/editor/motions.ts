import { atomAround, nextStop, previousStop, stopAtOrBefore } from './atoms.ts';
import type { Buffer } from './editor.ts';
import type { Layout } from './layout.ts';
import type { Text } from './text.ts';

/** Where a caret goes: each motion answers an offset and changes nothing. Atoms are crossed whole. */

export type Motion = 'left' | 'right' | 'word-left' | 'word-right' | 'line-start' | 'line-end' | 'start' | 'end';

export function moveBy(buffer: Buffer, motion: Motion, from = buffer.caret): number {
  switch (motion) {
    case 'left':
      return previousStop(buffer, from);
    case 'right':
      return nextStop(buffer, from);
    case 'word-left':
      return wordLeft(buffer, from);
    case 'word-right':
      return wordRight(buffer, from);
    case 'line-start':
      return lineStart(buffer.text, from);
    case 'line-end':
      return lineEnd(buffer.text, from);
    case 'start':
      return 0;
    case 'end':
      return buffer.text.length;
  }
}

export function lineStart(text: Text, offset: number): number {
  return text.newlineBefore(offset) + 1;
}

export function lineEnd(text: Text, offset: number): number {
  const newline = text.newlineFrom(offset);
  return newline < 0 ? text.length : newline;
}

const WORD = /^[\p{L}\p{N}\p{M}_]/u;

/** An atom counts as one word. */
function isWord(buffer: Buffer, from: number, to: number): boolean {
  return atomAround(buffer.atoms, from + 1) !== null || WORD.test(buffer.text.slice(from, to));
}

function wordLeft(buffer: Buffer, from: number): number {
  let at = from;
  let inWord = false;
  while (at > 0) {
    const before = previousStop(buffer, at);
    const word = isWord(buffer, before, at);
    if (inWord && !word) break;
    inWord ||= word;
    at = before;
  }
  return at;
}

function wordRight(buffer: Buffer, from: number): number {
  let at = from;
  let inWord = false;
  while (at < buffer.text.length) {
    const after = nextStop(buffer, at);
    const word = isWord(buffer, at, after);
    if (inWord && !word) break;
    inWord ||= word;
    at = after;
  }
  return at;
}

/**
 * One visual row up or down, keeping `column`; a column inside an atom lands on the atom (MARK-4). Null where there is no
 * such row.
 */
export function moveRow(buffer: Buffer, layout: Layout, step: -1 | 1, column: number): number | null {
  const from = layout.rowOf(buffer.caret);
  for (let row = from + step; row >= 0 && row < layout.rowCount; row += step) {
    const place = stopAtOrBefore(buffer, layout.offsetAt(row, column));
    // An atom wrapped over rows pulls back to its start: then the next row is tried, so that the caret always gets on.
    if (step < 0 ? place < buffer.caret : place > buffer.caret) return place;
  }
  if (step > 0 && from + 1 < layout.rowCount) return buffer.text.length;
  return null;
}

/** The word around `offset` (a double click): letters together, blanks together, other characters alone. */
export function wordAround(buffer: Buffer, offset: number): { from: number; to: number } {
  const start = stopAtOrBefore(buffer, Math.min(offset, Math.max(0, buffer.text.length - 1)));
  let to = nextStop(buffer, start);
  let from = start;
  if (!isWord(buffer, from, to) || atomAround(buffer.atoms, from + 1) !== null) return { from, to };
  while (from > 0 && isWord(buffer, previousStop(buffer, from), from) && atomAround(buffer.atoms, from - 1) === null) {
    from = previousStop(buffer, from);
  }
  while (
    to < buffer.text.length &&
    isWord(buffer, to, nextStop(buffer, to)) &&
    atomAround(buffer.atoms, to + 1) === null
  ) {
    to = nextStop(buffer, to);
  }
  return { from, to };
}
