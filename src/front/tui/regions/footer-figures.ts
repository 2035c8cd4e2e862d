import type { View } from '../../../protocol/view.ts';
import { isRunning } from '../../commands/facts.ts';
import { clockTime, count } from '../figures.ts';
import { facts, type Line, piece } from '../piece.ts';

const BAR_CELLS = 10;

/**
 * The figures on the prompt's lower border, from whole to least: the first that fits is drawn, so that no text is ever
 * clipped and the bar goes first (FO-2, FO-13). Each field has a fixed width (FO-3).
 */
export function footerFigures(view: View, now: number): readonly Line[] {
  const time = sessionTime(view, now);
  const tokens = tokenFigures(view);
  const context = contextFigure(view);
  const window = (view.head.contextWindow === null ? '—' : count(view.head.contextWindow)).padEnd(4);
  const bar = [piece(' '), ...contextBar(view), piece(` ${window}`, 'quiet')];
  const compact = compactFigure(view);
  const long = [piece('Current Ctx: ', 'quiet'), ...context];
  return [
    facts([time, tokens, [...long, ...bar], compact]),
    facts([time, tokens, [piece('Ctx: ', 'quiet'), ...context, ...bar], compact]),
    facts([time, tokens, [...long, piece(` ${window}`, 'quiet')], compact]),
    facts([time, tokens, [piece('Ctx: ', 'quiet'), ...context], compact]),
    facts([time, tokens, [piece('Ctx: ', 'quiet'), ...context]]),
    facts([time.slice(1), tokens, [piece('Ctx: ', 'quiet'), ...context]]),
    facts([time, [piece('Ctx: ', 'quiet'), ...context]]),
    [piece('Ctx: ', 'quiet'), ...context],
    [],
  ];
}

/** What of the figures changes while only a stream goes on: compared before any of them is built. */
export function movingFigures(view: View, now: number): readonly unknown[] {
  const share = contextShare(view);
  const moving = [Math.floor(activeTime(view, now) / 1000), share === null];
  return share === null ? moving : [...moving, percent(share), barCells(share), isNear(view, share)];
}

/** Foreground work of the whole session, ticking while something runs (FO-7, FO-9). */
function sessionTime(view: View, now: number): Line {
  return [piece('Session: ', 'quiet'), piece(clockTime(activeTime(view, now)).padStart(6), 'text')];
}

function activeTime(view: View, now: number): number {
  const { activity, head } = view;
  const open = activity.since !== null && isRunning(view) ? Math.max(0, now - activity.since) : 0;
  return head.activeTime + open;
}

function tokenFigures(view: View): Line {
  const { totals } = view.head;
  const input = totals.input + totals.cacheRead + totals.cacheWrite;
  const share = input > 0 ? `${Math.round((totals.cacheRead / input) * 100)}%` : '—';
  const field = (text: string, name: string, width: number): Line => [
    piece(text.padStart(width), 'text'),
    piece(name, 'quiet'),
  ];
  return [
    ...field(count(input), '(in)', 4),
    piece('│', 'line'),
    ...field(count(totals.output), '(out)', 5),
    piece('│', 'line'),
    ...field(share, '(cache)', 5),
  ];
}

/** Share of the whole window in use, 0-1, what streams in counted by estimate; null while either figure is unknown (FO-13). */
export function contextShare(view: View): number | null {
  const { contextTokens, contextWindow } = view.head;
  if (contextTokens === null || contextWindow === null || contextWindow <= 0) return null;
  return Math.max(0, Math.min(1, (contextTokens + (view.live?.tokens ?? 0)) / contextWindow));
}

function contextFigure(view: View): Line {
  const share = contextShare(view);
  if (share === null) return [piece('  —%', 'quiet')];
  return [piece(`${percent(share)}%`.padStart(4), isNear(view, share) ? 'warn' : 'text')];
}

function percent(share: number): number {
  return Math.round(share * 100);
}

function barCells(share: number): number {
  return Math.round(share * BAR_CELLS);
}

/** Close to where compaction fires. */
function isNear({ head }: View, share: number): boolean {
  return share >= (head.compactAt ?? 0.9) - 0.1;
}

/** `[######..|.]`: what is in use, and `|` where compaction fires (FO-11). */
function contextBar(view: View): Line {
  const share = contextShare(view);
  if (share === null) return [piece(`[${'.'.repeat(BAR_CELLS)}]`, 'quiet')];
  const used = barCells(share);
  const { compactAt } = view.head;
  const mark = compactAt === null ? -1 : Math.min(BAR_CELLS - 1, Math.floor(compactAt * BAR_CELLS));
  const cells: Line = Array.from({ length: BAR_CELLS }, (_, index) =>
    index === mark ? piece('|', 'warn') : index < used ? piece('#', 'signal') : piece('.', 'quiet'),
  );
  return [piece('[', 'quiet'), ...cells, piece(']', 'quiet')];
}

function compactFigure(view: View): Line {
  const { compactAt } = view.head;
  return [piece(compactAt === null ? 'Auto off' : `Compact at ${Math.round(compactAt * 100)}%`, 'quiet')];
}
