import type { Effort, PermissionMode } from '../../protocol/message.ts';
import { isRunning } from '../commands/facts.ts';
import { chordOf, type InputEvent } from './input/event.ts';
import { connectKey, connectPaste } from './modals/connect-provider-keys.ts';
import { helpRows } from './modals/help-rows.ts';
import { asked, chosenPrompt, historyKey, historyMatches } from './modals/history.ts';
import { listKey, refilter, shownRows } from './modals/list.ts';
import type { ConfirmModal, Modal, PickerModal, ReaderModal, ScrollerModal } from './modals/modal.ts';
import { modalArea } from './modals/modal-area.ts';
import { pickerKey, refiltered } from './modals/picker.ts';
import { queueKey } from './modals/queue-editor.ts';
import { readerRows } from './modals/reader.ts';
import { drawnRows, type ReaderPlace, readerKey, scrolledReader } from './modals/reader-keys.ts';
import { missingChunk, scrollerKey, scrollerRows, scrollerWindow } from './modals/scroller.ts';
import { openLowest } from './open-card.ts';
import { type SentPrompt, withText } from './prompt-state.ts';
import { runCommand } from './run-command.ts';
import type { Screen } from './screen.ts';
import type { Context, ScreenEffect } from './screen-event.ts';
import { noted, type Step, stay, step } from './step.ts';
import { delegateKey, delegatePaste, delegateWheel, stopping } from './update-delegates.ts';
import { watchModalKey, watchPaste, watchWheel } from './update-jobs.ts';
import { doOfList } from './update-list.ts';
import { settingsModalKey, settingsModalPaste, settingsModalWheel } from './update-settings.ts';

type KeyEvent = Extract<InputEvent, { type: 'key' }>;

/** A key while a dialog is open: the topmost takes it, whatever it is (LA-34). */
export function modalKey(screen: Screen, context: Context, event: KeyEvent): Step {
  const top = screen.modals.at(-1)!;
  switch (top.kind) {
    case 'scroller': {
      const rows = rowsOf(top, screen, context);
      const window = scrollerWindow(modalArea(top, screen));
      const meant = scrollerKey(top, event, rows, window);
      if (meant.kind === 'close') return stay(closeTop(screen));
      return meant.kind === 'none' ? stay(screen) : withChunk(replaceTop(screen, meant.modal), meant.modal, window);
    }
    case 'activity':
      return context.panels?.detailKey(screen, context, top, event) ?? stay(closeTop(screen));
    case 'reader': {
      const place = readerPlace(screen, context);
      const meant = readerKey(top, event, place);
      if (meant.kind === 'close') return stay(closeTop(screen));
      if (meant.kind === 'open') return openLowest(screen, context, readerPlaced(top, place));
      if (meant.kind === 'modal') return stay(replaceTop(screen, meant.modal));
      if (isRunning(context.view)) return noted(screen, 'Not while a turn runs');
      return step(screen, { kind: 'show', text: drawnRows(place) });
    }
    case 'history': {
      const meant = historyKey(top, event, screen.prompt.sent, context.keymap);
      if (meant.kind === 'close') return stay(closeTop(screen));
      return stay(meant.kind === 'modal' ? replaceTop(screen, meant.modal) : takenUp(closeTop(screen), meant.prompt));
    }
    case 'list': {
      const meant = listKey(top, event);
      if (meant.kind === 'close') return stay(closeTop(screen));
      if (meant.kind === 'modal') return stay(replaceTop(screen, meant.modal));
      return meant.kind === 'none' ? stay(screen) : doOfList(closeTop(screen), context, top, meant.does, meant.row);
    }
    case 'picker': {
      const meant = pickerKey(top, event);
      if (meant.kind === 'close') return stay(closeTop(screen));
      if (meant.kind === 'modal') return stay(replaceTop(screen, meant.modal));
      return meant.kind === 'none' ? stay(screen) : choose(closeTop(screen), context, top, meant.item.value);
    }
    case 'connect-provider':
      return connectKey(screen, context, top, event);
    case 'side':
      // While it is being opened: there it takes its keys itself.
      return stay(chordOf(event.key) === 'escape' ? closeTop(screen) : screen);
    case 'settings':
      return settingsModalKey(screen, event);
    case 'queue': {
      const meant = queueKey(top, event, context.view, modalArea(top, screen).width);
      if (meant.kind === 'close') return stay(closeTop(screen));
      if (meant.kind === 'none') return stay(screen);
      const next = replaceTop(screen, meant.modal);
      return meant.kind === 'modal' ? stay(next) : step(next, { kind: 'send', intent: meant.intent });
    }
    case 'watch':
      return watchModalKey(screen, context, top, event);
    case 'delegate':
      return delegateKey(screen, context, top, event);
    case 'confirm':
      return confirmKey(screen, top, event);
  }
}

