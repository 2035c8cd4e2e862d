import type { JobFacts } from './jobs.ts';

/** `240ms`, `3.2s`, `4m05s`, `2h03m` (SC-29.4). */
export function durationText(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)}ms`;
  if (ms < 60_000) return `${(Math.floor(ms / 100) / 10).toFixed(1)}s`;
  const minutes = Math.floor(ms / 60_000);
  const two = (value: number): string => String(value).padStart(2, '0');
  return minutes < 60
    ? `${minutes}m${two(Math.floor(ms / 1000) % 60)}s`
    : `${Math.floor(minutes / 60)}h${two(minutes % 60)}m`;
}

/** `stopped`, `running`, or `exit N`. */
export function outcomeText(job: Pick<JobFacts, 'state' | 'exit'>): string {
  if (job.state === 'stopped') return 'stopped';
  if (job.state !== 'ended') return job.state;
  return job.exit === null ? 'ended, exit status unknown' : `exit ${job.exit}`;
}

/** Stopped, or with another status than 0. */
export function isFailed({ state, exit }: Pick<JobFacts, 'state' | 'exit'>): boolean {
  return state === 'stopped' || (state === 'ended' && exit !== 0);
}

const MOST_LABEL = 80;
const MOST_COMMAND = 60;

export function labelOf(purpose: string, command: string): string {
  return clip(purpose.trim() === '' ? command : purpose, MOST_LABEL);
}

/** One line for a list: what it is, how it stands, and its command. */
export function summaryOf(job: JobFacts, now: number): string {
  const elapsed = durationText((job.ended ?? now) - job.started);
  const label = labelOf(job.purpose, job.command);
  const command = clip(job.command, MOST_COMMAND);
  const parts = [
    outcomeText(job),
    elapsed,
    ...(label === command ? [] : [command]),
    ...(job.adopted ? ['adopted'] : []),
  ];
  return `${job.id}  ${label}  (${parts.join(' · ')})`;
}

function clip(text: string, most: number): string {
  const line = text.trim().replace(/\s+/g, ' ');
  return line.length <= most ? line : `${line.slice(0, most - 1).toWellFormed()}…`;
}
