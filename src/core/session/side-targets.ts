import { done, type Outcome, refuse } from '../../base/refusal.ts';
import type { Effort } from '../../protocol/message.ts';
import type { Model } from '../models/model.ts';
import { modelRefText } from '../models/model-ref.ts';
import { EFFORTS, effortProblem } from './one-turn-target.ts';
import type { SessionParts } from './parts.ts';

export interface SideTarget {
  readonly model: Model;
  readonly effort: Effort;
  readonly label: string;
  /** Another model than the conversation's: it pays for the whole prompt. */
  readonly elsewhere: boolean;
}

export interface SideQuestion {
  readonly question: string;
  readonly targets: readonly SideTarget[];
}

const MOST_MODELS = 4;

/**
 * Takes `$MODEL[+EFFORT]` and `+EFFORT` words off the start of a question. Every effort is checked first, then every model
 * opened: a bad word fails the whole command before anything is asked (SC-23.2).
 */
export async function sideTargets(
  { models, model: current }: Pick<SessionParts, 'models' | 'model'>,
  typed: string,
): Promise<Outcome<SideQuestion>> {
  const wishes: { readonly model: string | null; readonly effort: Effort | null }[] = [];
  let rest = typed.trim();
  for (;;) {
    const [whole = '', word = ''] = /^(\$[a-z][\w.-]*:\S+|\$?\+[a-z]+)(?:\s+|$)/.exec(rest) ?? [];
    if (word === '') break;
    const plus = word.lastIndexOf('+');
    const level = plus < 0 ? null : (EFFORTS.find((one) => one === word.slice(plus + 1)) ?? null);
    const named = word.startsWith('$') && plus !== 1;
    if (!named && level === null)
      return refuse('effort-unknown', `No level ${word.replace('$', '')}: ${EFFORTS.join(', ')}`);
    wishes.push({ model: named ? word.slice(1, level === null ? undefined : plus) : null, effort: level });
    rest = rest.slice(whole.length);
  }
  if (rest.trim() === '')
    return refuse('argument-missing', 'What do you want to know? /btw [$provider:model[+level]] question');
  const inForce = current.model;
  if (wishes.length === 0) wishes.push({ model: null, effort: null });
  if (inForce === null && wishes.some((wish) => wish.model === null))
    return refuse('no-model', 'There is no model to ask: choose one with /model.');
  for (const { model, effort } of wishes) {
    const problem = model === null && effort !== null && inForce !== null ? effortProblem(inForce.facts, effort) : null;
    if (problem !== null) return refuse('effort-unfitting', problem);
  }
  const targets = new Map<string, SideTarget>();
  for (const { model, effort } of wishes) {
    const opened = await open(models, model, inForce);
    if (!opened.ok) return opened;
    const found = opened.value;
    const elsewhere = inForce === null || modelRefText(found.ref) !== modelRefText(inForce.ref);
    const wanted = effort ?? (elsewhere ? 'default' : current.effort);
    const problem = effortProblem(found.facts, wanted);
    if (problem !== null) return refuse('effort-unfitting', problem);
    const label = `${found.ref.model}${wanted === 'default' ? '' : `+${wanted}`}`;
    targets.set(`${modelRefText(found.ref)}+${wanted}`, { model: found, effort: wanted, label, elsewhere });
  }
  if (new Set([...targets.values()].map(({ model }) => modelRefText(model.ref))).size > MOST_MODELS)
    return refuse('too-many-models', `At most ${MOST_MODELS} models at once.`);
  return done({ question: rest.trim(), targets: [...targets.values()] });
}

async function open(
  models: SessionParts['models'],
  name: string | null,
  inForce: Model | null,
): Promise<Outcome<Model>> {
  if (name === null) return inForce === null ? refuse('no-model', 'There is no model to ask.') : done(inForce);
  const ref = models.parse(name);
  return ref.ok ? models.open(ref.value) : ref;
}
