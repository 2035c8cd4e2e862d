import { done, type Outcome, refuse } from '../../base/refusal.ts';
import type { Effort, Target } from '../../protocol/message.ts';
import type { Models } from '../models/catalog.ts';
import type { ModelFacts } from '../models/model.ts';
import { modelRefText } from '../models/model-ref.ts';

export const EFFORTS: readonly Effort[] = ['low', 'medium', 'high', 'xhigh', 'max', 'default'];

/** What was typed, parted: where it is to run for this one turn (null: as always), and what is said. */
export interface Aimed {
  readonly target: Target | null;
  readonly text: string;
}

/**
 * Takes `$provider:model[+effort]`, `$+effort` or `+effort` off the very start of a prompt (SC-10.4). What only looks
 * like one (`$HOME`, `+1`) is text. Refuses a model that cannot be used and a target with nothing behind it.
 */
export async function takeTarget(
  typed: string,
  models: Pick<Models, 'parse' | 'open'>,
  current: ModelFacts | null,
): Promise<Outcome<Aimed>> {
  const plain = done({ target: null, text: typed });
  const [whole = '', word = ''] = /^(\$\S+|\+\S+)(?:\s+|$)/.exec(typed) ?? [];
  if (word === '') return plain;
  const named = /^\$([a-z][\w.-]*:[^\s]+)$/.exec(word)?.[1];
  let target: Target;
  let facts = current;
  if (named === undefined) {
    const effort = effortOf(/^\$?\+(\w+)$/.exec(word)?.[1]);
    if (effort === null) return plain;
    target = { model: null, effort };
  } else {
    const plus = named.lastIndexOf('+');
    const effort = plus < 0 ? null : effortOf(named.slice(plus + 1));
    const ref = models.parse(effort === null ? named : named.slice(0, plus));
    if (!ref.ok) return ref;
    const opened = await models.open(ref.value);
    if (!opened.ok) return opened;
    target = { model: ref.value, effort };
    ({ facts } = opened.value);
  }
  const problem = target.effort === null || facts === null ? null : effortProblem(facts, target.effort);
  if (problem !== null) return refuse('effort-unfitting', problem);
  const text = typed.slice(whole.length);
  if (text.trim() === '') return refuse('empty-prompt', `${word} says where to run: say behind it what shall be done.`);
  return done({ target, text });
}

/** Why this model can not be told how hard to think; null where it can, or where nobody knows. */
export function effortProblem({ efforts, thinking, price, maxOutput }: ModelFacts, effort: Effort): string | null {
  const known = price !== null && maxOutput !== null;
  if (effort === 'default' || efforts.length > 0 || thinking || !known) return null;
  return 'This model can not be told how hard to think: leave the effort at default.';
}

/** `$openai:gpt-5 +high` as it was typed; empty for none. */
export function targetText(target: Target | null | undefined): string {
  if (target === null || target === undefined) return '';
  const { model, effort } = target;
  return `${model === null ? '' : `$${modelRefText(model)}`}${effort === null ? '' : `+${effort}`}`;
}

/** A waiting row as it was typed, target and all, for the box it goes back to. */
export function typedText({ text, target }: { readonly text: string; readonly target?: Target | null }): string {
  const words = targetText(target);
  return words === '' ? text : `${words} ${text}`;
}

function effortOf(word: string | undefined): Effort | null {
  return EFFORTS.find((effort) => effort === word) ?? null;
}
