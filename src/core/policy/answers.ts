import type { AskAnswer, AskChoice } from '../../protocol/ask.ts';
import { NO_OFFER } from './judgement.ts';
import type { AnsweredLine, Decision, Offer, SessionAnswers } from './policy.ts';
import { makeVisible } from './visible-text.ts';

type Asked = Extract<Decision, { verdict: 'ask' }>;

/** One answer covers a whole call or nothing: where any part must be asked each time, nothing is offered. */
export function combineOffers(offers: readonly Offer[]): Offer {
  const [only] = offers;
  return offers.length === 1 && only !== undefined ? only : NO_OFFER;
}

/** The choices that last longer than the call: their labels say word for word what they cover. */
export function lastingChoices(offer: Offer): readonly AskChoice[] {
  const choices: AskChoice[] = [];
  if (offer.reads !== null) choices.push(choice('a', 'session', `Yes, and reading ${offer.reads} this session`));
  if (offer.writes !== null) choices.push(choice('a', 'session', `Yes, and changes in ${offer.writes} this session`));
  if (offer.lines.length === 0) return choices;
  const wide = offer.lines.filter((line) => line.wide).map((line) => line.pattern);
  const patterns = wide.join(' and ');
  choices.push(choice('a', 'session', 'Yes, and this exact line in this folder this session'));
  if (wide.length > 0)
    choices.push({ ...choice('p', 'session', `Yes, and ${patterns} in this folder this session`), wide: true });
  if (offer.remember !== true) return choices;
  choices.push(choice('r', 'remember', 'Yes, and remember this exact line in this folder'));
  if (wide.length > 0)
    choices.push({ ...choice('w', 'remember', `Yes, and remember ${patterns} in this folder`), wide: true });
  return choices;
}

/** The lines an answer covers from now on: exactly what the chosen label said, under the output chosen with it. */
export function answeredLines({ offer, output }: Asked, answer: AskAnswer): readonly AnsweredLine[] {
  if (answer.kind !== 'choice' || (answer.choice !== 'session' && answer.choice !== 'remember')) return [];
  if (answer.choice === 'remember' && offer.remember !== true) return [];
  return offer.lines
    .filter((line) => line.wide === (answer.wide ?? false))
    .map((line): AnsweredLine => ({ ...line, output: answer.output ?? offer.output ?? output }));
}

/** What the session knows after an answer to `asked`. Anything but a lasting yes changes nothing. */
export function withAnswer(answers: SessionAnswers, asked: Asked, answer: AskAnswer): SessionAnswers {
  if (answer.kind !== 'choice' || (answer.choice !== 'session' && answer.choice !== 'remember')) return answers;
  const { offer } = asked;
  const session = answer.choice === 'session';
  return {
    readsAllowed: [...answers.readsAllowed, ...(offer.reads === null || !session ? [] : [offer.reads])],
    writesAllowed: [...answers.writesAllowed, ...(offer.writes === null || !session ? [] : [offer.writes])],
    lines: [...answeredLines(asked, answer), ...answers.lines],
  };
}

/** What becomes of the output of the call that was asked about: as chosen, else as the kind of answer has it. */
export function outputAfter(asked: Asked, answer: AskAnswer): 'text' | 'ref' {
  if (answer.kind !== 'choice') return asked.output;
  if (answer.output !== undefined) return answer.output;
  return answeredLines(asked, answer)[0]?.output ?? asked.output;
}

function choice(key: string, name: 'session' | 'remember', label: string): AskChoice {
  return { key, name, label: makeVisible(label).text, approves: true };
}
