import { expect, test } from 'bun:test';
import { createMemorySystem } from '../../../system/memory/system.ts';
import { type AuthFile, createAuthFile, type OAuthRecord } from './auth-file.ts';

const STATE = '/home/pat/.local/state/houston';
const FILE = `${STATE}/auth.json`;
const RECORD: OAuthRecord = {
  type: 'oauth',
  access: 'access-1',
  refresh: 'refresh-1',
  expires: 1,
  account: 'a',
  email: null,
};

function open(system = createMemorySystem()) {
  return { system, auth: createAuthFile({ ...system, state: STATE }) };
}

async function refusalOf(auth: AuthFile): Promise<string> {
  const loaded = await auth.load();
  return loaded.ok ? 'none' : `${loaded.refusal.identifier}: ${loaded.refusal.message}`;
}

test('a record is written for its owner alone, at once or not at all, and beside what others put there (PRV-5)', async () => {
  const { system, auth } = open();
  system.files.seed(FILE, '{"later-version": {"type": "passkey"}}', 0o600);
  expect(await auth.keep('one', RECORD)).toMatchObject({ ok: true });
  const stat = await system.files.stat(FILE);
  expect(stat!.mode).toBe(0o600);
  const whole = JSON.parse(new TextDecoder().decode(await system.files.read(FILE)));
  expect(whole).toEqual({ 'later-version': { type: 'passkey' }, one: RECORD });
  // Whoever reads it anew finds the same.
  const again = open(system).auth;
  await again.load();
  expect(again.record('one')).toEqual(RECORD);
  expect(await again.keep('one', null)).toMatchObject({ ok: true });
  expect(again.has('one')).toBe(false);
  await auth.load();
  expect(auth.has('one')).toBe(false);
});

test('one that others can read, that is a link, or that belongs to somebody else is refused before it is parsed (PRV-5)', async () => {
  const { system, auth } = open();
  const canary = '{"one": {"type": "api-key", "key": "canary"}, broken';
  system.files.seed(FILE, canary, 0o640);
  expect(await refusalOf(auth)).toContain('auth-file-unsafe');
  expect(await refusalOf(auth)).toContain('chmod 600');
  expect(await auth.keep('one', RECORD)).toMatchObject({ ok: false, refusal: { identifier: 'auth-file-unsafe' } });
  await system.files.changeMode(FILE, 0o600);
  const unreadable = await refusalOf(auth);
  expect(unreadable).toContain('auth-file-unreadable');
  expect(unreadable).not.toContain('canary');
  await system.files.remove(FILE);
  system.files.seed('/tmp/else.json', '{"one": {"type": "api-key", "key": "k"}}', 0o600);
  await system.files.makeLink('/tmp/else.json', FILE);
  expect(await refusalOf(auth)).toContain('is a link');
  expect(auth.has('one')).toBe(false);
});

test('work done alone is done by one process at a time; the lock of a dead one is taken over', async () => {
  const { system, auth } = open();
  await system.files.makeFolder(STATE, 0o700);
  const other = open(system).auth;
  const seen: string[] = [];
  const gate = Promise.withResolvers<void>();
  const first = auth.alone(async () => {
    seen.push('first begins');
    await gate.promise;
    seen.push('first ends');
  });
  await system.clock.advance(10);
  const second = other.alone(async () => void seen.push('second'));
  await system.clock.advance(500);
  expect(seen).toEqual(['first begins']);
  gate.resolve();
  await system.clock.runUntil(Promise.all([first, second]));
  expect(seen).toEqual(['first begins', 'first ends', 'second']);
  await system.files.createNew(`${FILE}.lock`, new Uint8Array(), 0o600);
  await system.clock.runUntil(other.alone(async () => void seen.push('third')));
  expect(seen.at(-1)).toBe('third');
  expect(await system.files.stat(`${FILE}.lock`)).toBeNull();
});
