import type { Json } from '../../base/json.ts';

/** The same value with every lone surrogate replaced, keys included; the very same object where there are none. */
export function wellFormed(value: Json): Json {
  if (typeof value === 'string') return value.toWellFormed();
  if (value === null || typeof value !== 'object') return value;
  if (Array.isArray(value)) {
    const items = value.map(wellFormed);
    return items.every((item, index) => item === value[index]) ? value : items;
  }
  const pairs = Object.entries(value as { readonly [key: string]: Json });
  const mended = pairs.map(([key, held]): [string, Json] => [key.toWellFormed(), wellFormed(held)]);
  const same = mended.every(([key, held], index) => key === pairs[index]![0] && held === pairs[index]![1]);
  return same ? value : Object.fromEntries(mended);
}
