// What holds for a session wherever it runs: in a window, in a host, or for a script.
import { afterEach, expect, test } from 'bun:test';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { realpath } from 'node:fs/promises';
import path from 'node:path';
import { openTrustMemory } from '../../src/core/session/trust-memory.ts';
import { digestOf } from '../../src/core/session/trust-question.ts';
import { createBunSystem } from '../../src/system/bun/system.ts';
import { type FakeAnthropic, startFakeAnthropic } from '../support/fake-anthropic.ts';
import { eventually, git, HOUSTON, isAlive, makePlace, type Place } from '../support/houston-place.ts';

const MODEL = ['-m', 'anthropic:mock-model'];
const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

async function prepare(
  ...given: Parameters<typeof startFakeAnthropic>
): Promise<{ place: Place; fake: FakeAnthropic }> {
  const fake = await startFakeAnthropic(...given);
  const place = await makePlace(fake.url);
  closing.push(
    () => place.close(),
    () => fake.close(),
  );
  return { place, fake };
}

const sessionOf = (place: Place): string => path.basename(place.sessions()[0]!);

test('for a script a leading “!” is a prompt like any other, never a command (SC-11.5)', async () => {
  const { place, fake } = await prepare(['first', 'no shell here']);
  expect((await place.run([...MODEL, '-p', 'begin'])).code).toBe(0);
  const said = await place.run(['-p', '!touch made', '--attach', sessionOf(place)]);
  expect([said.code, said.out]).toEqual([0, 'no shell here\n']);
  expect(JSON.stringify(fake.requests[1]?.body.messages)).toContain('!touch made');
  expect(existsSync(path.join(place.project, 'made'))).toBe(false);
  expect(place.entries().filter((entry) => entry.kind === 'input' && entry.delivery === 'shell')).toEqual([]);
}, 60_000);

test('a host that goes because nobody needs it leaves a worktree and its commits alone, whatever is said of quitting (SC-28.4.4)', async () => {
  const { place } = await prepare(['first', 'second']);
  place.settings({ session: { worktreeExit: 'merge', hostIdleSeconds: 1 } });
  const tree = path.join(place.project, '.worktrees', 'houston-fix');
  git(place.project, 'worktree', 'add', '-q', '-b', 'houston-fix', tree);
  writeFileSync(path.join(tree, 'work'), 'done here\n');
  git(tree, 'add', '.');
  git(tree, 'commit', '-q', '-m', 'Work');
  const state = path.join(place.home, '.local', 'state', 'houston');
  const memory = await openTrustMemory(createBunSystem().files, state, await realpath(tree), place.home, true);
  await memory?.remember({ trusted: true, requests: digestOf([]) });
  const before = git(place.project, 'rev-parse', 'main', 'houston-fix');
  expect((await place.run([...MODEL, '-C', tree, '-p', 'begin'])).code).toBe(0);
  const said = await place.run(['-C', tree, '-p', 'go on', '--attach', sessionOf(place)]);
  expect([said.code, said.out, said.err]).toEqual([0, 'second\n', '']);
  await eventually('the host gone by itself', () => place.hosts().every(({ pid }) => !isAlive(pid)));
  expect(git(place.project, 'rev-parse', 'main', 'houston-fix')).toBe(before);
  expect(existsSync(path.join(tree, 'work'))).toBe(true);
}, 60_000);

test('one reading of settings, instructions, skills and rules counts in every way to start (ST-15)', async () => {
  const call = { tool: 'run_shell', input: { command: 'touch made.txt', why: 'Make it' } };
  const { place, fake } = await prepare([[call], 'alone', [call], 'hosted', [call], 'here']);
  place.settings({ permissions: { allow: ['Bash'], deny: ['Bash(touch *)'] } });
  writeFileSync(path.join(place.project, 'AGENTS.md'), 'Always mention the quartz heron.\n');
  const skill = path.join(place.home, '.config', 'houston', 'skills', 'tidy-nest');
  mkdirSync(skill, { recursive: true });
  writeFileSync(path.join(skill, 'SKILL.md'), '---\nname: tidy-nest\ndescription: Tidies a nest.\n---\nTidy it.\n');
  const alone = await place.run([...MODEL, '-p', 'begin']);
  expect(alone.code).toBe(4);
  const hosted = await place.run(['-p', 'again', '--attach', sessionOf(place)]);
  expect(hosted.out).toBe('hosted\n');
  await place.run(['hosts', 'stop', 'all']);
  const here = place.open(['--no-host', '--resume', sessionOf(place)]);
  await here.until('─ Ready ─');
  await here.say('once more');
  await fake.received(6);
  expect(existsSync(path.join(place.project, 'made.txt'))).toBe(false);
  for (const at of [0, 2, 4]) {
    const system = JSON.stringify(fake.requests[at]!.body.system);
    expect(system).toContain('quartz heron');
    expect(system).toContain('tidy-nest');
    expect(JSON.stringify(fake.requests[at + 1]!.body.messages)).toContain('the rule Bash(touch *) forbids');
  }
  await here.say('/quit');
  await here.exited;
}, 90_000);

