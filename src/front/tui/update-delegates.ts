import { type DelegateRow, isAtWork, isLost } from '../../protocol/delegate.ts';
import { isEmpty } from './editor/editor.ts';
import {
  applyAction,
  applyKey,
  draftContent,
  type EditorState,
  NEW_EDITOR,
  paste,
  replaceAll,
} from './editor/editor-state.ts';
import { Layout } from './editor/layout.ts';
import { chordOf, type InputEvent } from './input/event.ts';
import {
  type DelegateModal,
  delegateOf,
  delegateRows,
  hears,
  knownActs,
  openDelegate,
  siblingsOf,
} from './modals/delegate-viewer.ts';
import { viewerPlaces } from './modals/delegate-viewer-draw.ts';
import { DELEGATE_VALUE, jobsList } from './modals/jobs.ts';
import type { Modal } from './modals/modal.ts';
import { modalArea } from './modals/modal-area.ts';
import { pagingOf, stepRows } from './modals/paging.ts';
import { type Screen, withNote } from './screen.ts';
import type { Context, ScreenEffect, ScreenEvent } from './screen-event.ts';
import { noted, type Step, stay, step } from './step.ts';

type KeyEvent = Extract<InputEvent, { type: 'key' }>;

/** A chip of a card was clicked: from now on the card shows that one (SA-4). */
export function chooseDelegate(screen: Screen, context: Context, name: string): Step {
  const row = delegateOf(context.view.delegates, name);
  if (row === null) return stay(screen);
  return stay({ ...screen, chosenDelegates: new Map(screen.chosenDelegates).set(row.call, name) });
}

/** Its timeline over the screen; the card's choice and the transcript stay as they are (SA-5). */
export function viewDelegate(screen: Screen, name: string, speaks = true, fromList = false): Step {
  const modal = openDelegate(name, speaks, fromList);
  const opened = { ...screen, modals: [...screen.modals, modal], completion: null, keyList: false };
  return step(opened, { kind: 'read-delegate', name });
}

export function delegateKey(screen: Screen, context: Context, modal: DelegateModal, event: KeyEvent): Step {
  const row = delegateOf(context.view.delegates, modal.name);
  const chord = chordOf(event.key);
  switch (chord) {
    // From either level these leave altogether (VIEW-3).
    case 'ctrl-c':
    case 'ctrl-l':
      return stay(closed(screen));
    case 'escape':
      return stay(backToList(closed(screen), context, modal));
    case 'pageup':
    case 'pagedown':
      return stay(scrolled(screen, context, modal, chord === 'pageup' ? 'page' : '-page'));
    case 'tab':
    case 'shift-tab':
      return nextDelegate(screen, context, modal, chord === 'tab' ? 1 : -1, true);
    case 'alt-c':
      return modal.speaks ? takeBackOrStop(screen, modal, row) : stay(screen);
    default:
      return hears(modal, row)
        ? speak(screen, context, modal, row!, event, chord)
        : reading(screen, context, modal, row, event, chord);
  }
}

/** While it hears, every other key is the editor's. */
function speak(
  screen: Screen,
  context: Context,
  modal: DelegateModal,
  row: DelegateRow,
  event: KeyEvent,
  chord: string,
): Step {
  const draft = draftOf(screen, row.name);
  const { editor } = placesOf(screen, context, modal, row);
  const layout = Layout.of(draft.buffer.text, Math.max(1, editor.width));
  if (chord === 'enter') return send(screen, row.name, draft);
  if (chord === 'ctrl-j' || chord === 'shift-enter' || chord === 'alt-enter')
    return stay(withDraft(screen, row.name, applyAction(draft, 'newline', layout).state));
  const typed = applyKey(draft, event.key, layout);
  return typed === null ? stay(screen) : stay(withDraft(screen, row.name, typed.state));
}

function send(screen: Screen, name: string, draft: EditorState): Step {
  if (isEmpty(draft.buffer)) return stay(screen);
  const { text, attachments } = draftContent(draft);
  if (text.trim() === '') return stay(screen);
  // Commands are the session's; what begins with `!` is text like any other here (SA-8).
  if (text.startsWith('/'))
    return noted(screen, 'A delegate runs no commands: a line for it does not begin with a slash', 'warning');
  if (attachments.length > 0) return noted(screen, 'Only words can be said to a delegate', 'warning');
  const ref = `${screen.refPrefix}${screen.nextRef}`;
  const sent = withDraft({ ...screen, nextRef: screen.nextRef + 1 }, name, NEW_EDITOR);
  return step(sent, { kind: 'send', intent: { type: 'tell-delegate', delegate: name, ref, text } });
}

