// The whole program with a real sandbox around what the model runs: what it can reach, what is written down about it, and
// what a person is told.
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { startFakeAnthropic } from '../support/fake-anthropic.ts';
import { makePlace, type Place } from '../support/houston-place.ts';

const hasBubblewrap = Bun.which('bwrap') !== null;
const PRINT = ['-m', 'anthropic:mock-model', '--dangerously-skip-permissions', '-p', 'go'];
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

/** A place whose model runs `line` and then says "Done."; and the conversation it was told. */
async function running(line: string): Promise<{ here: Place; told: () => string }> {
  const fake = await startFakeAnthropic([[{ tool: 'run_shell', input: { command: line, why: 'x' } }], 'Done.']);
  fakes.push(fake);
  const here = await makePlace(fake.url);
  places.push(here);
  mkdirSync(path.join(here.home, '.ssh'));
  writeFileSync(path.join(here.home, '.ssh', 'id_rsa'), 'canary-key');
  return { here, told: () => JSON.stringify(fake.requests.at(-1)?.body.messages) };
}

test.skipIf(!hasBubblewrap)(
  'SBX-3, CRED-5, TRUST-7: a command of the model sees no keys, of ours neither, and its scratch folder is gone (bubblewrap)',
  async () => {
    const { here, told } = await running(
      'cat ~/.ssh/id_rsa; env; cat ~/.local/state/houston/sessions/*/*/journal.jsonl; echo "core:$(ulimit -c)"; echo x > "$HOUSTON_SCRATCH/x" && echo "kept:$HOUSTON_SCRATCH"',
    );
    const ran = await here.run(PRINT);
    expect(ran).toMatchObject({ code: 0, out: 'Done.\n' });
    const text = told();
    expect(text).not.toMatch(/canary-key|sk-test|"kind/);
    expect(text).toContain('core:0');
    const scratch = /kept:([\w/.-]+)/.exec(text)?.[1] ?? '';
    expect(scratch).toContain('houston-scratch-');
    expect(existsSync(scratch)).toBe(false);
    expect(readdirSync(here.root).filter((name) => name.startsWith('houston-scratch-'))).toEqual([]);
  },
  30_000,
);

test.skipIf(!hasBubblewrap)(
  'AUD-2, AUD-3: every decision is in the trail, without content, for --trace and houston audit (bubblewrap)',
  async () => {
    const { here } = await running('echo canary-argument > made');
    const ran = await here.run(['--trace', ...PRINT]);
    expect(ran.code).toBe(0);
    expect(ran.err).toContain('houston: trail: allowed by mode in mode bypass: run echo [trusted, public]');
    const [session] = here.sessions();
    const trail = readFileSync(path.join(session!, 'audit.jsonl'), 'utf8');
    expect(trail).not.toContain('canary');
    const events = trail
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as { event: string; sandbox?: string });
    expect(events.map(({ event }) => event)).toEqual(
      expect.arrayContaining(['session', 'said', 'turn', 'decision', 'present']),
    );
    expect(events.find(({ event }) => event === 'session')?.sandbox).toContain('bubblewrap');
    const printed = await here.run(['audit']);
    expect(printed.code).toBe(0);
    expect(printed.out.trimEnd().split('\n')).toHaveLength(events.length);
    expect(printed.out).toContain('turn 1 began in mode bypass');
    expect((await here.run(['audit', path.basename(session!).slice(0, 13)])).out).toBe(printed.out);
  },
  30_000,
);

test('AUD-3: nothing of it is kept of a session that keeps nothing', async () => {
  const { here } = await running('true');
  expect((await here.run(['--no-save', ...PRINT])).code).toBe(0);
  const files = readdirSync(here.root, { recursive: true }).map(String);
  expect(files.filter((name) => name.endsWith('audit.jsonl'))).toEqual([]);
}, 30_000);

test('SBX-4: a sandbox that was asked for and is not there lets no command run; asked for by nobody it is said', async () => {
  const { here, told } = await running('echo ran > made');
  // A workspace that is the whole machine cannot be confined anywhere.
  const refused = await here.run(['--sandbox', 'standard', '-C', '/', ...PRINT]);
  expect(refused.code).toBe(0);
  expect(told()).toContain('it cannot be confined');
  expect(existsSync('/made')).toBe(false);
  const doctor = await here.run(['--sandbox', 'standard', '-C', '/', 'doctor']);
  expect(doctor.code).toBe(3);
  expect(doctor.out).toContain('✗ sandbox      commands are refused: standard (--sandbox) was asked for, but');
  const unasked = await here.run(['-C', '/', 'doctor']);
  expect(unasked.out).toContain('· sandbox      off: ');
}, 30_000);

test.skipIf(!hasBubblewrap)(
  'NET-2: doctor says what is enforced, and names proxies without their passwords (bubblewrap)',
  async () => {
    const { here } = await running('true');
    const environment = {
      HTTPS_PROXY: 'http://me:canary-password@proxy.example:3128',
      SSL_CERT_FILE: '/etc/ssl/mine.pem',
    };
    const { out } = await here.run(['doctor'], { environment });
    expect(out).toContain('✓ sandbox      standard (bubblewrap): ');
    expect(out).toContain('proxy.example:3128');
    expect(out).toContain('SSL_CERT_FILE=/etc/ssl/mine.pem');
    expect(out).not.toContain('canary');
  },
  30_000,
);
