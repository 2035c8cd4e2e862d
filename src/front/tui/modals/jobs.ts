import { type DelegateRow, isAtWork } from '../../../protocol/delegate.ts';
import type { JobRow, View } from '../../../protocol/view.ts';
import { clockTime, plural } from '../figures.ts';
import { type ListModal, type ListRow, withRows } from './list.ts';

/** `/jobs`, and Ctrl-L where there is more than one: every command in its own row, in the order they were started (VIEW-2). */
export function jobsList({ jobs, delegates = [] }: Watched, now: number, at: string | null = null): ListModal {
  const list: ListModal = {
    kind: 'list',
    of: 'jobs',
    title: delegates.length === 0 ? 'Commands' : 'Delegates and commands',
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
  const rows = watchedRows({ jobs, delegates }, now);
  const cursor = rows.findIndex(({ value }) => value === at);
  return { ...withRows(list, rows), cursor: cursor >= 0 ? cursor : Math.max(0, rows.length - 1) };
}

/** What can be looked at while it works: of the View. */
export type Watched = Pick<View, 'jobs' | 'delegates'>;

/** What a row of a delegate has for its value in front of the name. */
export const DELEGATE_VALUE = 'delegate:';

/** Delegates, then commands, each in the order they were started (VIEW-2). */
export function watchedRows({ jobs, delegates = [] }: Watched, now: number): ListRow[] {
  return [...delegates.map((row) => delegateListRow(row, now)), ...jobRows(jobs, now)];
}

function delegateListRow(row: DelegateRow, now: number): ListRow {
  const { name, kind, agent, task, state, started, ended, count } = row;
  const mark = isAtWork(row) ? '…' : state === 'reported' ? '✓' : '✗';
  return {
    value: `${DELEGATE_VALUE}${name}`,
    indent: name.split('.').length - 1,
    here: isAtWork(row),
    mark: `${mark} ${name}`,
    text: task.split('\n', 1)[0] ?? '',
    detail: [
      agent ?? kind,
      isAtWork(row) ? 'at work' : state,
      clockTime(Math.max(0, (ended ?? now) - started)),
      plural(count, 'act'),
    ].join(' · '),
    below: row.ending === '' || row.ending === 'reported' ? '' : row.ending,
  };
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
