import path from 'node:path';
import type { Clock } from '../../../system/clock.ts';
import type { Files } from '../../../system/files.ts';
import type { Network } from '../../../system/network.ts';
import type { ModelFacts } from '../model.ts';
import { type FactsTable, MODELS_DEV, readModelsDev } from './models-dev.ts';

/** What was learned of models since this version was made. Everything in it may be missing; nothing waits for it. */
export interface FreshFacts {
  of(provider: string, model: string): ModelFacts | null;
  names(provider: string): readonly string[];
  /** Reads what an earlier run learned. A small local file, read once. */
  load(): Promise<void>;
  /** From the next time on, this provider is learned of too. */
  want(provider: string): void;
  /**
   * Learns anew, at most once a day unless more is wanted since or somebody insists, and keeps it. For idle time; false
   * where it could not.
   */
  refresh(insist?: boolean): Promise<boolean>;
}

export interface FreshFactsOptions {
  readonly files: Pick<Files, 'read' | 'writeAtomic' | 'makeFolder'>;
  readonly network: Pick<Network, 'fetch'>;
  readonly clock: Pick<Clock, 'now' | 'after'>;
  /** Folder of Houston's state; null: nothing is kept. */
  readonly state: string | null;
  /** Providers worth keeping, by the catalogue's names. */
  readonly providers: readonly string[];
}

export const NO_FRESH_FACTS: FreshFacts = {
  of: () => null,
  names: () => [],
  load: async () => {},
  want: () => {},
  refresh: async () => false,
};

const DAY_MS = 86_400_000;
const LONGEST_MS = 20_000;
const MOST_BYTES = 32 * 1024 * 1024;

interface Kept {
  readonly version: 1;
  readonly at: number;
  readonly models: FactsTable;
  /** Providers that were asked for, also those that are not in the catalogue. */
  readonly asked?: readonly string[];
}

export function createFreshFacts(options: FreshFactsOptions): FreshFacts {
  const { files, network, clock, state } = options;
  const file = state === null ? null : path.join(state, 'models.json');
  const wanted = new Set(options.providers);
  let kept: Kept | null = null;
  let loading: Promise<void> | null = null;

  const read = async (): Promise<void> => {
    if (file === null) return;
    try {
      const found: unknown = JSON.parse(new TextDecoder().decode(await files.read(file, MOST_BYTES)));
      if (isKept(found)) kept = found;
    } catch {
      // Missing or damaged: as if nothing had been learned yet.
    }
  };
  const load = (): Promise<void> => {
    loading ??= read();
    return loading;
  };

  return {
    of: (provider, model) => {
      const models = kept !== null && Object.hasOwn(kept.models, provider) ? kept.models[provider] : undefined;
      return models !== undefined && Object.hasOwn(models, model) ? (models[model] ?? null) : null;
    },
    names: (provider) =>
      kept !== null && Object.hasOwn(kept.models, provider) ? Object.keys(kept.models[provider] ?? {}) : [],
    load,
    want: (provider) => void wanted.add(provider),
    refresh: async (insist = false) => {
      await load();
      const now = clock.now();
      // A clock that was set back must not keep old facts for ever.
      const asked = new Set(kept?.asked ?? Object.keys(kept?.models ?? {}));
      const isFresh = kept !== null && now >= kept.at && now - kept.at < DAY_MS;
      if (!insist && isFresh && [...wanted].every((provider) => asked.has(provider))) return true;
      const stop = new AbortController();
      const stopTimer = clock.after(LONGEST_MS, () => stop.abort());
      try {
        const response = await network.fetch(MODELS_DEV, { signal: stop.signal });
        if (!response.ok || Number(response.headers.get('content-length') ?? 0) > MOST_BYTES) return false;
        const models = readModelsDev(await response.json(), [...wanted]);
        if (models === null) return false;
        kept = { version: 1, at: now, models, asked: [...wanted] };
        if (file === null || state === null) return true;
        await files.makeFolder(state, 0o700);
        await files.writeAtomic(file, new TextEncoder().encode(JSON.stringify(kept)), { mode: 0o600, flush: false });
        return true;
      } catch {
        // Offline, refused or unreadable: the next day will do.
        return false;
      } finally {
        stopTimer();
      }
    },
  };
}

function isKept(value: unknown): value is Kept {
  const { version, at, models } = (value ?? {}) as Readonly<Record<string, unknown>>;
  return version === 1 && typeof at === 'number' && typeof models === 'object' && models !== null;
}
