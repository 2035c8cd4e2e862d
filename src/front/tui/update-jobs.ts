import type { JobRow } from '../../protocol/view.ts';
import type { InputEvent } from './input/event.ts';
import { chordOf } from './input/event.ts';
import { DELEGATE_VALUE, findJob, jobsList, watchedRows } from './modals/jobs.ts';
import type { ListRow } from './modals/list.ts';
import type { Modal } from './modals/modal.ts';
import { modalArea } from './modals/modal-area.ts';
import { keyBytes, pasteBytes } from './modals/terminal-keys.ts';
import { HAND_BACK, openWatch, type WatchModal, watched, watchKey, watchSize } from './modals/watch-job.ts';
import { type Screen, withNote } from './screen.ts';
import type { Context, ScreenEffect, ScreenEvent } from './screen-event.ts';
import { sendCommand } from './send-command.ts';
import { noted, type Step, stay, step } from './step.ts';
import { viewDelegate } from './update-delegates.ts';

type JobAction = 'stop' | 'background' | 'watch' | 'unwatch' | 'remove';

const act = (job: string, action: JobAction): ScreenEffect => ({ kind: 'send', intent: { type: 'job', job, action } });

/** `/jobs …`: the list, one command's view, or a word for the session. */
export function jobsCommand(screen: Screen, context: Context, argument: string): Step {
  const [word = '', name = '', ...rest] = argument.trim().split(/\s+/);
  const { jobs } = context.view;
  if (word === '' || (word === 'list' && name === '')) {
    if (jobs.length === 0) return noted(screen, 'No command runs, and none ran in the background');
    return stay(withTop(screen, jobsList(context.view, context.now)));
  }
  if (word !== 'watch' || rest.length > 0) return sendCommand(screen, 'jobs', argument.trim());
  const job = findJob(jobs, name);
  if (job === null || job.state !== 'running') return sendCommand(screen, 'jobs', argument.trim());
  return watchJob(screen, job, false);
}

/**
 * Ctrl-L: with several the list, with one that one, with none nothing (VIEW-1). Everywhere else the chord draws a spoilt
 * screen anew; so it does here, before anything opens.
 */
export function watchCommand(screen: Screen, context: Context): Step {
  const { jobs, delegates = [] } = context.view;
  const [only] = jobs;
  const opened =
    delegates.length > 0
      ? delegates.length + jobs.length === 1
        ? viewDelegate(screen, delegates[0]!.name, false)
        : stay(withTop(screen, jobsList(context.view, context.now)))
      : only === undefined
        ? stay(screen)
        : jobs.length === 1
          ? watchJob(screen, only, false)
          : stay(withTop(screen, jobsList(context.view, context.now)));
  return { ...opened, effects: [{ kind: 'redraw' }, ...opened.effects] };
}

export function watchJob(screen: Screen, job: JobRow, fromList: boolean, driving = false): Step {
  const area = modalArea({ kind: 'watch' }, screen);
  const modal = openWatch(job, area, fromList, driving);
  return step(withTop(screen, modal), ...(driving ? [sizeOf(modal, screen)] : []), act(job.id, 'watch'));
}

/** What a key of the list does; the list is closed already. */
export function doOfJobs(screen: Screen, context: Context, does: string, row: ListRow): Step {
  if (row.value.startsWith(DELEGATE_VALUE)) return doOfDelegate(screen, context, does, row);
  const job = findJob(context.view.jobs, row.value);
  if (job === null) return noted(screen, 'That command is gone');
  const back = withTop(screen, jobsList(context.view, context.now, job.id));
  switch (does) {
    case 'stop':
    case 'remove':
      return step(back, act(job.id, does));
    case 'stop-all':
      return sendCommand(back, 'jobs', 'stop all');
    case 'drive':
      if (job.terminal !== true || job.state !== 'running')
        return stay(withNote(back, 'It has no terminal: only a command started on one can be taken over'));
      return watchJob(screen, job, true, true);
    default:
      return watchJob(screen, job, true);
  }
}

function doOfDelegate(screen: Screen, context: Context, does: string, { value }: ListRow): Step {
  const name = value.slice(DELEGATE_VALUE.length);
  const back = withTop(screen, jobsList(context.view, context.now, value));
  switch (does) {
    case 'watch':
      return viewDelegate(screen, name, false, true);
    case 'stop':
      return step(back, { kind: 'send', intent: { type: 'stop-delegate', delegate: name } });
    default:
      return stay(withNote(back, 'That is for commands'));
  }
}

