import type { Hooks } from '../runtime/hooks.ts';
import type { SettingsAgain } from './settings-again.ts';

/** Hooks as they stand in their files, ready to run. */
export interface LoadedHooks {
  readonly hooks: Hooks;
  readonly count: number;
  /** Entries that are no hooks, and what waits for a yes, one line each. */
  readonly problems: readonly string[];
}

/** Reads them; null where they are switched off. `granted`: the person was shown what the project asks for and said yes. */
export type LoadHooks = (granted: boolean, again: SettingsAgain | null) => Promise<LoadedHooks | null>;

/** The hooks of a session: those of its start, then those of the last `/reload`. */
export interface HooksDesk {
  readonly hooks: Hooks | null;
  readonly count: number;
  load(granted: boolean, again: SettingsAgain | null): Promise<readonly string[]>;
  /** Ends what still runs of any of them. */
  close(): Promise<void>;
}

export function createHooksDesk(read: LoadHooks | null): HooksDesk {
  const all: Hooks[] = [];
  let current: LoadedHooks | null = null;
  return {
    get hooks() {
      return current?.hooks ?? null;
    },
    get count() {
      return current?.count ?? 0;
    },
    load: async (granted, again) => {
      if (read === null) return [];
      current = await read(granted, again);
      if (current !== null) all.push(current.hooks);
      return current?.problems ?? [];
    },
    close: async () => {
      await Promise.all(all.map((hooks) => hooks.close()));
    },
  };
}
