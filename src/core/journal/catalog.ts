import { join } from 'node:path';
import { done, type Outcome, refuse } from '../../base/refusal.ts';
import { SystemError } from '../../system/files.ts';
import type { System } from '../../system/system.ts';
import { JOURNAL_FILE } from './file-journal.ts';
import { projectKey, SIDE_FOLDER } from './project.ts';
import { readSummary, type SessionSummary } from './summary.ts';

export interface ListedSession extends SessionSummary {
  readonly id: string;
  /** The session's own folder. */
  readonly place: string;
}

type CatalogSystem = Pick<System, 'files'>;

const SESSION_ID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const ID_PREFIX = /^[0-9a-f]{8}[0-9a-f-]{0,28}$/;
/** Journals read at a time. */
const BESIDE = 16;

/** Whether a text can be the id of a session: asked before it becomes part of any path (SD-4). */
export function isSessionId(text: string): boolean {
  return SESSION_ID.test(text);
}

/** `<state>/sessions/<project key>/<id>`; throws for what is no session id. `project`: as `projectFolder` gives it. */
export function sessionFolder(stateFolder: string, project: string, id: string): string {
  if (!isSessionId(id)) throw new Error('not a session id');
  return join(stateFolder, 'sessions', projectKey(project), id);
}

/** `<state>/sessions/side/<id>`: of a side conversation. */
export function sideFolder(stateFolder: string, id: string): string {
  if (!isSessionId(id)) throw new Error('not a session id');
  return join(stateFolder, 'sessions', SIDE_FOLDER, id);
}

/** Sessions of one project, or of all with null; newest first. What cannot be read is left out. */
export async function listSessions(
  system: CatalogSystem,
  stateFolder: string,
  project: string | null,
): Promise<ListedSession[]> {
  const places = await sessionPlaces(system, stateFolder, project);
  const listed: ListedSession[] = [];
  for (let from = 0; from < places.length; from += BESIDE) {
    const read = places.slice(from, from + BESIDE).map(async ({ id, place }) => {
      const summary = await readSummary(system.files, join(place, JOURNAL_FILE));
      return summary === null ? [] : [{ id, place, ...summary }];
    });
    listed.push(...(await Promise.all(read)).flat());
  }
  return listed.sort((a, b) => b.updated - a.updated);
}

/**
 * A session by its whole id or by its first eight or more characters. Refusals: `session-id-invalid`,
 * `session-not-found`, `session-ambiguous` (naming those it could be).
 */
export async function findSession(
  system: CatalogSystem,
  stateFolder: string,
  project: string | null,
  typed: string,
): Promise<Outcome<{ readonly id: string; readonly place: string }>> {
  const wanted = typed.trim().toLowerCase();
  if (!ID_PREFIX.test(wanted))
    return refuse('session-id-invalid', 'a session is named by its id or at least the first eight characters of it');
  const plain = wanted.replaceAll('-', '');
  const places = await sessionPlaces(system, stateFolder, project);
  const found = places.filter(({ id }) =>
    wanted.includes('-') ? id.startsWith(wanted) : id.replaceAll('-', '').startsWith(plain),
  );
  if (found.length === 0) return refuse('session-not-found', `there is no session ${wanted}`);
  if (found.length > 1) {
    const some = found.slice(0, 5).map(({ id }) => id);
    return refuse(
      'session-ambiguous',
      `${wanted} could be ${found.length} sessions: ${some.join(', ')}${found.length > 5 ? ', …' : ''}`,
    );
  }
  return done(found[0]!);
}

/** Folders of sessions that have a journal or may get one. Links are never followed. */
async function sessionPlaces(
  system: CatalogSystem,
  stateFolder: string,
  project: string | null,
): Promise<{ readonly id: string; readonly place: string }[]> {
  const root = join(stateFolder, 'sessions');
  const keys = project === null ? await folders(system, root) : [projectKey(project)];
  const places: { id: string; place: string }[] = [];
  for (const key of keys) {
    if (key === SIDE_FOLDER) continue;
    const folder = join(root, key);
    if (project !== null && (await kindOf(system, folder)) !== 'folder') continue;
    for (const id of await folders(system, folder)) if (isSessionId(id)) places.push({ id, place: join(folder, id) });
  }
  return places;
}

async function folders(system: CatalogSystem, path: string): Promise<string[]> {
  try {
    return (await system.files.list(path)).filter((entry) => entry.kind === 'folder').map((entry) => entry.name);
  } catch (error) {
    if (error instanceof SystemError) return [];
    throw error;
  }
}

async function kindOf(system: CatalogSystem, path: string): Promise<string | null> {
  try {
    return (await system.files.linkStat(path))?.kind ?? null;
  } catch (error) {
    if (error instanceof SystemError) return null;
    throw error;
  }
}
