import type { Sent } from '../../protocol/intent.ts';
import { type Effort, isSameModel, type ModelRef } from '../../protocol/message.ts';
import type { ClientId } from '../../protocol/session.ts';
import { modelRefText } from '../models/model-ref.ts';
import { effortProblem } from './one-turn-target.ts';
import type { SessionParts } from './parts.ts';
import { accepted, refused } from './sent.ts';

/** Whether something runs on the model there is now (INV-12). */
export function isBusy({ loop }: Pick<SessionParts, 'loop'>): boolean {
  return loop.running === 'turn' || loop.running === 'command';
}

/**
 * What a person chose for the conversation: at once where nothing runs, else from the next turn on. It becomes the default
 * of sessions to come, and whoever chose is told what holds from when, in a line that passes (SC-19.3, SC-19.17).
 */
export async function chooseModel(
  parts: SessionParts,
  wish: { readonly model: ModelRef | null; readonly effort: Effort | null },
  client: ClientId,
): Promise<Sent> {
  const { model, publisher, loop } = parts;
  const before = model.model;
  if (wish.model === null && wish.effort !== null && before !== null) {
    const problem = effortProblem(before.facts, wish.effort);
    if (problem !== null) return refused('effort-unfitting', problem);
  }
  const busy = isBusy(parts);
  const dropped = publisher.view.head.pendingModel;
  // What is in use already is only made the default (SC-19.5).
  const same = wish.model !== null && wish.effort === null && before !== null && isSameModel(before.ref, wish.model);
  const refusal = same && !busy ? null : await model.choose(wish.model, wish.effort, busy);
  if (refusal !== null) return { accepted: false, refusal };
  loop.wake();
  const said = [
    wish.model === null ? '' : modelWords(wish.model, before?.ref ?? null, dropped, busy),
    wish.effort === null ? '' : `Effort ${wish.effort}, from the next turn.`,
  ].filter((words) => words !== '');
  const saved = await parts.saveDefaults({
    ...(wish.model === null ? {} : { model: modelRefText(wish.model) }),
    ...(wish.effort === null ? {} : { effort: wish.effort }),
  });
  const chosenFor = wish.model ?? publisher.view.head.pendingModel ?? before?.ref ?? null;
  const kept = wish.effort === null || chosenFor === null ? true : await parts.efforts.save(chosenFor, wish.effort);
  if (!saved || !kept) said.push('It applies only here: the default could not be saved.');
  publisher.publish({ type: 'flash', client, level: saved && kept ? 'info' : 'warning', text: said.join(' ') });
  return accepted();
}

function modelWords(chosen: ModelRef, now: ModelRef | null, dropped: ModelRef | null, busy: boolean): string {
  const name = modelRefText(chosen);
  if (now !== null && isSameModel(now, chosen))
    return dropped === null || isSameModel(dropped, chosen)
      ? `${name} is in use.`
      : `${name} stays in use; ${modelRefText(dropped)} is not.`;
  if (!busy) return `This conversation is on ${name} now.`;
  return now === null
    ? `The next request goes to ${name}.`
    : `The next turn runs on ${name}; this one ends on ${modelRefText(now)}.`;
}
