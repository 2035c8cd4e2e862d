import type { AskAnswer, AskChoice } from '../../protocol/ask.ts';
import { NO_OFFER } from './judgement.ts';
import type { AnsweredLine, Decision, Offer, SessionAnswers } from './policy.ts';
import { makeVisible } from './visible-text.ts';

/** One answer covers a whole call or nothing: where any part must be asked each time, nothing is offered. */
export function combineOffers(offers: readonly Offer[]): Offer {
  const [only] = offers;
  return offers.length === 1 && only !== undefined ? only : NO_OFFER;
}

/** The choices that last for the session: their labels say word for word what they cover. */
export function sessionChoices(offer: Offer): readonly AskChoice[] {
  const choices: AskChoice[] = [];
  if (offer.reads !== null) choices.push(choice('a', `Yes, and reading ${offer.reads} this session`));
  if (offer.writes !== null) choices.push(choice('a', `Yes, and changes in ${offer.writes} this session`));
  for (const line of offer.lines) {
    if (!line.wide) choices.push(choice('a', 'Yes, and this exact line in this folder this session'));
  }
  const wide = offer.lines.filter((line) => line.wide);
  if (wide.length > 0) {
    const patterns = wide.map((line) => line.pattern);
    choices.push({ ...choice('p', `Yes, and ${patterns.join(' and ')} in this folder this session`), wide: true });
  }
  return choices;
}

/**
 * What the session knows after an answer to `asked`: exactly what the chosen label said, under the output chosen with it.
 * Anything but a yes for the session changes nothing.
 */
export function withAnswer(
  answers: SessionAnswers,
  asked: Extract<Decision, { verdict: 'ask' }>,
  answer: AskAnswer,
): SessionAnswers {
  if (answer.kind !== 'choice' || answer.choice !== 'session') return answers;
  const { offer } = asked;
  const output = answer.output ?? asked.output;
  const lines = offer.lines
    .filter((line) => line.wide === (answer.wide ?? false))
    .map((line): AnsweredLine => ({ ...line, output }));
  return {
    readsAllowed: [...answers.readsAllowed, ...(offer.reads === null ? [] : [offer.reads])],
    writesAllowed: [...answers.writesAllowed, ...(offer.writes === null ? [] : [offer.writes])],
    lines: [...answers.lines, ...lines],
  };
}

function choice(key: string, label: string): AskChoice {
  return { key, name: 'session', label: makeVisible(label).text, approves: true };
}
