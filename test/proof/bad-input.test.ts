// Whatever is wrong with the command line, the settings or the service: one clear line with a stable identifier, the exit
// code scripts depend on, and nothing half-written.
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { startFakeAnthropic } from '../support/fake-anthropic.ts';
import { HOUSTON, makePlace, type Place, type Ran } from '../support/houston-place.ts';

const MODEL = ['-m', 'anthropic:mock-model'];
let places: Place[] = [];
let fakes: { close(): Promise<void> }[] = [];

beforeAll(() => {
  places = [];
  fakes = [];
});
afterAll(async () => {
  for (const place of places) await place.close();
  for (const fake of fakes) await fake.close();
});

async function service(...steps: Parameters<typeof startFakeAnthropic>) {
  const fake = await startFakeAnthropic(...steps);
  fakes.push(fake);
  return fake;
}

async function place(url: string | null = null): Promise<Place> {
  const made = await makePlace(url);
  places.push(made);
  return made;
}

/** Exactly one line, in the one form errors have. */
function refusal(ran: Ran): { code: number | null; identifier: string | undefined } {
  expect(ran.err).toMatch(/^houston: [a-z-]+: [^\n]+\n$/);
  expect(ran.out).toBe('');
  return { code: ran.code, identifier: /^houston: ([a-z-]+):/.exec(ran.err)?.[1] };
}

/** Files anywhere below, as paths from `root`. */
function filesBelow(root: string): string[] {
  return readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(root, path.join(entry.parentPath, entry.name)))
    .filter((name) => !name.includes('.git/'));
}

test('what is wrong on the command line or in the settings is one line with its exit code, and nothing is written', async () => {
  const here = await place();
  writeFileSync(path.join(here.root, 'broken.json'), '{"model": ');
  mkdirSync(path.join(here.root, 'folder.json'));
  const cases: [string[], number, string][] = [
    [[], 2, 'no-terminal'],
    [['hello'], 2, 'no-terminal'],
    [['attach'], 2, 'no-terminal'],
    [['--nope'], 2, 'unknown-flag'],
    [['-p', 'hi', '--modle', 'x'], 2, 'unknown-flag'],
    [['-p', 'hi', '--mode', 'yolo'], 2, 'bad-value'],
    [['-p', 'hi', '-m'], 2, 'missing-value'],
    [['--json', 'hi'], 2, 'bad-value'],
    [['-p', ''], 2, 'empty-prompt'],
    [['-p', ' \n\t'], 2, 'empty-prompt'],
    [['-p'], 2, 'empty-prompt'],
    [['--prompt', '  '], 2, 'empty-prompt'],
    [['-p', 'hi'], 3, 'no-model'],
    [['-p', 'hi', '-m', 'nonsense'], 3, 'unknown-model'],
    [['-p', 'hi', '-m', 'nowhere:model'], 3, 'unknown-provider'],
    [['-p', 'hi', ...MODEL], 3, 'no-credential'],
    [['-p', 'hi', ...MODEL, '--settings', path.join(here.root, 'none.json')], 3, 'settings-unreadable'],
    [['-p', 'hi', ...MODEL, '--settings', path.join(here.root, 'broken.json')], 3, 'settings-unreadable'],
    [['-p', 'hi', ...MODEL, '--settings', path.join(here.root, 'folder.json')], 3, 'settings-unreadable'],
    [['-p', 'hi', ...MODEL, '-C', path.join(here.root, 'none')], 2, 'no-such-folder'],
    [['-p', 'hi', ...MODEL, '-C', path.join(here.root, 'broken.json')], 2, 'no-such-folder'],
    [['-p', 'hi', ...MODEL, '--file', 'none.txt'], 2, 'file-not-found'],
    [['-p', 'hi', ...MODEL, '--resume=deadbeefdeadbeef'], 2, 'session-not-found'],
    [['-p', 'hi', ...MODEL, '--resume', '../../../etc'], 2, 'no-session'],
    [['-p', 'hi', ...MODEL, '--continue'], 2, 'no-session'],
    [['-p', 'hi', ...MODEL, '--fork', 'deadbeefdeadbeef'], 2, 'session-not-found'],
    [['-p', 'hi', ...MODEL, '--continue', '--fork', 'deadbeef'], 2, 'bad-value'],
  ];
  const before = filesBelow(here.root);
  for (const [words, code, identifier] of cases)
    expect({ words, ...refusal(await here.run(words)) }).toEqual({ words, code, identifier });
  expect(filesBelow(here.root)).toEqual(before);
  expect(here.sessions()).toEqual([]);
}, 60_000);

