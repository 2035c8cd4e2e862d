import { beforeEach, expect, test } from 'bun:test';
import { createMemorySystem, type MemorySystem } from '../system/memory/system.ts';
import { folderFor } from './other-sessions.ts';

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

test('a living folder of another repository and a vanished foreign one are two refusals that name it (SC-20.15)', async () => {
  const other = await folderFor(system, '/one', '/two');
  const gone = await folderFor(system, '/one', '/three');
  expect([other.ok, gone.ok]).toEqual([false, false]);
  expect(other).toMatchObject({ refusal: { identifier: 'other-repository' } });
  expect(gone).toMatchObject({ refusal: { identifier: 'folder-gone' } });
  expect(other.ok ? '' : other.refusal.message).toContain('/two');
  expect(gone.ok ? '' : gone.refusal.message).toContain('/three');
});
