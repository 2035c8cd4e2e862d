import { expect, test } from 'bun:test';
import { createMemorySystem } from '../system/memory/system.ts';
import { lookAtPlaces } from './doctor-places.ts';

const STATE = '/home/pat/.local/state/houston';
const CONFIG = '/home/pat/.config/houston';

async function made() {
  const system = createMemorySystem();
  for (const folder of [CONFIG, STATE, `${STATE}/sessions`]) await system.files.makeFolder(folder, 0o700);
  return system;
}

test('places that can be written are fine, and nothing is left there; one that is not there yet is not made', async () => {
  const system = await made();
  const before = system.files.paths('/home');
  expect(await lookAtPlaces(system)).toEqual([
    { state: 'ok', what: 'settings', detail: CONFIG },
    { state: 'ok', what: 'state', detail: STATE },
  ]);
  expect(system.files.paths('/home')).toEqual(before);
  const fresh = createMemorySystem();
  await fresh.files.makeFolder('/home/pat', 0o700);
  const bare = fresh.files.paths('/home');
  expect((await lookAtPlaces(fresh)).map(({ detail }) => detail)).toEqual([
    `${CONFIG} (made when needed)`,
    `${STATE} (made when needed)`,
  ]);
  expect(fresh.files.paths('/home')).toEqual(bare);
});

test.each(['EROFS', 'ENOSPC', 'EACCES'])(
  'a state folder that answers %s to writing is a problem, with what follows',
  async (code) => {
    const system = await made();
    system.files.fail({ operation: 'write', path: STATE, code } as never);
    const [settings, state] = await lookAtPlaces(system);
    expect(settings?.state).toBe('ok');
    expect(state).toMatchObject({ state: 'problem', what: 'state' });
    expect(state?.detail).toContain(`${STATE} cannot be written (${code}, `);
    expect(state?.detail).toEndWith('nothing will be saved');
  },
);

test('a folder inside that is not ours to write is named', async () => {
  const system = await made();
  system.files.fail({ operation: 'write', path: `${STATE}/sessions`, code: 'EACCES' } as never);
  const [, state] = await lookAtPlaces(system);
  expect(state?.detail).toStartWith(`${STATE}/sessions cannot be written (EACCES`);
});
