import { expect, test } from 'bun:test';
import { createMemorySystem } from '../../system/memory/system.ts';
import { gitBranch, isInRepository } from './directory.ts';

test('the branch is read from .git of this folder or one above, also of a worktree', async () => {
  const { files } = createMemorySystem();
  expect(await gitBranch(files, '/work')).toBeNull();
  files.seed('/work/.git/HEAD', 'ref: refs/heads/feature/x\n');
  files.seedFolder('/work/a/b');
  expect(await gitBranch(files, '/work/a/b')).toBe('feature/x');
  files.seed('/work/.git/HEAD', `${'0123456789abcdef'.repeat(2)}01234567\n`);
  expect(await gitBranch(files, '/work')).toBe('0123456');
  files.seed('/tree/.git', 'gitdir: ../work/.git/worktrees/tree\n');
  files.seed('/work/.git/worktrees/tree/HEAD', 'ref: refs/heads/side\n');
  expect(await gitBranch(files, '/tree')).toBe('side');
  expect(await isInRepository(files, '/work/a')).toBe(true);
  expect(await isInRepository(files, '/tmp')).toBe(false);
});

test('a repository that cannot be read has no branch to show', async () => {
  const { files } = createMemorySystem();
  files.seed('/work/.git/HEAD', 'ref: refs/heads/main\n');
  files.fail({ operation: 'read', path: '/work/.git', code: 'EACCES' });
  files.fail({ operation: 'open', path: '/work/.git', code: 'EACCES' });
  expect(await gitBranch(files, '/work')).toBeNull();
});
