import { expect, test } from 'bun:test';
import { createMemorySystem } from '../../system/memory/system.ts';
import { completePath } from './complete-path.ts';

function workspace() {
  const { files } = createMemorySystem();
  for (const file of [
    'src/main.ts',
    'src/model.ts',
    'src/main/deep.ts',
    'README.md',
    'dist/out.js',
    '.env',
    '.git/HEAD',
    'src/gen/a.ts',
    'keep/x.log',
  ]) {
    files.seed(`/yard/${file}`, '');
  }
  files.seed('/yard/.gitignore', 'dist/\n*.log\n');
  files.seed('/yard/src/.gitignore', 'gen\n');
  files.seed('/yard/keep/.gitignore', '!x.log\n');
  files.seed('/secret.txt', '');
  return files;
}

const pathsOf = async (typed: string, limit = 20): Promise<string[]> =>
  (await completePath(workspace(), '/yard', typed, limit)).paths;

test('folders come first, names match by prefix, a slash descends (COMP-2)', async () => {
  expect(await pathsOf('')).toEqual(['keep/', 'src/', 'README.md']);
  expect(await pathsOf('src/ma')).toEqual(['src/main/', 'src/main.ts']);
  expect(await pathsOf('re')).toEqual(['README.md']);
});

test('ignored names and .git are left out; hidden ones show once a dot was typed', async () => {
  expect(await pathsOf('dist')).toEqual([]);
  expect(await pathsOf('src/g')).toEqual([]);
  expect(await pathsOf('keep/')).toEqual(['keep/x.log']);
  expect(await pathsOf('.')).toEqual(['.env', '.gitignore']);
});

test('nothing outside the workspace is offered, and a cut list says so', async () => {
  expect(await pathsOf('../')).toEqual([]);
  expect(await pathsOf('/')).toEqual([]);
  expect(await pathsOf('none/')).toEqual([]);
  expect(await completePath(workspace(), '/yard', '', 2)).toEqual({ paths: ['keep/', 'src/'], complete: false });
});
