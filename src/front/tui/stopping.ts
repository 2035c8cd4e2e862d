import { isRunningAside } from '../../protocol/aside.ts';
import { NOTHING_STANDS } from '../../protocol/standing.ts';
import { isRunning } from '../commands/facts.ts';
import { selectionOf } from './editor/editor.ts';
import { selectedText as selectedDraft } from './editor/editor-state.ts';
import { ghostOf } from './ghost.ts';
import type { InputEvent } from './input/event.ts';
import { escapePanel } from './panels/update-panels.ts';
import { isBlank, withText } from './prompt-state.ts';
import { isEmpty, selectedText } from './regions/selection.ts';
import { copyText } from './run-command.ts';
import type { ExitOffer, Screen } from './screen.ts';
import type { Context } from './screen-event.ts';
import { cancelling } from './send-command.ts';
import { type Step, stay, step } from './step.ts';
import { viEscapeKey } from './update-vi.ts';

type KeyEvent = Extract<InputEvent, { type: 'key' }>;

/** An offer that came with clearing a draft is not taken up by the second half of a double press (UP-14). */
const AFTER_CLEARING = 1000;

/** A turn runs, or something said from here is on its way to run (INV-3). */
export function isBusy(screen: Screen, context: Context): boolean {
  return isRunning(context.view) || screen.unanswered > 0;
}

/**
 * Ctrl-C, topmost first: copy a selection, stop what runs, clear the line and offer the exit, offer the exit, leave
 * (STOP-2). `offer` is the one that stood before this press. Leaving needs a press of its own, alone in its read (STOP-4).
 */
export function interrupt(screen: Screen, context: Context, event: KeyEvent, offer: ExitOffer | null): Step {
  const { selection, prompt } = screen;
  if (selection !== null && !isEmpty(selection)) {
    return copyText({ ...screen, selection: null }, selectedText(context.view, context.cards, selection));
  }
  if (selectionOf(prompt.editor.buffer) !== null) return copyText(screen, selectedDraft(prompt.editor) ?? '');
  const asking = context.view.asides.some(isRunningAside);
  const standing = context.view.head.standing ?? NOTHING_STANDS;
  const checking = standing.goal?.state === 'checking';
  if (isBusy(screen, context) || asking || checking) return step(screen, cancelling('pause'));
  if (!isBlank(prompt) || prompt.shell !== 'off') {
    const exit = event.alone ? { read: event.read, notBefore: context.now + AFTER_CLEARING } : null;
    return stay({ ...cleared(screen), exit });
  }
  // The loop or the goal, then what is watched; only then leaving (STOP-11).
  if (standing.loop !== null || standing.goal !== null || standing.watches.length > 0)
    return step(screen, cancelling('pause'));
  return leaveOrOffer(screen, context, event, offer);
}

/** Ctrl-D on an empty box: offer, then leave. */
export function leaveOrOffer(screen: Screen, context: Context, event: KeyEvent, offer: ExitOffer | null): Step {
  // A press that came with other input says nothing about leaving.
  if (!event.alone) return stay(screen);
  const taken = offer !== null && event.read !== offer.read && context.now >= offer.notBefore;
  if (taken) return step(screen, { kind: 'leave', how: 'quit' });
  return stay({ ...screen, exit: { read: event.read, notBefore: offer?.notBefore ?? 0 } });
}

/**
 * Esc, nearest first: what is offered, a selection, focus, shell mode, the running turn, the half-typed line (kept in
 * undo). It never leaves (STOP-1), and stopping never touches the draft.
 */
export function stepBack(screen: Screen, context: Context): Step {
  if (screen.completion !== null || screen.keyList) return stay({ ...screen, completion: null, keyList: false });
  if (screen.selection !== null) return stay({ ...screen, selection: null });
  const vi = viEscapeKey(screen, context);
  if (vi !== null) return vi;
  const idle = !isBusy(screen, context);
  if (idle && ghostOf(screen) !== '')
    return stay({ ...screen, ghostHidden: screen.prompt.editor.buffer.text.toString() });
  const closed = screen.panels.stack.open.length === 0 ? null : escapePanel(screen, context);
  if (closed !== null) return closed;
  if (screen.focus !== 'prompt') return stay({ ...screen, focus: 'prompt' });
  if (screen.prompt.shell !== 'off')
    return stay({ ...screen, prompt: { ...screen.prompt, shell: 'off', unsaved: true } });
  if (isBusy(screen, context) || context.view.head.standing?.goal?.state === 'checking')
    return step(screen, cancelling('go-on'));
  // With vi editing Escape leaves the line as it is: Ctrl-C discards it (VI-2).
  return stay(screen.prompt.vi === null ? cleared(screen) : screen);
}

/** The line is gone from the box, and one undo brings it back. */
function cleared(screen: Screen): Screen {
  const empty = withText(screen.prompt, { text: '', caret: 0, anchor: null, atoms: [] });
  return empty === null ? screen : { ...screen, prompt: { ...empty, shell: 'off', walk: null }, completion: null };
}
