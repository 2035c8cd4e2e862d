import path from 'node:path';
import type { Files } from '../../system/files.ts';

const HEAD_LIMIT = 4096;

/**
 * The branch checked out at `folder` or the nearest folder above it, read from `.git` without running git: its name, the
 * first seven digits of a detached commit, or null outside a repository. Worktrees and submodules (`gitdir:` files) too.
 */
export async function gitBranch(files: Files, folder: string): Promise<string | null> {
  try {
    const git = await findGit(files, folder);
    if (git === null) return null;
    const head = (await readText(files, path.join(git, 'HEAD'))).trim();
    const branch = /^ref: refs\/heads\/(.+)$/.exec(head)?.[1];
    if (branch !== undefined) return branch;
    return /^[0-9a-f]{40,64}$/.test(head) ? head.slice(0, 7) : null;
  } catch {
    // A repository that cannot be read is shown as none: the branch is an ornament.
    return null;
  }
}

export async function isInRepository(files: Files, folder: string): Promise<boolean> {
  return (await findGit(files, folder).catch(() => null)) !== null;
}

async function findGit(files: Files, folder: string): Promise<string | null> {
  for (let at = folder; ; at = path.dirname(at)) {
    const candidate = path.join(at, '.git');
    const stat = await files.stat(candidate);
    if (stat?.kind === 'folder') return candidate;
    if (stat?.kind === 'file') {
      const pointed = /^gitdir: (.+)$/m.exec(await readText(files, candidate))?.[1];
      return pointed === undefined ? null : path.resolve(at, pointed.trim());
    }
    if (path.dirname(at) === at) return null;
  }
}

async function readText(files: Files, file: string): Promise<string> {
  return new TextDecoder().decode(await files.read(file, HEAD_LIMIT));
}