/** A paste into a dialog goes to its field, and nowhere where it has none (VIEW-4). */
export function modalPaste(screen: Screen, context: Context, text: string): Step {
  const top = screen.modals.at(-1);
  if (top?.kind === 'delegate') return delegatePaste(screen, context, top, text);
  if (top?.kind === 'history') return stay(replaceTop(screen, asked(top, top.query + text.replace(/\s+/g, ' '))));
  if (top?.kind === 'watch') return watchPaste(screen, top, text);
  if (top?.kind === 'connect-provider') return connectPaste(screen, text);
  if (top?.kind === 'settings') return settingsModalPaste(screen, text);
  if (top?.kind === 'list' && top.filter !== null) {
    const meant = refilter(top, top.filter + text.replace(/\s+/g, ' '));
    return meant.kind === 'modal' ? stay(replaceTop(screen, meant.modal)) : stay(screen);
  }
  if (top?.kind !== 'picker') return stay(screen);
  const meant = refiltered(top, top.filter + text.replace(/\s+/g, ' '));
  return meant.kind === 'modal' ? stay(replaceTop(screen, meant.modal)) : stay(screen);
}

export function modalWheel(screen: Screen, context: Context, rows: number): Step {
  const top = screen.modals.at(-1)!;
  if (top.kind === 'activity') return context.panels?.detailWheel(screen, context, top, rows) ?? stay(screen);
  if (top.kind === 'watch') return watchWheel(screen, top, rows);
  if (top.kind === 'settings') return settingsModalWheel(screen, rows);
  if (top.kind === 'delegate') return delegateWheel(screen, context, top, rows);
  if (top.kind === 'list') {
    const most = Math.max(0, shownRows(top).length - 1);
    return stay(replaceTop(screen, { ...top, cursor: Math.max(0, Math.min(most, top.cursor + Math.sign(rows))) }));
  }
  if (top.kind === 'picker')
    return stay(replaceTop(screen, { ...top, cursor: Math.max(0, top.cursor + Math.sign(rows)) }));
  if (top.kind === 'history') {
    const most = Math.max(0, historyMatches(top, screen.prompt.sent).length - 1);
    const cursor = Math.max(0, Math.min(most, top.cursor - Math.sign(rows)));
    return stay(replaceTop(screen, { ...top, cursor }));
  }
  if (top.kind === 'reader') return stay(replaceTop(screen, scrolledReader(top, rows, readerPlace(screen, context))));
  if (top.kind !== 'scroller') return stay(screen);
  const window = scrollerWindow(modalArea(top, screen));
  const end = Math.max(0, rowsOf(top, screen, context).length - window);
  const moved = { ...top, top: Math.max(0, Math.min(end, top.top + rows)) };
  return withChunk(replaceTop(screen, moved), moved, window);
}

