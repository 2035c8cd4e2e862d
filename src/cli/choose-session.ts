import { done, type Outcome, refuse } from '../base/refusal.ts';
import { places } from '../core/settings/paths.ts';
import type { System } from '../system/system.ts';
import type { CommandLine } from './arguments.ts';
import type { SessionRequest } from './session-request.ts';

/** Which session the command line means. Refusals: `session-not-found`, `session-ambiguous`, `no-session`, `session-id-invalid`. */
export async function chooseSession(
  system: System,
  line: CommandLine,
  folder: string,
): Promise<Outcome<Pick<SessionRequest, 'session' | 'open' | 'forkOf'>>> {
  const wanted = line.continueSession ?? line.resume;
  const fresh = system.ids.uuid();
  if (wanted === null && line.fork === null) return done({ session: fresh, open: 'new', forkOf: null });
  // A fresh session, the common case, looks for none.
  const { findSession, listSessions } = await import('../core/journal/catalog.ts');
  const { state } = places(system.environment);
  if (state === null) return refuse('no-session', 'no session was ever saved: neither HOME nor HOUSTON_HOME is set');
  if (line.fork !== null) {
    const found = await findSession(system, state, null, line.fork);
    return found.ok ? done({ session: fresh, open: 'fork', forkOf: found.value.id }) : found;
  }
  if (typeof wanted === 'string') {
    const found = await findSession(system, state, null, wanted);
    return found.ok ? done({ session: found.value.id, open: 'resume', forkOf: null }) : found;
  }
  const { projectFolder } = await import('../core/journal/project.ts');
  const newest = (await listSessions(system, state, await projectFolder(system.files, folder)))[0];
  if (newest === undefined) return refuse('no-session', `no session of ${folder} was saved yet`);
  return done({ session: newest.id, open: 'resume', forkOf: null });
}
