import type { Git } from './worktree-git.ts';

/** One checkout of a repository, as git lists it. */
export interface Checkout {
  readonly path: string;
  /** Null for a detached one. */
  readonly branch: string | null;
  readonly locked: boolean;
}

/** The checkout a session works in. */
export interface Worktree {
  readonly path: string;
  readonly branch: string | null;
  readonly linked: boolean;
  /** The repository's first checkout. */
  readonly main: Checkout;
  readonly all: readonly Checkout[];
}

/** Null outside a repository, and in one without a checkout. */
export async function readWorktree(git: Git, folder: string): Promise<Worktree | null> {
  const top = await git(folder, ['rev-parse', '--show-toplevel']);
  if (top.code !== 0) return null;
  const path = top.out.replace(/\n$/, '');
  const all = await listCheckouts(git, folder);
  const [main] = all;
  const own = all.find((one) => one.path === path);
  if (main === undefined || own === undefined) return null;
  return { path, branch: own.branch, linked: own !== main, main, all };
}

async function listCheckouts(git: Git, folder: string): Promise<Checkout[]> {
  const listed = await git(folder, ['worktree', 'list', '--porcelain', '-z']);
  if (listed.code !== 0) return [];
  return listed.out.split('\0\0').flatMap((block) => {
    const fields = block.split('\0').filter((line) => line !== '');
    const value = (name: string): string | null =>
      fields.find((line) => line.startsWith(`${name} `))?.slice(name.length + 1) ?? null;
    const path = value('worktree');
    if (path === null || fields.includes('bare')) return [];
    const locked = fields.some((line) => line === 'locked' || line.startsWith('locked '));
    return [{ path, branch: value('branch')?.replace(/^refs\/heads\//, '') ?? null, locked }];
  });
}

/** Commits of `path` that `main` does not have; null where git cannot tell. */
export async function unmergedCommits(git: Git, path: string, main: Checkout): Promise<number | null> {
  const base = main.branch ?? (await git(main.path, ['rev-parse', 'HEAD'])).out.trim();
  const counted = await git(path, ['rev-list', '--count', `${base}..HEAD`, '--']);
  return counted.code === 0 ? Number(counted.out.trim()) : null;
}

/** Files with changes that are not committed, untracked ones included; null where git cannot tell. */
export async function uncommitted(git: Git, path: string): Promise<number | null> {
  const status = await git(path, ['status', '--porcelain', '-z', '--untracked-files=all', '--no-renames']);
  return status.code === 0 ? status.out.split('\0').filter((line) => line !== '').length : null;
}

/** Files a merge left with both sides in them. */
export async function conflicted(git: Git, path: string): Promise<string[]> {
  const named = await git(path, ['diff', '--name-only', '--diff-filter=U', '-z']);
  return named.out.split('\0').filter((name) => name !== '');
}
