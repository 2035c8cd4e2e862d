import { done, type Outcome, refuse } from '../base/refusal.ts';
import { cutToWidth, visible } from '../base/text-width.ts';
import { places } from '../core/settings/paths.ts';
import type { System } from '../system/system.ts';
import type { CommandLine } from './arguments.ts';
import type { SessionRequest } from './session-request.ts';

/** Ids named beside one that is not there. */
const NEAREST = 3;
const TITLE = 40;

/** `place`: the folder of one that goes on. */
export type ChosenSession = Pick<SessionRequest, 'session' | 'open' | 'forkOf'> & { readonly place: string | null };

/** Which session the command line means. Refusals: `session-not-found`, `session-ambiguous`, `no-session`, `session-id-invalid`. */
export async function chooseSession(
  system: System,
  line: CommandLine,
  folder: string,
): Promise<Outcome<ChosenSession>> {
  const wanted = line.continueSession ?? line.resume;
  const fresh = system.ids.uuid();
  if (wanted === null && line.fork === null) return done({ session: fresh, open: 'new', forkOf: null, place: null });
  // A fresh session, the common case, looks for none.
  const { findSession, listSessions } = await import('../core/journal/catalog.ts');
  const { state } = places(system.environment);
  if (state === null) return refuse('no-session', 'no session was ever saved: neither HOME nor HOUSTON_HOME is set');
  if (line.fork !== null) {
    const found = await findSession(system, state, null, line.fork);
    return found.ok
      ? done({ session: fresh, open: 'fork', forkOf: found.value.id, place: null })
      : withNearest(system, state, folder, line.fork, found);
  }
  if (typeof wanted === 'string') {
    const found = await findSession(system, state, null, wanted);
    return found.ok
      ? done({ session: found.value.id, open: 'resume', forkOf: null, place: found.value.place })
      : withNearest(system, state, folder, wanted, found);
  }
  const { projectFolder } = await import('../core/journal/project.ts');
  const newest = (await listSessions(system, state, await projectFolder(system.files, folder)))[0];
  if (newest === undefined) return refuse('no-session', `no session of ${folder} was saved yet`);
  return done({ session: newest.id, open: 'resume', forkOf: null, place: newest.place });
}

/** A name nothing has: the sessions here it comes nearest to, the newest first among those alike, stand behind it. */
async function withNearest(
  system: System,
  state: string,
  folder: string,
  typed: string,
  refused: Extract<Outcome<never>, { ok: false }>,
): Promise<Outcome<never>> {
  const { identifier, message } = refused.refusal;
  if (identifier !== 'session-not-found' && identifier !== 'session-id-invalid') return refused;
  const { listSessions } = await import('../core/journal/catalog.ts');
  const { projectFolder } = await import('../core/journal/project.ts');
  const here = await listSessions(system, state, await projectFolder(system.files, folder));
  if (here.length === 0) return refuse(identifier, `${message}; none was saved here yet`);
  const wanted = typed.trim().toLowerCase();
  const near = here
    .map((one) => ({ one, alike: alikeFrom(one.id, wanted) }))
    .sort((a, b) => b.alike - a.alike)
    .slice(0, NEAREST)
    .map(({ one: { id, title } }) => (title === '' ? id : `${id} (${cutToWidth(visible(title), TITLE)})`));
  return refuse(identifier, `${message}; the nearest here: ${near.join(', ')}`);
}

function alikeFrom(id: string, typed: string): number {
  let at = 0;
  while (at < typed.length && id[at] === typed[at]) at++;
  return at;
}
