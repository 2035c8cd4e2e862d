import type { View } from '../../../protocol/view.ts';
import { chordOf, type InputEvent } from '../input/event.ts';
import { type Screen, withNote } from '../screen.ts';
import type { Context, ScreenEffect, ScreenEvent } from '../screen-event.ts';
import { type Step, stay, step } from '../step.ts';
import {
  type ConnectProviderModal,
  type ConnectStep,
  connectModal,
  FORM_FIELDS,
  newForm,
  newSignIn,
  rowOf,
  SIGN_IN_FOCI,
  type SignInFocus,
  shownSignIn,
} from './connect-provider.ts';

type KeyEvent = Extract<InputEvent, { type: 'key' }>;
type StepAt<K extends ConnectStep['at']> = Extract<ConnectStep, { at: K }>;

/** `/login [NAME]`: a sign-in that runs already is shown again, whoever began it. */
export function openConnect(screen: Screen, { view }: Context, wanted: string): Step {
  const modal = connectModal(wanted);
  const shown = view.signIn === null ? modal : { ...modal, step: newSignIn(view.signIn.ref) };
  const opened: Screen = { ...screen, modals: [...screen.modals, shown], completion: null, keyList: false };
  return step(opened, { kind: 'read-providers', look: false }, { kind: 'read-providers', look: true });
}

/** Which there are, and how they stand. The second answer knows more than the first. */
export function providersArrived(screen: Screen, event: Extract<ScreenEvent, { type: 'providers' }>): Step {
  const modal = topConnect(screen);
  if (modal === null) return stay(screen);
  const known: ConnectProviderModal = { ...modal, rows: event.rows };
  if (modal.wanted === '' || modal.step.at !== 'list' || event.rows.length === 0) return stay(put(screen, known));
  const wanted = modal.wanted.toLowerCase();
  const at = event.rows.findIndex((row) => row.id === wanted || row.label.toLowerCase() === wanted);
  const rested: ConnectProviderModal = { ...known, wanted: '', cursor: Math.max(0, at) };
  if (at >= 0) return openRow(put(screen, rested), rested);
  const names = event.rows.map((row) => row.id).join(', ');
  return stay(withNote(put(screen, rested), `No provider ${modal.wanted}: ${names}`, 'warning'));
}

export function connectKey(screen: Screen, context: Context, modal: ConnectProviderModal, event: KeyEvent): Step {
  const chord = chordOf(event.key);
  const away = chord === 'escape' || chord === 'ctrl-c';
  switch (modal.step.at) {
    case 'list':
      return listKey(screen, modal, chord);
    case 'guidance':
      if (away) return stay(closed(screen));
      if (isBack(chord)) return stay(put(screen, { ...modal, step: { at: 'list' } }));
      return chord === 'enter' ? step(screen, { kind: 'read-providers', look: true }) : stay(screen);
    case 'sign-in':
      return signInKey(screen, context, modal, modal.step, event, chord);
    case 'form':
      return formKey(screen, modal, modal.step, event, chord);
    case 'replace':
      if (chord === 'enter') return save(screen, modal, modal.step.form, true);
      if (!away) return stay(screen);
      return stay(put(screen, { ...modal, step: { at: 'form', form: modal.step.form, focus: 0, problem: null } }));
    case 'saving':
      return stay(screen);
    case 'done':
      return chord === 'enter' || away ? stay(closed(screen)) : stay(screen);
    case 'failed':
      return failedKey(screen, modal, modal.step, chord, away);
  }
}

function listKey(screen: Screen, modal: ConnectProviderModal, chord: string): Step {
  const last = (modal.rows?.length ?? 1) - 1;
  const move = (to: number): Step => stay(put(screen, { ...modal, cursor: Math.max(0, Math.min(last, to)) }));
  switch (chord) {
    case 'escape':
    case 'ctrl-c':
      return stay(closed(screen));
    case 'up':
    case 'shift-tab':
      return move(modal.cursor - 1);
    case 'down':
    case 'tab':
      return move(modal.cursor + 1);
    case 'enter':
      return openRow(screen, modal);
    default:
      return stay(screen);
  }
}

function openRow(screen: Screen, modal: ConnectProviderModal): Step {
  const row = rowOf(modal);
  if (row === null) return stay(screen);
  switch (row.way) {
    case 'guidance':
      return stay(put(screen, { ...modal, step: { at: 'guidance' } }));
    case 'form':
      return stay(put(screen, { ...modal, step: newForm(row) }));
    case 'sign-in': {
      const ref = `${screen.refPrefix}${screen.nextRef}`;
      const intent = { type: 'command', ref, name: 'login', argument: row.id } as const;
      const counted = { ...screen, nextRef: screen.nextRef + 1, unanswered: screen.unanswered + 1 };
      return step(put(counted, { ...modal, step: newSignIn(ref) }), { kind: 'send', intent });
    }
  }
}