/** Nobody to speak to: letters move what is read. */
function reading(
  screen: Screen,
  context: Context,
  modal: DelegateModal,
  row: DelegateRow | null,
  { key }: KeyEvent,
  chord: string,
): Step {
  switch (chord) {
    case 'q':
      return stay(backToList(closed(screen), context, modal));
    case 'n':
    case 'p':
      return nextDelegate(screen, context, modal, chord === 'n' ? 1 : -1, false);
    case 'x':
      return row !== null && isAtWork(row) ? step(screen, stopping(row.name)) : stay(screen);
    default:
      break;
  }
  const paging = pagingOf(chord, key.ctrl || key.alt ? null : key.text);
  if (paging === null || row === null) return stay(screen);
  const { timeline } = placesOf(screen, context, modal, row);
  const rows = delegateRows(row, modal.earlier.get(row.name), timeline.width).length;
  const most = Math.max(0, rows - timeline.height);
  if ('to' in paging) return stay(replaced(screen, { ...modal, back: paging.to === 'first' ? most : 0 }));
  if (paging.by === 'prompt') return stay(screen);
  const back = modal.back - paging.direction * stepRows(paging.by, timeline.height);
  return stay(replaced(screen, { ...modal, back: Math.max(0, Math.min(most, back)) }));
}

/** With words in its hands they come back; with none, it is asked whether that one alone is to stop (SA-10, SA-13). */
function takeBackOrStop(screen: Screen, modal: DelegateModal, row: DelegateRow | null): Step {
  if (row === null) return stay(screen);
  if (row.unread.length > 0)
    return step(screen, { kind: 'send', intent: { type: 'recall-delegate', delegate: modal.name } });
  if (!isAtWork(row)) return noted(screen, `${row.name} has ended`);
  const confirm: Modal = {
    kind: 'confirm',
    title: `Stop ${row.name}?`,
    text: 'It reports what it has so far. The turn and the other delegates go on.',
    yes: 'Stop it',
    action: { kind: 'stop-delegate', delegate: row.name },
  };
  return stay({ ...screen, modals: [...screen.modals, confirm] });
}

export function stopping(delegate: string): ScreenEffect {
  return { kind: 'send', intent: { type: 'stop-delegate', delegate } };
}

/** `wraps`: among tabs; else among all of them, stopping at the ends (VIEW-3). */
function nextDelegate(screen: Screen, context: Context, modal: DelegateModal, by: 1 | -1, wraps: boolean): Step {
  const all = context.view.delegates ?? [];
  const row = delegateOf(all, modal.name);
  if (row === null) return stay(screen);
  const rows = wraps ? siblingsOf(all, row) : all;
  const at = rows.indexOf(row) + by;
  const next = rows[wraps ? (at + rows.length) % rows.length : Math.max(0, Math.min(rows.length - 1, at))];
  return next === undefined || next === row ? stay(screen) : showDelegate(screen, modal, next.name);
}

/** Another one in the same viewer; each keeps its own draft. */
export function showDelegate(screen: Screen, modal: DelegateModal, name: string): Step {
  return step(replaced(screen, { ...modal, name, back: 0 }), { kind: 'read-delegate', name });
}

export function delegatePaste(screen: Screen, context: Context, modal: DelegateModal, text: string): Step {
  const row = delegateOf(context.view.delegates, modal.name);
  if (!hears(modal, row)) return stay(screen);
  return stay(withDraft(screen, modal.name, paste(draftOf(screen, modal.name), text).state));
}

export function delegateWheel(screen: Screen, context: Context, modal: DelegateModal, rows: number): Step {
  return stay(scrolled(screen, context, modal, -rows));
}

function scrolled(screen: Screen, context: Context, modal: DelegateModal, by: number | 'page' | '-page'): Screen {
  const row = delegateOf(context.view.delegates, modal.name);
  if (row === null) return screen;
  const { timeline } = placesOf(screen, context, modal, row);
  const rows = delegateRows(row, modal.earlier.get(row.name), timeline.width).length;
  const most = Math.max(0, rows - timeline.height);
  const step = typeof by === 'number' ? by : by === 'page' ? timeline.height : -timeline.height;
  return replaced(screen, { ...modal, back: Math.max(0, Math.min(most, modal.back + step)) });
}

