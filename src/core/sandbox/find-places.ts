import { basename, dirname } from 'node:path';
import { type FileStat, type Files, SystemError } from '../../system/files.ts';
import type { Processes } from '../../system/processes.ts';
import { isWithin } from '../policy/paths.ts';
import { gitPlaces } from './git-places.ts';
import { DOORS_IN_TEMP, type HiddenScope, hiddenPaths, type Loan, shownPaths } from './hidden-places.ts';
import type { Access, Place } from './sandbox.ts';
import { cacheFolders, programFolders } from './toolchains.ts';

export interface PlaceScope extends HiddenScope {
  readonly mode: 'standard' | 'strict';
  /** Absolute, links resolved, all of these. */
  readonly workspace: string;
  readonly roots: readonly string[];
  readonly temp: string;
  /** The session's own folder for throw-away files; null when there is none. */
  readonly scratch: string | null;
}

export interface PlaceSystem {
  readonly files: Pick<Files, 'linkStat' | 'list' | 'makeFolder' | 'read' | 'realPath' | 'stat'>;
  readonly processes: Pick<Processes, 'find'>;
}

/** What stays the same as long as the session runs: what may be written, and what of that may not. */
export async function settledPlaces(files: PlaceSystem['files'], scope: PlaceScope): Promise<Place[]> {
  const { mode, workspace, roots, scratch, home } = scope;
  const strict = mode === 'strict';
  const wanted: { path: string; access: Access }[] = [
    { path: workspace, access: 'write' },
    ...roots.map((path) => ({ path, access: strict ? 'read' : 'write' }) as const),
    { path: `${workspace}/.houston`, access: 'read' },
    ...(await gitPlaces(files, workspace, strict)),
  ];
  for (const path of new Set(['/tmp', scope.temp])) wanted.push({ path, access: strict ? 'private' : 'write' });
  if (scratch !== null) wanted.push({ path: scratch, access: 'write' });
  if (home !== null && strict) {
    wanted.push({ path: home, access: 'private' });
    wanted.push(...programFolders(home).map((path) => ({ path, access: 'read' }) as const));
  }
  return present(files, wanted);
}

/** Caches of package managers. One that a line names and that was never used is made: nobody could from inside. */
async function cachePlaces(
  { files, processes }: PlaceSystem,
  { mode, home, workspace, own, environment }: PlaceScope,
  line: string,
): Promise<{ path: string; access: Access }[]> {
  if (home === null) return [];
  // A variable must not open more than a cache.
  const tooWide = (path: string): boolean => [home, workspace, ...own].some((one) => isWithin(one, path));
  const caches = cacheFolders(home, environment).filter(({ path }) => !tooWide(path));
  if (mode === 'strict') return caches.map(({ path }) => ({ path, access: 'read' }));
  const words = new Set(line.split(/[^\w.-]+/));
  for (const { path, programs } of caches) {
    const named = programs.find((program) => words.has(program));
    if (named === undefined || (await files.stat(path)) !== null) continue;
    if ((await processes.find(named, environment.PATH ?? '')) !== null)
      await files.makeFolder(path, 0o755).catch(() => undefined);
  }
  return caches.map(({ path }) => ({ path, access: 'write' }));
}

/**
 * What is looked up anew for each command: keys and doors, which are hidden, come into being while a session runs, and so
 * do caches.
 */
export async function commandPlaces(
  system: PlaceSystem,
  scope: PlaceScope,
  line: string,
  loan: Loan | null,
): Promise<Place[]> {
  const { files } = system;
  const { home, temp, environment } = scope;
  const lent = new Set(
    loan === null
      ? []
      : [
          ...loan.paths.map((path) => (path.startsWith('/') ? path : `${home}/${path}`)),
          ...loan.variables.map((name) => environment[name] ?? ''),
        ],
  );
  const inTemp = (await files.list(temp).catch(() => []))
    .filter(({ name }) => DOORS_IN_TEMP.test(name))
    .map(({ name }) => `${temp}/${name}`);
  const hidden = [...hiddenPaths(scope), ...inTemp].filter((path) => !lent.has(path));
  const opened = [...lent].filter((path) => path.startsWith('/'));
  return present(files, [
    ...(await cachePlaces(system, scope, line)),
    ...hidden.map((path) => ({ path, access: 'none' }) as const),
    ...shownPaths(home).map((path) => ({ path, access: 'read' }) as const),
    // Lent whole: such programs keep tokens fresh in there.
    ...opened.map((path) => ({ path, access: 'write' }) as const),
  ]);
}

const NOTHING: ReadonlySet<string> = new Set();

/** Of `wanted` what is there, by its real path. Folders are listed first: most names are in none of them. */
async function present(
  files: PlaceSystem['files'],
  wanted: readonly { readonly path: string; readonly access: Access }[],
): Promise<Place[]> {
  const listed = new Map<string, Promise<ReadonlySet<string> | null>>();
  const list = async (folder: string): Promise<ReadonlySet<string> | null> => {
    if (folder !== '/' && !(await mayBe(folder))) return NOTHING;
    try {
      // Some volumes do not tell capitals apart: a name counts in any.
      return new Set((await files.list(folder)).map(({ name }) => name.toLowerCase()));
    } catch (error) {
      // What may not be listed may still be entered.
      return error instanceof SystemError && error.code === 'ENOENT' ? NOTHING : null;
    }
  };
  const mayBe = async (path: string): Promise<boolean> => {
    const folder = dirname(path);
    const names = listed.get(folder) ?? list(folder);
    listed.set(folder, names);
    return (await names)?.has(basename(path).toLowerCase()) ?? true;
  };

  const found = await Promise.all(
    wanted.map(async ({ path, access }): Promise<Place | null> => {
      if (path !== '/' && !(await mayBe(path))) return null;
      const stat: FileStat | null = await files.stat(path).catch(() => null);
      if (stat === null) return null;
      const real = await files.realPath(path).catch(() => null);
      return real === null ? null : { path: real, kind: stat.kind === 'folder' ? 'folder' : 'file', access };
    }),
  );
  return found.filter((place) => place !== null);
}