/** A key in a command's view; while it is driven, every key but one is the command's. */
export function watchModalKey(
  screen: Screen,
  context: Context,
  modal: WatchModal,
  event: Extract<InputEvent, { type: 'key' }>,
): Step {
  const job = findJob(context.view.jobs, modal.job);
  if (modal.driving && job?.state === 'running') {
    if (chordOf(event.key) === HAND_BACK) return stay(replaced(screen, { ...modal, driving: false }));
    const text = keyBytes(event.key, modal.shown.modes);
    if (text === '') return stay(screen);
    return step(replaced(screen, { ...modal, back: 0 }), typed(modal, text));
  }
  const meant = watchKey(modal, event);
  switch (meant.kind) {
    case 'close':
      return closeWatch(screen, context, modal);
    case 'leave':
      return closeWatch(screen, context, { ...modal, fromList: false });
    case 'modal':
      return stay(replaced(screen, meant.modal));
    case 'stop':
      return job?.state === 'running' ? step(screen, act(modal.job, 'stop')) : stay(screen);
    case 'background':
      return job?.state === 'running' && !job.background ? step(screen, act(modal.job, 'background')) : stay(screen);
    case 'drive': {
      if (job?.terminal !== true || job.state !== 'running')
        return noted(screen, 'It has no terminal: only a command started on one can be taken over');
      const driving = { ...modal, driving: true, back: 0 };
      return step(replaced(screen, driving), sizeOf(driving, screen));
    }
    case 'none':
      return stay(screen);
  }
}

export function watchPaste(screen: Screen, modal: WatchModal, text: string): Step {
  return modal.driving ? step(screen, typed(modal, pasteBytes(text, modal.shown.modes))) : stay(screen);
}

export function watchWheel(screen: Screen, modal: WatchModal, rows: number): Step {
  const back = Math.max(0, Math.min(modal.shown.above.length, modal.back - rows));
  return stay(replaced(screen, { ...modal, back }));
}

/** What a watched command printed is here. */
export function jobPrinted(
  screen: Screen,
  context: Context,
  { job, text, whole }: Extract<ScreenEvent, { type: 'job-output' }>,
): Screen {
  const row = findJob(context.view.jobs, job);
  const modals = screen.modals.map((modal) =>
    modal.kind === 'watch' && modal.job === job ? watched(modal, text, whole, row) : modal,
  );
  return { ...screen, modals };
}

/** The screen has another size now: what is watched is fitted to it, and what is driven is told. */
export function jobsResized(screen: Screen): Step {
  const effects: ScreenEffect[] = [];
  const modals = screen.modals.map((modal): Modal => {
    if (modal.kind !== 'watch') return modal;
    const { columns, rows } = watchSize(modalArea(modal, screen));
    const fitted = { ...modal, shown: modal.shown.resize(columns, rows) };
    if (modal.driving) effects.push(sizeOf(fitted, screen));
    return fitted;
  });
  return effects.length === 0 && modals.length === 0 ? stay(screen) : { screen: { ...screen, modals }, effects };
}

/** The list shows them as they are; a command that ended is driven by nobody any more. */
export function followJobs(screen: Screen, context: Context): Screen {
  if (screen.modals.length === 0) return screen;
  const { jobs } = context.view;
  const modals = screen.modals.map((modal): Modal => {
    if (modal.kind === 'watch' && modal.driving && findJob(jobs, modal.job)?.state !== 'running')
      return { ...modal, driving: false };
    if (modal.kind !== 'list' || modal.of !== 'jobs') return modal;
    // The cursor stays on its row, whatever comes or goes (VIEW-12).
    const at = modal.rows?.[modal.cursor]?.value;
    const rows = watchedRows(context.view, context.now);
    const cursor = rows.findIndex(({ value }) => value === at);
    return { ...modal, rows, cursor: cursor >= 0 ? cursor : Math.max(0, Math.min(modal.cursor, rows.length - 1)) };
  });
  return { ...screen, modals };
}

/** A terminal the person asked for runs now: their keys go to it at once. Null for any other answer. */
export function terminalStarted(
  screen: Screen,
  context: Context,
  { sent }: Extract<ScreenEvent, { type: 'sent' }>,
): Step | null {
  if (!sent.accepted || sent.value?.kind !== 'job') return null;
  const job = findJob(context.view.jobs, sent.value.job);
  return job === null ? null : watchJob(screen, job, false, true);
}

function closeWatch(screen: Screen, context: Context, modal: WatchModal): Step {
  const rest = { ...screen, modals: screen.modals.slice(0, -1) };
  const back = modal.fromList ? withTop(rest, jobsList(context.view, context.now, modal.job)) : rest;
  return step(back, act(modal.job, 'unwatch'));
}

function typed({ job }: WatchModal, text: string): ScreenEffect {
  return { kind: 'send', intent: { type: 'job-input', job, text } };
}

function sizeOf({ job }: WatchModal, screen: Screen): ScreenEffect {
  return { kind: 'send', intent: { type: 'job-size', job, ...watchSize(modalArea({ kind: 'watch' }, screen)) } };
}

function withTop(screen: Screen, modal: Modal): Screen {
  return { ...screen, modals: [...screen.modals, modal], completion: null, keyList: false };
}

function replaced(screen: Screen, modal: Modal): Screen {
  return { ...screen, modals: [...screen.modals.slice(0, -1), modal] };
}
