// Worktrees as the command line makes and leaves them, with true git in throw-away folders.
import { afterAll, expect, test } from 'bun:test';
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openTrustMemory } from '../core/session/trust-memory.ts';
import { createGit } from '../core/session/worktree-git.ts';
import { createBunSystem } from '../system/bun/system.ts';
import { parseArguments } from './arguments.ts';
import { tidyLeft } from './switch-worktree.ts';
import { leaveWorktree } from './worktree-exit.ts';
import { startWorktree } from './worktree-start.ts';

const SLOW_MS = 60_000;
const system = createBunSystem();
const places: string[] = [];
afterAll(() => {
  for (const place of places) rmSync(place, { recursive: true, force: true });
});

function git(folder: string, ...argv: string[]): string {
  const env = { PATH: process.env.PATH, HOME: folder, LC_ALL: 'C' };
  return execFileSync('git', argv, { cwd: folder, encoding: 'utf8', env, stdio: ['ignore', 'pipe', 'pipe'] });
}

function yard() {
  const top = realpathSync(mkdtempSync(join(tmpdir(), 'houston-tree-cli-')));
  places.push(top);
  const main = join(top, 'yard');
  const own = { config: join(top, 'config'), state: join(top, 'state') };
  mkdirSync(main);
  mkdirSync(own.config);
  git(main, 'init', '-q', '-b', 'trunk');
  git(main, 'config', 'user.name', 'Pat');
  git(main, 'config', 'user.email', 'pat@example.org');
  writeFileSync(join(main, 'a.txt'), 'one\n');
  git(main, 'add', '-A');
  git(main, 'commit', '-q', '-m', 'first');
  const said: string[] = [];
  const start = (words: readonly string[], byDefault = false, folder = main) => {
    const line = parseArguments(words);
    if (!line.ok) throw new Error(line.refusal.message);
    return startWorktree(system, line.value, { byDefault, folder, own: own as never, say: (text) => said.push(text) });
  };
  const script = (path: string, text: string) => {
    mkdirSync(join(path, '..'), { recursive: true });
    writeFileSync(path, `#!/bin/sh\n${text}\n`);
    chmodSync(path, 0o755);
  };
  const leave = (folder: string, more: Partial<Parameters<typeof leaveWorktree>[0]> = {}) =>
    leaveWorktree({
      git: createGit(system),
      folder,
      how: 'ask',
      isOpen: async () => false,
      ask: async () => false,
      resume: 'houston --resume 0123',
      ...more,
    });
  return { main, own, said, start, script, leave };
}

test(
  'the flag makes one, the setting too where one can be made; a session that goes on gets none (SC-22.5)',
  async () => {
    const { main, start } = yard();
    expect(await start([])).toEqual({ ok: true, value: null });
    expect(await start(['--worktree=fix'])).toMatchObject({ ok: true, value: { branch: 'houston-fix' } });
    const made = await start([], true);
    expect(made).toMatchObject({ ok: true, value: { main } });
    expect(await start(['--no-worktree'], true)).toEqual({ ok: true, value: null });
    expect(await start(['--continue'], true)).toEqual({ ok: true, value: null });
    for (const words of [
      ['--worktree', '--continue'],
      ['--worktree', '--fork', '0123abcd'],
    ])
      expect(await start(words)).toMatchObject({ ok: false, refusal: { identifier: 'bad-value' } });
    // Inside one, or outside git, the setting changes nothing; the flag says why not.
    const inside = join(main, '.worktrees/houston-fix');
    expect(await start([], true, inside)).toEqual({ ok: true, value: null });
    expect(await start(['--worktree'], false, join(main, '..'))).toMatchObject({
      ok: false,
      refusal: { identifier: 'no-repository' },
    });
  },
  SLOW_MS,
);

test(
  'the person’s setup always runs, the repository’s only when it is trusted; one that fails leaves nothing (SC-22.6)',
  async () => {
    const { main, own, said, start, script } = yard();
    script(join(main, '.houston/worktree-setup'), 'echo "$HOUSTON_BRANCH" > theirs');
    git(main, 'add', '-A');
    git(main, 'commit', '-q', '-m', 'setup');
    script(join(own.config, 'worktree-setup'), 'echo "$HOUSTON_MAIN $HOUSTON_WORKTREE $HOUSTON_BRANCH" > mine');
    await start(['--worktree=one']);
    const one = join(main, '.worktrees/houston-one');
    expect(readFileSync(join(one, 'mine'), 'utf8')).toBe(`${main} ${one} houston-one\n`);
    expect(existsSync(join(one, 'theirs'))).toBe(false);
    expect(said[0]).toContain('nobody trusts this repository yet');
    const memory = await openTrustMemory(system.files, own.state, main, join(main, '..', 'home'), true);
    await memory?.remember({ trusted: true, requests: '' });
    await start(['--worktree=two']);
    expect(readFileSync(join(main, '.worktrees/houston-two/theirs'), 'utf8')).toBe('houston-two\n');
    script(join(own.config, 'worktree-setup'), 'echo out of luck; exit 3');
    expect(await start(['--worktree=three'])).toMatchObject({
      ok: false,
      refusal: { identifier: 'setup-failed', message: expect.stringContaining('ended with 3: out of luck') },
    });
    expect(existsSync(join(main, '.worktrees/houston-three'))).toBe(false);
    expect(git(main, 'branch', '--list', 'houston-three')).toBe('');
  },
  SLOW_MS,
);

