import type { FileStat, Files } from '../../system/files.ts';
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

/**
 * What stays the same as long as the session runs: what may be written, and what of that may not. Caches of package
 * managers that are installed but were never used are made, since nobody could make them from inside.
 */
export async function settledPlaces(system: PlaceSystem, scope: PlaceScope): Promise<Place[]> {
  const { files } = system;
  const { mode, workspace, roots, scratch, home, environment } = scope;
  const strict = mode === 'strict';
  const wanted: { path: string; access: Access }[] = [
    { path: workspace, access: 'write' },
    ...roots.map((path) => ({ path, access: strict ? 'read' : 'write' }) as const),
    { path: `${workspace}/.houston`, access: 'read' },
    ...(await gitPlaces(files, workspace, strict)),
  ];
  for (const path of new Set(['/tmp', scope.temp])) wanted.push({ path, access: strict ? 'private' : 'write' });
  if (scratch !== null) wanted.push({ path: scratch, access: 'write' });
  if (home !== null) {
    const caches = cacheFolders(home, environment);
    if (!strict) await makeCaches(system, environment.PATH ?? '', caches);
    if (strict) wanted.push({ path: home, access: 'private' });
    if (strict) wanted.push(...programFolders(home).map((path) => ({ path, access: 'read' }) as const));
    // A variable must not open more than a cache.
    const tooWide = (path: string): boolean => [home, workspace, ...scope.own].some((one) => isWithin(one, path));
    for (const { path } of caches) if (!tooWide(path)) wanted.push({ path, access: strict ? 'read' : 'write' });
  }
  return present(files, wanted);
}

async function makeCaches(
  { files, processes }: PlaceSystem,
  path: string,
  caches: readonly { readonly path: string; readonly program: string }[],
): Promise<void> {
  for (const cache of caches) {
    if ((await files.stat(cache.path)) !== null || (await processes.find(cache.program, path)) === null) continue;
    await files.makeFolder(cache.path, 0o755).catch(() => undefined);
  }
}

/** What is hidden from one command, looked up anew for each: keys and doors come into being while a session runs. */
export async function hiddenPlaces(
  files: PlaceSystem['files'],
  scope: PlaceScope,
  loan: Loan | null,
): Promise<Place[]> {
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
    ...hidden.map((path) => ({ path, access: 'none' }) as const),
    ...shownPaths(home).map((path) => ({ path, access: 'read' }) as const),
    // Lent whole: such programs keep tokens fresh in there.
    ...opened.map((path) => ({ path, access: 'write' }) as const),
  ]);
}

/** Of `wanted` what is there, by its real path. */
async function present(
  files: PlaceSystem['files'],
  wanted: readonly { readonly path: string; readonly access: Access }[],
): Promise<Place[]> {
  const found = await Promise.all(
    wanted.map(async ({ path, access }): Promise<Place | null> => {
      const stat: FileStat | null = await files.stat(path).catch(() => null);
      if (stat === null) return null;
      const real = await files.realPath(path).catch(() => null);
      return real === null ? null : { path: real, kind: stat.kind === 'folder' ? 'folder' : 'file', access };
    }),
  );
  return found.filter((place) => place !== null);
}
