import { expect, test } from 'bun:test';
import { createMemorySystem } from '../../system/memory/system.ts';
import { gitBranch, isInRepository } from './directory.ts';

test('the branch is read from .git of this folder or one above, also of a worktree', async () => {
  const { files } = createMemorySystem();
  expect(await gitBranch(files, '/yard')).toBeNull();
  files.seed('/yard/.git/HEAD', 'ref: refs/heads/feature/x\n');
  files.seedFolder('/yard/a/b');
  expect(await gitBranch(files, '/yard/a/b')).toBe('feature/x');
  files.seed('/yard/.git/HEAD', `${'0123456789abcdef'.repeat(2)}01234567\n`);
  expect(await gitBranch(files, '/yard')).toBe('0123456');
  files.seed('/tree/.git', 'gitdir: ../yard/.git/worktrees/tree\n');
  files.seed('/yard/.git/worktrees/tree/HEAD', 'ref: refs/heads/side\n');
  expect(await gitBranch(files, '/tree')).toBe('side');
  expect(await isInRepository(files, '/yard/a')).toBe(true);
  expect(await isInRepository(files, '/tmp')).toBe(false);
});

test('a repository that cannot be read has no branch to show', async () => {
  const { files } = createMemorySystem();
  files.seed('/yard/.git/HEAD', 'ref: refs/heads/main\n');
  files.fail({ operation: 'read', path: '/yard/.git', code: 'EACCES' });
  files.fail({ operation: 'open', path: '/yard/.git', code: 'EACCES' });
  expect(await gitBranch(files, '/yard')).toBeNull();
});
