// What a person answered, what rules say and what `houston check` explains, through the whole program.
import { afterAll, expect, test } from 'bun:test';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Entry } from '../../src/protocol/entry.ts';
import { type FakeEntry, startFakeAnthropic } from '../support/fake-anthropic.ts';
import { eventually, makePlace, type Place } from '../support/houston-place.ts';

const closing: (() => Promise<void>)[] = [];
afterAll(async () => {
  for (const close of closing) await close();
});

async function prepare(script: readonly FakeEntry[]): Promise<Place> {
  const fake = await startFakeAnthropic([...script]);
  const place = await makePlace(fake.url);
  closing.push(
    () => place.close(),
    () => fake.close(),
  );
  return place;
}

const shell = (command: string): FakeEntry => [{ tool: 'run_shell', input: { command, why: 'See' } }];
const model = ['-m', 'anthropic:mock-model'];

/** Who decided on each call of the newest session. */
function deciders(place: Place): string[] {
  const newest = place.sessions().sort().at(-1)!;
  return readFileSync(path.join(newest, 'journal.jsonl'), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Entry)
    .flatMap((entry) => (entry.kind === 'call' ? [entry.decidedBy] : []));
}

test('UP-48: what was remembered is not asked again in a new process, and covers nothing else', async () => {
  const line = 'A="" node -p 40+2';
  const place = await prepare([
    shell(line),
    'One done.',
    shell(line),
    'Two done.',
    shell(`${line}; touch X`),
    'Three done.',
  ]);
  const first = place.open([...model, '--no-host']);
  await first.until('What shall be done?');
  await first.say('Go on.');
  await first.until('╭─ ◍ $ A="" node');
  await first.until('[a] covers this exact line');
  await first.answerAsk('r');
  await first.until('One done.');
  expect(deciders(place)).toEqual(['session']);
  const kept = JSON.parse(readFileSync(path.join(place.home, '.local/state/houston/remembered.json'), 'utf8'));
  expect(kept.lines).toMatchObject([{ pattern: line, wide: false, folder: place.project }]);

  const second = place.open([...model, '--no-host']);
  await second.until('What shall be done?');
  await second.say('Go on.');
  await second.until('Two done.');
  expect(deciders(place)).toEqual(['remembered']);
  await second.say('And more.');
  await second.until('not approved: touch X');
  await second.answerAsk('n');
  await second.until('Three done.');
  expect(existsSync(path.join(place.project, 'X'))).toBe(false);
}, 90_000);

test('UP-48, UP-50: in one shot only proven lines and rules run, in plan mode only proven ones', async () => {
  const lines = [
    'git status && touch X1',
    'git status | tee X3',
    'git status\ntouch X4',
    'git status & touch X5',
    'cd . ; touch X2',
  ];
  const script = (): FakeEntry[] => [
    ...lines.map(shell),
    shell("grep -n 'a && b' README"),
    shell('git status && ls'),
    'Done.',
  ];
  const place = await prepare([...script(), ...script()]);
  place.settings({ permissions: { allow: ['Bash(git status*)', 'Bash(cd *)', 'Bash(grep *)', 'Bash(tee X9)'] } });
  const ran = await place.run(['-p', 'Go', ...model]);
  expect({ code: ran.code, out: ran.out }).toEqual({ code: 4, out: 'Done.\n' });
  expect(deciders(place)).toEqual(['proven', 'proven']);
  const planned = await place.run(['-p', 'Go', '--mode', 'plan', ...model]);
  expect(planned.code).toBe(4);
  expect(deciders(place)).toEqual(['proven', 'proven']);
  expect(readdirSync(place.project).sort()).toEqual(['.git', 'README']);
}, 60_000);

test('UP-49: a file that may not be read is read by no command, and nothing is written where nothing may be', async () => {
  const outside = path.join((await prepare([])).root, 'up-out');
  const lines = [
    'cat .env',
    'f=.env && cat "$f"',
    'cat < .env',
    'cat .e*v',
    'cd . && cat .env',
    'cat ./.en""v',
    `echo Z > ${outside}`,
  ];
  const place = await prepare([...lines.map(shell), 'Done.']);
  writeFileSync(path.join(place.project, '.env'), 'TOKEN=up-secret-7\n');
  place.settings({ permissions: { allow: ['Bash'], deny: ['Read(.env*)', `Edit(/${path.dirname(outside)}/**)`] } });
  const ran = await place.run(['-p', 'Go', ...model]);
  expect({ code: ran.code, out: ran.out }).toEqual({ code: 4, out: 'Done.\n' });
  const session = place.sessions()[0]!;
  const everything = readdirSync(session, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(path.join(entry.parentPath, entry.name), 'utf8'))
    .join('\n');
  expect(`${ran.out}${ran.err}${everything}`).not.toContain('up-secret-7');
  expect(existsSync(outside)).toBe(false);
}, 60_000);

test('RULE-7: what a project allows by itself counts for nothing; RULE-8: an unreadable rule is named', async () => {
  const place = await prepare([shell('touch PWN'), 'Done.']);
  mkdirSync(path.join(place.project, '.houston'));
  writeFileSync(path.join(place.project, '.houston/settings.json'), '{"permissions": {"allow": ["Bash(touch *)"]}}');
  place.settings('{"permissions": {\n"deny": ["Bash(rm *)", "Nonsense(x)"]}}');
  const ran = await place.run(['-p', 'Go', ...model]);
  expect(ran.code).toBe(4);
  expect(ran.err).toContain('settings.json:2: permissions.deny: the rule “Nonsense(x)” cannot be read');
  expect(existsSync(path.join(place.project, 'PWN'))).toBe(false);
  const doctor = await place.run(['doctor']);
  expect(doctor.out).toContain('the rule “Nonsense(x)” cannot be read');
}, 60_000);

