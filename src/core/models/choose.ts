import { done, type Outcome, refuse } from '../../base/refusal.ts';
import type { ModelRef } from '../../protocol/message.ts';

export interface Choice {
  readonly ref: ModelRef;
  /** Why this one: said on the startup screen, and by `houston doctor`. */
  readonly from: 'explicit' | 'session' | 'settings' | 'environment' | 'demo';
}

export interface ChoiceOrder {
  readonly explicit: string | null;
  readonly session: ModelRef | null;
  readonly settings: string | null;
  /** The usual model of a provider whose key is in the environment. */
  readonly atHand: ModelRef | null;
  /** The offline pilot, where somebody is there to see that it is one. */
  readonly demo: ModelRef | null;
  readonly parse: (text: string) => Outcome<ModelRef>;
}

/** The first source that says anything decides: one that is wrong is refused, never passed over in silence. */
export function chooseModel(order: ChoiceOrder): Outcome<Choice> {
  const typed = (text: string, from: Choice['from']): Outcome<Choice> => {
    const ref = order.parse(text);
    return ref.ok ? done({ ref: ref.value, from }) : ref;
  };
  if (order.explicit !== null) return typed(order.explicit, 'explicit');
  if (order.session !== null) return done({ ref: order.session, from: 'session' });
  if (order.settings !== null) return typed(order.settings, 'settings');
  if (order.atHand !== null) return done({ ref: order.atHand, from: 'environment' });
  if (order.demo !== null) return done({ ref: order.demo, from: 'demo' });
  return refuse(
    'no-model',
    'No model is configured: set ANTHROPIC_API_KEY, OPENAI_API_KEY, GEMINI_API_KEY or OPENROUTER_API_KEY, or name one with -m provider:model',
  );
}
