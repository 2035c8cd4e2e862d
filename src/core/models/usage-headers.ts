import type { QuotaWindow } from '../../protocol/usage.ts';

/**
 * What services say of an allowance in the headers of every answer. One table; a header nobody sends is one that does
 * nothing. Percentages are of what is used.
 */
interface Family {
  read(headers: Headers, now: number): QuotaWindow[];
}

/** A subscription: `anthropic-ratelimit-unified-5h-utilization: 0.42`, with the end of the window beside it. */
const ANTHROPIC_UNIFIED: Family = {
  read: (headers) =>
    (
      [
        ['5h', '5h'],
        ['7d', 'w'],
      ] as const
    ).flatMap(([span, name]) => {
      const used = numberOf(headers, `anthropic-ratelimit-unified-${span}-utilization`);
      const resets = numberOf(headers, `anthropic-ratelimit-unified-${span}-reset`);
      return used === null
        ? []
        : [{ name, used: percent(used * 100), resetsAt: resets === null ? null : resets * 1000 }];
    }),
};

/** A subscription: `x-codex-primary-used-percent: 72`, its length in minutes and its end in seconds beside it. */
const CODEX: Family = {
  read: (headers, now) =>
    (['primary', 'secondary'] as const).flatMap((which) => {
      const of = (what: string) => numberOf(headers, `x-codex-${which}-${what}`);
      const used = of('used-percent');
      if (used === null) return [];
      const at = of('reset-at');
      const after = of('reset-after-seconds');
      const resetsAt = at !== null ? at * 1000 : after === null ? null : now + after * 1000;
      return [{ name: windowName((of('window-minutes') ?? 0) * 60, which), used: percent(used), resetsAt }];
    }),
};

/** A key: `anthropic-ratelimit-requests-limit`, `-remaining`, and the end as a date. */
const ANTHROPIC: Family = {
  read: (headers) =>
    ['requests', 'tokens', 'input-tokens', 'output-tokens'].flatMap((what) => {
      const of = (which: string) => `anthropic-ratelimit-${what}-${which}`;
      const reset = Date.parse(headers.get(of('reset')) ?? '');
      return counted(headers, what, of('limit'), of('remaining'), Number.isNaN(reset) ? null : reset);
    }),
};

/** A key: `x-ratelimit-limit-requests`, `x-ratelimit-remaining-requests`, and how long until the end, `6m0s`. */
const OPENAI: Family = {
  read: (headers, now) =>
    ['requests', 'tokens'].flatMap((what) => {
      const left = spanOf(headers.get(`x-ratelimit-reset-${what}`));
      const resetsAt = left === null ? null : now + left;
      return counted(headers, what, `x-ratelimit-limit-${what}`, `x-ratelimit-remaining-${what}`, resetsAt);
    }),
};

const FAMILIES: readonly Family[] = [ANTHROPIC_UNIFIED, CODEX, ANTHROPIC, OPENAI];

/** Every window these headers speak of; empty when they speak of none. */
export function quotaWindows(headers: Headers, now: number): QuotaWindow[] {
  return FAMILIES.flatMap((family) => family.read(headers, now));
}

/** Milliseconds until the last window that is used up is over; null when none is, or nobody says when. */
export function limitLifted(headers: Headers, now: number): number | null {
  const ends = quotaWindows(headers, now).flatMap(({ used, resetsAt }) =>
    used >= 100 && resetsAt !== null && resetsAt > now ? [resetsAt - now] : [],
  );
  return ends.length === 0 ? null : Math.max(...ends);
}

const HOUR = 3_600;

/** `w` for a week, `5h` for five hours, else as long as it is; `otherwise` where nobody says. */
export function windowName(seconds: number, otherwise: string): string {
  if (seconds <= 0) return otherwise;
  const hours = Math.round(seconds / HOUR);
  if (hours === 168) return 'w';
  if (hours >= 48 && hours % 24 === 0) return `${hours / 24}d`;
  return hours >= 1 ? `${hours}h` : `${Math.max(1, Math.round(seconds / 60))}m`;
}

export function percent(value: number): number {
  return Math.max(0, Math.min(100, Math.round(value)));
}

function counted(
  headers: Headers,
  name: string,
  limit: string,
  remaining: string,
  resetsAt: number | null,
): QuotaWindow[] {
  const most = numberOf(headers, limit);
  const left = numberOf(headers, remaining);
  if (most === null || left === null || most <= 0) return [];
  return [{ name, used: percent(((most - left) / most) * 100), resetsAt }];
}

function numberOf(headers: Headers, name: string): number | null {
  const text = headers.get(name)?.trim() ?? '';
  return /^\d{1,15}(\.\d+)?$/.test(text) ? Number(text) : null;
}

const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Milliseconds of `1s`, `6m0s`, `120ms`; null for anything else. */
function spanOf(text: string | null): number | null {
  if (text === null || !/^(?:\d+(?:\.\d+)?(?:ms|[smhd]))+$/.test(text)) return null;
  let sum = 0;
  for (const [, amount, unit] of text.matchAll(/(\d+(?:\.\d+)?)(ms|[smhd])/g)) sum += Number(amount) * UNITS[unit!]!;
  return Math.ceil(sum);
}
