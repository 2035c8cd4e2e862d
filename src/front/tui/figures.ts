/** Figures as the screen writes them: short, and padded by whoever needs a fixed width, so that nothing jitters (FO-3). */

/** `950`, `12k`, `1.2M`, `3.4G`: four columns at most. */
export function count(value: number): string {
  const rounded = Math.round(value);
  if (rounded < 1000) return String(rounded);
  if (rounded < 9_950) return `${(rounded / 1000).toFixed(1)}k`;
  if (rounded < 999_500) return `${Math.round(rounded / 1000)}k`;
  if (rounded < 9_950_000) return `${(rounded / 1_000_000).toFixed(1)}M`;
  if (rounded < 999_500_000) return `${Math.round(rounded / 1_000_000)}M`;
  return `${(rounded / 1_000_000_000).toFixed(rounded < 9_950_000_000 ? 1 : 0)}G`;
}

/** `0.4s`, `12s`, `3m04s`, `2h05m` from milliseconds. */
export function duration(ms: number): string {
  const seconds = Math.max(0, ms) / 1000;
  if (seconds < 9.95) return `${seconds.toFixed(1)}s`;
  return clockTime(ms);
}

/** Whole seconds, for a clock that ticks: `0s`, `12s`, `3m04s`, `2h05m`, `4d03h`: six columns for a hundred days. */
export function clockTime(ms: number): string {
  const total = Math.floor(Math.max(0, ms) / 1000);
  if (total < 60) return `${total}s`;
  const minutes = Math.floor(total / 60);
  if (minutes < 60) return `${minutes}m${String(total % 60).padStart(2, '0')}s`;
  const hours = Math.floor(minutes / 60);
  if (hours < 100) return `${hours}h${String(minutes % 60).padStart(2, '0')}m`;
  return `${Math.floor(hours / 24)}d${String(hours % 24).padStart(2, '0')}h`;
}

/** How long ago, in one unit: `now`, `5m`, `3h`, `2d`, `6w`, `1y`. */
export function age(ms: number): string {
  const minutes = Math.floor(Math.max(0, ms) / 60_000);
  if (minutes < 1) return 'now';
  if (minutes < 60) return `${minutes}m`;
  if (minutes < 1440) return `${Math.floor(minutes / 60)}h`;
  const days = Math.floor(minutes / 1440);
  if (days < 14) return `${days}d`;
  return days < 365 ? `${Math.floor(days / 7)}w` : `${Math.floor(days / 365)}y`;
}

/** `$0.00`, `$0.0042`, `$12.30`; an unknown price says so. */
export function money(dollars: number | null): string {
  if (dollars === null) return '$—';
  if (dollars > 0 && dollars < 0.01) return `$${dollars.toFixed(4)}`;
  return `$${dollars.toFixed(2)}`;
}

/** `900 B`, `12 KB`, `3.4 MB`. */
export function bytes(value: number): string {
  if (value < 1024) return `${value} B`;
  if (value < 1024 * 1024) return `${Math.round(value / 1024)} KB`;
  return `${(value / 1024 / 1024).toFixed(1)} MB`;
}

/** `1 line`, `3 lines`. */
export function plural(value: number, one: string, many = `${one}s`): string {
  return `${value} ${value === 1 ? one : many}`;
}
