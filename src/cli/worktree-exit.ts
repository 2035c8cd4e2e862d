import nodePath from 'node:path';
import { readWorktree, uncommitted, unmergedCommits } from '../core/session/worktree-facts.ts';
import type { Git } from '../core/session/worktree-git.ts';
import { counted, finishWorktree, OWN_PREFIX, removeWorktree, WORKTREES } from '../core/session/worktree-work.ts';

export interface LeavingParts {
  readonly git: Git;
  readonly folder: string;
  /** What becomes of commits that are not merged. */
  readonly how: 'ask' | 'merge' | 'keep';
  readonly isOpen: (path: string) => Promise<boolean>;
  /** A yes or no of the person; false where nobody can be asked. */
  readonly ask: (question: string) => Promise<boolean>;
  /** How the session is gone on with. */
  readonly resume: string;
}

/**
 * What becomes of the worktree a session leaves; one line for the person, or null for nothing to say. Only what holds
 * nothing of anybody's is removed unasked; one that was made by hand stays.
 */
export async function leaveWorktree({ git, folder, how, isOpen, ask, resume }: LeavingParts): Promise<string | null> {
  const tree = await readWorktree(git, folder);
  if (tree === null || !tree.linked) return null;
  const { path, branch, main } = tree;
  const own = path === nodePath.join(main.path, WORKTREES, nodePath.basename(path));
  const [files, commits] = [await uncommitted(git, path), await unmergedCommits(git, path, main)];
  const state = `${counted(commits, 'commit')} not merged, ${counted(files, 'file')} not committed`;
  if (!own || branch === null || branch !== nodePath.basename(path) || !branch.startsWith(OWN_PREFIX))
    return files === 0 && commits === 0 ? null : `This worktree stays as it is: ${state}.`;
  if (await isOpen(path)) return null;
  const kept = `The worktree ${path} is kept: ${state}. Go on with it: cd ${path} && ${resume}`;
  if (files === null || commits === null || files > 0) return kept;
  if (commits > 0) {
    if (how === 'keep') return kept;
    if (how === 'ask' && !(await ask(`Merge ${counted(commits, 'commit')} of ${branch} into ${main.branch}?`)))
      return kept;
    const finished = await finishWorktree(git, path);
    return finished.ok ? finished.value.join(' ') : `${finished.refusal.message}\n${kept}`;
  }
  const removed = await removeWorktree(git, path);
  if (!removed.ok) return kept;
  await git(main.path, ['branch', '-d', '--', branch]);
  return null;
}
