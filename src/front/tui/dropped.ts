import type { NewAttachment } from '../../protocol/intent.ts';
import { filePiece, imagePiece } from './editor/atoms.ts';
import type { Piece } from './editor/editor.ts';
import { nextNumber, placeCaret, replaceRange } from './editor/editor-state.ts';
import { edited } from './prompt-actions.ts';
import type { Screen } from './screen.ts';
import type { Context, Dropped } from './screen-event.ts';
import { noted, type Step, stay } from './step.ts';

/** What is longer names no files. */
const LONGEST = 8 * 1024;

/**
 * A file dropped onto a terminal arrives as a paste of its path: plain, quoted, with escaped blanks or as a `file:` address.
 * The paths of such a line; null where any of its words is no absolute path, for then it is a paste like any other (ADD-8).
 */
export function droppedPaths(text: string): readonly string[] | null {
  const line = text.trim();
  if (line === '' || line.length > LONGEST || line.includes('\n')) return null;
  const paths: string[] = [];
  for (let at = 0; at < line.length; ) {
    const word = wordAt(line, at);
    const path = word === null ? null : pathOf(word.text);
    if (word === null || path === null) return null;
    paths.push(path);
    at = word.end;
    while (line[at] === ' ') at++;
  }
  return paths;
}

/** One word as a shell reads it; null where a quote has no end. */
function wordAt(line: string, from: number): { readonly text: string; readonly end: number } | null {
  let text = '';
  let quote = '';
  let at = from;
  for (; at < line.length; at++) {
    const character = line[at]!;
    if (quote === '' && character === ' ') break;
    if (character === quote) quote = '';
    else if (quote === '' && (character === "'" || character === '"')) quote = character;
    else if (character === '\\' && quote !== "'" && at + 1 < line.length) text += line[++at];
    else text += character;
  }
  return quote === '' ? { text, end: at } : null;
}

function pathOf(word: string): string | null {
  if (word.startsWith('/')) return word;
  const path = /^file:\/\/[^/]*(\/.*)$/.exec(word)?.[1];
  if (path === undefined) return null;
  try {
    return decodeURIComponent(path);
  } catch {
    return null;
  }
}

/** What was pasted is a drop: its words make room for the markers, where they still stand as they were pasted. */
export function takeDropped(
  screen: Screen,
  context: Context,
  { from, words, found }: { readonly from: number; readonly words: string; readonly found: Dropped },
): Step {
  if (found.kind === 'none') return stay(screen);
  if (found.kind === 'refused') return noted(screen, found.why, 'warning');
  const { editor } = screen.prompt;
  const { text, caret } = editor.buffer;
  const to = from + words.length;
  if (screen.prompt.shell !== 'off' || text.slice(from, to) !== words) return stay(screen);
  const markers = markersOf(found.files, (kind) => nextNumber(editor.buffer, kind));
  const piece = words.endsWith(' ') ? { ...markers, text: `${markers.text} ` } : markers;
  const result = replaceRange(editor, from, to, piece, 'other');
  if (result.effect !== null) return edited(screen, context, result);
  // Whoever types on meanwhile stays where they are.
  const after = caret <= from ? caret : from + piece.text.length + Math.max(0, caret - to);
  return edited(screen, context, { ...result, state: placeCaret(result.state, after, false) });
}

/** A marker for each, with blanks between them. */
function markersOf(files: readonly NewAttachment[], first: (kind: 'image' | 'file') => number): Piece {
  const next = { image: first('image'), file: first('file') };
  let text = '';
  const atoms: Piece['atoms'][number][] = [];
  for (const file of files) {
    if (file.kind === 'stored') continue;
    const number = next[file.kind]++;
    const marker = file.kind === 'image' ? imagePiece(file, number) : filePiece(file, file.name, number);
    if (text !== '') text += ' ';
    for (const atom of marker.atoms) atoms.push({ ...atom, from: atom.from + text.length, to: atom.to + text.length });
    text += marker.text;
  }
  return { text, atoms };
}
