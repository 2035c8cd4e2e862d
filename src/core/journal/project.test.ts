import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { createMemorySystem } from '../../system/memory/system.ts';
import { folderOfKey, projectFolder, projectKey } from './project.ts';

const folder = fc
  .array(
    fc
      .string({ unit: 'grapheme', minLength: 1, maxLength: 12 })
      .filter((name) => !/[/\0]/.test(name) && name !== '.' && name !== '..'),
    { maxLength: 4 },
  )
  .map((names) => `/${names.join('/')}`);

describe('the key of a project', () => {
  test.each([
    ['/', '+'],
    ['/home/pat/my-project', 'home+pat+my-project'],
    ['/home/pat/my-project/', 'home+pat+my-project'],
    ['/a+b/100%', 'a%2Bb+100%25'],
    ['/a/.config', 'a+%2Econfig'],
    ['/Übung/写真', 'Übung+写真'],
  ])('of %s is %s', (path, key) => {
    expect(projectKey(path)).toBe(key);
  });

  test('is a file name, readable back, and no two folders share one', () => {
    fc.assert(
      fc.property(folder, folder, (one, other) => {
        const key = projectKey(one);
        expect(key).not.toMatch(/[/\0]|^\.|^$/);
        expect(new TextEncoder().encode(key).length).toBeLessThanOrEqual(200);
        if (!key.includes('%~')) expect(folderOfKey(key)).toBe(one);
        expect(projectKey(other) === key).toBe(one === other);
      }),
    );
  });

  test('of a very long path is cut and still its own', () => {
    const long = `/${'写'.repeat(300)}`;
    expect(new TextEncoder().encode(projectKey(long)).length).toBeLessThanOrEqual(200);
    expect(projectKey(`${long}a`)).not.toBe(projectKey(`${long}b`));
    expect(folderOfKey(projectKey(long))).toBeNull();
    expect(folderOfKey('%E0%A4%A')).toBeNull();
  });
});

describe('the project of a folder', () => {
  function repository(): ReturnType<typeof createMemorySystem> {
    const system = createMemorySystem();
    const { files } = system;
    files.seedFolder('/code/main/.git');
    files.seedFolder('/code/main/src/deep');
    files.seed('/code/side/.git', 'gitdir: /code/main/.git/worktrees/side\n');
    files.seed('/code/main/.git/worktrees/side/commondir', '../..\n');
    files.seed('/code/main/.git/worktrees/side/gitdir', '/code/side/.git\n');
    files.seedFolder('/code/side/src');
    return system;
  }

  test('SD-9 is the primary worktree, from any folder of any worktree', async () => {
    const { files } = repository();
    for (const from of ['/code/main', '/code/main/src/deep', '/code/side', '/code/side/src'])
      expect(await projectFolder(files, from)).toBe('/code/main');
  });

  test('of a worktree of a bare repository is the repository', async () => {
    const { files } = repository();
    files.seed('/code/tree/.git', 'gitdir: ../bare.git/worktrees/tree');
    files.seed('/code/bare.git/worktrees/tree/commondir', '../..');
    files.seed('/code/bare.git/worktrees/tree/gitdir', '/code/tree/.git');
    expect(await projectFolder(files, '/code/tree')).toBe('/code/bare.git');
  });

  test('without git is the folder itself, links resolved', async () => {
    const { files } = repository();
    files.seedFolder('/plain/real');
    await files.makeLink('/plain/real', '/plain/link');
    expect(await projectFolder(files, '/plain/link')).toBe('/plain/real');
    expect(await projectFolder(files, '/not/there/yet')).toBe('/not/there/yet');
  });

  test('of a submodule, or of a folder that only claims to be a worktree, is that folder', async () => {
    const { files } = repository();
    files.seed('/code/main/sub/.git', 'gitdir: ../.git/modules/sub\n');
    files.seedFolder('/code/main/.git/modules/sub');
    files.seed('/evil/.git', 'gitdir: /code/main/.git/worktrees/side\n');
    files.seed('/broken/.git', '\0\0nonsense');
    expect(await projectFolder(files, '/code/main/sub')).toBe('/code/main/sub');
    expect(await projectFolder(files, '/evil')).toBe('/evil');
    expect(await projectFolder(files, '/broken')).toBe('/broken');
  });
});
