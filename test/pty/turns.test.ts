// Turns that are stopped, cut off or told to wait, in the real program against a service as strict as the true one.
import { afterEach, expect, test } from 'bun:test';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { type FakeAnthropic, startFakeAnthropic } from '../support/fake-anthropic.ts';
import { eventually, git, makePlace, type Place } from '../support/houston-place.ts';
import type { PtyProgram } from '../support/pty-program.ts';

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

interface Flight {
  readonly place: Place;
  readonly fake: FakeAnthropic;
  readonly screen: PtyProgram;
}

async function fly(
  steps: Parameters<typeof startFakeAnthropic>[0],
  words: string[] = [],
  settings?: unknown,
): Promise<Flight> {
  const fake = await startFakeAnthropic(steps);
  const place = await makePlace(fake.url);
  if (settings !== undefined) place.settings(settings);
  const screen = place.open(['-m', 'anthropic:mock-model', ...words]);
  closing.push(
    () => place.close(),
    () => fake.close(),
  );
  await screen.until('What shall be done?');
  return { place, fake, screen };
}

/** How long until the turn is over after one Esc. */
async function stopWithEsc(screen: PtyProgram): Promise<number> {
  const pressed = performance.now();
  screen.write('\x1b');
  await screen.until('Ready');
  return performance.now() - pressed;
}

test('Esc in the middle of three calls leaves a history the service accepts, results in order of the calls (UP-24)', async () => {
  const { place, fake, screen } = await fly(
    [
      [
        { tool: 'run_shell', id: 'toolu_1', input: { command: 'sleep 31.7', why: 'Wait' } },
        { tool: 'read_file', id: 'toolu_2', input: { path: 'README', why: 'Look' } },
        { tool: 'run_shell', id: 'toolu_3', input: { command: 'echo x', why: 'Say x' } },
      ],
      'all fine',
    ],
    ['--allow', 'Bash(sleep 31.7)'],
  );
  await screen.say('go');
  await screen.until('$ sleep 31.7');
  await eventually('the command to run', () => sleeping().length > 0);
  await Bun.sleep(500);
  await stopWithEsc(screen);
  await eventually('the command to be gone', () => sleeping().length === 0, 5000);
  await screen.say('next');
  await screen.until('all fine');
  expect(fake.requests.map((request) => request.refused)).toEqual([null, null]);
  const results = fake.requests[1]!.body.messages!.flatMap((message) =>
    Array.isArray(message.content)
      ? message.content.flatMap((block) => (block.type === 'tool_result' ? [JSON.stringify(block)] : []))
      : [],
  );
  expect(results.map((result) => /toolu_\d/.exec(result)?.[0])).toEqual(['toolu_1', 'toolu_2', 'toolu_3']);
  expect(results[0]).toMatch(/interrupted|stopped/);
  const outcomes = place.entries().flatMap((entry) => (entry.kind === 'result' ? [[entry.tool, entry.outcome]] : []));
  expect(outcomes.filter(([tool]) => tool === 'run_shell').map(([, outcome]) => outcome)).not.toContain('ok');
}, 30_000);

function sleeping(): string[] {
  const listed = Bun.spawnSync(['pgrep', '-f', '^sleep 31.7']).stdout.toString().trim();
  return listed === '' ? [] : listed.split('\n');
}

test('a reply cut off is asked for again: never half an answer, never a command twice (UP-25)', async () => {
  const half = Array.from({ length: 20 }, (_, index) => `half${index}`).join(' ');
  const command = { tool: 'run_shell', input: { command: 'echo hi >> log.txt', why: 'Write' } };
  const { place, fake, screen } = await fly(
    [
      [half, { wait: 150 }, { cut: 'reset' }],
      'the whole answer',
      [command, { wait: 150 }, { cut: 'reset' }],
      [command],
      'written',
    ],
    ['--dangerously-skip-permissions'],
  );
  await screen.say('go');
  await screen.until('the whole answer');
  await screen.until('turn 1');
  expect(screen.text()).not.toContain('half19');
  const replies = place
    .entries()
    .flatMap((entry) =>
      entry.kind === 'assistant' ? [entry.parts.map((part) => (part.type === 'text' ? part.text : ''))] : [],
    );
  expect(replies).toEqual([['the whole answer']]);
  await screen.say('write');
  await screen.until('written');
  expect(readFileSync(path.join(place.project, 'log.txt'), 'utf8')).toBe('hi\n');
  expect(fake.requests).toHaveLength(5);
}, 30_000);

