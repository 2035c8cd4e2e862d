import type { Ask, AskAnswer } from '../../../protocol/ask.ts';
import { chordOf } from '../input/event.ts';
import {
  type AskState,
  allSeen,
  choicesOf,
  GRACE,
  hasOutputChoice,
  type KeyEvent,
  type QuestionsState,
} from './ask-state.ts';

/** What a key means to the question that listens. `typing`: it was meant for the draft and goes there. */
export type AskKey =
  | { readonly kind: 'state'; readonly state: AskState }
  | { readonly kind: 'answer'; readonly answer: AskAnswer }
  | { readonly kind: 'note'; readonly text: string }
  | { readonly kind: 'typing' }
  /** Answers unless a word goes on with it: `heldKey`, once it was held long enough. */
  | { readonly kind: 'held'; readonly state: AskState }
  | { readonly kind: 'back' }
  | { readonly kind: 'other' };

/** A key while the question has the focus. `window`: content rows shown. */
export function askKey(ask: Ask, state: AskState, event: KeyEvent, window: number, now: number): AskKey {
  const { key } = event;
  const chord = chordOf(key);
  const scrolled = scrollKey(chord, state, window);
  const isText = key.text !== null && !key.ctrl && !key.alt;
  // In the first moments a character is the rest of a word that was being typed, not an answer.
  const early = !state.chosen && (state.drawnAt === null || now - state.drawnAt < GRACE);
  if (isText && early) return { kind: 'typing' };
  if (state.held !== null && (isText || chord === 'backspace')) return { kind: 'typing' };
  if (chord === 'shift-tab') return { kind: 'back' };
  // The first Tab turns to the question, also to one that listens already: from then on every key is meant for it.
  if (chord === 'tab' && !state.chosen) return { kind: 'state', state: { ...state, chosen: true } };
  if (ask.body.kind === 'questions') return questionKey(ask.body.questions, state, event, chord);
  if (scrolled !== null) return { kind: 'state', state: scrolled };
  if (chord === 'tab') {
    if (!hasOutputChoice(ask)) return { kind: 'back' };
    const next = state.output === null ? 'text' : state.output === 'text' ? 'ref' : null;
    return { kind: 'state', state: { ...state, output: next } };
  }
  if (chord === 'escape') {
    const refusal = choicesOf(ask).find((choice) => choice.name === 'no');
    return refusal === undefined ? { kind: 'back' } : { kind: 'answer', answer: { kind: 'choice', choice: 'no' } };
  }
  if (chord === 'enter') return { kind: 'note', text: 'Enter never answers: press the key of an answer' };
  if (!isText) return { kind: 'other' };
  const choice = choicesOf(ask).find((each) => each.key === key.text);
  if (choice === undefined) return { kind: 'typing' };
  if (!event.alone) return choice.approves ? { kind: 'typing' } : { kind: 'other' };
  if (!state.chosen) return { kind: 'held', state: { ...state, held: event } };
  if (choice.approves && !allSeen(state)) return { kind: 'note', text: 'Read it to the end first: PgDn' };
  const output = choice.approves && state.output !== null ? { output: state.output } : {};
  const wide = choice.wide === true ? { wide: true } : {};
  return { kind: 'answer', answer: { kind: 'choice', choice: choice.name, ...output, ...wide } };
}

/** What the held letter means now that no word went on with it: what it means to a question that was turned to. */
export function heldKey(ask: Ask, state: AskState, event: KeyEvent, now: number): AskKey {
  return askKey(ask, { ...state, chosen: true, held: null }, event, 1, now);
}

function scrollKey(chord: string, state: AskState, window: number): AskState | null {
  const end = Math.max(0, state.total - window);
  const to = (row: number): AskState => ({ ...state, scroll: Math.max(0, Math.min(end, row)) });
  switch (chord) {
    case 'up':
      return to(Math.min(state.scroll, end) - 1);
    case 'down':
      return to(state.scroll + 1);
    case 'pageup':
      return to(Math.min(state.scroll, end) - window);
    case 'pagedown':
    case 'space':
      // Pressed faster than it is drawn, it skips nothing: the page it leads to begins where what was drawn ends.
      return to(Math.min(state.scroll + window, Math.max(state.scroll, state.seen)));
    case 'home':
      return to(0);
    case 'end':
      return to(end);
    default:
      return null;
  }
}

type Questions = Extract<Ask['body'], { kind: 'questions' }>['questions'];

function questionKey(questions: Questions, state: AskState, event: KeyEvent, chord: string): AskKey {
  const at = state.questions;
  const question = questions[at.at];
  if (question === undefined) return { kind: 'other' };
  const own = question.options.length;
  const change = (next: Partial<QuestionsState>): AskKey => ({
    kind: 'state',
    state: { ...state, questions: { ...at, ...next } },
  });
  switch (chord) {
    case 'up':
      return change({ cursor: Math.max(0, at.cursor - 1) });
    case 'down':
      return change({ cursor: Math.min(own, at.cursor + 1) });
    case 'tab':
      return change({ cursor: (at.cursor + 1) % (own + 1) });
    case 'backspace':
      return change({ words: [...at.words].slice(0, -1).join(''), cursor: own });
    case 'escape':
      return next(questions, state, []);
    case 'enter': {
      if (!event.alone) return { kind: 'other' };
      const marked = at.picked.map((index) => question.options[index]!);
      const words = at.words.trim() === '' ? [] : [at.words.trim()];
      if (at.cursor === own) return next(questions, state, [...marked, ...words]);
      const chosen = question.options[at.cursor];
      return next(
        questions,
        state,
        question.many && marked.length > 0 ? [...marked, ...words] : chosen === undefined ? [] : [chosen],
      );
    }
    default:
      break;
  }
  if (question.many && chord === 'space' && at.cursor < own) {
    const picked = at.picked.includes(at.cursor)
      ? at.picked.filter((index) => index !== at.cursor)
      : [...at.picked, at.cursor];
    return change({ picked });
  }
  const { text, ctrl, alt } = event.key;
  if (text === null || ctrl || alt) return { kind: 'other' };
  return change({ words: at.words + text, cursor: own });
}

/** The next question, or the whole answer after the last. */
function next(questions: Questions, state: AskState, given: readonly string[]): AskKey {
  const answers = [...state.questions.answers, given];
  if (answers.length >= questions.length) return { kind: 'answer', answer: { kind: 'answers', answers } };
  return {
    kind: 'state',
    state: { ...state, questions: { at: answers.length, cursor: 0, picked: [], words: '', answers } },
  };
}
