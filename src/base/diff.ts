// Only this part of the library: the others take longer to load than a session does to open.
import { structuredPatch } from 'diff/lib/patch/create.js';

export interface Hunk {
  readonly oldStart: number;
  readonly newStart: number;
  /** Each line with its mark in the first column: ' ', '+', '-', or '\\' for "no newline at end of file". */
  readonly lines: readonly string[];
}

export interface LineDiff {
  readonly added: number;
  readonly removed: number;
  readonly hunks: readonly Hunk[];
  /** Whether `hunks` holds every change; a long one is cut after whole lines. */
  readonly complete: boolean;
}

const MOST_LINES = 4_000;
const MOST_UNITS = 256 * 1024;
/** Beyond so many differing lines the shortest script is not worth its time: the middle counts as replaced. */
const MOST_EDITS = 4_000;

/** Line by line, with three lines around each change. Lines keep their carriage returns: an ending is content here. */
export function diffLines(before: string, after: string): LineDiff {
  const options = { context: 3, maxEditLength: MOST_EDITS };
  const hunks = structuredPatch('', '', before, after, '', '', options)?.hunks ?? [replacedMiddle(before, after)];
  let added = 0;
  let removed = 0;
  for (const hunk of hunks) {
    for (const line of hunk.lines) {
      if (line.startsWith('+')) added++;
      else if (line.startsWith('-')) removed++;
    }
  }
  return { added, removed, ...cut(hunks) };
}

function cut(hunks: readonly Hunk[]): { hunks: readonly Hunk[]; complete: boolean } {
  const kept: Hunk[] = [];
  let lines = 0;
  let units = 0;
  for (const hunk of hunks) {
    const fitting: string[] = [];
    for (const line of hunk.lines) {
      lines++;
      units += line.length;
      if (lines > MOST_LINES || units > MOST_UNITS) break;
      fitting.push(line);
    }
    if (fitting.length > 0) kept.push({ oldStart: hunk.oldStart, newStart: hunk.newStart, lines: fitting });
    if (fitting.length < hunk.lines.length) return { hunks: kept, complete: false };
  }
  return { hunks: kept, complete: true };
}

/** One hunk from the first differing line to the last. */
function replacedMiddle(before: string, after: string): Hunk {
  const old = splitLines(before);
  const fresh = splitLines(after);
  let start = 0;
  while (start < old.length && start < fresh.length && old[start] === fresh[start]) start++;
  let end = 0;
  while (end < old.length - start && end < fresh.length - start && old.at(-1 - end) === fresh.at(-1 - end)) end++;
  const removed = old.slice(start, old.length - end).map((line) => `-${line}`);
  const added = fresh.slice(start, fresh.length - end).map((line) => `+${line}`);
  return { oldStart: start + 1, newStart: start + 1, lines: [...removed, ...added] };
}

function splitLines(text: string): string[] {
  const lines = text.split('\n');
  if (lines.at(-1) === '') lines.pop();
  return lines;
}
