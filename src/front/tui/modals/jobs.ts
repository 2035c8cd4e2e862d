import type { JobRow } from '../../../protocol/view.ts';
import { clockTime } from '../figures.ts';
import { type ListModal, type ListRow, withRows } from './list.ts';

/** `/jobs`, and Ctrl-L where there is more than one: every command in its own row, in the order they were started (VIEW-2). */
export function jobsList(jobs: readonly JobRow[], now: number, at: string | null = null): ListModal {
  const list: ListModal = {
    kind: 'list',
    of: 'jobs',
    title: 'Commands',
    rows: null,
    cursor: 0,
    filter: null,
    keys: [
      { chord: 'enter', label: 'Enter', words: 'Watch', does: 'watch' },
      { chord: 't', label: 't', words: 'Take over', does: 'drive' },
      { chord: 'x', label: 'x', words: 'Stop', does: 'stop' },
      { chord: 'shift-x', label: 'X', words: 'Stop all', does: 'stop-all' },
      { chord: 'd', label: 'd', words: 'Forget', does: 'remove' },
    ],
    none: 'No command runs, and none ran in the background',
  };
  const rows = jobRows(jobs, now);
  const cursor = rows.findIndex(({ value }) => value === at);
  return { ...withRows(list, rows), cursor: cursor >= 0 ? cursor : Math.max(0, rows.length - 1) };
}

export function jobRows(jobs: readonly JobRow[], now: number): ListRow[] {
  return jobs.map((job) => {
    const place = job.background ? 'background' : 'awaited';
    const facts = [jobState(job), clockTime(Math.max(0, (job.ended ?? now) - job.started))];
    const kinds = [
      place,
      ...(job.terminal === true ? ['terminal'] : []),
      ...(job.adopted === true ? ['taken over'] : []),
    ];
    return {
      value: job.id,
      indent: 0,
      here: job.state === 'running',
      mark: `${jobMark(job)} ${job.id}`,
      text: job.label,
      detail: [...facts, ...kinds].join(' · '),
      below: job.label === job.command ? '' : `$ ${job.command}`,
    };
  });
}

/** In words; how it ended only from its exit status. */
export function jobState({ state, exit, note = '' }: JobRow): string {
  switch (state) {
    case 'running':
      return 'running';
    case 'stopping':
      return 'being stopped';
    case 'stopped':
      return note === '' ? 'stopped' : note;
    case 'ended':
      return exit === null ? 'ended, exit status unknown' : `exit ${exit}`;
  }
}

/** Went well, went wrong, or goes on: the same three a delegate has (VIEW-8). */
export function jobMark({ state, exit }: JobRow): string {
  if (state === 'running' || state === 'stopping') return '…';
  return state === 'ended' && exit === 0 ? '✓' : '✗';
}

/** The one a name stands for: `j1`, `1` or `job:1`; null for none. */
export function findJob(jobs: readonly JobRow[], name: string): JobRow | null {
  const number = /^(?:job:|j)?(\d+)$/.exec(name.trim())?.[1];
  return number === undefined ? null : (jobs.find(({ id }) => id === `j${Number(number)}`) ?? null);
}
