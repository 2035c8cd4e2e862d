import { findCommand } from '../commands/command-table.ts';
import { accept, enterAccepts, moveCursor } from './completion.ts';
import { applyKey, insertPiece } from './editor/editor-state.ts';
import { ghostOf } from './ghost.ts';
import { chordOf, type InputEvent } from './input/event.ts';
import { askWindow } from './modals/ask.ts';
import { type AskKey, askKey, heldKey } from './modals/ask-keys.ts';
import { currentAsk } from './modals/ask-state.ts';
import { isPanel, panelAfter } from './panels/stack.ts';
import { beyondEdge, edited, unfoldPaste } from './prompt-actions.ts';
import { isBlank } from './prompt-state.ts';
import { runCommand, scrolled } from './run-command.ts';
import type { ExitOffer, Screen } from './screen.ts';
import type { Context } from './screen-event.ts';
import { selectByKey } from './select-by-keys.ts';
import { cancelling } from './send-command.ts';
import { sendPrompt } from './sending.ts';
import { noted, type Step, stay, step } from './step.ts';
import { interrupt, leaveOrOffer, stepBack } from './stopping.ts';
import { modalKey } from './update-modal.ts';
import { abandoned, asEscape, viCommandKey, viTypedKey } from './update-vi.ts';

type KeyEvent = Extract<InputEvent, { type: 'key' }>;

/** One key, asked of the topmost modal first, then of what has the focus, then of the keymap. */
export function updateKey(before: Screen, context: Context, pressed: KeyEvent): Step {
  if (pressed.key.kind === 'release') return stay(before);
  const event = asEscape(before, pressed);
  // An offer to leave is good for the very next press only, and a note speaks of the last one (STOP-3, HINT-7).
  const offer = before.exit;
  const chord = chordOf(event.key);
  const goneTo = before.goneTo?.command === context.keymap.commandOf(chord) ? before.goneTo : null;
  const screen: Screen =
    offer === null && before.note === null && before.goneTo === goneTo
      ? before
      : { ...before, exit: null, note: null, goneTo };
  if (screen.modals.length > 0) return modalKey(screen, context, event);
  if (chord === 'ctrl-c') return interruptQuestion(screen, context) ?? interrupt(screen, context, event, offer);
  const focused = screen.focus === 'question' ? questionKey(screen, context, event) : null;
  if (focused !== null) return focused;
  const inPanel = isPanel(screen.focus) ? (context.panels?.key(screen, context, screen.focus, chord) ?? null) : null;
  if (inPanel !== null) return inPanel;
  const offered = offeredKey(screen, context, chord, event);
  if (offered !== null) return offered;
  const commanded = viCommandKey(screen, context, event);
  if (commanded !== null) return commanded;
  return boundKey(abandoned(screen, event), context, event, chord, offer);
}

/** What the keymap has for the chord; else what has the focus. */
function boundKey(screen: Screen, context: Context, event: KeyEvent, chord: string, offer: ExitOffer | null): Step {
  const command = context.keymap.commandOf(chord);
  const where = command === null ? undefined : findCommand(command)?.where;
  if (command !== null && (where !== 'prompt' || screen.focus === 'prompt')) {
    const ran = keyCommand(screen, context, command, event, offer);
    if (ran !== null) return ran;
  }
  if (isPanel(screen.focus)) return typedPast(screen, context, event, chord);
  if (screen.focus === 'transcript') return transcriptKey(screen, context, event, chord);
  return promptKey(screen, context, event, chord);
}

/** Ctrl-C while a question stands refuses it and stops the turn (PR-9); stopping closes every question of the turn. */
function interruptQuestion(screen: Screen, context: Context): Step | null {
  if (screen.focus !== 'question' || currentAsk(context.view, screen.client) === null) return null;
  const ask = screen.ask === null ? null : { ...screen.ask, held: null };
  return step({ ...screen, focus: 'prompt', ask }, cancelling('pause'));
}

/** Null: the question has no use for the key and the rest of the screen is asked. */
function questionKey(screen: Screen, context: Context, event: KeyEvent): Step | null {
  const ask = currentAsk(context.view, screen.client);
  if (ask === null || screen.ask === null) return null;
  const meant = askKey(ask, screen.ask, event, askWindow(ask, context.layout.dialog), context.now);
  switch (meant.kind) {
    case 'held':
      return step({ ...screen, ask: meant.state }, { kind: 'hold', ask: ask.id });
    case 'back':
      return turnedAway(screen, context);
    case 'typing': {
      const away = turnedAway(screen, context);
      const typed = promptKey(away.screen, context, event, chordOf(event.key));
      return { ...typed, effects: [...away.effects, ...typed.effects] };
    }
    default:
      return taken(screen, ask.id, meant);
  }
}

