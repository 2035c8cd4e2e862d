import { isAnswered, isRunningAside } from '../../protocol/aside.ts';
import type { Intent } from '../../protocol/intent.ts';
import { isRunning } from '../commands/facts.ts';
import { type ListModal, type ListRow, withRows } from './modals/list.ts';
import type { ConfirmModal } from './modals/modal.ts';
import { sessionsList } from './modals/sessions.ts';
import { threadRows, threadsList, threadText } from './modals/threads.ts';
import { withAnswer } from './open-card.ts';
import { isBlank, plainLine, withText } from './prompt-state.ts';
import { readThread } from './read-thread.ts';
import { copyText } from './run-command.ts';
import { type Screen, withNote } from './screen.ts';
import type { Context } from './screen-event.ts';
import { resumeSession, sendCommand } from './send-command.ts';
import { noted, type Step, stay, step } from './step.ts';
import { doOfJobs } from './update-jobs.ts';

/** The rows a list waited for are here. */
export function listArrived(screen: Screen, of: ListModal['of'], rows: readonly ListRow[]): Screen {
  const modals = screen.modals.map((modal) =>
    modal.kind === 'list' && modal.of === of && modal.rows === null ? withRows(modal, rows) : modal,
  );
  return { ...screen, modals };
}

/** What a key of the list does with the chosen row; the list is closed already. */
export function doOfList(screen: Screen, context: Context, modal: ListModal, does: string, row: ListRow): Step {
  switch (modal.of) {
    case 'tree':
      return doOfTree(screen, context, does, row);
    case 'rewind':
      // What is left was seen above: it is not asked about again.
      return sendCommand(screen, 'rewind', `${row.value} ${does} rest`);
    case 'jobs':
      return doOfJobs(screen, context, does, row);
    case 'threads':
      return doOfThread(screen, context, does, row);
    case 'sessions':
      return doOfSession(screen, context, does, row);
    case 'running':
      return doOfRunning(screen, does, row);
  }
}

function doOfRunning(screen: Screen, does: string, row: ListRow): Step {
  switch (does) {
    case 'new':
      return step(screen, { kind: 'switch', to: 'new' });
    case 'stop': {
      // The second press: what runs there ends with it.
      const sure: ConfirmModal = {
        kind: 'confirm',
        title: 'Stop this session?',
        text: `${row.text}: what runs there is stopped. It can be resumed.`,
        yes: 'Stop it',
        action: { kind: 'stop-session', session: row.value },
      };
      return stay({ ...screen, modals: [...screen.modals, sure] });
    }
    default:
      return row.here ? noted(screen, 'This window shows it already') : step(screen, { kind: 'switch', to: row.value });
  }
}

function doOfTree(screen: Screen, context: Context, does: string, row: ListRow): Step {
  const { view } = context;
  const busy = isRunning(view) || view.queue.rows.length > 0;
  switch (does) {
    case 'summary':
      return sendCommand(screen, 'tree', `${row.value} summary`);
    case 'bring':
      return sendCommand(screen, 'bring', row.value);
    case 'label': {
      const prompt = withText(screen.prompt, plainLine(`/label ${row.value} `));
      return prompt === null ? noted(screen, 'Too long for the prompt') : stay({ ...screen, prompt, focus: 'prompt' });
    }
    default:
      return busy
        ? sendCommand(screen, 'tree', row.value)
        : step(screen, { kind: 'send', intent: { type: 'navigate', entry: row.value, edit: true } });
  }
}

function doOfSession(screen: Screen, { view }: Context, does: string, row: ListRow): Step {
  switch (does) {
    case 'all':
    case 'project': {
      const all = does === 'all';
      const modals = [...screen.modals, sessionsList(all)];
      return step({ ...screen, modals }, { kind: 'read-sessions', all });
    }
    case 'fork':
      return step(withNote(screen, 'Copying that session'), {
        kind: 'switch-session',
        wish: { kind: 'fork', id: row.value },
      });
    default:
      return resumeSession(screen, view.head.session, row.value);
  }
}

function doOfThread(screen: Screen, { view }: Context, does: string, row: ListRow): Step {
  const id = Number(row.value);
  const aside = view.asides.find((one) => one.id === id);
  if (aside === undefined) return noted(screen, 'That question is gone');
  switch (does) {
    case 'read':
      return readThread(withAnswer(screen, threadText(aside)), id, aside.unread === true);
    case 'copy':
      return copyText(screen, aside.exchanges.findLast(isAnswered)?.answer ?? '');
    case 'reply': {
      const prompt = withText(screen.prompt, plainLine(`/btw #${id} `));
      return prompt === null ? noted(screen, 'Too long for the prompt') : stay({ ...screen, prompt, focus: 'prompt' });
    }
    default: {
      const ref = `${screen.refPrefix}${screen.nextRef}`;
      const action = does as Extract<Intent, { type: 'aside' }>['action'];
      return step(
        { ...screen, nextRef: screen.nextRef + 1 },
        { kind: 'send', intent: { type: 'aside', id, action, ref } },
      );
    }
  }
}

/** The threads moved: the open list shows them as they are; an answer that came opens it where nothing is in its way (VIEW-9). */
export function followAsides(before: Screen, context: Context): Screen {
  const { asides } = context.view;
  const running = new Set(asides.filter(isRunningAside).map(({ id }) => id));
  const answered = asides.find((one) => {
    const last = one.exchanges.at(-1);
    return (one.teller ?? one.client) === before.client && before.asking.has(one.id) && last?.state === 'answered';
  });
  const screen: Screen = { ...before, asking: running };
  const open = screen.modals.some((modal) => modal.kind === 'list' && modal.of === 'threads');
  if (open) {
    const modals = screen.modals.map((modal) =>
      modal.kind === 'list' && modal.of === 'threads' ? { ...modal, rows: threadRows(asides, context.now) } : modal,
    );
    return { ...screen, modals };
  }
  const quiet = screen.modals.length === 0 && screen.focus === 'prompt' && isBlank(screen.prompt);
  if (answered === undefined) return screen;
  if (!quiet) return withNote(screen, `#${answered.id} is answered: /btw shows it`);
  return { ...screen, modals: [threadsList(asides, context.now, answered.id)], completion: null, keyList: false };
}
