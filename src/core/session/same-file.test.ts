// Wish C11: two sessions that change the same file at the same time are told of each other.
import { expect, test } from 'bun:test';
import { createMemorySystem } from '../../system/memory/system.ts';
import { createSameFile } from './same-file.ts';

const FOLDER = '/state/editing/yard';

function two(system = createMemorySystem()) {
  const make = (session: string, title: string, folder: string | null = FOLDER, alive = true) => {
    const told: string[] = [];
    const processes = { ...system.processes, ownPid: session.length, isAlive: (pid: number) => alive && pid > 0 };
    const watch = createSameFile({
      system: { files: system.files, clock: system.clock, processes: processes as never },
      folder,
      session,
      title: () => title,
      workspace: '/yard',
      warn: (text) => told.push(text),
    });
    return { told, ...watch };
  };
  return { system, make };
}

test('both are told, once, with the title, the file and how long ago', async () => {
  const { system, make } = two();
  const a = make('01aaaaaa-1111-7000', 'Parser');
  const b = make('01bbbbbb-2222-70000', '');
  await a.changed('/yard/src/a.ts');
  await b.changed('/yard/src/b.ts');
  await system.clock.advance(120_000);
  expect([...a.told, ...b.told]).toEqual([]);
  await b.changed('/yard/src/a.ts');
  expect(b.told).toEqual([
    'The session “Parser” (01aaaaaa-1111) changes src/a.ts too, last 2 m ago. Neither sees what the other does.',
  ]);
  // The first one need not touch it again to hear of it.
  await system.clock.advance(1_000);
  expect(a.told).toEqual([
    expect.stringContaining('Another session (01bbbbbb-2222) changes src/a.ts too, last 1 s ago'),
  ]);
  await a.changed('/yard/src/a.ts');
  await b.changed('/yard/src/a.ts');
  await system.clock.advance(1_000);
  expect(a.told).toHaveLength(1);
  expect(b.told).toHaveLength(1);
});

test('what was changed long ago, by a session that is gone, or in another folder is no warning', async () => {
  const { system, make } = two();
  const a = make('01aaaaaa-1111-7000', 'Parser');
  await a.changed('/yard/a.ts');
  await system.clock.advance(31 * 60_000);
  const b = make('01bbbbbb-2222-70000', 'Other');
  await b.changed('/yard/a.ts');
  await b.changed('/yard/tree/a.ts');
  expect(b.told).toEqual([]);
  const c = make('01cccccc-3333-700000', 'Third', FOLDER, false);
  await c.changed('/yard/a.ts');
  expect(c.told).toEqual([]);
  expect(await system.files.stat(`${FOLDER}/01aaaaaa-1111-7000.json`)).toBeNull();
});

test('its note is for its owner alone, goes with the session, and no timer or watch stays', async () => {
  const { system, make } = two();
  const a = make('01aaaaaa-1111-7000', 'Parser');
  expect(await system.files.stat(FOLDER)).toBeNull();
  await a.changed('/yard/a.ts');
  const stat = await system.files.stat(`${FOLDER}/01aaaaaa-1111-7000.json`);
  expect([stat?.mode, (await system.files.stat(FOLDER))?.mode]).toEqual([0o600, 0o700]);
  await a.close();
  expect(await system.files.list(FOLDER)).toEqual([]);
  expect(system.clock.timers).toBe(0);
});

test('a broken note, a full disk and no state folder cost the warning and nothing else', async () => {
  const { system, make } = two();
  system.files.seed(`${FOLDER}/broken.json`, '{"session": 1');
  system.files.seed(`${FOLDER}/null.json`, 'null');
  const a = make('01aaaaaa-1111-7000', 'Parser');
  const mended = system.files.fail({ operation: 'write', code: 'ENOSPC' });
  await a.changed('/yard/a.ts');
  mended();
  const b = make('01bbbbbb-2222-70000', 'Other');
  await b.changed('/yard/a.ts');
  expect(b.told).toEqual([]);
  await a.changed('/yard/a.ts');
  expect(a.told).toHaveLength(1);
  const nowhere = make('01dddddd-2222-70000', 'Nowhere', null);
  await nowhere.changed('/yard/a.ts');
  await nowhere.close();
  expect(nowhere.told).toEqual([]);
});
