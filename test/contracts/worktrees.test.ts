// Worktrees of sessions, with true git repositories in throw-away folders.
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
import { done, refuse } from '../../src/base/refusal.ts';
import { readSummary } from '../../src/core/journal/summary.ts';
import { createGit } from '../../src/core/session/worktree-git.ts';
import { makeWorktree } from '../../src/core/session/worktree-make.ts';
import { mergeWorktree } from '../../src/core/session/worktree-work.ts';
import { createBunSystem } from '../../src/system/bun/system.ts';
import { createMemorySystem } from '../../src/system/memory/system.ts';
import { type House, type HouseOptions, openHouse, SESSION_FOLDER, type Seat } from '../support/controller.ts';
import { scriptedModel } from '../support/script.ts';

const real = createBunSystem();
/** Git starts many programs. */
const SLOW_MS = 60_000;
const places: string[] = [];
afterAll(() => {
  for (const place of places) rmSync(place, { recursive: true, force: true });
});

function git(folder: string, ...argv: string[]): string {
  return execFileSync('git', ['-c', 'user.name=Pat', '-c', 'user.email=pat@example.org', ...argv], {
    cwd: folder,
    encoding: 'utf8',
    env: { PATH: process.env.PATH, HOME: folder, LC_ALL: 'C' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

interface Repository {
  readonly main: string;
  make(name: string): Promise<string>;
  put(folder: string, name: string, text: string): void;
  commit(folder: string, message: string): void;
}

function repository(): Repository {
  const top = realpathSync(mkdtempSync(join(tmpdir(), 'houston-trees-')));
  places.push(top);
  const main = join(top, 'yard');
  mkdirSync(main);
  git(main, 'init', '-q', '-b', 'trunk');
  git(main, 'config', 'user.name', 'Pat');
  git(main, 'config', 'user.email', 'pat@example.org');
  const put = (folder: string, name: string, text: string) => writeFileSync(join(folder, name), text);
  const commit = (folder: string, message: string) => {
    git(folder, 'add', '-A');
    git(folder, 'commit', '-q', '-m', message);
  };
  put(main, 'a.txt', 'one\n');
  commit(main, 'first');
  return {
    main,
    put,
    commit,
    make: async (name) => {
      const made = await makeWorktree(parts, main, name, async () => done(null));
      if (!made.ok) throw new Error(made.refusal.message);
      return made.value.path;
    },
  };
}

let fresh = 0;
const parts = { git: createGit(real), files: real.files, freshName: () => `fresh-${++fresh}` };

async function sit(folder: string, options: Partial<HouseOptions> = {}) {
  const memory = createMemorySystem();
  // Only git is true here; a clock by hand would end it at once or never.
  const system = { ...memory, processes: real.processes, environment: real.environment };
  const script = scriptedModel(['resolved'], { repeatLast: true });
  const house = await openHouse({
    script,
    system: system as never,
    scope: {
      workspace: folder,
      roots: [],
      trust: new Map([[folder, true]]),
      home: '/home/pat',
      own: [],
      outputs: null,
      path: '/usr/bin',
    },
    ...options,
  });
  const seat = house.seat('one');
  await seat.until(({ head }) => head.ready);
  let refs = 0;
  const run = async (argument: string): Promise<string> => {
    const before = said(seat).length;
    const ref = `w${++refs}`;
    const sent = await seat.send({ type: 'command', ref, name: 'worktree', argument });
    if (!sent.accepted) return sent.refusal.message;
    for (;;) {
      await house.settle();
      const news = said(seat).slice(before);
      if (news.length > 0) return news.at(-1)!;
      const outcome = seat.outcome(ref);
      if (outcome !== null && outcome.messages.length > 0) return outcome.messages[0]!.text;
      if (outcome?.state === 'done' && argument === 'resolve') return 'done';
      await Bun.sleep(2);
    }
  };
  return { house, seat, script, run };
}

/** Lets git, which is a program of its own, work until it has come to this. */
async function comes(house: House, what: () => boolean): Promise<void> {
  while (!what()) {
    await house.settle();
    await Bun.sleep(2);
  }
}

const isClosed = (seat: Seat): boolean =>
  seat.updates.some(({ changes }) => changes.some(({ type }) => type === 'closed'));

function said(seat: Seat): string[] {
  return seat.updates.flatMap(({ changes }) =>
    changes.flatMap((change) =>
      change.type === 'flash' || (change.type === 'entry' && change.entry.kind === 'note')
        ? [change.type === 'flash' ? change.text : change.entry.kind === 'note' ? change.entry.text : '']
        : [],
    ),
  );
}

test(
  'one is made on a branch of its name, out of the repository’s own status; never inside one, outside git, or over what is there (SC-22.5)',
  async () => {
    const { main, make, put } = repository();
    const path = await make('fix');
    expect(path).toBe(join(main, '.worktrees/houston-fix'));
    expect(git(path, 'branch', '--show-current').trim()).toBe('houston-fix');
    expect(git(main, 'status', '--porcelain')).toBe('');
    expect(readFileSync(join(main, '.git/info/exclude'), 'utf8')).toContain('/.worktrees/\n');
    const again = (folder: string, name: string | null) => makeWorktree(parts, folder, name, async () => done(null));
    expect(await again(main, 'fix')).toMatchObject({ ok: false, refusal: { identifier: 'name-taken' } });
    git(main, 'branch', 'houston-branch');
    expect(await again(main, 'branch')).toMatchObject({ ok: false, refusal: { identifier: 'name-taken' } });
    put(join(main, '.worktrees'), 'houston-file', 'in the way');
    expect(await again(main, 'file')).toMatchObject({ ok: false, refusal: { identifier: 'name-taken' } });
    expect(await again(path, 'inner')).toMatchObject({ ok: false, refusal: { identifier: 'in-a-worktree' } });
    expect(await again(join(main, '..'), 'out')).toMatchObject({ ok: false, refusal: { identifier: 'no-repository' } });
    for (const name of ['../up', '-f', 'a..b', 'a.lock', 'a/b', '', 'x'.repeat(41), 'a b'])
      expect(await again(main, name)).toMatchObject({ ok: false, refusal: { identifier: 'bad-name' } });
    const nameless = await again(main, null);
    expect(nameless).toMatchObject({ ok: true, value: { branch: expect.stringMatching(/^houston-fresh-/) } });
    expect(readFileSync(join(main, '.git/info/exclude'), 'utf8').match(/worktrees/g)).toHaveLength(1);
  },
  SLOW_MS,
);

test(
  'a setup that fails leaves neither the worktree nor its branch, and no hook of the repository runs (SC-22.6)',
  async () => {
    const { main } = repository();
    writeFileSync(join(main, '.git/hooks/post-checkout'), `#!/bin/sh\ntouch ${join(main, 'hooked')}\n`);
    chmodSync(join(main, '.git/hooks/post-checkout'), 0o755);
    const seen: unknown[] = [];
    const made = await makeWorktree(parts, main, 'setup', async (one) => {
      seen.push(one);
      writeFileSync(join(one.path, 'half'), 'made');
      return refuse('setup-failed', 'no');
    });
    expect(made).toMatchObject({ ok: false, refusal: { identifier: 'setup-failed' } });
    expect(seen).toHaveLength(1);
    expect(existsSync(join(main, '.worktrees/houston-setup'))).toBe(false);
    expect(git(main, 'branch', '--list', 'houston-*')).toBe('');
    expect(existsSync(join(main, 'hooked'))).toBe(false);
  },
  SLOW_MS,
);

test(
  'bare it says where one is; list and clean work anywhere, the rest says how to start one (SC-22.1, SC-22.2, SC-22.11)',
  async () => {
    const { main, make, put, commit } = repository();
    const path = await make('fix');
    put(path, 'b.txt', 'two\n');
    commit(path, 'second');
    put(path, 'c.txt', 'not yet\n');
    const inside = await sit(path);
    for (const argument of ['', 'status'])
      expect(await inside.run(argument)).toBe(
        `Worktree: ${path}\nBranch: houston-fix\nMainline: ${main}, trunk\nNot merged: 1 commit\nNot committed: 1 file`,
      );
    const outside = await sit(main);
    expect(await outside.run('list')).toBe(`${main}  trunk  (mainline, this one)\n${path}  houston-fix`);
    for (const argument of ['status', 'merge', 'resolve', 'remove', 'finish'])
      expect(await outside.run(argument)).toContain('start one with houston --worktree');
    const nowhere = await sit(join(main, '..'));
    expect(await nowhere.run('list')).toContain('no git repository');
    expect(await nowhere.run('frobnicate')).toContain('Usage: /worktree status|merge');
    const offered = await inside.house.session.read({ type: 'complete-argument', command: 'worktree', typed: 're' });
    expect(offered).toMatchObject({ ok: true, value: { choices: [{ value: 'resolve' }, { value: 'remove' }] } });
  },
  SLOW_MS,
);

test(
  'merging takes the mainline in, then moves it forward; dirt and conflicts leave it as it was (SC-22.3, SC-22.7)',
  async () => {
    const { main, make, put, commit } = repository();
    const path = await make('fix');
    put(path, 'b.txt', 'two\n');
    const { run } = await sit(path);
    expect(await run('merge')).toContain('1 file not committed');
    commit(path, 'second');
    put(main, 'd.txt', 'meanwhile\n');
    commit(main, 'meanwhile');
    expect(await run('merge')).toBe('Merged 1 commit into trunk.');
    expect(existsSync(join(main, 'b.txt'))).toBe(true);
    expect(existsSync(join(path, 'd.txt'))).toBe(true);
    expect(await run('merge')).toBe('trunk had it all.');
    put(main, 'a.txt', 'theirs\n');
    commit(main, 'theirs');
    put(path, 'a.txt', 'ours\n');
    commit(path, 'ours');
    const before = git(main, 'rev-parse', 'HEAD');
    expect(await run('merge')).toContain('Both sides changed a.txt');
    expect(await run('finish')).toContain('Both sides changed a.txt');
    expect(git(main, 'rev-parse', 'HEAD')).toBe(before);
    expect(existsSync(path)).toBe(true);
  },
  SLOW_MS,
);

test(
  'finishing what collides leaves the session, the worktree and both branches as they were (SC-44.10)',
  async () => {
    const { main, make, put, commit } = repository();
    const path = await make('fix');
    put(main, 'a.txt', 'theirs\n');
    commit(main, 'theirs');
    put(path, 'a.txt', 'ours\n');
    commit(path, 'ours');
    const heads = () => [git(main, 'rev-parse', 'trunk'), git(main, 'rev-parse', 'houston-fix')];
    const before = heads();
    const { run, seat, script, house } = await sit(path);
    expect(await run('finish')).toContain('Both sides changed a.txt');
    expect(seat.outcome('w1')?.state).toBe('refused');
    expect(heads()).toEqual(before);
    expect(git(main, 'worktree', 'list')).toContain(path);
    expect(readFileSync(join(path, 'a.txt'), 'utf8')).toContain('ours');
    // It goes on: the next prompt is answered.
    await seat.say('still there?');
    await comes(house, () => seat.outcome('one-1')?.state === 'done');
    expect(script.requests).toHaveLength(1);
    expect(isClosed(seat)).toBe(false);
  },
  SLOW_MS,
);

test(
  'a merge that is stopped in its middle leaves nothing half-merged (SC-43.14)',
  async () => {
    const { main, make, put, commit } = repository();
    const path = await make('fix');
    put(main, 'd.txt', 'meanwhile\n');
    commit(main, 'meanwhile');
    put(path, 'b.txt', 'two\n');
    commit(path, 'second');
    const before = git(main, 'rev-parse', 'HEAD');
    const stop = new AbortController();
    const own = createGit(real);
    // It is stopped while git merges the mainline in.
    const merging: typeof own = (folder, argv, signal) => {
      if (argv[0] === 'merge' && folder === path) stop.abort('stopped');
      return own(folder, argv, signal);
    };
    expect(await mergeWorktree(merging, path, stop.signal)).toMatchObject({ refusal: { identifier: 'stopped' } });
    expect(git(main, 'rev-parse', 'HEAD')).toBe(before);
    expect(existsSync(join(git(path, 'rev-parse', '--absolute-git-dir').trim(), 'MERGE_HEAD'))).toBe(false);
    expect(git(path, 'status', '--porcelain')).toBe('');
  },
  SLOW_MS,
);

test(
  'a mainline with changes of its own in the way is not touched (SC-22.7)',
  async () => {
    const { main, make, put, commit } = repository();
    const path = await make('fix');
    put(path, 'a.txt', 'ours\n');
    commit(path, 'ours');
    put(main, 'a.txt', 'half a thought\n');
    const { run } = await sit(path);
    expect(await run('merge')).toContain(`The mainline at ${main} stays as it was`);
    expect(readFileSync(join(main, 'a.txt'), 'utf8')).toBe('half a thought\n');
  },
  SLOW_MS,
);

test(
  'resolving needs files with two sides, and becomes a prompt (SC-22.4, SC-22.12)',
  async () => {
    const { main, make, put, commit } = repository();
    const path = await make('fix');
    const { run, script, house } = await sit(path);
    expect(await run('resolve')).toContain('/worktree merge comes first');
    put(main, 'a.txt', 'theirs\n');
    commit(main, 'theirs');
    put(path, 'a.txt', 'ours\n');
    commit(path, 'ours');
    await run('merge');
    await run('resolve');
    await comes(house, () => script.requests.length > 0);
    expect(JSON.stringify(script.requests.at(-1)?.messages)).toContain('- a.txt');
  },
  SLOW_MS,
);

test(
  'removing keeps the branch and never loses work; it says that the folder is gone (SC-22.10, SC-22.12)',
  async () => {
    const { main, make, put, commit } = repository();
    const path = await make('fix');
    put(path, 'b.txt', 'two\n');
    const { run, house } = await sit(path);
    expect(await run('remove')).toContain('1 file not committed');
    commit(path, 'second');
    expect(await run('remove')).toContain('Bring it into the mainline first: /worktree merge');
    expect(existsSync(join(path, 'b.txt'))).toBe(true);
    await run('merge');
    expect(await run('remove')).toContain('with it the folder of this session: leave with /quit');
    expect(existsSync(path)).toBe(false);
    expect(git(main, 'branch', '--list', 'houston-fix')).toContain('houston-fix');
    const summary = await readSummary(house.system.files, `${SESSION_FOLDER}/journal.jsonl`);
    expect(summary?.folder).toBe(main);
  },
  SLOW_MS,
);

test(
  'finishing merges, removes worktree and branch, and ends the session (SC-22.4, SC-22.10)',
  async () => {
    const { main, make, put, commit } = repository();
    const path = await make('fix');
    put(path, 'b.txt', 'two\n');
    commit(path, 'second');
    const { run, house, seat } = await sit(path);
    expect(await run('finish')).toContain('Merged 1 commit into trunk.');
    await comes(house, () => isClosed(seat));
    expect(existsSync(path)).toBe(false);
    expect(existsSync(join(main, 'b.txt'))).toBe(true);
    expect(git(main, 'branch', '--list', 'houston-*')).toBe('');
    const summary = await readSummary(house.system.files, `${SESSION_FOLDER}/journal.jsonl`);
    expect(summary?.folder).toBe(main);
  },
  SLOW_MS,
);

test(
  'cleaning removes what holds nothing and says of everything else why it stays (SC-22.9)',
  async () => {
    const { main, make, put, commit } = repository();
    const names = ['empty', 'dirty', 'ahead', 'locked', 'open', 'own'] as const;
    const paths = Object.fromEntries(
      await Promise.all(names.map(async (name) => [name, await make(name)] as const)),
    ) as Record<(typeof names)[number], string>;
    put(paths.dirty, 'new.txt', 'untracked\n');
    put(paths.ahead, 'b.txt', 'two\n');
    commit(paths.ahead, 'second');
    git(main, 'worktree', 'lock', paths.locked);
    const { run } = await sit(paths.own, { isOpenElsewhere: async (path) => path === paths.open });
    const text = await run('clean');
    expect(text.split('\n').sort()).toEqual(
      [
        `Removed ${paths.empty}`,
        `Kept ${paths.dirty}: 1 file not committed`,
        `Kept ${paths.ahead}: 1 commit not merged`,
        `Kept ${paths.locked}: it is locked`,
        `Kept ${paths.open}: a session works there`,
      ].sort(),
    );
    expect(existsSync(paths.own)).toBe(true);
  },
  SLOW_MS,
);