/** A click on a row of the search: the `cursor`-th newest match goes into the box. */
export function chooseSent(screen: Screen, cursor: number): Step {
  const top = screen.modals.at(-1);
  if (top?.kind !== 'history') return stay(screen);
  const prompt = chosenPrompt({ ...top, cursor }, screen.prompt.sent);
  return stay(prompt === null ? screen : takenUp(closeTop(screen), prompt));
}

/** A prompt found goes into the box, its folded parts alive, and is never sent by that (HIST-2). */
function takenUp(screen: Screen, found: SentPrompt): Screen {
  const prompt = withText(screen.prompt, { ...found, caret: found.text.length, anchor: null });
  return prompt === null ? screen : { ...screen, prompt: { ...prompt, walk: null }, focus: 'prompt', keyList: false };
}

export function choosePicked(screen: Screen, context: Context, value: string): Step {
  const top = screen.modals.at(-1);
  return top?.kind === 'picker' ? choose(closeTop(screen), context, top, value) : stay(screen);
}

function readerPlace(screen: Screen, { view, cards, keymap }: Context): ReaderPlace {
  return { view, cards, window: readerRows(screen.rows), ownChords: keymap.chordsOf('scroller') };
}

function readerPlaced(modal: ReaderModal, { view, cards, window }: ReaderPlace): readonly number[] {
  return cards.from(view, modal.top, window).map((row) => row.place.index);
}

function rowsOf(modal: ScrollerModal, screen: Screen, context: Context) {
  const width = modalArea(modal, screen).width - 4;
  return scrollerRows(modal, width, (columns) => helpRows(context.keymap, context.view.head.commands, columns));
}

/** Lines of an output are fetched as they are looked at. */
export function withChunk(screen: Screen, modal: ScrollerModal, window: number): Step {
  const from = missingChunk(modal, window);
  if (from === null || modal.body.kind !== 'output') return stay(screen);
  return step(screen, { kind: 'read-output', call: modal.body.call, from });
}

function choose(screen: Screen, context: Context, modal: PickerModal, value: string): Step {
  switch (modal.purpose.kind) {
    case 'model':
      return runCommand(screen, context, 'model', value);
    case 'effort':
      return step(screen, { kind: 'send', intent: { type: 'set-model', model: null, effort: value as Effort } });
    case 'mode':
      return step(screen, { kind: 'send', intent: { type: 'set-mode', mode: value as PermissionMode } });
    case 'theme':
      return runCommand(screen, context, 'theme', value);
    case 'editing':
      return runCommand(screen, context, 'config', value);
    case 'command': {
      const ref = `${screen.refPrefix}${screen.nextRef}`;
      const intent = { type: 'command', ref, name: modal.purpose.name, argument: value } as const;
      return step(
        { ...screen, nextRef: screen.nextRef + 1, unanswered: screen.unanswered + 1 },
        { kind: 'send', intent },
      );
    }
  }
}

/** Only its own key says yes, and only alone in its read; Enter does not. */
function confirmKey(screen: Screen, modal: ConfirmModal, event: KeyEvent): Step {
  const chord = chordOf(event.key);
  if (chord === 'y' && event.alone) return step(closeTop(screen), effectOf(modal));
  if (chord === 'n' || chord === 'escape' || chord === 'ctrl-c') return stay(closeTop(screen));
  return stay(screen);
}

function effectOf({ action }: ConfirmModal): ScreenEffect {
  switch (action.kind) {
    case 'discard-queue':
      return { kind: 'send', intent: { type: 'queue-discard', inputs: 'all' } };
    case 'stop-session':
      return { kind: 'stop-session', session: action.session };
    case 'stop-delegate':
      return stopping(action.delegate);
    case 'copy-to-file':
      return { kind: 'copy-to-file', text: action.text };
  }
}

function closeTop(screen: Screen): Screen {
  return { ...screen, modals: screen.modals.slice(0, -1) };
}

export function replaceTop(screen: Screen, modal: Modal): Screen {
  return { ...screen, modals: [...screen.modals.slice(0, -1), modal] };
}