test('the person’s own settings file that cannot be read stops a one-shot run, naming file and line', async () => {
  const fake = await service(['never asked']);
  const here = await place(fake.url);
  here.settings('{\n  "model": "anthropic:mock-model",\n  "permissions": {"deny": ["Bash(rm *)"]\n');
  const ran = await here.run(['-p', 'hi']);
  expect(refusal(ran)).toEqual({ code: 3, identifier: 'settings-unreadable' });
  expect(ran.err).toMatch(/settings\.json:\d+/);
  expect(fake.requests).toHaveLength(0);
  expect(here.sessions()).toEqual([]);
});

test('ST-8, ST-9: a broken agent that has to be there stops a one-shot run with one line; a broken one that has not is a warning', async () => {
  const fake = await service(['said', 'said too']);
  const here = await place(fake.url);
  const folder = path.join(here.home, '.config', 'houston', 'agents');
  mkdirSync(folder, { recursive: true });
  writeFileSync(path.join(folder, 'scout.md'), '---\nname: scout\nkind: reader\n---\n');
  const ran = await here.run(['-p', 'hi', ...MODEL]);
  expect(refusal(ran)).toEqual({ code: 3, identifier: 'agent-broken' });
  expect(ran.err).toContain('scout.md has no description. Mend it, or name scout under agents.disabled');
  expect(fake.requests).toHaveLength(0);
  writeFileSync(path.join(folder, 'scout.md'), '---\nname: scout\nkind: primary\n---\n');
  const warned = await here.run(['-p', 'hi', ...MODEL]);
  expect([warned.code, warned.out]).toEqual([0, 'said\n']);
  here.settings({ agent: { primary: 'scout' } });
  expect(refusal(await here.run(['-p', 'hi', ...MODEL]))).toEqual({ code: 3, identifier: 'agent-broken' });
  writeFileSync(path.join(folder, 'scout.md'), '---\nname: scout\nkind: primary\ndescription: Looks.\n---\nLook well.');
  const chosen = await here.run(['-p', 'hi', ...MODEL]);
  expect([chosen.code, chosen.out, chosen.err]).toEqual([0, 'said too\n', '']);
  expect(JSON.stringify(fake.requests[1])).toContain('Look well.');
}, 60_000);

test('a wrong key is told once and not tried again; an unreachable service and a failing one end quickly with their codes', async () => {
  const refused = await service(['never'], { key: 'sk-right' });
  const wrong = await place(refused.url);
  const first = await wrong.run(['-p', 'hi', ...MODEL]);
  expect(refusal(first)).toEqual({ code: 3, identifier: 'credential-refused' });
  expect(refused.requests).toHaveLength(1);

  const nowhere = await place('http://127.0.0.1:9');
  nowhere.settings({ requests: { retries: 0 } });
  const second = await nowhere.run(['-p', 'hi', ...MODEL]);
  expect(refusal(second)).toEqual({ code: 5, identifier: 'unreachable' });
  expect(second.ms).toBeLessThan(10_000);

  const failing = await service([{ status: 500 }], { repeatLast: true });
  const third = await place(failing.url);
  third.settings({ requests: { retries: 0 } });
  const ran = await third.run(['-p', 'hi', ...MODEL]);
  expect({ ...refusal(ran), requests: failing.requests.length }).toEqual({
    code: 1,
    identifier: 'server-error',
    requests: 1,
  });
  // What was said is kept whole, with how it ended; no half-written file beside it.
  for (const one of [wrong, nowhere, third]) {
    const kinds = one.entries().map((entry) => entry.kind);
    expect(kinds).toContain('input');
    expect(kinds).toContain('turn-end');
    expect(filesBelow(one.root).filter((name) => /tmp|\.part|~$/.test(path.basename(name)))).toEqual([]);
  }
}, 30_000);

