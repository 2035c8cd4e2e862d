import type { Line } from './editor.ts';

/**
 * A walk through sent prompts (HIST-6). `at` counts from the oldest prompt, so that one sent meanwhile does not shift the
 * place; the half-written line waits in `kept` until the walk comes back to it.
 */
export interface HistoryWalk {
  readonly at: number;
  readonly kept: Line;
}

export interface HistoryStep {
  /** Null when the walk is over: the box holds the half-written line again. */
  readonly walk: HistoryWalk | null;
  readonly line: Line;
}

/** One prompt older; null when there is none. `entries` are the prompts, oldest first. */
export function olderPrompt(walk: HistoryWalk | null, entries: readonly Line[], current: Line): HistoryStep | null {
  const at = Math.min(walk?.at ?? entries.length, entries.length) - 1;
  if (at < 0) return null;
  return { walk: { at, kept: walk?.kept ?? current }, line: atEnd(entries[at]!) };
}

/** One prompt newer; past the newest, the line that was half-written, its caret where it was. Null when no walk is on. */
export function newerPrompt(walk: HistoryWalk | null, entries: readonly Line[]): HistoryStep | null {
  if (walk === null) return null;
  const at = walk.at + 1;
  if (at >= entries.length) return { walk: null, line: walk.kept };
  return { walk: { ...walk, at }, line: atEnd(entries[at]!) };
}

function atEnd(line: Line): Line {
  return { ...line, caret: line.text.length, anchor: null };
}
