import type { Entry, EntryBody } from '../../protocol/entry.ts';
import { isSameModel, type ModelRef } from '../../protocol/message.ts';

/**
 * Notices when a service no longer remembers the beginning of the conversation, which then costs its full price again.
 * Told of every branch entry, in order; answers with the note to write, once until the memory is back.
 */
export interface CacheWatch {
  see(entry: Entry): EntryBody | null;
}

/** Identifier of the note that says requests begin otherwise from here on. */
export const CACHE_RESTARTS = 'cache-restarts';
/** Of one that says other tools are offered from here on: they stand at the beginning too. */
export const TOOLS_CHANGED = 'mcp-tools';

/** A shorter beginning is not worth a word. */
const LEAST_PREFIX = 1_024;
/** Services forget by themselves about then: the first request of a turn is compared no later than that. */
const REMEMBERED_MS = 5 * 60_000;

interface Known {
  readonly model: ModelRef;
  readonly prefix: number;
  readonly time: number;
}

/** What is known, as data. */
export interface SavedWatch {
  readonly known: Known | null;
  readonly told: boolean;
  readonly first: boolean;
}

export function createCacheWatch(saved?: SavedWatch): CacheWatch & { save(): SavedWatch } {
  let known = saved?.known ?? null;
  let told = saved?.told ?? false;
  let first = saved?.first ?? false;

  return {
    see: (entry) => {
      switch (entry.kind) {
        case 'turn-start':
          first = true;
          return null;
        case 'compaction':
          // Another beginning, on purpose.
          known = null;
          return null;
        case 'note':
          // Said already.
          if (entry.identifier === CACHE_RESTARTS || entry.identifier === TOOLS_CHANGED) known = null;
          return null;
        case 'assistant': {
          const { cacheRead, cacheWrite } = entry.usage;
          if (cacheRead === null) return null;
          const before = known;
          const late = first && before !== null && entry.time - entry.duration - before.time > REMEMBERED_MS;
          first = false;
          known = { model: entry.model, prefix: cacheRead + (cacheWrite ?? 0), time: entry.time };
          const comparable = before !== null && !late && isSameModel(before.model, entry.model);
          if (!comparable || before.prefix < LEAST_PREFIX) return null;
          const forgotten = cacheRead < before.prefix / 2;
          if (!forgotten) told = false;
          if (!forgotten || told) return null;
          told = true;
          const text = `The service read ${cacheRead} of ${before.prefix} remembered tokens back: the rest of the conversation was paid for again.`;
          return { kind: 'note', level: 'info', identifier: 'cache-missed', text };
        }
        default:
          return null;
      }
    },
    save: () => ({ known, told, first }),
  };
}
