import nodePath from 'node:path';
import { done, type Outcome, refuse } from '../../base/refusal.ts';
import { type Files, SystemError } from '../../system/files.ts';
import { readWorktree } from './worktree-facts.ts';
import type { Git } from './worktree-git.ts';
import { OWN_PREFIX, WORKTREES } from './worktree-work.ts';

export interface MadeWorktree {
  /** Where the session works: the same folder below the new checkout, where that is there. */
  readonly folder: string;
  readonly path: string;
  readonly branch: string;
  readonly main: string;
}

/** Runs one setup program in the new worktree; the refusal is what it said. */
export type RunSetup = (made: MadeWorktree) => Promise<Outcome<null>>;

/**
 * A worktree of its own for one session, on a new branch from the mainline's place. Refusals: `bad-name`,
 * `no-repository`, `in-a-worktree`, `name-taken`, `not-made`, and those of the setup, after which nothing is left of it.
 */
export async function makeWorktree(
  { git, files, freshName }: { git: Git; files: Files; freshName: () => string },
  folder: string,
  name: string | null,
  setup: RunSetup,
): Promise<Outcome<MadeWorktree>> {
  if (name !== null && !isName(name))
    return refuse('bad-name', 'a worktree is named with up to 40 letters, digits, dots, dashes and underscores');
  const tree = await readWorktree(git, folder);
  if (tree === null) return refuse('no-repository', `${folder} lies in no git repository with a checkout`);
  if (tree.linked) return refuse('in-a-worktree', `${tree.path} is a worktree itself: none is made inside one`);
  const branch = `${OWN_PREFIX}${name ?? freshName()}`;
  const path = nodePath.join(tree.path, WORKTREES, branch);
  if ((await files.linkStat(path)) !== null) return refuse('name-taken', `${path} is there already`);
  if ((await git(tree.path, ['rev-parse', '--verify', '--quiet', `refs/heads/${branch}`])).code === 0)
    return refuse('name-taken', `there is a branch ${branch} already`);
  try {
    await exclude(git, files, tree.path);
  } catch (error) {
    if (!(error instanceof SystemError)) throw error;
    return refuse('not-made', `the worktree could not be made: ${error.message}`);
  }
  const added = await git(tree.path, ['worktree', 'add', '--quiet', '-b', branch, '--', path, 'HEAD']);
  if (added.code !== 0) {
    await undo(git, tree.path, path, branch);
    return refuse('not-made', `the worktree could not be made: ${added.said}`);
  }
  const below = nodePath.relative(tree.path, folder);
  const inside = nodePath.join(path, below);
  const there = (await files.stat(inside))?.kind === 'folder';
  const made = { folder: there ? inside : path, path, branch, main: tree.path };
  const ready = await setup(made);
  if (ready.ok) return done(made);
  await undo(git, tree.path, path, branch);
  return ready;
}

/** Git takes more in a name of a branch, and some of it means something. */
function isName(name: string): boolean {
  return /^[a-z0-9][a-z0-9._-]{0,39}$/i.test(name) && !name.includes('..') && !/(\.lock|\.)$/i.test(name);
}

/** What was made a moment ago and holds nothing of anybody's. */
async function undo(git: Git, main: string, path: string, branch: string): Promise<void> {
  await git(main, ['worktree', 'remove', '--force', '--', path]);
  await git(main, ['branch', '-D', '--', branch]);
}

/** Kept out of the repository's own status, for this clone alone. */
async function exclude(git: Git, files: Files, main: string): Promise<void> {
  const named = await git(main, ['rev-parse', '--git-common-dir']);
  if (named.code !== 0) return;
  const file = nodePath.join(nodePath.resolve(main, named.out.replace(/\n$/, '')), 'info', 'exclude');
  const stat = await files.stat(file);
  const text = stat === null ? '' : new TextDecoder().decode(await files.read(file, 1024 * 1024));
  const line = `/${WORKTREES}/`;
  if (text.split('\n').includes(line)) return;
  await files.makeFolder(nodePath.dirname(file), 0o755);
  const more = `${text}${text === '' || text.endsWith('\n') ? '' : '\n'}${line}\n`;
  await files.writeAtomic(file, new TextEncoder().encode(more), { mode: stat?.mode ?? 0o644, flush: false });
}
