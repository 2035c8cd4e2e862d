import { nextStop, previousStop } from './atoms.ts';
import type { Buffer, Selection } from './editor.ts';
import { lineEnd, lineStart } from './motions.ts';
import { charOf, kindAt, runEnd, runStart } from './vi-motions.ts';

const BRACKETS: Readonly<Record<string, readonly [string, string]>> = {
  '(': ['(', ')'],
  ')': ['(', ')'],
  b: ['(', ')'],
  '[': ['[', ']'],
  ']': ['[', ']'],
  '{': ['{', '}'],
  '}': ['{', '}'],
  B: ['{', '}'],
  '<': ['<', '>'],
  '>': ['<', '>'],
};

/** The text an object stands for at the caret, on its line alone; null where there is none (VI-9). */
export function objectAt(buffer: Buffer, object: string, around: boolean, count: number): Selection | null {
  if (object === 'w' || object === 'W') return wordObject(buffer, object === 'W', around, count);
  const pair = BRACKETS[object];
  return pair === undefined ? quoted(buffer, object, around) : bracketed(buffer, pair, around, count);
}

function wordObject(buffer: Buffer, big: boolean, around: boolean, count: number): Selection | null {
  const end = lineEnd(buffer.text, buffer.caret);
  const begin = lineStart(buffer.text, buffer.caret);
  if (begin === end) return null;
  const at = buffer.caret >= end ? previousStop(buffer, end) : buffer.caret;
  const from = runStart(buffer, at, big);
  let to = from;
  let trailing = false;
  for (let left = count; left > 0 && to < end; left--) {
    const blank = isBlank(buffer, to);
    to = runEnd(buffer, to, big);
    trailing = false;
    // With its blanks: those behind a word, or the word behind blanks.
    if (around && to < end && (blank || isBlank(buffer, to))) {
      to = runEnd(buffer, to, big);
      trailing = !blank;
    }
  }
  if (!around || trailing || isBlank(buffer, from)) return { from, to };
  // No blanks behind it: those before it go with it, unless they indent the line.
  const blanks = from > begin ? runStart(buffer, previousStop(buffer, from), big) : from;
  return from > begin && isBlank(buffer, blanks) && blanks > begin ? { from: blanks, to } : { from, to };
}

function isBlank(buffer: Buffer, at: number): boolean {
  return kindAt(buffer, at, false) === 'blank';
}

/** The quotes around the caret, else the next ones on the line. One behind a backslash is none. */
function quoted(buffer: Buffer, quote: string, around: boolean): Selection | null {
  const end = lineEnd(buffer.text, buffer.caret);
  const quotes: number[] = [];
  for (let at = lineStart(buffer.text, buffer.caret); at < end; at = nextStop(buffer, at)) {
    const char = charOf(buffer, at);
    if (char === '\\') at = nextStop(buffer, at);
    else if (char === quote) quotes.push(at);
    if (at >= end) break;
  }
  for (let pair = 0; pair + 1 < quotes.length; pair += 2) {
    const [open, close] = [quotes[pair]!, quotes[pair + 1]!];
    if (close < buffer.caret) continue;
    if (!around) return { from: nextStop(buffer, open), to: close };
    let to = nextStop(buffer, close);
    if (to < end && isBlank(buffer, to)) {
      while (to < end && isBlank(buffer, to)) to = nextStop(buffer, to);
      return { from: open, to };
    }
    let from = open;
    const begin = lineStart(buffer.text, buffer.caret);
    while (from > begin && isBlank(buffer, previousStop(buffer, from))) from = previousStop(buffer, from);
    return { from: from > begin ? from : open, to };
  }
  return null;
}

/** The brackets around the caret, so many levels out; else the next ones on the line. */
function bracketed(
  buffer: Buffer,
  [open, close]: readonly [string, string],
  around: boolean,
  count: number,
): Selection | null {
  const end = lineEnd(buffer.text, buffer.caret);
  const pairs: Selection[] = [];
  const opened: number[] = [];
  for (let at = lineStart(buffer.text, buffer.caret); at < end; at = nextStop(buffer, at)) {
    const char = charOf(buffer, at);
    if (char === open) opened.push(at);
    else if (char === close) {
      const from = opened.pop();
      if (from !== undefined) pairs.push({ from, to: at });
    }
  }
  // Innermost first: a pair is closed before what holds it.
  const holding = pairs.filter(({ from, to }) => from <= buffer.caret && to >= buffer.caret);
  const next = pairs.filter(({ from }) => from > buffer.caret).sort((a, b) => a.from - b.from)[0];
  const chosen = holding.length > 0 ? holding[count - 1] : next;
  if (chosen === undefined) return null;
  return around
    ? { from: chosen.from, to: nextStop(buffer, chosen.to) }
    : { from: nextStop(buffer, chosen.from), to: chosen.to };
}