test('UP-48: houston check says for each command what decides on it, and its exit code is the verdict', async () => {
  const place = await prepare([]);
  place.settings({ permissions: { allow: ['Bash(git push *)'], ask: ['Bash(git pull*)'], deny: ['Bash(rm *)'] } });
  const check = async (command: string, ...words: string[]): Promise<string> => {
    const { code, out } = await place.run(['check', command, ...words]);
    return `${code}: ${out}`;
  };
  expect(await check('git push && ls')).toMatch(/^0: allowed: .*the rule Bash\(git push \*\) \(\/.*settings\.json\)/s);
  expect(await check('ls && touch X')).toMatch(
    /^1: would ask: .*allow +ls .*known to read.*ask +touch X.*not approved: touch X/s,
  );
  expect(await check('git pull')).toMatch(/^1: .*the rule Bash\(git pull\*\)/s);
  expect(await check('timeout 5 /bin/rm x')).toMatch(
    /^4: denied: .*Not permitted \(rule-deny\): the rule Bash\(rm \*\) forbids \/bin\/rm x\. Nothing was done\./s,
  );
  expect(await check('touch X', '--mode', 'plan')).toMatch(/^4: .*mode-plan/s);
  expect(await check('echo \u001b[2J')).toContain('␛[2J');
  expect(existsSync(path.join(place.project, 'X'))).toBe(false);
}, 60_000);

test('PR-4: bypass trusts the folder and runs unasked for this time only; the next start asks again', async () => {
  const fake = await startFakeAnthropic([shell('touch made'), 'First done.']);
  const place = await makePlace(fake.url, { trusted: false });
  closing.push(
    () => place.close(),
    () => fake.close(),
  );
  const first = place.open([...model, '--no-host', '--dangerously-skip-permissions']);
  await first.until('What shall be done?');
  await first.say('Go on.');
  await first.until('First done.');
  expect(first.text()).not.toContain('Do you trust');
  expect(deciders(place)).toEqual(['mode']);
  expect(existsSync(path.join(place.project, 'made'))).toBe(true);
  const second = place.open([...model, '--no-host']);
  await second.until('Do you trust');
}, 90_000);

test('PR-4: where the settings say so, neither the flag nor a key reaches bypass, and that is said', async () => {
  const place = await prepare([shell('touch made'), 'Done.']);
  place.settings({ permissions: { bypassUnreachable: true } });
  const ran = await place.run(['-p', 'Go', ...model, '--dangerously-skip-permissions']);
  expect(ran.code).toBe(4);
  expect(ran.err).toContain('--dangerously-skip-permissions: not in force');
  expect(existsSync(path.join(place.project, 'made'))).toBe(false);
  const screen = place.open([...model, '--no-host', '--dangerously-skip-permissions']);
  await screen.until('--dangerously-skip-permissions: not in force');
  await screen.say('/mode bypass');
  await screen.until('No mode bypass');
}, 90_000);

test('RULE-1: a folder named in additionalDirectories is in reach, one beside it is not', async () => {
  const named = (path: string): FakeEntry => [{ tool: 'read_file', input: { path, why: 'See' } }];
  const place = await prepare([named('../named/a.txt'), named('../beside/a.txt'), 'Done.']);
  for (const name of ['named', 'beside']) {
    mkdirSync(path.join(place.root, name));
    writeFileSync(path.join(place.root, name, 'a.txt'), `canary-${name}\n`);
  }
  place.settings({ permissions: { additionalDirectories: [path.join(place.root, 'named')] } });
  const ran = await place.run(['-p', 'Go', ...model]);
  expect(ran.code).toBe(4);
  const journal = readFileSync(path.join(place.sessions()[0]!, 'journal.jsonl'), 'utf8');
  expect(journal).toContain('canary-named');
  expect(journal).not.toContain('canary-beside');
}, 60_000);

test('TRUST-7: the scratch folder is this session’s own, told to programs, vouched for by nobody, and gone at its end', async () => {
  let scratch = '';
  const fake = await startFakeAnthropic([
    shell('echo canary-scratch > "$HOUSTON_SCRATCH/x" && echo "kept:$HOUSTON_SCRATCH"'),
    ({ body }) => {
      scratch = /kept:([\w/.~-]+)/.exec(JSON.stringify(body.messages))?.[1] ?? '';
      return [{ tool: 'run_shell', input: { command: `cat ${scratch}/x`, why: 'See' } }];
    },
    'Done.',
  ]);
  const place = await makePlace(fake.url);
  closing.push(
    () => place.close(),
    () => fake.close(),
  );
  place.settings({ permissions: { allow: ['Bash'], ask: [] } });
  const screen = place.open([...model, '--no-host']);
  await screen.until('What shall be done?');
  await screen.say('Go on.');
  await screen.until('known only when it runs');
  await screen.answerAsk('y');
  await screen.until('Done.');
  expect(path.basename(scratch)).toStartWith('houston-scratch-');
  expect(existsSync(path.join(scratch, 'x'))).toBe(true);
  // What lies there is kept aside: it was never shown to the model.
  expect(JSON.stringify(fake.requests.at(-1)?.body)).not.toContain('canary-scratch\\n');
  await screen.say('/quit');
  await eventually('the scratch folder is gone', () => !existsSync(scratch));
}, 90_000);
