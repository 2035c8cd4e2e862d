/** What `/loop` was followed by. */
export type LoopLine =
  | { readonly kind: 'report' }
  | { readonly kind: 'stop' }
  | {
      readonly kind: 'start';
      readonly text: string;
      /** Milliseconds between two times; null where the model is to say when to come again. */
      readonly every: number | null;
      /** The interval that was typed lay outside what is possible. */
      readonly clamped: boolean;
    };

const SECOND = 1_000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

export const LEAST_INTERVAL = 5 * SECOND;
export const MOST_INTERVAL = 7 * DAY;

const UNITS: Readonly<Record<string, number>> = { s: SECOND, m: MINUTE, h: HOUR, d: DAY };
/** `20m`, `20 m`, `20 minutes`, `minute`; a letter alone needs its number. */
const TIME = '(?:(\\d{1,6})\\s*([smhd]|sec(?:ond)?s?|min(?:ute)?s?|hours?|days?)|(second|minute|hour|day))';
const LEADING = /^(\d{1,6})([smhd])(?:\s+|$)/i;
const TRAILING = new RegExp(`(?:^|\\s)every\\s+${TIME}$`, 'i');

/**
 * An interval is taken only from the first word (`5m`), else from a final `every …`: "check every PR" and
 * "everything 20m" have none. `stop` counts only as the whole line.
 */
export function parseLoopLine(argument: string): LoopLine {
  const line = argument.trim();
  if (line === '') return { kind: 'report' };
  if (/^stop$/i.test(line)) return { kind: 'stop' };
  const first = LEADING.exec(line);
  const last = first === null ? TRAILING.exec(line) : null;
  const typed =
    first !== null
      ? milliseconds(first[1], first[2] ?? '')
      : last !== null
        ? milliseconds(last[1], last[2] ?? last[3] ?? '')
        : null;
  const text = (first !== null ? line.slice(first[0].length) : last !== null ? line.slice(0, last.index) : line).trim();
  const every = typed === null ? null : Math.min(MOST_INTERVAL, Math.max(LEAST_INTERVAL, typed));
  return { kind: 'start', text, every, clamped: every !== typed };
}

function milliseconds(count: string | undefined, unit: string): number {
  return Number(count ?? 1) * (UNITS[unit[0]?.toLowerCase() ?? ''] ?? MINUTE);
}

/** `5 m`, `1 h 30 m`, `45 s`: at most two units. */
export function spanText(ms: number): string {
  const seconds = Math.round(ms / SECOND);
  const parts = (
    [
      ['d', Math.floor(seconds / 86_400)],
      ['h', Math.floor(seconds / 3_600) % 24],
      ['m', Math.floor(seconds / 60) % 60],
      ['s', seconds % 60],
    ] as const
  ).filter(([, count]) => count > 0);
  return parts.length === 0
    ? '0 s'
    : parts
        .slice(0, 2)
        .map(([unit, count]) => `${count} ${unit}`)
        .join(' ');
}