test(
  'left untouched it goes without a word; what is not committed stays, with the way back (SC-22.8)',
  async () => {
    const { main, start, leave } = yard();
    await start(['--worktree=fix']);
    const path = join(main, '.worktrees/houston-fix');
    writeFileSync(join(path, 'b.txt'), 'two\n');
    expect(await leave(path)).toBe(
      `The worktree ${path} is kept: no commits not merged, 1 file not committed. Go on with it: cd ${path} && houston --resume 0123`,
    );
    rmSync(join(path, 'b.txt'));
    expect(await leave(path, { isOpen: async () => true })).toBeNull();
    expect(existsSync(path)).toBe(true);
    expect(await leave(path)).toBeNull();
    expect(existsSync(path)).toBe(false);
    expect(git(main, 'branch', '--list', 'houston-*')).toBe('');
  },
  SLOW_MS,
);

test(
  'commits that are not merged are asked about, merged or kept as the settings say; hand-made ones are only named (SC-22.8)',
  async () => {
    const { main, start, leave } = yard();
    await start(['--worktree=fix']);
    const path = join(main, '.worktrees/houston-fix');
    writeFileSync(join(path, 'b.txt'), 'two\n');
    git(path, 'add', '-A');
    git(path, 'commit', '-q', '-m', 'second');
    const asked: string[] = [];
    const ask = (yes: boolean) => async (question: string) => {
      asked.push(question);
      return yes;
    };
    expect(await leave(path, { ask: ask(false) })).toContain('is kept: 1 commit not merged');
    expect(asked).toEqual(['Merge 1 commit of houston-fix into trunk?']);
    expect(await leave(path, { how: 'keep', ask: ask(true) })).toContain('is kept');
    expect(await leave(path, { how: 'merge', ask: ask(false) })).toContain('Merged 1 commit into trunk.');
    expect(asked).toHaveLength(1);
    expect(existsSync(join(main, 'b.txt'))).toBe(true);
    expect(existsSync(path)).toBe(false);

    const hand = join(main, '..', 'by-hand');
    git(main, 'worktree', 'add', '-q', '-b', 'mine', hand);
    expect(await leave(hand)).toBeNull();
    writeFileSync(join(hand, 'c.txt'), 'three\n');
    expect(await leave(hand, { how: 'merge' })).toBe(
      'This worktree stays as it is: no commits not merged, 1 file not committed.',
    );
    expect(existsSync(hand)).toBe(true);
    expect(await leave(main)).toBeNull();
  },
  SLOW_MS,
);

test(
  'going to a session in another worktree keeps what is in the one left, says the way back, and asks nothing (SC-20.14)',
  async () => {
    const { main, own, start } = yard();
    const left = (await start(['--worktree=left']))!;
    const next = (await start(['--worktree=next']))!;
    if (!left.ok || !next.ok || left.value === null || next.value === null) throw new Error('no worktree');
    writeFileSync(join(left.value.folder, 'b.txt'), 'two\n');
    git(left.value.folder, 'add', '-A');
    git(left.value.folder, 'commit', '-q', '-m', 'second');
    const from = { request: { folder: left.value.folder, session: '0123456789abcdef' }, places: { state: own.state } };
    const to = {
      request: { folder: next.value.folder, session: 'other' },
      places: { state: own.state },
      notice: 'This session works in there.',
    };
    const shown = await tidyLeft(system, from, to);
    expect(shown.notice).toContain('This session works in there. ');
    expect(shown.notice).toContain('1 commit not merged');
    expect(shown.notice).toContain(`cd ${left.value.folder} && houston --resume 0123456789abc`);
    expect(existsSync(join(left.value.folder, 'b.txt'))).toBe(true);
    // The way back: nothing of anybody's is in that one, so it goes, and no word is lost about it.
    const back = await tidyLeft(system, to, { ...from, request: { ...from.request, folder: main } });
    expect(back).not.toHaveProperty('notice');
    expect(existsSync(next.value.folder)).toBe(false);
    expect(git(main, 'branch', '--list')).toContain('left');
  },
  SLOW_MS,
);
