import type { Sent } from '../../protocol/intent.ts';
import type { Effort } from '../../protocol/message.ts';
import type { ClientId } from '../../protocol/session.ts';
import { chooseModel } from './choose-model.ts';
import type { SessionParts } from './parts.ts';
import { refused } from './sent.ts';

const LEVELS: readonly Effort[] = ['low', 'medium', 'high', 'xhigh', 'max'];

/** One level up or down among those this model has, and no further than its ends; no level counts as medium (SC-19.8). */
export async function adjustEffort(parts: SessionParts, by: 1 | -1, client: ClientId): Promise<Sent> {
  const { model, effort } = parts.model;
  if (model === null) return refused('no-model', 'There is no model yet: choose one with /model.');
  const { efforts } = model.facts;
  const levels = efforts.length === 0 ? LEVELS : LEVELS.filter((level) => efforts.includes(level));
  const now = LEVELS.indexOf(effort === 'default' ? 'medium' : effort);
  const further = levels.filter((level) => (by > 0 ? LEVELS.indexOf(level) > now : LEVELS.indexOf(level) < now));
  const next = (by > 0 ? further[0] : further.at(-1)) ?? (by > 0 ? levels.at(-1) : levels[0]) ?? effort;
  return chooseModel(parts, { model: null, effort: next }, client);
}
