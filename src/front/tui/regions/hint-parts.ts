import type { PermissionMode } from '../../../protocol/message.ts';
import { NOTHING_STANDS, type Standing } from '../../../protocol/standing.ts';
import type { View } from '../../../protocol/view.ts';
import type { Keymap } from '../../commands/keymap.ts';
import { modeWords, type ViState } from '../editor/vi-state.ts';
import { count } from '../figures.ts';
import { type Line, piece } from '../piece.ts';
import type { Role } from '../theme.ts';

/** A part of the hint row, and when it goes: the highest `drop` first, never cut within (HINT-6). */
export interface HintPart {
  readonly line: Line;
  readonly drop: number;
}

const DROP = { unmeasured: 5, bindings: 4, trail: 3, figures: 2, offer: 1, standing: 1, mode: 0 };

export const MODE_WORDS: Readonly<Record<PermissionMode, string>> = {
  ask: 'ask first',
  edits: 'accept edits',
  plan: 'plan only',
  bypass: 'bypass permissions',
};

const MODE_ROLES: Readonly<Record<PermissionMode, Role>> = { ask: 'quiet', edits: 'good', plan: 'muse', bypass: 'bad' };

/** What the hint row says at rest, left to right; confinement never stands here (HINT-4, HINT-5, HINT-8). */
export function hintParts(view: View, keymap: Keymap, vi: ViState | null = null): HintPart[] {
  const parts: HintPart[] = [];
  if (vi !== null) parts.push({ line: [piece(modeWords(vi), 'text')], drop: DROP.mode });
  const { mode } = view.head;
  if (mode !== 'ask') parts.push({ line: [piece(MODE_WORDS[mode], MODE_ROLES[mode])], drop: DROP.mode });
  const reading = contextReading(view);
  parts.push({ line: [piece(reading.words, 'quiet')], drop: reading.figure ? DROP.figures : DROP.unmeasured });
  const trail = keymap.label('trail');
  if (view.head.trail === true && trail !== null)
    parts.push({ line: [piece(`${trail} trail`, 'quiet')], drop: DROP.trail });
  const standing = standingWords(view.head.standing ?? NOTHING_STANDS);
  if (standing !== '') parts.push({ line: [piece(standing, 'accent')], drop: DROP.standing });
  const awaited = view.jobs.filter((job) => job.state === 'running' && !job.background).length;
  const opens = view.jobs.length;
  const watch = keymap.label('watch');
  // A single row that runs is counted below already.
  if (watch !== null && (opens > 1 || (opens === 1 && view.jobs[0]?.state === 'ended')))
    parts.push({ line: [piece(`${watch} view ${opens}`, 'quiet')], drop: DROP.figures });
  if (awaited > 0) {
    parts.push({ line: [piece(`${keymap.label('background') ?? ''} to background`, 'quiet')], drop: DROP.offer });
  }
  const jobs = view.jobs.filter(
    (job) => job.background && (job.state === 'running' || job.state === 'stopping'),
  ).length;
  const counted = runningWords(awaited, jobs);
  if (counted !== '') parts.push({ line: [piece(counted, 'quiet')], drop: DROP.figures });
  parts.push({ line: [piece('? for shortcuts', 'quiet')], drop: DROP.bindings });
  return parts;
}

/** All that runs counts, what a tool waits for too (SC-15.2); said apart is what nobody waits for (JOB-4). */
function runningWords(awaited: number, jobs: number): string {
  if (awaited === 0) return jobs === 0 ? '' : `${jobs} in the background`;
  return jobs === 0 ? `${awaited} running` : `${awaited + jobs} running, ${jobs} in the background`;
}

/** What starts turns by itself, in a few words; a loop with the time of day it is due (LOOP-5). */
export function standingWords({ loop, goal, watches }: Standing): string {
  if (loop !== null) {
    const pace = loop.every === null ? 'loop' : `loop every ${shortSpan(loop.every)}`;
    return loop.due === null ? `${pace}, now` : `${pace}, next ${timeOfDay(loop.due)}`;
  }
  if (goal !== null) return goal.state === 'checking' ? 'checking the goal' : `goal ${goal.state}`;
  return watches.length === 0 ? '' : watches.length === 1 ? 'watching a file' : `watching ${watches.length} files`;
}

function shortSpan(ms: number): string {
  const seconds = Math.round(ms / 1000);
  for (const [unit, size] of [
    ['d', 86_400],
    ['h', 3_600],
    ['m', 60],
  ] as const)
    if (seconds >= size && seconds % size === 0) return `${seconds / size}${unit}`;
  return `${seconds}s`;
}

function timeOfDay(time: number): string {
  const at = new Date(time);
  const two = (value: number): string => String(value).padStart(2, '0');
  return `${two(at.getHours())}:${two(at.getMinutes())}:${two(at.getSeconds())}`;
}

/** Drops whole parts until the rest fits `width`, `measure` giving the columns of what is left. */
export function fitParts(
  parts: readonly HintPart[],
  width: number,
  measure: (parts: readonly HintPart[]) => number,
): readonly HintPart[] {
  let kept = parts;
  while (kept.length > 0 && measure(kept) > width) {
    const worst = Math.max(...kept.map((part) => part.drop));
    const index = kept.findLastIndex((part) => part.drop === worst);
    kept = kept.filter((_, place) => place !== index);
  }
  return kept;
}

/**
 * Share of the budget at which compaction fires, in words, never a blank: measured, compacted (what it won, always
 * approximate), or unmeasured (CTX-1, CTX-2, CTX-4). A count without a budget to divide by is no share: it says the count,
 * and that nobody knows of how much.
 */
export function contextReading(view: View): { readonly words: string; readonly figure: boolean } {
  const { contextWindow, compactAt } = view.head;
  // A service may count anything.
  const contextTokens = view.head.contextTokens === null ? null : Math.max(0, view.head.contextTokens);
  const budget = contextWindow === null ? null : contextWindow * (compactAt ?? 1);
  const last = view.transcript.items.findLast(
    (item) => item.kind === 'compaction' || item.kind === 'assistant' || item.kind === 'call',
  );
  if (last?.kind === 'compaction') {
    // What it won stays what it was, whatever budget is chosen later.
    const then = last.budget === undefined ? budget : last.budget;
    if (then === null || last.tokensBefore === null || last.tokensAfter === null)
      return { words: 'compacted', figure: false };
    const won = Math.max(0, Math.round(((last.tokensBefore - last.tokensAfter) / then) * 100));
    return { words: `compacted, about ${won}% won back`, figure: true };
  }
  if (contextTokens === null) return { words: 'context not measured yet', figure: false };
  if (budget === null || budget <= 0)
    return { words: `context ${count(contextTokens)} tokens, window unknown`, figure: true };
  return { words: `context ${Math.min(100, Math.round((contextTokens / budget) * 100))}%`, figure: true };
}
