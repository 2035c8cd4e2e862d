import { join } from 'node:path';
import { SystemError } from '../../system/files.ts';
import { isSessionId } from './catalog.ts';
import { JOURNAL_FILE } from './file-journal.ts';
import { type LockSystem, takeSessionLock } from './session-lock.ts';

const DAY_MS = 86_400_000;
/** What is being removed bears it: no session any more, and cleared away later where this was cut off. */
const GOING = '.removed';

/**
 * Removes sessions nobody went on with for `days` days, with all that lies in their folders and their drafts, and answers
 * their ids. One that is open anywhere stays, and so does whatever cannot be read or removed.
 */
export async function pruneSessions(
  system: LockSystem,
  state: string,
  days: number,
  signal?: AbortSignal,
): Promise<readonly string[]> {
  const { files, clock } = system;
  const removed: string[] = [];
  const root = join(state, 'sessions');
  for (const key of await foldersIn(system, root)) {
    for (const name of await foldersIn(system, join(root, key))) {
      if (signal?.aborted === true) return removed;
      const place = join(root, key, name);
      try {
        if (name.endsWith(GOING)) await files.remove(place, { recursive: true });
        if (!isSessionId(name) || !(await isOld(system, place, clock.now() - days * DAY_MS))) continue;
        const lock = await takeSessionLock(system, place);
        if (!lock.ok) continue;
        // It may have been gone on with until the lock was ours.
        if (!(await isOld(system, place, clock.now() - days * DAY_MS))) {
          await lock.value.release();
          continue;
        }
        await files.rename(place, `${place}${GOING}`);
        await files.remove(`${place}${GOING}`, { recursive: true });
        await files.remove(join(state, 'drafts', name), { recursive: true });
        removed.push(name);
      } catch (error) {
        if (!(error instanceof SystemError)) throw error;
      }
    }
  }
  return removed;
}

async function isOld({ files }: LockSystem, place: string, before: number): Promise<boolean> {
  const stat = await files.linkStat(join(place, JOURNAL_FILE));
  return stat?.kind === 'file' && stat.modifiedMs < before;
}

async function foldersIn({ files }: LockSystem, path: string): Promise<string[]> {
  try {
    return (await files.list(path)).filter(({ kind }) => kind === 'folder').map(({ name }) => name);
  } catch (error) {
    if (error instanceof SystemError) return [];
    throw error;
  }
}