function taken(screen: Screen, ask: string, meant: AskKey): Step | null {
  switch (meant.kind) {
    case 'state':
      return stay({ ...screen, ask: meant.state });
    case 'answer':
      return step(screen, { kind: 'send', intent: { type: 'answer', ask, answer: meant.answer } });
    case 'note':
      return noted(screen, meant.text);
    default:
      return null;
  }
}

/** The question only watches from now on; a letter it held was typed. */
export function turnedAway(screen: Screen, context: Context): Step {
  if (screen.ask === null) return stay(screen);
  const { held } = screen.ask;
  const away: Screen = { ...screen, focus: 'prompt', ask: { ...screen.ask, chosen: false, held: null } };
  return held === null ? stay(away) : promptKey(away, context, held, chordOf(held.key));
}

/** No word went on with the letter that question `id` held: now it answers. */
export function heldLongEnough(screen: Screen, context: Context, id: string): Step {
  const ask = currentAsk(context.view, screen.client);
  if (ask?.id !== id || screen.ask?.id !== id || screen.ask.held === null) return stay(screen);
  const { held } = screen.ask;
  const without: Screen = { ...screen, ask: { ...screen.ask, held: null } };
  return taken(without, id, heldKey(ask, screen.ask, held, context.now)) ?? stay(without);
}

/** Keys that completions and the key list take before anything else (AC-6, HINT-1). */
function offeredKey(screen: Screen, context: Context, chord: string, event: KeyEvent): Step | null {
  if (screen.keyList) {
    if (chord === 'escape' || event.key.text === '?') return stay({ ...screen, keyList: false });
    return null;
  }
  if (screen.completion === null || screen.focus !== 'prompt') return null;
  switch (chord) {
    case 'tab':
      return accept(screen, context);
    case 'enter':
      return enterAccepts(screen) ? accept(screen, context) : null;
    case 'up':
    case 'ctrl-p':
      return stay(moveCursor(screen, -1));
    case 'down':
    case 'ctrl-n':
      return stay(moveCursor(screen, 1));
    default:
      return null;
  }
}

/** A chord's command; null where the prompt's own meaning of the key stands. */
function keyCommand(
  screen: Screen,
  context: Context,
  command: string,
  event: KeyEvent,
  offer: ExitOffer | null,
): Step | null {
  const closed: Screen = screen.keyList && command !== 'escape' ? { ...screen, keyList: false } : screen;
  switch (command) {
    case 'newline':
      return (
        viTypedKey(closed, context, event.key) ?? typedInto(runCommand(closed, context, command, ''), screen, context)
      );
    case 'send':
      return sendPrompt(closed, context, null);
    case 'send-now':
      return sendNow(closed, context);
    case 'escape':
      return stepBack(screen, context);
    case 'leave':
      return isBlank(screen.prompt) ? leaveOrOffer(screen, context, event, offer) : null;
    case 'focus':
      return stay(nextFocus(screen, context));
    case 'first-failed':
      // Alt-F moves a word on while the prompt holds text (decisions §4).
      return screen.focus === 'prompt' && !isBlank(screen.prompt) && event.key.name === 'f'
        ? null
        : runCommand(closed, context, command, '');
    case 'expand':
      return unfoldPaste(closed, context) ?? runCommand(closed, context, command, '');
    case 'top':
    case 'bottom':
      return screen.focus === 'prompt' && !isBlank(screen.prompt) ? null : runCommand(closed, context, command, '');
    default:
      return typedInto(runCommand(closed, context, command, ''), screen, context);
  }
}

function typedInto(ran: Step, before: Screen, context: Context): Step {
  return ran.screen.prompt.editor === before.prompt.editor
    ? ran
    : { ...ran, screen: { ...ran.screen, typedAt: context.now } };
}

