import type { Effort, PermissionMode } from '../../protocol/message.ts';
import { findCommand } from '../commands/command-table.ts';
import { factsOf, isRunning } from '../commands/facts.ts';
import { isVi } from './editing.ts';
import { goToCall } from './go-to-call.ts';
import { openConnect } from './modals/connect-provider-keys.ts';
import { openHistory } from './modals/history.ts';
import { editingPicker, modePicker, openPicker, themePicker } from './modals/picker.ts';
import { openQueue } from './modals/queue-editor.ts';
import { openReader } from './modals/reader.ts';
import { rewindList } from './modals/rewind.ts';
import { runningList } from './modals/running.ts';
import { sessionsList } from './modals/sessions.ts';
import { threadsList } from './modals/threads.ts';
import { treeList } from './modals/tree.ts';
import { openUsage } from './modals/usage.ts';
import { openCard, replyText } from './open-card.ts';
import { pin, toggle, toggleColumn, toggleTrail } from './panels/update-panels.ts';
import { recall, runPromptAction } from './prompt-actions.ts';
import { isBlank } from './prompt-state.ts';
import { readShown } from './read-thread.ts';
import { FOLLOW, scrollBy, scrollToTop, topOf } from './regions/transcript-scroll.ts';
import { type Screen, withNote } from './screen.ts';
import type { Context } from './screen-event.ts';
import { cancelling, resumeSession, sendCommand } from './send-command.ts';
import { noted, type Step, stay, step } from './step.ts';
import { transcriptRows } from './transcript-rows.ts';
import { discardLost, recallLost } from './update-delegates.ts';
import { jobsCommand, watchCommand } from './update-jobs.ts';
import { openSettings } from './update-settings.ts';

type Run = (screen: Screen, context: Context, argument: string) => Step;

/**
 * What each command of the table does here, by its name: one entry there, one function here. A command that cannot run
 * says why.
 */
export function runCommand(screen: Screen, context: Context, name: string, argument: string): Step {
  const whyNot = findCommand(name)?.whyNot?.(factsOf(context.view, !isBlank(screen.prompt))) ?? null;
  if (whyNot !== null) return noted(screen, whyNot);
  const run = RUNS[name];
  return run === undefined ? runPromptAction(screen, context, name) : run(screen, context, argument);
}

const MODES: readonly PermissionMode[] = ['ask', 'edits', 'plan', 'bypass'];
const EFFORTS: readonly Effort[] = ['low', 'medium', 'high', 'xhigh', 'max', 'default'];