function signInKey(
  screen: Screen,
  { view }: Context,
  modal: ConnectProviderModal,
  at: StepAt<'sign-in'>,
  event: KeyEvent,
  chord: string,
): Step {
  const signIn = shownSignIn(modal, view.signIn);
  const to = (next: Partial<StepAt<'sign-in'>>): Screen => put(screen, { ...modal, step: { ...at, ...next } });
  if (chord === 'escape' || chord === 'ctrl-c') return cancelSignIn(screen, view, modal, at);
  if (signIn?.stage !== 'browser') return stay(screen);
  switch (chord) {
    case 'tab':
    case 'shift-tab': {
      const by = chord === 'tab' ? 1 : SIGN_IN_FOCI.length - 1;
      const next = (SIGN_IN_FOCI.indexOf(at.focus) + by) % SIGN_IN_FOCI.length;
      return stay(to({ focus: SIGN_IN_FOCI[next]! }));
    }
    case 'alt-o':
      return activate(to({ focus: 'open' }), { ...at, focus: 'open' }, signIn.url);
    case 'ctrl-y':
      return activate(to({ focus: 'copy' }), { ...at, focus: 'copy' }, signIn.url);
    case 'enter':
      return activate(screen, at, signIn.url);
    default: {
      const typed = typedInto(at.redirect, event, chord);
      return stay(typed === null ? screen : to({ redirect: typed, focus: 'redirect', problem: null }));
    }
  }
}

/** What the focused control does; a click does the same. */
function activate(screen: Screen, at: StepAt<'sign-in'>, url: string | null): Step {
  if (at.focus === 'redirect') {
    if (at.redirect.trim() === '') return stay(screen);
    return step(screen, { kind: 'send', intent: { type: 'sign-in', ref: at.ref, redirect: at.redirect } });
  }
  if (url === null) return stay(screen);
  if (at.focus === 'open') return step(screen, { kind: 'open-browser', url });
  return step(withNote(screen, 'Sent to the clipboard'), { kind: 'copy', text: url });
}

/** While it waits in line it is taken out again; what is being saved goes on, and the dialog with it. */
function cancelSignIn(screen: Screen, view: View, modal: ConnectProviderModal, at: StepAt<'sign-in'>): Step {
  const signIn = shownSignIn(modal, view.signIn);
  if (signIn?.stage === 'saving') return stay(screen);
  const waits = signIn === null && at.row !== null && view.queue.rows.some((row) => row.id === at.row);
  const effect: ScreenEffect = waits
    ? { kind: 'send', intent: { type: 'queue-discard', inputs: [at.row!] } }
    : { kind: 'send', intent: { type: 'sign-in', ref: at.ref, redirect: null } };
  return step(put(screen, { ...modal, step: { at: 'list' } }), effect);
}

function formKey(
  screen: Screen,
  modal: ConnectProviderModal,
  at: StepAt<'form'>,
  event: KeyEvent,
  chord: string,
): Step {
  const focused = (focus: number): Step =>
    stay(put(screen, { ...modal, step: { ...at, focus: (focus + FORM_FIELDS.length) % FORM_FIELDS.length } }));
  switch (chord) {
    case 'escape':
    case 'ctrl-c':
      return stay(put(screen, { ...modal, step: { at: 'list' } }));
    case 'tab':
    case 'down':
      return focused(at.focus + 1);
    case 'shift-tab':
    case 'up':
      return focused(at.focus - 1);
    case 'enter':
      return save(screen, modal, at.form, false);
    default: {
      const { name } = FORM_FIELDS[at.focus]!;
      const typed = typedInto(at.form[name], event, chord);
      if (typed === null) return stay(screen);
      return stay(put(screen, { ...modal, step: { ...at, form: { ...at.form, [name]: typed }, problem: null } }));
    }
  }
}

function save(screen: Screen, modal: ConnectProviderModal, form: StepAt<'form'>['form'], replace: boolean): Step {
  const saving: ConnectProviderModal = { ...modal, step: { at: 'saving', form, replace } };
  return step(put(screen, saving), { kind: 'send', intent: { type: 'connect-provider', provider: form, replace } });
}

function failedKey(
  screen: Screen,
  modal: ConnectProviderModal,
  at: StepAt<'failed'>,
  chord: string,
  away: boolean,
): Step {
  if (away) return stay(closed(screen));
  if (chord === 'enter') {
    const first = { ...modal, step: { at: 'list' } as const };
    return at.form === null ? openRow(put(screen, first), first) : save(screen, modal, at.form, at.replace);
  }
  if (!isBack(chord)) return stay(screen);
  const back: ConnectStep = at.form === null ? { at: 'list' } : { at: 'form', form: at.form, focus: 0, problem: null };
  return stay(put(screen, { ...modal, step: back }));
}

