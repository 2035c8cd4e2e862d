import { expect, test } from 'bun:test';
import { type HostEntry, openHostFiles } from '../link/host-files.ts';
import { createMemorySystem } from '../system/memory/system.ts';
import { reachSession } from './reach-session.ts';

const STATE = '/home/pat/state';

test('a name means what runs or what was saved; what can mean either is for the person to say (SC-28.5.7)', async () => {
  const system = createMemorySystem();
  const files = await openHostFiles(system, STATE);
  await files.prepare();
  const running: HostEntry = {
    host: 'a1b2',
    session: '0199aaa1-0000-7000-8000-000000000001',
    pid: system.processes.ownPid,
    startTime: (await system.processes.facts(system.processes.ownPid))?.startTime ?? null,
    folder: '/yard',
    title: '',
    model: '',
    state: 'idle',
    started: 0,
    updated: 1,
    attached: 0,
    unseen: false,
    protocol: 1,
    build: '',
    fingerprint: '',
    socket: '',
    log: '',
  };
  await files.write(running);
  const saved = '0199aaa1-0000-7000-8000-000000000002';
  const stopped = '0199bbb1-0000-7000-8000-000000000003';
  await files.write({ ...running, host: 'c3d4', session: stopped, state: 'stopped', unseen: true });
  for (const id of [saved, stopped]) {
    const first = { id: 'e1', parent: null, time: 1, kind: 'header', session: id, folder: '/yard' };
    system.files.seed(`${STATE}/sessions/yard/${id}/journal.jsonl`, `${JSON.stringify(first)}\n`);
  }
  const reach = async (name: string | null) => {
    const found = await reachSession(system, STATE, name, '/yard');
    if (!found.ok) return found.refusal.identifier;
    return found.value.kind === 'running'
      ? found.value.host.host
      : [found.value.request.open, found.value.request.session];
  };
  expect(await reach(null)).toBe('a1b2');
  expect(await reach('a1b2')).toBe('a1b2');
  expect(await reach(running.session)).toBe('a1b2');
  expect(await reach('0199bbb1')).toEqual(['resume', stopped]);
  expect(await reach(saved)).toEqual(['resume', saved]);
  expect(await reach('0199aaa1')).toBe('ambiguous-host');
  expect(await reach('ffffffff')).toBe('no-such-host');
});