const RUNS: Readonly<Record<string, Run>> = {
  help: (screen) => {
    const top = screen.modals.at(-1);
    if (top?.kind === 'scroller' && top.body.kind === 'help')
      return stay({ ...screen, modals: screen.modals.slice(0, -1) });
    return stay(withModal(screen, { kind: 'scroller', title: 'Help', body: { kind: 'help' }, top: 0, search: null }));
  },
  quit: (screen) => step(screen, { kind: 'leave', how: 'quit' }),
  detach: (screen) => step(screen, { kind: 'leave', how: 'detach' }),
  switch: (screen, _context, argument) => {
    if (argument === '') return step(withModal(screen, runningList()), { kind: 'read-hosts' });
    const prompt = /^new\s+(\S.*)$/s.exec(argument)?.[1];
    return step(screen, prompt === undefined ? { kind: 'switch', to: argument } : { kind: 'start-session', prompt });
  },
  restart: (screen) => step(screen, { kind: 'restart-host' }),
  update: (screen) => step(withNote(screen, 'Looking for a newer release'), { kind: 'update' }),
  suspend: (screen) => step(screen, { kind: 'suspend' }),
  redraw: (screen) => step(screen, { kind: 'redraw' }),
  reload: (screen) => {
    const sent = sendCommand(screen, 'reload', '');
    return step(sent.screen, { kind: 'read-look' }, ...sent.effects);
  },
  status: (screen) => step(screen, { kind: 'read-status' }),
  usage: (screen) => step(openUsage(screen), { kind: 'read-usage' }),
  tree: (screen, context, argument) => {
    if (argument !== '') return sendCommand(screen, 'tree', argument);
    const busy = isRunning(context.view) || context.view.queue.rows.length > 0;
    return step(withModal(screen, treeList(busy)), { kind: 'read-tree' });
  },
  new: (screen, { view }) => {
    const { model } = view.head;
    const wish = { kind: 'new', model: model === null ? null : `${model.provider}:${model.model}` } as const;
    return step(withNote(screen, 'Opening a new session'), { kind: 'switch-session', wish });
  },
  resume: (screen, { view }, argument) => {
    if (argument === '') return step(withModal(screen, sessionsList(false)), { kind: 'read-sessions', all: false });
    return resumeSession(screen, view.head.session, argument);
  },
  fork: (screen, { view }) =>
    step(withNote(screen, 'Copying this session'), {
      kind: 'switch-session',
      wish: { kind: 'fork', id: view.head.session },
    }),
  btw: (screen, context, argument) =>
    argument === ''
      ? readShown(screen, withModal(screen, threadsList(context.view.asides, context.now)), context)
      : sendCommand(screen, 'btw', argument),
  rewind: (screen, _context, argument) =>
    argument === ''
      ? step(withModal(screen, rewindList()), { kind: 'read-rewind' })
      : sendCommand(screen, 'rewind', argument),
  theme: (screen, _context, argument) => {
    if (argument === '') return stay(openPicker(screen, themePicker(screen)));
    if (argument !== 'auto' && argument !== 'dark' && argument !== 'light')
      return noted(screen, `No theme ${argument}: auto, dark or light`, 'warning');
    return stay({ ...screen, themeChoice: argument });
  },
  config: (screen, _context, argument) => {
    if (argument === '') return stay(openPicker(screen, editingPicker(screen)));
    const vi = isVi(argument);
    if (!vi && !/^(?:ordinary|emacs)$/i.test(argument))
      return noted(screen, `No editing ${argument}: ordinary or vi`, 'warning');
    return step(screen, { kind: 'choose-editing', vi });
  },
  model: (screen, _context, argument) => {
    if (argument === '') {
      const loading = openPicker(screen, {
        kind: 'picker',
        title: 'Model',
        purpose: { kind: 'model' },
        items: null,
        filter: '',
        cursor: 0,
      });
      return step(loading, { kind: 'read-models' });
    }
    const colon = argument.indexOf(':');
    const plus = argument.lastIndexOf('+');
    const effort = plus > colon && isEffort(argument.slice(plus + 1)) ? (argument.slice(plus + 1) as Effort) : null;
    const model = effort === null ? argument : argument.slice(0, plus);
    if (colon <= 0 || model.endsWith(':')) return noted(screen, 'A model is written provider:model', 'warning');
    const ref = { provider: model.slice(0, colon), model: model.slice(colon + 1) };
    return step(screen, { kind: 'send', intent: { type: 'set-model', model: ref, effort } });
  },
  login: openConnect,
  settings: openSettings,
  side: (screen) => {
    if (screen.modals.some(({ kind }) => kind === 'side')) return stay(screen);
    return step(withModal(screen, { kind: 'side' }), { kind: 'open-side' });
  },
  effort: (screen, context, argument) => {
    if (argument === '') return stay(openPicker(screen, effortPicker(context.view.head.effort)));
    if (!isEffort(argument)) return noted(screen, `No level ${argument}: ${EFFORTS.join(', ')}`, 'warning');
    return step(screen, { kind: 'send', intent: { type: 'set-model', model: null, effort: argument } });
  },
  'next-agent': (screen) => step(screen, { kind: 'send', intent: { type: 'cycle-agent' } }),
  'effort-up': (screen) => step(screen, { kind: 'send', intent: { type: 'adjust-effort', by: 1 } }),
  'effort-down': (screen) => step(screen, { kind: 'send', intent: { type: 'adjust-effort', by: -1 } }),
  mode: (screen, context, argument) => {
    if (argument === '') return stay(openPicker(screen, modePicker(context.view.head)));
    const mode = MODES.find((each) => each === argument && (each !== 'bypass' || context.view.head.bypassOffered));
    if (mode === undefined) return noted(screen, `No mode ${argument}: ask, edits or plan`, 'warning');
    return step(screen, { kind: 'send', intent: { type: 'set-mode', mode } });
  },
  'next-mode': (screen, context) => {
    const offered = MODES.filter((each) => each !== 'bypass' || context.view.head.bypassOffered);
    const at = offered.indexOf(context.view.head.mode);
    return step(screen, { kind: 'send', intent: { type: 'set-mode', mode: offered[(at + 1) % offered.length]! } });
  },
  copy: (screen, context, argument) => {
    if (argument !== '' && !/^[1-9][0-9]*$/.test(argument))
      return noted(screen, 'Which reply: 1 is the last one', 'warning');
    const text = replyText(context, argument === '' ? 1 : Number(argument));
    return text === null ? noted(screen, 'No such reply here', 'warning') : copyText(screen, text);
  },
  expand: (screen) => stay({ ...screen, expandAll: true, toggled: new Set() }),
  collapse: (screen) => stay({ ...screen, expandAll: false, toggled: new Set() }),
  recall: takeBack,
  'queue-resume': (screen) => step(screen, { kind: 'send', intent: { type: 'queue-resume' } }),
  'queue-discard': (screen, context) =>
    discardLost(screen, context) ??
    stay(
      withModal(screen, {
        kind: 'confirm',
        title: 'Discard what waits?',
        text: `${context.view.queue.rows.length} waiting, none of it will be sent.`,
        yes: 'Discard',
        action: { kind: 'discard-queue' },
      }),
    ),
  queue: (screen, context) => stay(withModal(screen, openQueue(context.view))),
  retry: (screen) => step(screen, { kind: 'send', intent: { type: 'retry' } }),
  background: (screen, context) => {
    const job = context.view.jobs.find((each) => each.state === 'running' && !each.background);
    return job === undefined
      ? stay(screen)
      : step(screen, { kind: 'send', intent: { type: 'job', job: job.id, action: 'background' } });
  },
  jobs: jobsCommand,
  watch: watchCommand,
  history: (screen, context) => {
    if (screen.prompt.sent.length === 0) return stay(screen);
    return stay(withModal(screen, openHistory(screen.prompt, screen.workspace, context.textLayout, 'all')));
  },
  scroller: (screen, context) => {
    const { view, cards, layout } = context;
    if (cards.count(view) === 0) return noted(screen, 'The transcript is empty');
    const top = topOf({ ...context, screen }, transcriptRows(layout));
    return stay(withModal(screen, openReader(view, cards, layout, top)));
  },
  open: openCard,
  'panel-tree': (screen, context) => toggle(screen, context, 'tree'),
  'panel-files': (screen, context) => toggle(screen, context, 'files'),
  'panel-summary': (screen, context) => toggle(screen, context, 'summary'),
  pin,
  panel: toggleColumn,
  trail: toggleTrail,
  'page-up': (screen, context) => scrolled(screen, context, -Math.max(1, transcriptRows(context.layout) - 2)),
  'page-down': (screen, context) => scrolled(screen, context, Math.max(1, transcriptRows(context.layout) - 2)),
  top: (screen, context) =>
    stay({ ...screen, scroll: scrollToTop({ ...context, screen }, transcriptRows(context.layout)) }),
  bottom: (screen) => stay({ ...screen, scroll: FOLLOW }),
  'first-failed': (screen, context) => goToCall(screen, context, 'first-failed'),
  'first-running': (screen, context) => goToCall(screen, context, 'first-running'),
};

