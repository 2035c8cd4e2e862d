import path from 'node:path';
import { findSession, listSessions } from '../core/journal/catalog.ts';
import { projectFolder } from '../core/journal/project.ts';
import { auditText, isRefusal } from '../core/policy/audit-text.ts';
import { makeVisible } from '../core/policy/visible-text.ts';
import { readTrail } from '../core/session/trail.ts';
import { places } from '../core/settings/paths.ts';
import type { System } from '../system/system.ts';
import { writeErr, writeOut } from './output.ts';

/** The name of a session's trail in its folder. */
export const TRAIL_FILE = 'audit.jsonl';

/** `houston audit [SESSION]`: the trail of a session, the newest here where none is named, one line each. */
export async function printTrail(system: System, folder: string, session: string | null): Promise<number> {
  const { state } = places(system.environment);
  if (state === null) {
    writeErr('houston: not-saved: neither HOME nor HOUSTON_HOME is set, so no session was saved\n');
    return 1;
  }
  const place = await findPlace(system, state, folder, session);
  if (typeof place !== 'string') {
    writeErr(`houston: ${place.identifier}: ${place.message}\n`);
    return place.identifier === 'no-session' ? 1 : 2;
  }
  const lines = await readTrail(system.files, path.join(place, TRAIL_FILE));
  if (lines.length === 0) writeErr('houston: this session left no trail\n');
  for (const line of lines) {
    const time = new Date(line.time).toISOString().replace('T', ' ').slice(0, 19);
    writeOut(`${time} ${isRefusal(line) ? '✗' : ' '} ${makeVisible(auditText(line)).text}\n`);
  }
  return 0;
}

/** The folder of the session named, of the newest one here where none is. */
export async function findPlace(
  system: System,
  state: string,
  folder: string,
  session: string | null,
): Promise<string | { readonly identifier: string; readonly message: string }> {
  if (session !== null) {
    const found = await findSession(system, state, null, session);
    return found.ok ? found.value.place : found.refusal;
  }
  const [newest] = await listSessions(system, state, await projectFolder(system.files, folder));
  return newest?.place ?? { identifier: 'no-session', message: `no session of ${folder} was saved yet` };
}
