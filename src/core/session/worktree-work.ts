import { done, type Outcome, refuse } from '../../base/refusal.ts';
import { conflicted, readWorktree, uncommitted, unmergedCommits, type Worktree } from './worktree-facts.ts';
import type { Git } from './worktree-git.ts';

/** Where Houston's own lie, in the repository's first checkout; each has a branch of the same name. */
export const WORKTREES = '.worktrees';
export const OWN_PREFIX = 'houston-';

type Lines = Outcome<readonly string[]>;

const NOT_LINKED = refuse(
  'not-a-worktree',
  'This session works in no linked worktree: start one with houston --worktree.',
);

const STOPPED = refuse('stopped', 'Stopped: nothing more was done.');

/** The linked worktree of this folder; refused anywhere else. */
export async function linkedWorktree(git: Git, folder: string): Promise<Outcome<Worktree>> {
  const tree = await readWorktree(git, folder);
  return tree === null || !tree.linked ? NOT_LINKED : done(tree);
}

export async function describeWorktree(git: Git, folder: string): Promise<Lines> {
  const found = await linkedWorktree(git, folder);
  if (!found.ok) return found;
  const { path, branch, main } = found.value;
  const [commits, files] = await Promise.all([unmergedCommits(git, path, main), uncommitted(git, path)]);
  return done([
    `Worktree: ${path}`,
    `Branch: ${branch ?? 'none (detached)'}`,
    `Mainline: ${main.path}, ${main.branch ?? 'detached'}`,
    `Not merged: ${counted(commits, 'commit')}`,
    `Not committed: ${counted(files, 'file')}`,
  ]);
}

export async function listWorktrees(git: Git, folder: string): Promise<Lines> {
  const tree = await readWorktree(git, folder);
  if (tree === null) return refuse('no-repository', 'This folder lies in no git repository.');
  return done(
    tree.all.map(({ path, branch, locked }, at) => {
      const marks = [at === 0 ? 'mainline' : '', locked ? 'locked' : '', path === tree.path ? 'this one' : ''];
      const words = marks.filter((mark) => mark !== '').join(', ');
      return `${path}  ${branch ?? 'detached'}${words === '' ? '' : `  (${words})`}`;
    }),
  );
}

/**
 * Brings the work into the mainline: the mainline into this branch first, so that whatever collides does so here, then
 * the mainline forward to it. Nothing is pushed and nothing forced.
 */
export async function mergeWorktree(git: Git, folder: string, signal?: AbortSignal): Promise<Lines> {
  const found = await linkedWorktree(git, folder);
  if (!found.ok) return found;
  const { path, branch, main } = found.value;
  if (branch === null) return refuse('detached', 'This worktree is on no branch: there is nothing to merge.');
  if (main.branch === null) return refuse('detached', `The mainline at ${main.path} is on no branch.`);
  const open = await conflicted(git, path);
  if (open.length > 0) return refuse('conflicts', conflictText(open));
  const files = await uncommitted(git, path);
  if (files !== 0)
    return refuse(
      'not-committed',
      `Not merged: ${counted(files, 'file')} not committed here. Commit or remove them first.`,
    );
  const commits = await unmergedCommits(git, path, main);
  const taken = await git(path, ['merge', '--no-edit', '--no-gpg-sign', '--', main.branch], signal);
  if (signal?.aborted === true) {
    // Where it was ended in the middle nothing half-merged stays.
    if (taken.code !== 0) await git(path, ['merge', '--abort']);
    return STOPPED;
  }
  if (taken.code !== 0) {
    const both = await conflicted(git, path);
    return both.length > 0
      ? refuse('conflicts', conflictText(both))
      : refuse('not-merged', `Not merged: ${taken.said}`);
  }
  const forward = await git(main.path, ['merge', '--ff-only', '--', branch], signal);
  if (forward.code !== 0) return refuse('not-merged', `The mainline at ${main.path} stays as it was: ${forward.said}`);
  return done([
    commits === 0 ? `${main.branch} had it all.` : `Merged ${counted(commits, 'commit')} into ${main.branch}.`,
  ]);
}

