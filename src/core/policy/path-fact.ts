import { basename, resolve } from 'node:path';
import type { FactScope, FactSources, PathFact } from './facts.ts';
import { isWithin } from './paths.ts';
import { protectionOf } from './protected-places.ts';
import { resolvePath } from './resolve-path.ts';
import { trusts } from './trust.ts';

/** What is known about one absolute path, whether or not something is there. With `..` in it, it is taken as the system takes it. */
export async function pathFact(path: string, scope: FactScope, files: FactSources['files']): Promise<PathFact> {
  const real = await resolvePath(files, path);
  const stat = await files.stat(real);
  const output = scope.outputs !== null && real !== scope.outputs && isWithin(real, scope.outputs);
  return {
    path: resolve(path),
    ...(path.split('/').includes('..') ? { opened: path } : {}),
    real,
    inside: [scope.workspace, ...scope.roots].some((root) => isWithin(real, root)),
    exists: stat !== null,
    inode: stat?.inode ?? null,
    ...(stat?.kind === 'file' && (stat.links ?? 1) > 1 ? { shared: true } : {}),
    protected: protectionOf(real, scope),
    trusted: output ? scope.isWithheld?.(basename(real)) !== true : trusts(scope.trust, real),
    output,
  };
}
