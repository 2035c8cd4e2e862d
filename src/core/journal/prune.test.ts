import { expect, test } from 'bun:test';
import { createMemorySystem } from '../../system/memory/system.ts';
import { pruneSessions } from './prune.ts';
import { takeSessionLock } from './session-lock.ts';

const STATE = '/home/pat/.local/state/houston';
const DAY = 86_400_000;
const ids = [1, 2, 3, 4].map((number) => `0000000${number}-0000-7000-8000-000000000000`);

async function made() {
  const system = createMemorySystem();
  const place = (id: string): string => `${STATE}/sessions/yard/${id}`;
  const session = async (id: string): Promise<void> => {
    await system.files.makeFolder(`${place(id)}/outputs`, 0o700);
    await system.files.createNew(`${place(id)}/journal.jsonl`, new TextEncoder().encode('{}\n'), 0o600);
    await system.files.createNew(`${place(id)}/outputs/1`, new TextEncoder().encode('long'), 0o600);
    await system.files.makeFolder(`${STATE}/drafts/${id}`, 0o700);
  };
  for (const id of ids.slice(0, 3)) await session(id);
  await system.clock.advance(40 * DAY);
  await session(ids[3]!);
  return { system, place };
}

test('sessions nobody went on with are removed with all that is theirs; one that is open or younger stays', async () => {
  const { system, place } = await made();
  const lock = await takeSessionLock(system, place(ids[1]!));
  expect(lock.ok).toBe(true);
  await system.files.makeFolder(`${STATE}/sessions/yard/notes`, 0o700);
  expect(await pruneSessions(system, STATE, 30)).toEqual([ids[0]!, ids[2]!]);
  const left = system.files.paths(STATE).join('\n');
  for (const id of [ids[0]!, ids[2]!]) expect(left).not.toContain(id);
  expect(left).toContain(`${place(ids[1]!)}/journal.jsonl`);
  expect(left).toContain(`${place(ids[3]!)}/journal.jsonl`);
  expect(await pruneSessions(system, STATE, 30)).toEqual([]);
});

test('what cannot be removed stays whole or is no session any more, and the rest is removed', async () => {
  const { system, place } = await made();
  system.files.fail({ operation: 'rename', path: place(ids[0]!), code: 'EACCES' });
  const mended = system.files.fail({ operation: 'remove', path: `${place(ids[1]!)}.removed`, code: 'EIO' });
  expect(await pruneSessions(system, STATE, 30)).toEqual([ids[2]!]);
  expect(system.files.textOf(`${place(ids[0]!)}/journal.jsonl`)).toBe('{}\n');
  mended();
  await pruneSessions(system, STATE, 30);
  expect(system.files.paths(STATE).join('\n')).not.toContain(ids[1]!);
});
