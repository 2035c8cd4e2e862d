// Sessions that are picked up again, damaged ones too, and one session on two terminals.
import { afterEach, expect, test } from 'bun:test';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { type FakeAnthropic, startFakeAnthropic } from '../support/fake-anthropic.ts';
import { eventually, makePlace, type Place } from '../support/houston-place.ts';

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

/** A recorded session of `count` prompts and replies; answers its journal. */
async function record(place: Place, count: number): Promise<string> {
  for (let turn = 1; turn <= count; turn++)
    expect((await place.run(['-p', `question ${turn}`, ...MODEL, ...(turn === 1 ? [] : ['-c'])])).code).toBe(0);
  return path.join(place.sessions()[0]!, 'journal.jsonl');
}

test('a journal cut short, with a broken line, an empty one and one of NULs is picked up whole but for the damage (UP-32)', async () => {
  const { place, fake } = await prepare([(_, index) => `answer ${index + 1}`], { repeatLast: true });
  const journal = await record(place, 4);
  const whole = readFileSync(journal, 'utf8');
  const lines = whole.trimEnd().split('\n');
  const answer = lines.findIndex((line) => line.includes('answer 2'));
  const damages: [string, () => string, string[]][] = [
    ['cut', () => whole.slice(0, -37), ['answer 1', 'answer 2', 'answer 3', 'answer 4']],
    [
      'broken line',
      () => [...lines.slice(0, answer), '{"type":', ...lines.slice(answer + 1)].join('\n').concat('\n'),
      ['answer 1', 'answer 3', 'answer 4'],
    ],
    [
      'empty line and NULs',
      () => [...lines.slice(0, answer), '', '\0'.repeat(64), ...lines.slice(answer)].join('\n').concat('\n'),
      ['answer 1', 'answer 2', 'answer 3', 'answer 4'],
    ],
  ];
  for (const [name, damage, shown] of damages) {
    const damaged = damage();
    writeFileSync(journal, damaged);
    const before = fake.requests.length;
    const screen = place.open([...MODEL, '--continue'], { rows: 60 });
    await screen.until('question 1');
    for (const text of shown) await screen.until(text);
    await screen.until(/damaged|broken|could not be read|unreadable|repaired/);
    await screen.say(`go on ${name}`);
    await screen.until(`answer ${before + 1}`);
    await screen.until('Ready');
    expect(fake.requests.at(-1)?.refused).toBeNull();
    await screen.say('/quit');
    await screen.exited;
    // The new lines stand on their own, and nothing of the original is gone.
    const after = readFileSync(journal, 'utf8');
    const added = after.split('\n').filter((line) => line.includes(`go on ${name}`));
    expect(added.length).toBeGreaterThan(0);
    for (const line of added) expect(() => JSON.parse(line)).not.toThrow();
    const folder = path.dirname(journal);
    const kept = readdirSync(folder)
      .filter((file) => file.startsWith('journal'))
      .map((file) => readFileSync(path.join(folder, file), 'utf8'))
      .join('');
    for (const line of damaged.split('\n').filter((one) => one.trim() !== '')) expect(kept).toContain(line);
  }
}, 60_000);

test('one session on two terminals: a question answered in one closes in the other, both show the same', async () => {
  const call = { tool: 'run_shell', input: { command: 'touch made.txt', why: 'Make it' } };
  const { place } = await prepare([[call], 'made', 'said on the second']);
  const first = place.open(MODEL);
  await first.until('What shall be done?');
  await first.say('make it');
  await first.until('╭─ ◍ $ touch made.txt');
  const second = place.open(['attach']);
  await second.until('╭─ ◍ $ touch made.txt');
  await second.answerAsk('y');
  await second.until('turn 1');
  await first.until(() => !first.text().includes('╭─ ◍') && first.text().includes('Ready'));
  expect(existsSync(path.join(place.project, 'made.txt'))).toBe(true);
  await second.say('from here');
  await first.until('said on the second');
  await second.until('said on the second');
  // The first leaves the session running: the second goes on with it.
  await first.say('/detach');
  expect(await first.exited).toBe(0);
  await second.until('Ready');
  expect(place.hosts()).toHaveLength(1);
  expect(place.entries().filter((entry) => entry.kind === 'result')).toHaveLength(1);
}, 30_000);

