import { findSession, listSessions } from '../core/journal/catalog.ts';
import { projectFolder } from '../core/journal/project.ts';
import { places } from '../core/settings/paths.ts';
import type { System } from '../system/system.ts';
import { writeErr } from './output.ts';

/**
 * Where the session named on a command line lies, the newest one of `folder` where none is named, and the state folder it
 * belongs to. Else why not is on stderr, and this is the exit code.
 */
export async function namedSession(
  system: System,
  folder: string,
  session: string | null,
): Promise<{ readonly place: string; readonly state: string } | number> {
  const refuse = (identifier: string, message: string, code: number): number => {
    writeErr(`houston: ${identifier}: ${message}\n`);
    return code;
  };
  const { state } = places(system.environment);
  if (state === null) return refuse('not-saved', 'neither HOME nor HOUSTON_HOME is set, so no session was saved', 1);
  if (session !== null) {
    const found = await findSession(system, state, null, session);
    return found.ok ? { place: found.value.place, state } : refuse(found.refusal.identifier, found.refusal.message, 2);
  }
  const [newest] = await listSessions(system, state, await projectFolder(system.files, folder));
  return newest === undefined
    ? refuse('no-session', `no session of ${folder} was saved yet`, 1)
    : { place: newest.place, state };
}
