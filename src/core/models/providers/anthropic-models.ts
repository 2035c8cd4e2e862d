import type { Effort } from '../../../protocol/message.ts';
import type { ModelFacts, Price } from '../model.ts';

/**
 * How a model is asked to think. `adaptive`: it decides by itself, steered by effort; `budget`: a number of tokens;
 * `unknown`: nothing is said and the service's default holds.
 */
export type ThinkingStyle = 'adaptive' | 'budget' | 'unknown';

export interface AnthropicModel {
  readonly facts: ModelFacts;
  readonly thinking: ThinkingStyle;
}

const ALL: readonly Effort[] = ['low', 'medium', 'high', 'xhigh', 'max'];
const UP_TO_MAX: readonly Effort[] = ['low', 'medium', 'high', 'max'];
const UP_TO_HIGH: readonly Effort[] = ['low', 'medium', 'high'];

/** Dollars a million tokens; writing to the cache (for five minutes) costs a quarter more than reading afresh. */
function price(input: number, output: number, cacheRead: number): Price {
  return { input, output, cacheRead, cacheWrite: input * 1.25 };
}

function model(
  contextWindow: number,
  maxOutput: number,
  thinking: ThinkingStyle,
  efforts: readonly Effort[],
  cost: Price,
): AnthropicModel {
  return { thinking, facts: { contextWindow, maxOutput, images: true, thinking: true, efforts, price: cost } };
}

const MILLION = 1_000_000;

/** A snapshot of what the vendor publishes, November 2026; best first. */
const MODELS: Readonly<Record<string, AnthropicModel>> = {
  'claude-opus-5-5': model(MILLION, 128_000, 'adaptive', ALL, price(4, 20, 0.2)),
  'claude-fable-5-2': model(MILLION, 128_000, 'adaptive', ALL, price(8, 40, 0.2)),
  'claude-sonnet-5-5': model(MILLION, 128_000, 'adaptive', ALL, price(2, 10, 0.1)),
  'claude-haiku-5-5': model(MILLION, 128_000, 'adaptive', ALL, {
    ...price(0.1, 0.5, 0.01),
    long: { tokens: 100_000, price: price(0.5, 2.5, 0.05) },
  }),
  'claude-fable-5-1': model(MILLION, 128_000, 'adaptive', ALL, price(10, 50, 0.25)),
  'claude-fable-5': model(MILLION, 128_000, 'adaptive', ALL, price(10, 50, 1)),
  'claude-opus-5': model(MILLION, 128_000, 'adaptive', ALL, price(5, 25, 0.5)),
  'claude-sonnet-5': model(MILLION, 128_000, 'adaptive', ALL, price(2, 10, 0.2)),
  'claude-opus-4-8': model(MILLION, 128_000, 'adaptive', ALL, price(5, 25, 0.5)),
  'claude-opus-4-7': model(MILLION, 128_000, 'adaptive', ALL, price(5, 25, 0.5)),
  'claude-opus-4-6': model(MILLION, 128_000, 'adaptive', UP_TO_MAX, price(5, 25, 0.5)),
  'claude-sonnet-4-6': model(MILLION, 64_000, 'adaptive', UP_TO_MAX, price(3, 15, 0.3)),
  'claude-opus-4-5': model(200_000, 64_000, 'budget', UP_TO_HIGH, price(5, 25, 0.5)),
  'claude-sonnet-4-5': model(200_000, 64_000, 'budget', UP_TO_HIGH, price(3, 15, 0.3)),
  'claude-haiku-4-5': model(200_000, 64_000, 'budget', UP_TO_HIGH, price(1, 5, 0.1)),
};

export const ANTHROPIC_MODELS: readonly string[] = Object.keys(MODELS);

/** A dated name (`claude-haiku-4-5-20251001`) is the model without its date. Null when it is not known. */
export function anthropicModel(name: string): AnthropicModel | null {
  const plain = name.replace(/-20\d{6}$/, '');
  return Object.hasOwn(MODELS, plain) ? (MODELS[plain] ?? null) : null;
}