function conflictText(files: readonly string[]): string {
  return `Both sides changed ${files.join(', ')}: resolve that with /worktree resolve, or by hand. The mainline is as it was.`;
}

/** Why nothing may be deleted here; null when nothing would be lost. */
async function holdsWork(git: Git, { path, main }: Worktree): Promise<string | null> {
  const [commits, files] = await Promise.all([unmergedCommits(git, path, main), uncommitted(git, path)]);
  if (commits === null || files === null) return 'git cannot tell what it holds';
  if (files > 0) return `${counted(files, 'file')} not committed`;
  return commits > 0 ? `${counted(commits, 'commit')} not merged` : null;
}

/** Deletes the worktree, keeps its branch. */
export async function removeWorktree(git: Git, folder: string, signal?: AbortSignal): Promise<Lines> {
  const found = await linkedWorktree(git, folder);
  if (!found.ok) return found;
  const held = await holdsWork(git, found.value);
  if (held !== null)
    return refuse('holds-work', `Not removed: ${held}. Bring it into the mainline first: /worktree merge.`);
  if (signal?.aborted === true) return STOPPED;
  const { path, branch, main } = found.value;
  const removed = await git(main.path, ['worktree', 'remove', '--', path]);
  if (removed.code !== 0) return refuse('not-removed', `Not removed: ${removed.said}`);
  const kept = branch === null ? '' : ` Its branch ${branch} is kept.`;
  return done([`The worktree ${path} is removed, and with it the folder of this session: leave with /quit.${kept}`]);
}

/** Merges, then deletes the worktree and its branch. Whatever refuses does so before anything is deleted. */
export async function finishWorktree(git: Git, folder: string, signal?: AbortSignal): Promise<Lines> {
  const merged = await mergeWorktree(git, folder, signal);
  if (!merged.ok) return merged;
  const found = await linkedWorktree(git, folder);
  if (!found.ok) return found;
  const { branch, main } = found.value;
  const removed = await removeWorktree(git, folder, signal);
  if (!removed.ok) return removed;
  if (branch !== null) await git(main.path, ['branch', '-d', '--', branch]);
  return done([...merged.value, 'The worktree and its branch are removed.']);
}

/** Every other worktree with nothing of its own goes; `isOpen` tells whether a session works in one. */
export async function cleanWorktrees(
  git: Git,
  folder: string,
  isOpen: (path: string) => Promise<boolean>,
  signal?: AbortSignal,
): Promise<Lines> {
  const tree = await readWorktree(git, folder);
  if (tree === null) return refuse('no-repository', 'This folder lies in no git repository.');
  const others = tree.all.filter((one) => one !== tree.main && one.path !== tree.path);
  const lines: string[] = [];
  for (const { path, branch, locked } of others) {
    // What is removed already is said all the same.
    if (signal?.aborted === true) return done([...lines, 'Stopped: the rest was not looked at.']);
    const why = locked
      ? 'it is locked'
      : (await isOpen(path))
        ? 'a session works there'
        : await holdsWork(git, { ...tree, path, branch });
    const removed = why === null ? await git(tree.main.path, ['worktree', 'remove', '--', path]) : null;
    if (removed?.code === 0) {
      // With nothing that is not merged the branch of one of our own says nothing any more; git refuses otherwise.
      if (branch?.startsWith(OWN_PREFIX) === true) await git(tree.main.path, ['branch', '-d', '--', branch]);
      lines.push(`Removed ${path}`);
    } else lines.push(`Kept ${path}: ${why ?? removed?.said ?? ''}`);
  }
  return done(lines.length === 0 ? ['There is no other worktree.'] : lines);
}

export function counted(count: number | null, what: string): string {
  if (count === null) return `unknown ${what}s`;
  return count === 0 ? `no ${what}s` : count === 1 ? `1 ${what}` : `${count} ${what}s`;
}
