import type { Ask, AskChoice } from '../../../protocol/ask.ts';
import type { View } from '../../../protocol/view.ts';
import type { InputEvent } from '../input/event.ts';

/**
 * A question on the screen. It never takes a key that was meant for the draft (UP-15):
 * - It opens watching, not listening, when something was typed in the last `QUIET` ms or the draft holds text; Tab gives
 *   it the keys.
 * - Opened in quiet, it listens at once, but a character within `GRACE` ms of its first drawing is taken as typing: it
 *   goes to the draft and the question only watches from then on. So does any character that answers nothing, and any paste.
 * - Until it was turned to, its own letter is held for `HOLD` ms: another character within that time makes both of them
 *   the beginning of a word, and they go to the draft. Whether to trust the folder listens only once it was turned to.
 * - An approving key counts only alone in its read, and only once every deciding row was drawn (PR-7). Enter never approves.
 */
export interface AskState {
  readonly id: string;
  readonly scroll: number;
  /** Rows drawn so far without a gap from the first, and how many there are; 0 of 0 before the first drawing. */
  readonly seen: number;
  readonly total: number;
  readonly drawnAt: number | null;
  /** Whether the person turned to it with a key of their own: then no grace is needed. */
  readonly chosen: boolean;
  /** The letter that answers unless a word goes on with it; null for none. */
  readonly held: KeyEvent | null;
  /** What the model is given of the command's output; null leaves it as the session judged. */
  readonly output: 'text' | 'ref' | null;
  readonly questions: QuestionsState;
}

export type KeyEvent = Extract<InputEvent, { type: 'key' }>;

/** Where a person is in a list of questions: one at a time. */
export interface QuestionsState {
  readonly at: number;
  readonly cursor: number;
  readonly picked: readonly number[];
  readonly words: string;
  readonly answers: readonly (readonly string[])[];
}

export const QUIET = 1500;
export const GRACE = 800;
export const HOLD = 250;

const FIRST_QUESTION: QuestionsState = { at: 0, cursor: 0, picked: [], words: '', answers: [] };

export function openAsk(ask: Ask): AskState {
  return {
    id: ask.id,
    scroll: 0,
    seen: 0,
    total: 0,
    drawnAt: null,
    chosen: false,
    held: null,
    output: null,
    questions: FIRST_QUESTION,
  };
}

/** The question on the screen: the oldest one that is for everyone or for this client. */
export function currentAsk(view: View, client: string): Ask | null {
  return view.asks.find((ask) => ask.for === null || ask.for === client) ?? null;
}

export function waitingAsks(view: View, client: string): number {
  return view.asks.filter((ask) => ask.for === null || ask.for === client).length;
}

export function allSeen(state: AskState): boolean {
  return state.total > 0 && state.seen >= state.total;
}

/** Whether it may take keys without being turned to: trusting a folder is never an answer to something else. */
export function mayListen(ask: Ask): boolean {
  return ask.body.kind !== 'trust';
}

/** What was drawn of the question just now; the same state when that is nothing new. */
export function noteDrawn(state: AskState, from: number, to: number, total: number, now: number): AskState {
  const seen = from <= state.seen ? Math.max(state.seen, to) : state.seen;
  const kept = state.total === total ? seen : from === 0 ? to : 0;
  if (kept === state.seen && total === state.total && state.drawnAt !== null) return state;
  return { ...state, seen: kept, total, drawnAt: state.drawnAt ?? now };
}

export function choicesOf(ask: Ask): readonly AskChoice[] {
  return ask.body.kind === 'questions' ? [] : ask.body.choices;
}

/** Whether the question is about running something, so that what the model sees of its output can be chosen. */
export function hasOutputChoice(ask: Ask): boolean {
  return ask.body.kind === 'permission' && ask.body.effects.some((effect) => effect.kind === 'run');
}
