import type { Intent } from '../../protocol/intent.ts';
import { isRunning } from '../commands/facts.ts';
import { type ListModal, type ListRow, withRows } from './modals/list.ts';
import { plainLine, withText } from './prompt-state.ts';
import type { Screen } from './screen.ts';
import type { Context } from './screen-event.ts';
import { noted, type Step, stay, step } from './step.ts';

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
    case 'threads':
    case 'sessions':
      return stay(screen);
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

export function sendCommand(screen: Screen, name: string, argument: string): Step {
  const ref = `${screen.refPrefix}${screen.nextRef}`;
  const intent: Intent = { type: 'command', ref, name, argument };
  return step({ ...screen, nextRef: screen.nextRef + 1, unanswered: screen.unanswered + 1 }, { kind: 'send', intent });
}
