import { beforeEach, expect, test } from 'bun:test';
import { sessionFolder } from '../core/journal/catalog.ts';
import { createJournal } from '../core/journal/file-journal.ts';
import { createMemorySystem, type MemorySystem } from '../system/memory/system.ts';
import { folderFor, otherSessions } from './other-sessions.ts';
import type { SessionRequest } from './session-request.ts';

let system: MemorySystem;
beforeEach(async () => {
  system = createMemorySystem();
  for (const folder of ['/one/.git', '/one/sub', '/two/.git']) await system.files.makeFolder(folder, 0o755);
});

test('a session goes on in its own folder of this repository, or here when that is gone (SC-20.6)', async () => {
  expect(await folderFor(system, '/one', '/one')).toMatchObject({ value: '/one' });
  expect(await folderFor(system, '/one', '/one/sub')).toMatchObject({ value: '/one/sub' });
  expect(await folderFor(system, '/one', '/one/gone')).toMatchObject({ value: '/one' });
});

test('a living folder of another repository and a vanished foreign one are two refusals that name it (SC-20.15, SC-20.6)', async () => {
  const other = await folderFor(system, '/one', '/two');
  const gone = await folderFor(system, '/one', '/three');
  expect([other.ok, gone.ok]).toEqual([false, false]);
  expect(other).toMatchObject({ refusal: { identifier: 'other-repository' } });
  expect(gone).toMatchObject({ refusal: { identifier: 'folder-gone' } });
  expect(other.ok ? '' : other.refusal.message).toContain('/two');
  expect(gone.ok ? '' : gone.refusal.message).toContain('/three');
});

test('a session that goes on elsewhere says where, and one whose folder is gone that it goes on here (SC-20.6, SC-20.14)', async () => {
  const state = '/home/pat/state';
  const ids = ['a', 'b', 'c'].map((letter) => `${letter.repeat(8)}-0000-4000-8000-000000000000`);
  for (const [at, folder] of ['/one', '/one/sub', '/one/gone'].entries()) {
    const session = ids[at]!;
    const first = { kind: 'session', version: 1, session, folder, build: 'test', forkedFrom: null } as const;
    const { files, clock, ids: names } = system;
    const place = { files, clock, ids: names, folder: sessionFolder(state, '/one', session), session, first };
    const made = await createJournal(place);
    if (!made.ok) throw new Error(made.refusal.message);
    await made.value.close();
  }
  const opened: [string, string | null][] = [];
  const door = otherSessions({
    system,
    state,
    request: { folder: '/one', session: 'here', save: true } as SessionRequest,
    open: async (request, note) => {
      opened.push([request.folder, note?.replace(request.session.slice(0, 13), 'NAME') ?? null]);
      return null;
    },
  });
  await door.open({ kind: 'new', model: null });
  for (const id of ids) expect(await door.open({ kind: 'resume', id })).toBeNull();
  expect(opened).toEqual([
    ['/one', 'A new session, NAME: /resume leads back.'],
    ['/one', null],
    ['/one/sub', 'This session works in /one/sub.'],
    ['/one', 'The folder of this session is gone (/one/gone): it goes on in /one.'],
  ]);
});
