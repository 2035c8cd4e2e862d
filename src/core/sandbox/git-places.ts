import { dirname, resolve } from 'node:path';
import type { Files } from '../../system/files.ts';
import { isWithin } from '../policy/paths.ts';
import type { Access } from './sandbox.ts';

/** What of a repository needs a rule of its own; not all of it need be there. */
export interface GitPlace {
  readonly path: string;
  readonly access: Access;
}

/**
 * Hooks stay as they are, since they would run outside the sandbox later on. A linked worktree keeps its commits in the
 * repository it was made from, which is opened for writing when that repository knows the worktree.
 */
export async function gitPlaces(
  files: Pick<Files, 'linkStat' | 'read' | 'realPath'>,
  workspace: string,
  strict: boolean,
): Promise<GitPlace[]> {
  const dot = resolve(workspace, '.git');
  const stat = await files.linkStat(dot);
  if (stat?.kind === 'folder') return guarded(dot, strict);
  if (stat?.kind !== 'file') return [];
  const own = await linkedFolder(files, dot, workspace);
  if (own === null) return [];
  const common = await commonFolder(files, own);
  if (common === null) return [];
  return [
    { path: common, access: strict ? 'read' : 'write' },
    { path: own, access: 'write' },
    ...guarded(common, strict),
  ];
}

function guarded(folder: string, strict: boolean): GitPlace[] {
  const names = strict ? ['hooks', 'config', 'info'] : ['hooks'];
  return names.map((name) => ({ path: `${folder}/${name}`, access: 'read' }));
}

/** The worktree's own folder, if that in turn names this very workspace: a file in a checkout can name any place. */
async function linkedFolder(
  files: Pick<Files, 'read' | 'realPath'>,
  dot: string,
  workspace: string,
): Promise<string | null> {
  const target = /^gitdir: (.+)$/m.exec((await readText(files, dot)) ?? '')?.[1];
  if (target === undefined) return null;
  const folder = await files.realPath(resolve(workspace, target.trim()));
  if (folder === null) return null;
  const back = (await readText(files, `${folder}/gitdir`))?.trim();
  if (back === undefined) return null;
  return (await files.realPath(resolve(folder, back))) === (await files.realPath(dot)) ? folder : null;
}

async function commonFolder(files: Pick<Files, 'read' | 'realPath'>, own: string): Promise<string | null> {
  const named = (await readText(files, `${own}/commondir`))?.trim();
  const common = named === undefined ? null : await files.realPath(resolve(own, named));
  return common !== null && dirname(dirname(own)) === common && isWithin(own, common) ? common : null;
}

async function readText(files: Pick<Files, 'read'>, path: string): Promise<string | undefined> {
  return files.read(path, 4096).then(
    (bytes) => new TextDecoder().decode(bytes),
    () => undefined,
  );
}
