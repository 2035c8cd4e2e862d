// Reads of files that hold what looks like keys: held until a yes, and written down without a value.
import { afterEach, expect, test } from 'bun:test';
import { randomBytes } from 'node:crypto';
import { createKeyFindings, type KeyFindings } from '../../src/core/policy/key-findings.ts';
import type { Ask } from '../../src/protocol/ask.ts';
import { createMemorySystem } from '../../src/system/memory/system.ts';
import { type GuardedPlace, guardedPlace, NO } from '../support/guarded-session.ts';
import type { ScriptEntry } from '../support/script.ts';

const RARE = 'q7Rk2vLx9TzW4mBn';
const GITHUB = `ghp_${'A1b2'.repeat(9)}`;
const FILE = '/home/pat/state/findings/yard.jsonl';

let places: GuardedPlace[] = [];
afterEach(() => {
  for (const place of places) place.close();
  places = [];
});

function open(saved = true) {
  const place = guardedPlace();
  places.push(place);
  const system = createMemorySystem();
  const ids = { ...system.ids, hex: (bytes: number) => randomBytes(bytes).toString('hex') };
  const findings = (): KeyFindings => createKeyFindings({ ...system, ids, file: saved ? FILE : null });
  return {
    place,
    system,
    findings,
    kept: () => (system.files.paths('/').includes(FILE) ? system.files.textOf(FILE) : ''),
  };
}

const read = (path: string): ScriptEntry => [{ tool: 'read_file', input: { path, why: 'to see' } }];
const search = (pattern: string): ScriptEntry => [{ tool: 'search_text', input: { pattern, why: 'to see' } }];
const questions = (asks: readonly Ask[]) => asks.flatMap(({ body }) => (body.kind === 'permission' ? [body] : []));

test('a trusted file with what looks like keys is shown after a yes, once a file and session, masked in the middle (CRED-3)', async () => {
  const { place, findings } = open();
  place.write('plain.txt', 'nothing here\n');
  place.write('db.yml', `db:\n  user: app\n  password: ${RARE}\n`);
  place.write('other.yml', `password: ${RARE.split('').reverse().join('')}\n`);
  const run = await place.run([read('plain.txt'), read('db.yml'), read('db.yml'), read('other.yml')], {
    keyFindings: findings(),
    answer: () => ({ kind: 'choice', choice: 'session' }),
  });
  expect(questions(run.asks)).toHaveLength(2);
  const rows = questions(run.asks)[0]!.rows.map(({ shown }) => shown.text);
  expect(rows[0]).toBe(`${place.folder}/db.yml`);
  expect(rows[1]).toMatch(/^line 3: a value named like a password or key, ….{1,4}…$/);
  const mask = /…(.*)…/.exec(rows[1]!)![1]!;
  expect(RARE.startsWith(mask) || RARE.endsWith(mask)).toBe(false);
  expect(RARE).toContain(mask);
  expect(run.told[1]).toContain(RARE);
  expect(run.told[2]).toContain(RARE);
});

test('after a no the model is told that, and nothing of what was found or why it was asked (CRED-3)', async () => {
  const { place, findings } = open();
  place.write('db.yml', `password: ${RARE}\n`);
  const run = await place.run([read('db.yml'), search('password')], { keyFindings: findings(), answer: () => NO });
  for (const told of run.told) {
    expect(told).not.toContain(RARE);
    expect(told).not.toMatch(/key|password|credential|secret/i);
  }
  expect(run.told[0]).toContain('the person said no');
  const alone = await place.run([read('db.yml')], { keyFindings: findings(), canAsk: false });
  expect(alone.told.at(-1)).toContain('nobody is there to ask');
  expect(alone.told.at(-1)).not.toContain(RARE);
});

test('findings are written down by kind, path, line, mask and a salted fingerprint, once each, never with a value (CRED-4)', async () => {
  const { place, findings, kept } = open();
  place.write('db.yml', `a: 1\npassword: ${RARE}\n`);
  place.write('key.txt', `token ${GITHUB}\n`);
  const options = { answer: () => NO } as const;
  await place.run([read('db.yml'), read('key.txt')], { keyFindings: findings(), ...options });
  await place.run([read('db.yml')], { keyFindings: findings(), ...options });
  const [salt, ...lines] = kept()
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(salt.salt).toMatch(/^[0-9a-f]{32}$/);
  expect(lines.map(({ kind, path, line }) => [kind, path, line])).toEqual([
    ['a value named like a password or key', `${place.folder}/db.yml`, 2],
    ['a GitHub token', `${place.folder}/key.txt`, 1],
  ]);
  for (const { fingerprint, mask } of lines) {
    expect(fingerprint).toMatch(/^[0-9a-f]{32}$/);
    expect(mask.length).toBeLessThanOrEqual(6);
  }
  for (const value of [RARE, GITHUB, 'A1b2A1b2']) expect(kept()).not.toContain(value);
  // Another workspace has another salt: nothing can be compared across them.
  const other = open();
  other.place.write('db.yml', `a: 1\npassword: ${RARE}\n`);
  await other.place.run([read('db.yml')], { keyFindings: other.findings(), ...options });
  expect(other.kept()).not.toContain(lines[0].fingerprint);
});

test('a session that leaves nothing behind writes no findings, and still asks (CRED-4)', async () => {
  const { place, findings, system } = open(false);
  place.write('db.yml', `password: ${RARE}\n`);
  const before = system.files.paths('/').length;
  const run = await place.run([read('db.yml')], { keyFindings: findings(), answer: () => NO });
  expect(questions(run.asks)).toHaveLength(1);
  expect(system.files.paths('/')).toHaveLength(before);
});