test('a silent service is a cut, tried again by number, and Esc ends the waiting at once (UP-25)', async () => {
  const silent = [{ wait: 60_000 }] as const;
  const { fake, screen } = await fly([silent, silent, silent], [], { requests: { stallSeconds: 1, retries: 2 } });
  await screen.say('go');
  await screen.until(/try 2 of 3/i);
  expect(await stopWithEsc(screen)).toBeLessThan(700);
  const asked = fake.requests.length;
  expect(asked).toBeLessThanOrEqual(3);
  await Bun.sleep(1500);
  expect(fake.requests).toHaveLength(asked);
}, 30_000);

test('told to wait, it waits that long with a countdown, and Esc ends it at once; a refused key is not tried again (UP-26)', async () => {
  const { fake, screen } = await fly([
    { status: 429, headers: { 'retry-after': '2' } },
    { status: 429, headers: { 'retry-after-ms': '1200' } },
    { status: 529 },
    'at last',
    { status: 429, headers: { 'retry-after': '60' } },
    { status: 401 },
  ]);
  const times: number[] = [];
  await screen.say('go');
  for (let request = 1; request <= 4; request++) {
    await fake.received(request);
    times.push(performance.now());
    if (request === 1) await screen.until(/in [12] ?s/);
  }
  await screen.until('at last');
  expect(times[1]! - times[0]!).toBeGreaterThanOrEqual(1950);
  expect(times[1]! - times[0]!).toBeLessThan(3500);
  expect(times[2]! - times[1]!).toBeGreaterThanOrEqual(1150);
  expect(times[2]! - times[1]!).toBeLessThan(2700);
  await screen.until('Ready');
  await screen.say('more');
  await screen.until(/in (60|59|58) ?s|in 1 ?m/);
  expect(await stopWithEsc(screen)).toBeLessThan(700);
  // What was never answered is back in the box.
  await screen.until('❯ more ');
  screen.write('\x01');
  await Bun.sleep(30);
  screen.write('\x7f');
  await screen.say('again');
  await screen.until('does not accept the key');
  await Bun.sleep(500);
  expect(fake.requests).toHaveLength(6);
}, 40_000);

test('an edit on a file of mixed line endings changes only its text, and the question showed just that (UP-42)', async () => {
  const edit = { old_text: 'a = 1;\nb = 2;', new_text: 'a = $$ + $& + $1;\nb = \\n\\t\\0;' };
  const { place, screen } = await fly([
    [{ tool: 'read_file', input: { path: 'mixed.txt', why: 'Look' } }],
    [{ tool: 'edit_file', input: { path: 'mixed.txt', edits: [edit], why: 'Change both' } }],
    'changed',
  ]);
  const file = path.join(place.project, 'mixed.txt');
  writeFileSync(file, 'a = 1;\r\nb = 2;\nc = 3;\r\nlast');
  git(place.project, '-c', 'core.autocrlf=false', 'add', '.');
  git(place.project, 'commit', '-q', '-m', 'Mixed');
  await screen.say('go');
  await screen.until('╭─ ◍ Edit');
  for (const row of ['- a = 1;', '+ a = $$ + $& + $1;', '- b = 2;', '+ b = \\n\\t\\0;']) await screen.until(row);
  expect(readFileSync(file, 'utf8')).toContain('a = 1;');
  await screen.answerAsk('y');
  await screen.until('changed');
  expect(readFileSync(file, 'utf8')).toBe('a = $$ + $& + $1;\r\nb = \\n\\t\\0;\nc = 3;\r\nlast');
  expect(git(place.project, 'diff', '--numstat')).toBe('2\t2\tmixed.txt\n');
  expect(existsSync(path.join(place.project, 'mixed.txt.tmp'))).toBe(false);
}, 30_000);