/** Alt-C: what waits comes back into the box; else what runs is stopped; else the cards fold. It never sends (KY-1, KY-10). */
function takeBack(screen: Screen, context: Context): Step {
  const lost = recallLost(screen, context);
  if (lost !== null) return lost;
  if (context.view.queue.rows.length > 0) return recall(screen, context);
  if (isRunning(context.view) || screen.unanswered > 0) return step(screen, cancelling('go-on'));
  return runCommand(screen, context, 'collapse', '');
}

function isEffort(text: string): text is Effort {
  return EFFORTS.some((effort) => effort === text);
}

function effortPicker(current: Effort): Parameters<typeof openPicker>[1] {
  const items = EFFORTS.map((effort) => ({
    value: effort,
    label: effort === 'default' ? 'no level: as the service has it' : effort,
    detail: '',
    current: effort === current,
  }));
  return {
    kind: 'picker',
    title: 'How hard the model thinks',
    purpose: { kind: 'effort' },
    items,
    filter: '',
    cursor: items.findIndex((item) => item.current),
  };
}

export function withModal(screen: Screen, modal: Screen['modals'][number]): Screen {
  return { ...screen, modals: [...screen.modals, modal], completion: null, keyList: false };
}

export function scrolled(screen: Screen, context: Context, rows: number): Step {
  return stay({ ...screen, scroll: scrollBy({ ...context, screen }, rows, transcriptRows(context.layout)) });
}

/** Clipboard text above this is offered as a file: terminals drop longer ones without a word (UP-17). */
const CLIPBOARD_LIMIT = 100 * 1024;

export function copyText(screen: Screen, text: string): Step {
  if (text.length <= CLIPBOARD_LIMIT) return step(withNote(screen, 'Sent to the clipboard'), { kind: 'copy', text });
  return stay(
    withModal(screen, {
      kind: 'confirm',
      title: 'Too long for the clipboard',
      text: `${Math.round(text.length / 1024)} KB: terminals drop that much. Write it to a private file instead?`,
      yes: 'Write a file',
      action: { kind: 'copy-to-file', text },
    }),
  );
}