test('a silent pipe, /dev/null and a closed input do not hold a one-shot run up; piped text is appended (UP-55)', async () => {
  const fake = await service(['the answer'], { repeatLast: true });
  const inputs = { silent: null, null: undefined, closed: 'closed', text: '0123456789abcde\n'.repeat(65_536) } as const;
  const tries = Object.entries(inputs).map(async ([name, input]) => {
    const here = await place(fake.url);
    for (const more of [[], ['--continue']]) {
      const prompt = `2+2 ${name} ${more.join('')}.`;
      const ran = await here.run(['-p', prompt, ...MODEL, ...more], input === undefined ? {} : { input });
      expect({ name, code: ran.code, out: ran.out }).toEqual({ name, code: 0, out: 'the answer\n' });
      expect(ran.ms).toBeLessThan(15_000);
      if (name !== 'silent') expect(ran.err).toBe('');
      const said = fake.requests
        .map((request) => JSON.stringify(request.body.messages?.at(-1)))
        .filter((message) => message?.includes(prompt));
      expect(said).toHaveLength(1);
      expect(said[0]?.includes('0123456789abcde')).toBe(name === 'text');
    }
  });
  await Promise.all(tries);
}, 60_000);

test('stdout holds the answer alone, valid JSON lines, or nothing; a reader that leaves is no error (UP-55)', async () => {
  const failure = { status: 500 };
  const fake = await service([
    'one\ntwo\nthree',
    'one\ntwo\nthree',
    'one\ntwo\nthree',
    'x\n'.repeat(50_000),
    failure,
    failure,
  ]);
  const here = await place(fake.url);
  here.settings({ requests: { retries: 0 } });
  const text = await here.run(['-p', 'hi', ...MODEL]);
  expect({ code: text.code, out: text.out, err: text.err }).toEqual({ code: 0, out: 'one\ntwo\nthree\n', err: '' });
  const json = await here.run(['-p', 'hi', ...MODEL, '--json']);
  expect(JSON.parse(json.out)).toMatchObject({ status: 'done', reply: 'one\ntwo\nthree', exit_code: 0 });
  const stream = await here.run(['-p', 'hi', ...MODEL, '--stream-json']);
  const lines = stream.out.trimEnd().split('\n');
  expect(lines.length).toBeGreaterThan(3);
  for (const line of lines) expect(JSON.parse(line)).toHaveProperty('seq');

  const head = Bun.spawn(
    ['bash', '-c', 'set -o pipefail; "$0" -p hi -m anthropic:mock-model | head -1 && echo fine', HOUSTON],
    {
      cwd: here.project,
      env: here.environment,
      stdin: 'ignore',
      stdout: 'pipe',
      stderr: 'pipe',
    },
  );
  expect(await new Response(head.stdout).text()).toBe('x\nfine\n');
  expect(await new Response(head.stderr).text()).toBe('');

  const failed = await here.run(['-p', 'hi', ...MODEL]);
  expect({ code: failed.code, out: failed.out }).toEqual({ code: 1, out: '' });
  const failedJson = await here.run(['-p', 'hi', ...MODEL, '--json']);
  expect(JSON.parse(failedJson.out)).toMatchObject({ reply: '', exit_code: 1 });
  expect(failedJson.code).toBe(1);
}, 30_000);