test('a session that is open elsewhere is joined by --continue, and never written by two', async () => {
  const { place } = await prepare(['one', 'two', 'three']);
  const first = place.open(MODEL);
  await first.until('What shall be done?');
  await first.say('begin');
  await first.until('turn 1');
  const second = place.open([...MODEL, '--continue']);
  await second.until('begin');
  await second.say('go on');
  await first.until('two');
  expect(place.hosts()).toHaveLength(1);
  const beside = await place.run(['-p', 'me too', ...MODEL, '--continue']);
  expect(beside.out).toBe('');
  expect(beside.err).toMatch(/^houston: [a-z-]+: [^\n]+\n$/);
  expect(place.sessions()).toHaveLength(1);
}, 30_000);

test('two windows that go on with one session at the same moment share its host', async () => {
  const { place } = await prepare(['one', 'two', 'three']);
  await record(place, 1);
  const both = [place.open([...MODEL, '--continue']), place.open([...MODEL, '--continue'])];
  for (const screen of both) await screen.until('─ Ready ─');
  expect(place.hosts()).toHaveLength(1);
  await both[0]!.say('go on');
  for (const screen of both) await screen.until('two');
}, 30_000);

test('a host that is killed while one types is replaced: the draft stays, the turn it cost is said, the next prompt works (UP-14)', async () => {
  const { place, fake } = await prepare([[{ wait: 60_000 }], 'after the fall'], { repeatLast: true });
  const screen = place.open(MODEL);
  await screen.until('What shall be done?');
  await screen.say('begin');
  await fake.received(1);
  await screen.type('half a th');
  const [fallen] = place.hosts();
  process.kill(fallen!.pid, 'SIGKILL');
  await screen.type('ought');
  await eventually('another host', () => place.hosts().some((host) => host.pid !== fallen!.pid));
  await screen.until(/interrupted/);
  await screen.until('❯ half a thought');
  expect(fake.requests).toHaveLength(1);
  screen.write('\r');
  await screen.until('after the fall');
  expect(JSON.stringify(fake.requests[1]!.body.messages)).toContain('half a thought');
  expect(place.sessions()).toHaveLength(1);
  await screen.say('/quit');
  expect(await screen.exited).toBe(0);
}, 30_000);

test('a host killed before anything was said is replaced too', async () => {
  const { place } = await prepare(['hello']);
  const screen = place.open(MODEL);
  await screen.until('What shall be done?');
  await eventually('a host', () => place.hosts().some((host) => host.state === 'idle'));
  process.kill(place.hosts()[0]!.pid, 'SIGKILL');
  await Bun.sleep(200);
  await screen.say('begin');
  await screen.until('hello');
}, 30_000);

test('a home that cannot be written to: the session works all the same, and says that nothing is saved', async () => {
  const { place } = await prepare(['hello']);
  const nowhere = path.join(place.project, 'README');
  const screen = place.open([...MODEL, '--dangerously-skip-permissions'], { environment: { HOME: nowhere } });
  await screen.until('Nothing is saved');
  await screen.say('begin');
  await screen.until('hello');
  await screen.until('Not saved • Cwd:');
  await screen.say('/quit');
  expect(await screen.exited).toBe(0);
}, 30_000);

test('/new waits for the turn to end, then begins empty under a name of its own; what was typed before comes back with Up (SC-20.4)', async () => {
  const turn = Promise.withResolvers<void>();
  const { place } = await prepare([{ before: turn.promise, parts: ['FIRST-REPLY'] }, 'SECOND-REPLY'], {
    repeatLast: true,
  });
  const screen = place.open(MODEL);
  await screen.until('─ Ready ─');
  await screen.say('question of the first');
  await screen.until('Esc stops');
  await screen.say('/new');
  await screen.until('after this turn');
  expect(place.sessions()).toHaveLength(1);
  turn.resolve();
  await screen.until('A new session, ');
  await screen.until(() => !screen.text().includes('FIRST-REPLY') && screen.text().includes('─ Ready ─'));
  // Nothing of the other one: no card, no figure, no failure.
  for (const gone of ['question of the first', 'turn 1', 'failed']) expect(screen.text()).not.toContain(gone);
  expect(screen.text()).toContain('New session');
  const name = /A new session, ([-0-9a-f]{13}): \/resume leads back/.exec(screen.text())?.[1];
  await eventually('two sessions', () => place.sessions().length === 2);
  expect(place.sessions().some((folder) => path.basename(folder).startsWith(name ?? '?'))).toBe(true);
  screen.write('\x1b[A');
  await screen.until('❯ /new');
  screen.write('\x1b[A');
  await screen.until('❯ question of the first');
  const older = place.sessions().find((folder) => !path.basename(folder).startsWith(name ?? '?'))!;
  expect(readFileSync(path.join(older, 'journal.jsonl'), 'utf8')).toContain('FIRST-REPLY');
}, 60_000);