test('before anything is drawn settings are read and the session is found; instructions and skills are in the first request (ST-4)', async () => {
  const { place, fake } = await prepare(['hello']);
  place.settings({ permissions: { mode: 'plan' } });
  writeFileSync(path.join(place.project, 'AGENTS.md'), 'Always mention the quartz heron.\n');
  const skill = path.join(place.home, '.config', 'houston', 'skills', 'tidy-nest');
  mkdirSync(skill, { recursive: true });
  writeFileSync(path.join(skill, 'SKILL.md'), '---\nname: tidy-nest\ndescription: Tidies a nest.\n---\nTidy it.\n');
  writeFileSync(path.join(place.root, 'broken.json'), '{"model": ');
  for (const [words, code] of [
    [['--resume=ffffffff'], 2],
    [['--settings', path.join(place.root, 'broken.json')], 3],
  ] as const) {
    const refused = place.open([...MODEL, ...words]);
    expect(await refused.exited).toBe(code);
    expect(refused.raw).not.toContain('\x1b[?1049h');
  }
  const screen = place.open([...MODEL, '--prompt', 'begin']);
  await screen.until('hello');
  const first = screen.raw.slice(0, screen.raw.indexOf('HOUSTON v'));
  expect(first).toContain('plan only');
  const system = JSON.stringify(fake.requests[0]!.body.system);
  expect(system).toContain('quartz heron');
  expect(system).toContain('tidy-nest');
}, 60_000);

test('a body that is still being read keeps no process that is told to end (EX-5)', async () => {
  const { place, fake } = await prepare(['first', ['half of it', { wait: 60_000 }], ['half of it', { wait: 60_000 }]]);
  expect((await place.run([...MODEL, '-p', 'begin'])).code).toBe(0);
  const alone = Bun.spawn([HOUSTON, ...MODEL, '-p', 'a long one', '-c'], {
    cwd: place.project,
    env: place.environment,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  await fake.received(2);
  let told = performance.now();
  alone.kill('SIGINT');
  expect(await alone.exited).toBe(130);
  expect(performance.now() - told).toBeLessThan(10_000);
  const hosted = Bun.spawn([HOUSTON, '-p', 'a long one', '--attach', sessionOf(place)], {
    cwd: place.project,
    env: place.environment,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  await fake.received(3);
  const [host] = place.hosts();
  told = performance.now();
  expect((await place.run(['hosts', 'stop', 'all'])).out).toContain('stopped');
  expect(isAlive(host!.pid)).toBe(false);
  expect(performance.now() - told).toBeLessThan(10_000);
  expect(await hosted.exited).toBe(1);
  // What had come of it is kept.
  expect(JSON.stringify(place.entries())).toContain('half of it');
}, 60_000);

test('trust is asked at the terminal before anything of the project starts; a host nobody sits at asks nobody, decides nothing and goes (SC-28.4.9)', async () => {
  const fake = await startFakeAnthropic(['All finished.']);
  const place = await makePlace(fake.url, { trusted: false });
  closing.push(
    () => place.close(),
    () => fake.close(),
  );
  place.settings({ session: { hostIdleSeconds: 1 } });
  writeFileSync(path.join(place.project, 'AGENTS.md'), 'Always mention the quartz heron.\n');
  const first = place.open(MODEL);
  await first.until('Do you trust');
  await first.say('begin');
  await eventually('the prompt kept', () => place.entries().some((entry) => entry.kind === 'input'));
  const [host] = place.hosts();
  first.kill();
  await eventually('a host that nobody sits at gone', () => !isAlive(host!.pid));
  expect(fake.requests).toEqual([]);
  expect(place.entries().filter((entry) => entry.kind === 'decision' || entry.kind === 'turn-start')).toEqual([]);

  const again = place.open(['--resume', sessionOf(place)]);
  await again.until('Do you trust');
  expect(fake.requests).toEqual([]);
  await again.answerAsk('y');
  await again.until('All finished.');
  const system = JSON.stringify(fake.requests[0]!.body.system);
  expect(system).toContain('quartz heron');
}, 60_000);
