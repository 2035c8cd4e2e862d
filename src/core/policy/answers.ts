import type { AskAnswer, AskChoice, AskRow } from '../../protocol/ask.ts';
import { TRUSTED_PUBLIC } from '../../protocol/label.ts';
import { NO_OFFER } from './judgement.ts';
import type { AnsweredLine, AnsweredTool, Decision, Offer, SessionAnswers } from './policy.ts';
import { makeVisible } from './visible-text.ts';

type Asked = Extract<Decision, { verdict: 'ask' }>;

/** One answer covers a whole call or nothing: where any part must be asked each time, nothing is offered. */
export function combineOffers(offers: readonly Offer[]): Offer {
  const [only] = offers;
  return offers.length === 1 && only !== undefined ? only : NO_OFFER;
}

/** The choices that last longer than the call. What each covers stands word for word in `offerRows`. */
export function lastingChoices(offer: Offer): readonly AskChoice[] {
  const choices: AskChoice[] = [];
  const wide = patternsOf(offer).length > 0;
  const all = { key: 'a', name: 'session', approves: true } as const;
  if (offer.reads !== null) choices.push({ ...all, label: visible(`Yes, and reading ${offer.reads} this session`) });
  if (offer.writes !== null)
    choices.push({ ...all, label: visible(`Yes, and changes in ${offer.writes} this session`) });
  if (offer.keys !== undefined) {
    choices.push({ ...all, label: 'Yes, and such values there this session' });
    if (offer.remember === true) choices.push({ key: 'r', name: 'remember', label: 'Yes, remembered', approves: true });
  }
  if (offer.tool !== undefined) {
    choices.push({ ...all, label: 'Yes, and this tool this session' });
    if (offer.remember === true)
      choices.push({ key: 'r', name: 'remember', label: 'Yes, and this tool in this project', approves: true });
  }
  if (offer.lines.length > 0) choices.push({ ...all, label: 'This session' });
  if (wide) choices.push({ key: 'p', name: 'session', label: 'Pattern', approves: true, wide });
  if (offer.lines.length === 0 || offer.remember !== true) return choices;
  choices.push({ key: 'r', name: 'remember', label: 'Remember', approves: true });
  if (wide) choices.push({ key: 'w', name: 'remember', label: 'Remember pattern', approves: true, wide });
  return choices;
}

/** What the lasting choices cover, word for word. Rows, since an approving key counts only once every row was drawn. */
export function offerRows(offer: Offer): readonly AskRow[] {
  const { reads, writes, lines, keys, tool, remember } = offer;
  const rows: string[] = [];
  if (reads !== null) rows.push(`[a] covers reading ${reads} for this session`);
  if (writes !== null) rows.push(`[a] covers changes in ${writes} for this session`);
  const later = (key: string): string => (remember === true ? `, [${key}] for later sessions too` : '');
  if (keys !== undefined)
    rows.push(`[a] covers what looks like a password or key in files of ${keys} for this session${later('r')}`);
  if (tool !== undefined)
    rows.push(
      `[a] covers every call of ${tool.server}: ${tool.tool} in ${tool.folder} for this session${later('r')}, as long as it stays what you agreed to`,
    );
  const exact = lines.find((line) => !line.wide);
  if (exact !== undefined) rows.push(`[a] covers this exact line in ${exact.folder} for this session${later('r')}`);
  const patterns = patternsOf(offer);
  const folder = lines.find((line) => line.wide)?.folder ?? '';
  if (patterns.length > 0) rows.push(`[p] covers ${patterns.join(' and ')} in ${folder} for this session${later('w')}`);
  return rows.map((text) => ({ role: 'reason', shown: { text: visible(text), label: TRUSTED_PUBLIC } }));
}

function patternsOf({ lines }: Offer): readonly string[] {
  return lines.filter((line) => line.wide).map((line) => line.pattern);
}

/** The lines an answer covers from now on: exactly what its row said, under the output chosen with it. */
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
    keyFolders: [...answeredKeyFolders(asked, answer), ...(answers.keyFolders ?? [])],
    tools: [...answeredTools(asked, answer), ...(answers.tools ?? [])],
  };
}

/** The tool of an MCP server that an answer covers. */
export function answeredTools({ offer }: Asked, answer: AskAnswer): readonly AnsweredTool[] {
  if (answer.kind !== 'choice' || offer.tool === undefined) return [];
  const covers = answer.choice === 'session' || (answer.choice === 'remember' && offer.remember === true);
  return covers ? [offer.tool] : [];
}

/** The folder an answer covers for values that look like credentials. */
export function answeredKeyFolders({ offer }: Asked, answer: AskAnswer): readonly string[] {
  if (answer.kind !== 'choice' || offer.keys === undefined) return [];
  const covers = answer.choice === 'session' || (answer.choice === 'remember' && offer.remember === true);
  return covers ? [offer.keys] : [];
}

/** What becomes of the output of the call that was asked about: as chosen, else as the kind of answer has it. */
export function outputAfter(asked: Asked, answer: AskAnswer): 'text' | 'ref' {
  if (answer.kind !== 'choice') return asked.output;
  if (answer.output !== undefined) return answer.output;
  return answeredLines(asked, answer)[0]?.output ?? asked.output;
}

function visible(text: string): string {
  return makeVisible(text).text;
}
