import { describe, expect, test } from 'bun:test';
import { createMemorySystem, type MemorySystemOptions } from '../system/memory/system.ts';
import { chooseHost, type HostEntry, openHostFiles } from './host-files.ts';
import { lockForHost } from './host-lock.ts';

const STATE = '/home/pat/.local/state/houston';

async function setUp(options: MemorySystemOptions = {}, folders: readonly string[] = [], state = STATE) {
  const system = createMemorySystem(options);
  for (const folder of folders) system.files.seedFolder(folder);
  const files = await openHostFiles(system, state);
  return { system, files };
}

function entry(host: string, more: Partial<HostEntry> = {}): HostEntry {
  return {
    host,
    session: `session-${host}`,
    pid: 1000,
    startTime: null,
    folder: '/yard',
    title: '',
    model: '',
    state: 'idle',
    started: 1,
    updated: 1,
    attached: 0,
    unseen: false,
    protocol: 1,
    build: 'test',
    fingerprint: '1',
    socket: `/run/${host}.sock`,
    log: `/logs/${host}.log`,
    ...more,
  };
}

describe('the directory of hosts', () => {
  test('lists the living, newest update first, and removes what the dead left (SC-28.1.3)', async () => {
    const { system, files } = await setUp();
    await files.prepare();
    await files.write(entry('aa', { updated: 1 }));
    await files.write(entry('bb', { updated: 3 }));
    await files.write(entry('dead', { updated: 9, pid: 4_321 }));
    await files.write(entry('reused', { updated: 9, startTime: 'long ago' }));
    await files.write(entry('stopped', { updated: 2, pid: 4_321, state: 'stopped' }));
    system.files.seedOther(files.socketOf('dead'));
    system.files.seed(`${files.locks}/session-dead`, JSON.stringify({ pid: 4_321, startTime: null, host: 'dead' }));
    system.files.seed(`${files.folder}/broken.json`, '{"host":');
    system.files.seed(`${files.folder}/renamed.json`, JSON.stringify(entry('other')));
    expect((await files.list()).map((one) => one.host)).toEqual(['bb', 'stopped', 'aa']);
    expect(await system.files.stat(files.socketOf('dead'))).toBeNull();
    const left = system.files.paths(files.folder).map((path) => path.slice(files.folder.length + 1));
    expect(left).toEqual(['aa.json', 'bb.json', 'broken.json', 'renamed.json', 'stopped.json']);
  });

  test('no folder yet is no hosts', async () => {
    expect(await (await setUp()).files.list()).toEqual([]);
  });

  test('folders are private, and one that is open to others is closed (UP-36)', async () => {
    const { system, files } = await setUp();
    system.files.seedFolder(files.folder, 0o755);
    expect((await files.prepare()).ok).toBe(true);
    for (const folder of [files.folder, files.locks]) {
      expect((await system.files.stat(folder))?.mode).toBe(0o700);
    }
  });

  test('a link in the place of a folder is refused', async () => {
    const { system, files } = await setUp();
    system.files.seedFolder('/elsewhere');
    system.files.seedFolder(STATE);
    await system.files.makeLink('/elsewhere', files.folder);
    expect(await files.prepare()).toMatchObject({ ok: false, refusal: { identifier: 'not-private' } });
  });

  test('sockets lie in the runtime folder where this user has one', async () => {
    const variables = { XDG_RUNTIME_DIR: '/run/user/1000' };
    const there = await setUp({ environment: { variables } }, ['/run/user/1000']);
    expect(there.files.socketOf('aa')).toBe('/run/user/1000/houston/aa.sock');
    const gone = await setUp({ environment: { variables } });
    expect(gone.files.socketOf('aa')).toBe(`${STATE}/hosts/aa.sock`);
    const relative = await setUp({ environment: { variables: { XDG_RUNTIME_DIR: 'run' } } }, ['/run']);
    expect(relative.files.socketOf('aa')).toBe(`${STATE}/hosts/aa.sock`);
  });

  test('a path too long for a socket becomes a short one in a private folder', async () => {
    const long = `/home/pat/${'x'.repeat(80)}`;
    const { system, files } = await setUp({}, [long], long);
    const socket = files.socketOf('aa');
    expect(socket).toMatch(/^\/tmp\/houston-1000\/[0-9a-f]{16}$/);
    expect(files.socketOf('bb')).not.toBe(socket);
    expect((await files.prepare()).ok).toBe(true);
    expect((await system.files.stat('/tmp/houston-1000'))?.mode).toBe(0o700);
  });
});

test('a host is chosen by id or by the beginning of its session, and must be one (SC-28.1.4)', () => {
  const hosts = [
    entry('aa', { session: '0190-1' }),
    entry('bb', { session: '0190-2' }),
    entry('cc', { session: '0190' }),
  ];
  const identifier = (name: string) => {
    const chosen = chooseHost(hosts, name);
    return chosen.ok ? chosen.value.host : chosen.refusal.identifier;
  };
  expect(identifier('aa')).toBe('aa');
  expect(identifier('0190-2')).toBe('bb');
  expect(identifier('0190')).toBe('cc');
  expect(identifier('019')).toBe('ambiguous-host');
  expect(identifier('7')).toBe('no-such-host');
  expect(identifier('')).toBe('no-such-host');
});

describe('the lock of a session', () => {
  const PATH = '/locks/s-1';

  test('is held once, and free again after its release', async () => {
    const { system } = await setUp({}, ['/locks']);
    const first = await lockForHost(system, PATH, 'aa');
    if (!first.ok) throw new Error(first.refusal.message);
    expect(await lockForHost(system, PATH, 'bb')).toMatchObject({
      refusal: { identifier: 'already-hosted', message: 'aa' },
    });
    await first.value.release();
    expect((await lockForHost(system, PATH, 'bb')).ok).toBe(true);
    await first.value.release();
    expect(await system.files.stat(PATH)).not.toBeNull();
  });

  test('of a dead process is taken over, by one of many', async () => {
    const { system } = await setUp({}, ['/locks']);
    system.files.seed(PATH, JSON.stringify({ pid: 4_321, startTime: null, host: 'dead' }));
    const taking = ['aa', 'bb', 'cc', 'dd'].map((host) => lockForHost(system, PATH, host));
    const outcomes = await system.clock.runUntil(Promise.all(taking));
    expect(outcomes.filter((outcome) => outcome.ok)).toHaveLength(1);
    expect(system.files.paths('/locks')).toEqual([PATH]);
  });

  test('half written is waited for, and after two seconds counts as left behind (UP-33)', async () => {
    const { system } = await setUp({}, ['/locks']);
    system.files.seed(PATH, '');
    const taking = lockForHost(system, PATH, 'aa');
    let taken = false;
    void taking.then(() => {
      taken = true;
    });
    await system.clock.advance(1_900);
    expect(taken).toBe(false);
    expect((await system.clock.runUntil(taking)).ok).toBe(true);
    expect(system.clock.ticks()).toBeLessThan(2_500);
  });
});
