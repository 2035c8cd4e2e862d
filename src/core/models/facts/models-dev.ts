import type { Effort } from '../../../protocol/message.ts';
import type { ModelFacts, Price } from '../model.ts';

/** Facts by provider and model, as far as they are known. */
export type FactsTable = Readonly<Record<string, Readonly<Record<string, ModelFacts>>>>;

/** Where the public catalogue of models is. */
export const MODELS_DEV = 'https://models.dev/api.json';

const EFFORTS: readonly Effort[] = ['low', 'medium', 'high', 'xhigh', 'max'];

/**
 * Reads the catalogue of models.dev, of `providers` only. Nothing in it is relied on: what is missing or odd is
 * unknown, and a model that takes no tools is left out. Null when it is not such a catalogue at all.
 */
export function readModelsDev(catalogue: unknown, providers: readonly string[]): FactsTable | null {
  if (!isRecord(catalogue)) return null;
  const table: Record<string, Record<string, ModelFacts>> = {};
  for (const provider of providers) {
    const models = isRecord(catalogue[provider]) ? catalogue[provider].models : null;
    if (!isRecord(models)) continue;
    const facts: Record<string, ModelFacts> = {};
    for (const [name, model] of Object.entries(models)) {
      if (isRecord(model) && model.tool_call !== false && isName(name)) facts[name] = factsOf(model);
    }
    if (Object.keys(facts).length > 0) table[provider] = facts;
  }
  return Object.keys(table).length > 0 ? table : null;
}

/** Names go to the screen and into addresses: what holds anything but what names hold is no name. */
function isName(name: string): boolean {
  return /^[\w.:/@+-]{1,128}$/.test(name);
}

function factsOf(model: Record<string, unknown>): ModelFacts {
  const limit = isRecord(model.limit) ? model.limit : {};
  const modalities = isRecord(model.modalities) ? model.modalities : {};
  return {
    contextWindow: count(limit.context),
    maxOutput: count(limit.output),
    images: Array.isArray(modalities.input) && modalities.input.includes('image'),
    thinking: model.reasoning === true,
    efforts: effortsOf(model.reasoning_options),
    price: priceOf(model.cost, fastCost(model.experimental)),
  };
}

function effortsOf(options: unknown): readonly Effort[] {
  const listed = Array.isArray(options) ? options.find((one) => isRecord(one) && one.type === 'effort') : undefined;
  const values: unknown = isRecord(listed) ? listed.values : undefined;
  return Array.isArray(values) ? EFFORTS.filter((effort) => values.includes(effort)) : [];
}

function priceOf(cost: unknown, fast: unknown): Price | null {
  const price = withLong(plainPrice(cost), cost);
  const quick = price === null ? null : withLong(plainPrice(fast), fast);
  return price === null || quick === null ? price : { ...price, fast: quick };
}

function withLong(price: Price | null, cost: unknown): Price | null {
  if (price === null || !isRecord(cost)) return price;
  const tier = Array.isArray(cost.tiers) ? cost.tiers.find(isRecord) : undefined;
  const long = plainPrice(tier ?? cost.context_over_200k);
  const tokens = tier === undefined ? 200_000 : tierSize(tier);
  return long === null || tokens === null ? price : { ...price, long: { tokens, price: long } };
}

/** What the faster service costs, where it is the one that is asked for (`ModelRequest.tier`). */
function fastCost(experimental: unknown): unknown {
  const modes = isRecord(experimental) ? experimental.modes : null;
  const fast = isRecord(modes) ? modes.fast : null;
  const provider = isRecord(fast) ? fast.provider : null;
  const body = isRecord(provider) ? provider.body : null;
  return isRecord(fast) && isRecord(body) && body.service_tier === 'priority' ? fast.cost : null;
}

/** Where no price of the cache is named, reading and writing it cost what input costs. */
function plainPrice(cost: unknown): Price | null {
  if (!isRecord(cost)) return null;
  const { input, output } = cost;
  if (!isPrice(input) || !isPrice(output)) return null;
  const { cache_read: read, cache_write: write } = cost;
  return { input, output, cacheRead: isPrice(read) ? read : input, cacheWrite: isPrice(write) ? write : input };
}

function tierSize(tier: Record<string, unknown>): number | null {
  const inner = isRecord(tier.tier) ? tier.tier.size : isRecord(tier.context) ? tier.context.min : null;
  return count(inner);
}

function count(value: unknown): number | null {
  return typeof value === 'number' && Number.isInteger(value) && value > 0 ? value : null;
}

function isPrice(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
