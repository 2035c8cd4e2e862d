import { expect, test } from 'bun:test';
import { openHouse } from '../../test/support/controller.ts';
import { scriptedModel } from '../../test/support/script.ts';
import { createMemorySystem } from '../system/memory/system.ts';
import { pruneLater } from './prune-later.ts';

const STATE = '/home/pat/.local/state/houston';
const OLD = `${STATE}/sessions/yard/00000001-0000-7000-8000-000000000000`;

async function withOld() {
  const system = createMemorySystem();
  await system.files.makeFolder(OLD, 0o700);
  await system.files.createNew(`${OLD}/journal.jsonl`, new TextEncoder().encode('{}\n'), 0o600);
  await system.clock.advance(40 * 86_400_000);
  return system;
}

test('old sessions are removed beside the start: a disk that does not answer delays neither readiness nor a reply (ST-6)', async () => {
  const system = await withOld();
  let answer = (): void => {};
  const slow = new Promise<void>((resolve) => {
    answer = resolve;
  });
  const list = system.files.list.bind(system.files);
  const files = Object.create(system.files, {
    list: {
      value: async (path: string) => (path.startsWith(`${STATE}/sessions`) ? slow.then(() => list(path)) : list(path)),
    },
  });
  pruneLater({ ...system, files }, STATE, { pruneDays: 30 });
  const house = await openHouse({ script: scriptedModel(['hello']), system });
  const seat = house.seat('one');
  await system.clock.advance(2_000);
  expect(seat.view.head.ready).toBe(true);
  await seat.say('go');
  await house.idle();
  expect(seat.outcome('one-1')?.state).toBe('done');
  expect(await system.files.stat(OLD)).not.toBeNull();
  answer();
  await system.clock.settle();
  expect(await system.files.stat(OLD)).toBeNull();
});

test('nothing is removed unless somebody asked for it, nor once the window is gone', async () => {
  const system = await withOld();
  for (const pruneDays of [null, 0]) pruneLater(system, STATE, { pruneDays });
  pruneLater(system, null, { pruneDays: 30 });
  pruneLater(system, STATE, { pruneDays: 30 })();
  await system.clock.advance(10_000);
  expect(await system.files.stat(OLD)).not.toBeNull();
});
