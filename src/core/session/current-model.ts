import { done, type Outcome, type Refusal, refuse } from '../../base/refusal.ts';
import { type Effort, isSameModel, type ModelRef, type Target } from '../../protocol/message.ts';
import { SystemError } from '../../system/files.ts';
import type { Models } from '../models/catalog.ts';
import type { Model, ModelFacts } from '../models/model.ts';
import type { Recorder } from '../runtime/runtime.ts';
import type { Publisher } from './publish.ts';

/** The model the next turn runs on. A turn under way keeps the one it began with (INV-12). */
export interface CurrentModel {
  readonly model: Model | null;
  readonly effort: Effort;
  /** The one of the conversation, whatever is worn over it. */
  readonly own: Model | null;
  /** Why there is no model. */
  readonly problem: Refusal | null;
  /** Opens the model of the command line, the session, the settings or the environment, in that order. */
  start(explicit: string | null, session: ModelRef | null, interactive: boolean): Promise<void>;
  /** What a turn with a target of its own runs on; the conversation's choice stays as it is. */
  aim(target: Target | null): Promise<Outcome<{ readonly model: Model; readonly effort: Effort }>>;
  /**
   * `busy`: adopted when the turn is over. A model that cannot be opened changes nothing (INV-19), nor one that cannot be
   * written down: then it rejects with a `SystemError`.
   */
  choose(ref: ModelRef | null, effort: Effort | null, busy: boolean): Promise<Refusal | null>;
  adopt(): Promise<void>;
  /** What whoever speaks asks for: it counts before the conversation's own, until one of these is chosen. */
  wear(worn: WornModel): void;
  /** Publishes what is shown of it once more: what else it depends on has changed. */
  show(): void;
}

/** A model and an effort that a profile asks for; null for the conversation's own. */
export interface WornModel {
  readonly model: Model | null;
  readonly effort: Effort | null;
}

export interface CurrentModelParts {
  readonly models: Pick<Models, 'open' | 'configured'>;
  readonly publisher: Publisher;
  readonly recorder: Recorder;
  readonly effort: Effort;
  /** The level once chosen for a model; null for none. */
  readonly effortOf: (model: ModelRef) => Effort | null;
  /** Whether the faster service is wanted. */
  readonly fast: () => boolean;
  /** Whether everything else a turn needs is there. */
  readonly isStarted: () => boolean;
  /** Why the session itself could not start: another model does not cure that. */
  readonly startFailed: () => Refusal | null;
  /** Tokens at which a conversation with such a model is compacted; null for never. */
  readonly budget: (facts: ModelFacts) => number | null;
}

export function createCurrentModel({
  models,
  publisher,
  recorder,
  isStarted,
  ...given
}: CurrentModelParts): CurrentModel {
  let model: Model | null = null;
  let effort = given.effort;
  let problem: Refusal | null = null;
  let pending: { readonly model: Model | null; readonly effort: Effort; readonly keeps: WornModel } | null = null;
  let worn: WornModel = NOTHING_WORN;
  const inUse = (): Model | null => worn.model ?? model;

  const show = (): void => {
    const model = inUse();
    publisher.publish({
      type: 'head',
      head: {
        model: model?.ref ?? null,
        effort: worn.effort ?? effort,
        contextWindow: model?.facts.contextWindow ?? null,
        fast: { on: given.fast(), offered: model?.facts.fast === true },
        compactAt: model === null ? null : shareOf(model.facts, given.budget(model.facts)),
        pendingModel: pending?.model?.ref ?? null,
        startupProblem: given.startFailed() ?? (model === null ? problem : null),
        ready: model !== null && isStarted(),
      },
    });
  };

  /** Written first: what could not be is not in force either, so that the session is never resumed on another (SC-19.4). */
  const adopt = async (): Promise<void> => {
    if (pending === null) return;
    const next = pending;
    const chosen = next.model ?? model;
    if (chosen !== null) await recorder.write([{ kind: 'model', model: chosen.ref, effort: next.effort }]);
    ({ effort } = next);
    if (next.model !== null) {
      model = next.model;
      problem = null;
    }
    worn = next.keeps;
    if (pending === next) pending = null;
    show();
  };

  return {
    get model() {
      return inUse();
    },
    get own() {
      return model;
    },
    get effort() {
      return worn.effort ?? effort;
    },
    get problem() {
      return inUse() === null ? problem : null;
    },
    start: async (explicit, session, interactive) => {
      const choice = models.configured({ explicit, session, interactive });
      const opened = choice.ok ? await models.open(choice.value.ref) : choice;
      if (opened.ok) {
        model = opened.value;
        effort = given.effortOf(model.ref) ?? effort;
      } else problem = opened.refusal;
      show();
    },
    aim: async (target) => {
      const wanted = target?.effort ?? worn.effort ?? effort;
      const model = inUse();
      if (target === null || target.model === null)
        return model === null
          ? refuse('no-model', 'There is no model: choose one with /model.')
          : done({ model, effort: wanted });
      const opened = await models.open(target.model);
      return opened.ok ? done({ model: opened.value, effort: wanted }) : opened;
    },
    choose: async (ref, newEffort, busy) => {
      let opened: Model | null = null;
      if (ref !== null) {
        const outcome = await models.open(ref);
        if (!outcome.ok) return outcome.refusal;
        opened = outcome.value;
      }
      // What runs now, chosen again, takes an earlier choice back (SC-19.3).
      const now = inUse();
      const same = opened !== null && now !== null && isSameModel(opened.ref, now.ref);
      const next = busy && same && worn.model === null ? null : (opened ?? pending?.model ?? null);
      const saved = opened === null || same ? null : given.effortOf(opened.ref);
      const before = pending?.keeps ?? worn;
      const keeps = ref === null ? before : NOTHING_WORN;
      pending = {
        model: next,
        effort: newEffort ?? saved ?? pending?.effort ?? effort,
        keeps: newEffort === null ? keeps : { ...keeps, effort: null },
      };
      if (busy) {
        show();
        return null;
      }
      try {
        await adopt();
      } catch (error) {
        pending = null;
        show();
        throw error;
      }
      return null;
    },
    adopt: async () => {
      try {
        await adopt();
      } catch (error) {
        // A full disk, which is said elsewhere: it stays what comes next.
        if (!(error instanceof SystemError)) throw error;
      }
    },
    wear: (next) => {
      worn = next;
      show();
    },
    show,
  };
}

const NOTHING_WORN: WornModel = { model: null, effort: null };

function shareOf({ contextWindow }: ModelFacts, budget: number | null): number | null {
  return contextWindow === null || budget === null ? null : budget / contextWindow;
}
