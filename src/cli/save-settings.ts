import { underLock } from '../core/journal/session-lock.ts';
import type { LockFile } from '../core/settings/save-defaults.ts';
import {
  createDefaultsSaver,
  createEffortSaver,
  createMcpDefaultSaver,
  createProviderSaver,
} from '../core/settings/save-defaults.ts';
import type { System } from '../system/system.ts';

/** Somebody else's change of one setting takes milliseconds. */
const LOCK_WAIT_MS = 2_000;

/** One at a time, over all processes. */
export function lockSettings(system: Pick<System, 'files' | 'clock' | 'ids' | 'processes'>): LockFile {
  return (file, work) => underLock(system, `${file}.lock`, LOCK_WAIT_MS, work);
}

/** What writes into the person's own settings. */
export function settingsSavers(system: Pick<System, 'files' | 'clock' | 'ids' | 'processes'>, config: string) {
  const { files } = system;
  const lock = lockSettings(system);
  return {
    saveDefaults: createDefaultsSaver(files, config, lock),
    saveEffort: createEffortSaver(files, config, lock),
    saveServerDefault: createMcpDefaultSaver(files, config, lock),
    saveProvider: createProviderSaver(files, config, lock),
  };
}