/** What the session still knows of one came. */
export function delegateArrived(
  screen: Screen,
  { name, total, acts }: Extract<ScreenEvent, { type: 'delegate' }>,
): Screen {
  const modals = screen.modals.map((modal) =>
    modal.kind === 'delegate' ? { ...modal, earlier: new Map(modal.earlier).set(name, { total, acts }) } : modal,
  );
  return { ...screen, modals };
}

/** More was done than the View holds of it: what lies between is asked for. */
export function followDelegates(screen: Screen, context: Context): ScreenEffect[] {
  return screen.modals.flatMap((modal): ScreenEffect[] => {
    if (modal.kind !== 'delegate') return [];
    const row = delegateOf(context.view.delegates, modal.name);
    const earlier = modal.earlier.get(modal.name);
    if (row === null || earlier === undefined) return [];
    const before = earlier.total - earlier.acts.length;
    return knownActs(row, earlier).missing > before ? [{ kind: 'read-delegate', name: modal.name }] : [];
  });
}

/** Words one was cut short with hold everything up: they come back first, and into this box (SA-14). */
export function recallLost(screen: Screen, { view }: Context): Step | null {
  const lost = view.delegates?.find(isLost);
  if (lost === undefined) return null;
  return step(screen, { kind: 'send', intent: { type: 'recall-delegate', delegate: lost.name } });
}

export function discardLost(screen: Screen, { view }: Context): Step | null {
  const lost = view.delegates?.find(isLost);
  if (lost === undefined) return null;
  return step(screen, { kind: 'send', intent: { type: 'recall-delegate', delegate: lost.name, discard: true } });
}

/** What became of words for a delegate. Refused, or taken back, they stand before whatever was typed since. */
export function delegateAnswered(
  screen: Screen,
  { intent, sent }: Extract<ScreenEvent, { type: 'sent' }>,
): Step | null {
  if (intent.type === 'tell-delegate') {
    if (sent.accepted) return stay(screen);
    return stay(
      withNote(withWordsBack(screen, intent.delegate, [intent.text]) ?? screen, sent.refusal.message, 'error'),
    );
  }
  if (intent.type !== 'recall-delegate' || !sent.accepted || sent.value?.kind !== 'recalled') return null;
  const top = screen.modals.at(-1);
  // Elsewhere they come back into the session's own box, like anything else that is taken back.
  if (top?.kind !== 'delegate' || top.name !== intent.delegate) return null;
  const texts = sent.value.drafts.map(({ text }) => text);
  const back = withWordsBack(screen, intent.delegate, texts);
  return back === null ? noted(screen, 'Too long for the box together', 'warning') : stay(back);
}

function withWordsBack(screen: Screen, name: string, texts: readonly string[]): Screen | null {
  const draft = draftOf(screen, name);
  const above = texts.join('\n');
  const { text } = draftContent(draft);
  const joined = text === '' ? above : `${above}\n${text}`;
  const result = replaceAll(draft, { text: joined, atoms: [] });
  return result.state.buffer.text.length === 0 ? null : withDraft(screen, name, result.state);
}

export function draftOf(screen: Pick<Screen, 'delegateDrafts'>, name: string): EditorState {
  return screen.delegateDrafts.get(name) ?? NEW_EDITOR;
}

function withDraft(screen: Screen, name: string, draft: EditorState): Screen {
  return { ...screen, delegateDrafts: new Map(screen.delegateDrafts).set(name, draft), note: null };
}

function placesOf(screen: Screen, { view }: Context, modal: DelegateModal, row: DelegateRow) {
  const siblings = siblingsOf(view.delegates, row).length;
  return viewerPlaces(modalArea(modal, screen), modal, row, siblings, draftOf(screen, row.name));
}

function closed(screen: Screen): Screen {
  return { ...screen, modals: screen.modals.slice(0, -1) };
}

/** The row just left is the one that is marked (VIEW-12). */
function backToList(screen: Screen, { view, now }: Context, { fromList, name }: DelegateModal): Screen {
  return fromList ? { ...screen, modals: [...screen.modals, jobsList(view, now, `${DELEGATE_VALUE}${name}`)] } : screen;
}

function replaced(screen: Screen, modal: DelegateModal): Screen {
  return { ...screen, modals: [...screen.modals.slice(0, -1), modal] };
}