/** Ctrl-Enter: with a turn running the box and all that waits go out as one interruption (QUE-13); at rest it is a new line (PE-1). */
function sendNow(screen: Screen, context: Context): Step {
  const running = context.view.activity.phase !== 'idle' && context.view.activity.phase !== 'starting';
  if (!running) return typedInto(runCommand(screen, context, 'newline', ''), screen, context);
  if (context.view.activity.phase === 'compacting') return sendPrompt(screen, context, 'queue');
  if (!isBlank(screen.prompt)) return sendPrompt(screen, context, 'together');
  if (context.view.queue.rows.length === 0) return stay(screen);
  const ref = `${screen.refPrefix}${screen.nextRef}`;
  const intent = { type: 'say', ref, text: '', attachments: [], delivery: 'interrupt', together: true } as const;
  return step({ ...screen, nextRef: screen.nextRef + 1, unanswered: screen.unanswered + 1 }, { kind: 'send', intent });
}

/** Prompt, an open question, the transcript, and round again (LA-26). */
function nextFocus(screen: Screen, context: Context): Screen {
  const asked = currentAsk(context.view, screen.client) !== null;
  if (screen.focus === 'prompt') {
    if (asked && screen.ask !== null)
      return { ...screen, focus: 'question', ask: { ...screen.ask, chosen: true }, keyList: false };
    return { ...screen, focus: 'transcript', keyList: false };
  }
  return {
    ...screen,
    focus: screen.focus === 'question' ? 'transcript' : panelAfter(screen.panels.stack, screen.focus),
  };
}

function transcriptKey(screen: Screen, context: Context, event: KeyEvent, chord: string): Step {
  const selecting = selectByKey(screen, context, chord);
  if (selecting !== null) return selecting;
  switch (chord) {
    case 'up':
      return scrolled(screen, context, -1);
    case 'down':
      return scrolled(screen, context, 1);
    case 'home':
      return runCommand(screen, context, 'top', '');
    case 'end':
      return runCommand(screen, context, 'bottom', '');
    case 'space':
      return runCommand(screen, context, 'page-down', '');
    case 'ctrl-b':
      return runCommand(screen, context, 'page-up', '');
    case 'enter':
      return runCommand(screen, context, 'open', '');
    default:
      break;
  }
  return typedPast(screen, context, event, chord);
}

/** A letter, a digit or a slash means the prompt (LA-25). */
function typedPast(screen: Screen, context: Context, event: KeyEvent, chord: string): Step {
  const isText = event.key.text !== null && !event.key.ctrl && !event.key.alt;
  return isText ? promptKey({ ...screen, focus: 'prompt' }, context, event, chord) : stay(screen);
}

function promptKey(screen: Screen, context: Context, event: KeyEvent, chord: string): Step {
  const { prompt } = screen;
  const { text } = event.key;
  const plain = text !== null && !event.key.ctrl && !event.key.alt;
  if (plain && isBlank(prompt)) {
    if (text === '?' && prompt.shell === 'off') return stay({ ...screen, keyList: true });
    if (text === '!' && prompt.shell !== 'private') {
      const shell = prompt.shell === 'off' ? 'armed' : 'private';
      return stay({ ...screen, prompt: { ...prompt, shell, unsaved: true }, typedAt: context.now, keyList: false });
    }
  }
  if (chord === 'backspace' && isBlank(prompt) && prompt.shell !== 'off') {
    return stay({ ...screen, prompt: { ...prompt, shell: 'off', unsaved: true } });
  }
  const ghost = chord === 'right' ? ghostOf(screen) : '';
  if (ghost !== '') return edited(screen, context, insertPiece(prompt.editor, { text: ghost, atoms: [] }, 'other'));
  // Home and End are the transcript's while nothing is typed or the person reads back (TR-7).
  if ((isBlank(prompt) || !screen.scroll.follow) && (chord === 'home' || chord === 'end'))
    return runCommand(screen, context, chord === 'home' ? 'top' : 'bottom', '');
  const written = viTypedKey(screen, context, event.key);
  if (written !== null) return written;
  const result = applyKey(prompt.editor, event.key, context.textLayout(prompt.editor.buffer.text));
  if (result === null) return stay(screen);
  if (result.effect?.kind === 'edge') return beyondEdge(screen, context, result.effect.edge);
  const after = edited(screen, context, result);
  const typed = after.screen.prompt.editor.buffer.text !== prompt.editor.buffer.text;
  return typed ? { ...after, screen: { ...after.screen, typedAt: context.now, keyList: false } } : after;
}