/** A paste goes to the field it can only be meant for. */
export function connectPaste(screen: Screen, text: string): Step {
  const modal = topConnect(screen);
  const words = text.replace(/\s+/g, ' ').trim();
  if (modal?.step.at === 'sign-in') {
    const at: ConnectStep = { ...modal.step, redirect: modal.step.redirect + words, focus: 'redirect', problem: null };
    return stay(put(screen, { ...modal, step: at }));
  }
  if (modal?.step.at !== 'form') return stay(screen);
  const { name } = FORM_FIELDS[modal.step.focus]!;
  const form = { ...modal.step.form, [name]: modal.step.form[name] + words };
  return stay(put(screen, { ...modal, step: { ...modal.step, form, problem: null } }));
}

export function connectClick(screen: Screen, { view }: Context, item: string): Step {
  const modal = topConnect(screen);
  if (modal === null) return stay(screen);
  if (modal.step.at === 'list') {
    const chosen = { ...modal, cursor: Number(item) };
    return openRow(put(screen, chosen), chosen);
  }
  if (modal.step.at === 'form') return stay(put(screen, { ...modal, step: { ...modal.step, focus: Number(item) } }));
  if (modal.step.at !== 'sign-in') return stay(screen);
  const at = { ...modal.step, focus: item as SignInFocus };
  const focused = put(screen, { ...modal, step: at });
  return at.focus === 'redirect' ? stay(focused) : activate(focused, at, shownSignIn(modal, view.signIn)?.url ?? null);
}

/** What an intent of this dialog was answered with; null where the answer is not about it. */
export function connectAnswered(screen: Screen, event: Extract<ScreenEvent, { type: 'sent' }>): Step | null {
  const { intent, sent } = event;
  const modal = topConnect(screen);
  const is = (next: ConnectStep): Step => stay(modal === null ? screen : put(screen, { ...modal, step: next }));
  if (intent.type === 'command' && modal?.step.at === 'sign-in' && modal.step.ref === intent.ref) {
    const counted: Screen = { ...screen, unanswered: Math.max(0, screen.unanswered - 1) };
    const row = sent.accepted && sent.value?.kind === 'input' ? sent.value.input : null;
    const next: ConnectStep = sent.accepted
      ? { ...modal.step, row }
      : { at: 'failed', text: sent.refusal.message, form: null, replace: false };
    return stay(put(counted, { ...modal, step: next }));
  }
  if (intent.type === 'sign-in') {
    // A sign-in that is over already says so by its outcome.
    if (sent.accepted || modal?.step.at !== 'sign-in' || intent.redirect === null) return stay(screen);
    return is({ ...modal.step, redirect: '', problem: sent.refusal.message });
  }
  if (intent.type !== 'connect-provider') return null;
  if (modal?.step.at !== 'saving') return stay(screen);
  const { form, replace } = modal.step;
  if (sent.accepted) {
    const done: ConnectProviderModal = { ...modal, step: { at: 'done', text: `${form.label.trim()} is connected` } };
    return step(put(screen, done), { kind: 'read-providers', look: false });
  }
  const { identifier, message } = sent.refusal;
  if (identifier === 'provider-exists') return is({ at: 'replace', form, text: message });
  if (identifier === 'provider-unfitting') {
    const focus = FORM_FIELDS.findIndex(({ label }) => message.startsWith(label));
    return is({ at: 'form', form, focus: Math.max(0, focus), problem: message });
  }
  return is({ at: 'failed', text: message, form, replace });
}

/** The View moved: how the sign-in of this dialog ended, if it did. */
export function followSignIn(screen: Screen, { view }: Context): Screen {
  const modal = topConnect(screen);
  if (modal?.step.at !== 'sign-in') return screen;
  const { ref } = modal.step;
  const outcome = view.outcomes.find((one) => one.client === screen.client && one.ref === ref);
  const said = outcome?.messages.at(-1)?.text ?? '';
  switch (outcome?.state) {
    case 'done':
      return put(screen, { ...modal, step: { at: 'done', text: said } });
    case 'failed':
    case 'refused':
      return put(screen, { ...modal, step: { at: 'failed', text: said, form: null, replace: false } });
    case 'stopped':
    case 'dropped':
      return put(screen, { ...modal, step: { at: 'list' } });
    default:
      return screen;
  }
}

/** What a key makes of a line of text; null where it means nothing there. */
function typedInto(text: string, { key }: KeyEvent, chord: string): string | null {
  if (chord === 'backspace') return [...text].slice(0, -1).join('');
  if (chord === 'ctrl-u') return '';
  return key.text === null || key.ctrl || key.alt ? null : text + key.text;
}

function isBack(chord: string): boolean {
  return chord === 'backspace' || chord === 'left';
}

function topConnect(screen: Screen): ConnectProviderModal | null {
  const top = screen.modals.at(-1);
  return top?.kind === 'connect-provider' ? top : null;
}

function put(screen: Screen, modal: ConnectProviderModal): Screen {
  return { ...screen, modals: [...screen.modals.slice(0, -1), modal] };
}

function closed(screen: Screen): Screen {
  return { ...screen, modals: screen.modals.slice(0, -1) };
}
