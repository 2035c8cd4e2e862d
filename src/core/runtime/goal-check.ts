import { messagesAt } from '../journal/settled-leaf.ts';
import type { Model } from '../models/model.ts';
import { askBeside } from './beside-request.ts';
import { addText, contextOptions } from './request.ts';
import type { Runtime, TurnTerms } from './runtime.ts';

export type Verdict =
  | { readonly verdict: 'met' | 'unmet' | 'impossible'; readonly reason: string }
  /** It answered something else. */
  | { readonly verdict: 'unclear' }
  | { readonly verdict: 'failed'; readonly message: string }
  | { readonly verdict: 'stopped' };

const LONGEST_REASON = 400;

/**
 * Whether the conversation so far meets a condition: one request over a copy of it, in which no tool may be called. All
 * that is taken from the answer is one of three words, and a reason that is only ever quoted.
 */
export async function checkGoal(
  runtime: Runtime,
  { model, effort, signal }: Pick<TurnTerms, 'effort' | 'signal'> & { readonly model: Model },
  condition: string,
): Promise<Verdict> {
  const { journal } = runtime;
  const messages = await messagesAt(journal, journal.branch().at(-1) ?? null, contextOptions(runtime, model));
  addText(messages, questionAbout(condition));
  const reply = await askBeside(runtime, { model, effort, signal }, messages, 'goal', 2);
  if (reply.outcome === 'stopped') return { verdict: 'stopped' };
  if (reply.outcome === 'failed') return { verdict: 'failed', message: reply.message };
  return readVerdict(reply.text);
}

function questionAbout(condition: string): string {
  return `[Houston: the person set a goal for this conversation. Judge whether it is met now, by what was really done and seen above, not by what was promised. Do not go on with the work.

The goal: ${condition}

Answer with one word on the first line: MET, UNMET or IMPOSSIBLE. On the second line give the reason in one sentence; for UNMET, what is missing.]`;
}

const WORDS = { MET: 'met', UNMET: 'unmet', IMPOSSIBLE: 'impossible' } as const;

export function readVerdict(text: string): Verdict {
  const [first = '', ...rest] = text.trim().split('\n');
  const word = first.trim().replace(/^[*_`]+|[*_`.]+$/g, '');
  if (!Object.hasOwn(WORDS, word)) return { verdict: 'unclear' };
  const reason = rest
    .join(' ')
    .replace(/[\p{Cc}\s]+/gu, ' ')
    .trim();
  const cut = [...reason].length > LONGEST_REASON ? `${[...reason].slice(0, LONGEST_REASON).join('')} …` : reason;
  return { verdict: WORDS[word as keyof typeof WORDS], reason: cut };
}
