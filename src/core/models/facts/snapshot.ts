import type { ModelFacts } from '../model.ts';
import data from './snapshot.json' with { type: 'json' };

/** Facts of well-known models by vendor and name, best first; what is not known for certain is null. November 2026. */
const SNAPSHOT = data as unknown as Readonly<Record<string, Readonly<Record<string, ModelFacts>>>>;

export function knownModels(vendor: string): readonly string[] {
  return Object.keys(SNAPSHOT[vendor] ?? {});
}

/**
 * Facts of a model of `vendor`. A dated name (`gpt-5-2025-08-07`) is the model without its date, and a name with its
 * vendor before it (`openai/gpt-5`, as routers write it) is that model. Null when it is not known.
 */
export function snapshotFacts(vendor: string, name: string): ModelFacts | null {
  const models = SNAPSHOT[vendor] ?? {};
  const plain = name.startsWith(`${vendor}/`) ? name.slice(vendor.length + 1) : name;
  for (const one of [plain, plain.replace(/-20\d\d-\d\d-\d\d$/, '')]) {
    if (Object.hasOwn(models, one)) return models[one] ?? null;
  }
  return null;
}
