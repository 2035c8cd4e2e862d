import type { Json } from '../../base/json.ts';
import type { Aside } from '../../protocol/aside.ts';

/** Names the entry that keeps a question beside the conversation, and its answer where that may be kept. */
export const ASIDE = 'aside';
/** So many threads are kept; the oldest settled one goes first. */
export const MOST_ASIDES = 20;

/** Read back from the journal: what was running when the session ended is stopped. */
export function readAside(data: Json): Aside | null {
  const aside = data as unknown as Aside | null;
  if (typeof aside?.id !== 'number' || !Array.isArray(aside.exchanges)) return null;
  const exchanges = aside.exchanges.map((one) =>
    one.state === 'running' ? { ...one, state: 'stopped' as const } : one,
  );
  return { ...aside, exchanges };
}
