import { describe, expect, test } from 'bun:test';
import { createFakeSession } from '../../test/support/fake-session.ts';
import { isIdle, saidTexts, watch } from '../../test/support/watcher.ts';
import { done, refuse } from '../base/refusal.ts';
import type { LinkedSession } from '../protocol/link.ts';
import type { Change } from '../protocol/update.ts';
import { createMemorySystem } from '../system/memory/system.ts';
import { openHostFiles } from './host-files.ts';
import { NO_ROOM_EXIT, readHostOptions, startHost } from './host-process.ts';
import { NEVER_RECONNECT } from './reconnect.ts';
import { type HostedService, IDLE_MS, type RunHostOptions, runHost } from './run-host.ts';
import { connectSession } from './socket-client.ts';
import { stopHost } from './stop-host.ts';

const STATE = '/home/pat/.local/state/houston';

async function setUp(options: Partial<RunHostOptions> = {}, service: Partial<HostedService> = {}) {
  const system = createMemorySystem();
  const files = await openHostFiles(system, STATE);
  const session = createFakeSession();
  const log: string[] = [];
  const events: string[] = [];
  let signal: Parameters<RunHostOptions['onSignal']>[0] = () => {};
  const exit = runHost({
    system,
    files,
    host: 'a1b2',
    folder: '/yard',
    build: 'test',
    fingerprint: '1',
    session: null,
    idleMs: IDLE_MS,
    open: async () => {
      events.push('opened');
      return done({
        session,
        clientLost: session.clientLost,
        close: async () => void events.push('closed'),
        ...service,
      });
    },
    onSignal(listener) {
      signal = listener;
      return () => {};
    },
    log: (line) => void log.push(line),
    ...options,
  });
  void exit.then((code) => events.push(`exit ${code}`));
  await system.clock.settle();
  async function connect(client: string): Promise<LinkedSession> {
    const outcome = await connectSession({
      client,
      build: 'test',
      clock: system.clock,
      connect: () => system.network.connect(files.socketOf('a1b2')),
      reconnect: NEVER_RECONNECT,
      report: (what) => void log.push(what),
    });
    if (!outcome.ok) throw new Error(outcome.refusal.message);
    return outcome.value;
  }
  const kill = (name: 'TERM' | 'HUP' | 'INT') => signal(name);
  return { system, files, session, log, events, exit, kill, connect };
}

const SAY = { type: 'say', ref: 'r', text: 'hello', attachments: [], delivery: 'queue' } as const;

describe('a host', () => {
  test.each(['write', 'flush'] as const)(
    'that finds no room on the disk (%s) before it can listen ends with a code that says so',
    async (operation) => {
      const system = createMemorySystem();
      const files = await openHostFiles(system, STATE);
      system.files.fail({ operation, code: 'ENOSPC' });
      const { exit, log, events } = await setUp({ system, files, session: 's1' });
      expect(await exit).toBe(NO_ROOM_EXIT);
      expect(events).not.toContain('opened');
      expect(log.join('\n')).toContain('no space left on device');
    },
  );

  test('takes clients and what they send before its session is open', async () => {
    const session = createFakeSession();
    const opening = Promise.withResolvers<{ ok: true; value: HostedService }>();
    const { connect, files } = await setUp({ open: () => opening.promise });
    const one = await connect('one');
    const watcher = watch(one);
    const sent = one.send(SAY, 'one');
    expect((await files.list()).map((entry) => entry.state)).toEqual(['starting']);
    opening.resolve({ ok: true, value: { session, close: async () => {} } });
    expect((await sent).accepted).toBe(true);
    await watcher.until((view) => isIdle(view) && saidTexts(view).length === 1);
  });

  test('is listed with what it does, privately, and without being connected to', async () => {
    const { connect, files, session, system } = await setUp();
    const one = await connect('one');
    watch(one);
    session.script([{ hold: true }]);
    await one.send(SAY, 'one');
    await system.clock.settle();
    const working = await files.list();
    expect(working).toMatchObject([
      { host: 'a1b2', session: 'session-1', state: 'working', attached: 1, unseen: false },
    ]);
    await one.close();
    session.release();
    await system.clock.settle();
    expect(await files.list()).toMatchObject([{ state: 'idle', attached: 0, unseen: true }]);
    expect((await system.files.stat(files.folder))?.mode).toBe(0o700);
    expect((await system.files.stat(`${files.folder}/a1b2.json`))?.mode).toBe(0o600);
  });

  test('tidies up once after each stretch of work when nothing has run for a while, and never beside any', async () => {
    const tidied: number[] = [];
    const { connect, session, system } = await setUp({ onRest: () => void tidied.push(system.clock.ticks()) });
    const one = await connect('one');
    await system.clock.advance(60_000);
    expect(tidied).toHaveLength(1);
    session.script([{ hold: true }]);
    await one.send(SAY, 'one');
    await system.clock.advance(60_000);
    expect(tidied).toHaveLength(1);
    session.release();
    await system.clock.advance(60_000);
    expect(tidied).toHaveLength(2);
    // Coming and going is no work.
    await connect('two');
    await one.close();
    await system.clock.advance(60_000);
    expect(tidied).toHaveLength(2);
  });

  test('ends 15 s after its last client left, and leaves nothing (SC-28.4.3)', async () => {
    const { connect, events, system, exit } = await setUp();
    const one = await connect('one');
    await system.clock.advance(60_000);
    expect(events).toEqual(['opened']);
    await one.close();
    await system.clock.advance(IDLE_MS - 1);
    expect(events).toEqual(['opened']);
    await system.clock.advance(1);
    expect(await exit).toBe(0);
    expect(events).toEqual(['opened', 'closed', 'exit 0']);
    expect(system.files.paths(STATE)).toEqual([]);
    expect(system.clock.timers).toBe(0);
  });

  test('a running command, a question beside, what waits for its turn and a sign-in keep it; once that is over it goes (SC-28.4.3)', async () => {
    const exchange = { question: 'Why?', answer: '', message: null, asked: 1 } as const;
    const aside = { id: 1, client: 'one', model: null, effort: 'default', label: 'm', base: null } as const;
    const job = { id: 'j1', label: 'serve', command: 'serve', state: 'running', exit: null, started: 0 } as const;
    const signIn = { provider: 'p', client: 'one', step: 'waiting' } as never;
    const input = { id: 'i1', parent: null, time: 1, kind: 'input', client: 'one', ref: 'r', text: 'later' } as const;
    const rest = { attachments: [], delivery: 'queue', target: null } as const;
    const taken = { id: 'i2', parent: null, time: 2, kind: 'taken', input: 'i1', turn: 1, as: 'prompt' } as const;
    const kept: readonly (readonly [readonly Change[], readonly Change[]])[] = [
      [[{ type: 'jobs', jobs: [{ ...job, ended: null, background: true }] }], [{ type: 'jobs', jobs: [] }]],
      [
        [{ type: 'aside', aside: { ...aside, exchanges: [{ ...exchange, state: 'running' }] } as never }],
        [{ type: 'aside', aside: { ...aside, exchanges: [{ ...exchange, state: 'answered' }] } as never }],
      ],
      [[{ type: 'entry', entry: { ...input, ...rest } }], [{ type: 'entry', entry: taken }]],
      [[{ type: 'sign-in', signIn }], [{ type: 'sign-in', signIn: null }]],
    ];
    for (const [begun, over] of kept) {
      const { connect, session, system, exit, events } = await setUp();
      const one = await connect('one');
      session.publish(begun);
      await one.close();
      await system.clock.advance(10 * IDLE_MS);
      expect(events).toEqual(['opened']);
      session.publish(over);
      await system.clock.advance(IDLE_MS);
      expect(await exit).toBe(0);
    }
  });

  test('one still on its way in keeps it as well (SC-28.4.3)', async () => {
    const { files, system, events } = await setUp();
    await system.clock.advance(IDLE_MS - 1_000);
    const silent = await system.network.connect(files.socketOf('a1b2'));
    await system.clock.advance(2_000);
    expect(events).toEqual(['opened']);
    silent.close();
    await system.clock.advance(IDLE_MS);
    expect(events).toEqual(['opened', 'closed', 'exit 0']);
  });

  test('a session that does not close is left after ten seconds, but not what must not be cut', async () => {
    const written = Promise.withResolvers<void>();
    const { system, kill, exit, events, log } = await setUp(
      {},
      { close: () => new Promise(() => {}), uncut: () => written.promise },
    );
    kill('TERM');
    await system.clock.advance(60_000);
    expect(log).toEqual(['houston: the session did not close within 10 s']);
    expect(events).toEqual(['opened']);
    written.resolve();
    await system.clock.settle();
    expect(await exit).toBe(1);
  });

  test('one that was told to end is not listed any more, whoever saw its reply (SC-28.4.5)', async () => {
    for (const how of ['TERM', 'stop'] as const) {
      const { connect, files, session, system, exit, kill } = await setUp();
      const one = await connect('one');
      session.script([{ hold: true }]);
      await one.send(SAY, 'one');
      await one.close();
      session.release();
      await system.clock.settle();
      expect((await files.list())[0]).toMatchObject({ unseen: true });
      if (how === 'TERM') kill('TERM');
      else
        await stopHost(() => system.network.connect(files.socketOf('a1b2')), 'stop', {
          client: 'stopper',
          build: 'b',
          clock: system.clock,
        });
      expect(await exit).toBe(0);
      expect(await files.list()).toEqual([]);
    }
  });

  test('does not end while a turn runs, and stays listed when its reply was not seen (SC-28.4.5)', async () => {
    const { connect, files, session, system, exit, events } = await setUp();
    const one = await connect('one');
    session.script([{ hold: true }]);
    await one.send(SAY, 'one');
    await one.close();
    await system.clock.advance(10 * IDLE_MS);
    expect(events).toEqual(['opened']);
    session.release();
    await system.clock.advance(IDLE_MS);
    expect(await exit).toBe(0);
    expect(await files.list()).toMatchObject([{ host: 'a1b2', state: 'stopped', unseen: true }]);
    expect(system.files.paths(STATE)).toEqual([`${files.folder}/a1b2.json`]);
  });

  test('a reply nobody saw is marked until somebody attaches; windows are counted (SC-28.3.6)', async () => {
    const { connect, files, session, system, exit } = await setUp({ session: 'session-1' });
    const one = await connect('one');
    watch(one);
    session.script([{ hold: true }]);
    await one.send(SAY, 'one');
    expect((await files.list())[0]).toMatchObject({ attached: 1, unseen: false });
    await one.close();
    session.release();
    await system.clock.settle();
    expect((await files.list())[0]).toMatchObject({ attached: 0, unseen: true });
    // Who only connects has looked at nothing yet.
    await connect('script');
    expect((await files.list())[0]).toMatchObject({ attached: 0, unseen: true });
    watch(await connect('two'));
    await system.clock.settle();
    expect((await files.list())[0]).toMatchObject({ attached: 1, unseen: false });
    void exit;
  });

  test('its entry counts the turns that ended, which is what windows tell of (SC-28.4.10)', async () => {
    const { connect, files, session, system } = await setUp();
    const one = await connect('one');
    expect((await files.list())[0]?.turnsEnded).toBe(0);
    for (const count of [1, 2]) {
      session.script([{ text: 'done' }]);
      await one.send({ ...SAY, ref: `r${count}` }, 'one');
      await system.clock.advance(1_000);
      expect((await files.list())[0]?.turnsEnded).toBe(count);
    }
  });

  test('opened again, a session is not listed as ended any more; others are (SC-28.4.5)', async () => {
    const gate = Promise.withResolvers<void>();
    const { files, system } = await setUp({
      session: 'session-1',
      open: async () => {
        await gate.promise;
        return done({ session: createFakeSession(), close: async () => {} });
      },
    });
    const stopped = { ...(await files.list())[0]!, host: 'dead', state: 'stopped', unseen: true } as const;
    await files.write(stopped);
    await files.write({ ...stopped, host: 'other', session: 'session-2' });
    gate.resolve();
    await system.clock.settle();
    expect((await files.list()).map(({ host }) => host).sort()).toEqual(['a1b2', 'other']);
  });

  test('closing: windows are told and gone, then the session closes, then socket and entry go, and who asked learns it last (SC-28.4.8)', async () => {
    const order: string[] = [];
    const rig: { up?: Awaited<ReturnType<typeof setUp>> } = {};
    const up = await setUp(
      {},
      {
        close: async () => {
          const { system, files } = rig.up!;
          order.push(`session closes; windows ${told ? 'told' : 'untold'}`);
          order.push(system.files.paths(STATE).includes(files.socketOf('a1b2')) ? 'socket there' : 'socket gone');
        },
      },
    );
    rig.up = up;
    let told = false;
    const one = await up.connect('one');
    const watcher = watch(one);
    void watcher.attachment.closed.then(() => {
      told = true;
    });
    up.session.script([{ hold: true }]);
    await one.send(SAY, 'one');
    const options = { client: 'stopper', build: 'b', clock: up.system.clock };
    const stopped = await stopHost(() => up.system.network.connect(up.files.socketOf('a1b2')), 'stop', options);
    order.push(`stopped ${stopped.ok}`);
    order.push(`left ${up.system.files.paths(STATE).length}`);
    expect(await up.exit).toBe(0);
    expect(order).toEqual(['session closes; windows told', 'socket there', 'stopped true', 'left 0']);
    // Nobody was told that the running turn was cancelled.
    expect(watcher.view.transcript.items.some((item) => item.kind === 'turn-end')).toBe(false);
  });

  test('asks before ending for idleness, and never does when told so', async () => {
    let busy = true;
    const patient = await setUp({}, { isBusy: () => busy });
    await patient.system.clock.advance(3 * IDLE_MS);
    expect(patient.events).toEqual(['opened']);
    busy = false;
    await patient.system.clock.advance(IDLE_MS);
    expect(await patient.exit).toBe(0);
    const eternal = await setUp({ idleMs: null });
    await eternal.system.clock.advance(1_000 * IDLE_MS);
    expect(eternal.events).toEqual(['opened']);
    expect(eternal.system.clock.timers).toBe(0);
  });

  test('an end is answered first, then everything is closed', async () => {
    const { connect, events, exit, session } = await setUp();
    const one = await connect('one');
    const watcher = watch(one);
    session.holdFlush();
    const sent = one.send({ type: 'end' }, 'one');
    await Promise.resolve();
    expect(events).toEqual(['opened']);
    session.letFlush();
    expect(await sent).toEqual({ accepted: true, value: null });
    expect(await exit).toBe(0);
    expect(await watcher.attachment.closed).toBe('ended');
    expect(events).toEqual(['opened', 'closed', 'exit 0']);
  });

  test.each(['TERM', 'INT'] as const)('%s closes the session, HUP does not (SC-28.1.6)', async (name) => {
    const { kill, events, exit, system } = await setUp();
    kill('HUP');
    await system.clock.settle();
    expect(events).toEqual(['opened']);
    kill(name);
    expect(await exit).toBe(0);
    expect(events).toEqual(['opened', 'closed', 'exit 0']);
  });

  test('stop by any build: the connection closes when all is done', async () => {
    const closing = Promise.withResolvers<void>();
    const { system, files, events, exit } = await setUp({}, { close: () => closing.promise });
    const stopping = stopHost(() => system.network.connect(files.socketOf('a1b2')), 'restart', {
      client: 'new',
      build: 'new',
      protocol: 99,
      clock: system.clock,
    });
    let stopped = false;
    void stopping.then(() => {
      stopped = true;
    });
    await system.clock.settle();
    expect(stopped).toBe(false);
    closing.resolve();
    expect(await stopping).toEqual({ ok: true, value: null });
    expect(await exit).toBe(0);
    expect(events.at(-1)).toBe('exit 0');
  });

  test('a session that cannot be opened: every client is told why, exit 1 (SC-28.1.7)', async () => {
    const opening = Promise.withResolvers<ReturnType<typeof refuse>>();
    const { connect, log, exit, files } = await setUp({ open: () => opening.promise });
    const one = await connect('one');
    const sent = one.send(SAY, 'one');
    opening.resolve(refuse('no-such-session', 'no session s-9'));
    expect(await sent).toMatchObject({ accepted: false, refusal: { identifier: 'no-such-session' } });
    expect(await exit).toBe(1);
    expect(log).toEqual(['houston: no-such-session: no session s-9']);
    expect(await files.list()).toEqual([]);
  });

  test('a failed start waits a moment for whoever started it, not for ever', async () => {
    const { exit, system } = await setUp({ open: async () => refuse('no-model', 'nothing is configured') });
    expect(system.clock.timers).toBe(1);
    await system.clock.advance(2_000);
    expect(await exit).toBe(1);
  });

  test('a session that does not close in time is given up, exit 1', async () => {
    const { kill, exit, system, log } = await setUp({}, { close: () => new Promise(() => {}) });
    kill('TERM');
    await system.clock.advance(10_000);
    expect(await exit).toBe(1);
    expect(log).toEqual(['houston: the session did not close within 10 s']);
  });

  test('one session has one host', async () => {
    const { system, files, kill, exit } = await setUp({ session: 's-1' });
    const log: string[] = [];
    const second = {
      system,
      files,
      host: 'c3d4',
      folder: '/yard',
      build: 'test',
      fingerprint: '1',
      session: 's-1',
      idleMs: 0,
      open: async () => done({ session: createFakeSession(), close: async () => {} }),
      onSignal: () => () => {},
      log: (line: string) => void log.push(line),
    };
    expect(await runHost(second)).toBe(1);
    expect(log).toEqual(['houston: already-hosted: a1b2']);
    kill('TERM');
    await exit;
    const third = runHost({ ...second, host: 'e5f6' });
    await system.clock.advance(1);
    expect(await third).toBe(0);
  });
});

describe('starting a host', () => {
  const SAID = 'one line\nhouston: no-model: nothing is configured\n';
  async function start(play: (host: string) => Promise<number>, startMs?: number, words = SAID) {
    const system = createMemorySystem();
    const files = await openHostFiles(system, STATE);
    system.processes.script('houston-host', async (run) => {
      const input = new TextDecoder().decode((await run.read()) ?? new Uint8Array());
      const options = readHostOptions(input);
      if (!options.ok) return 9;
      const code = await play(options.value.host);
      if (code !== 0) run.write(words);
      return code;
    });
    const starting = startHost({
      system,
      files,
      command: ['houston-host'],
      folder: '/yard',
      options: { session: null },
      ...(startMs === undefined ? {} : { startMs }),
    });
    return { system, files, starting };
  }

  test('waits until its socket answers, in a session of its own, with our environment', async () => {
    const { system, files, starting } = await start(async (host) => {
      await system.clock.sleep(300);
      const { promise } = Promise.withResolvers<number>();
      await system.network.listen(files.socketOf(host), () => {});
      return promise;
    });
    const started = await system.clock.runUntil(starting);
    expect(started).toMatchObject({ ok: true, value: { pid: expect.any(Number) } });
    expect(system.processes.spawned[0]).toMatchObject({
      detached: true,
      ownGroup: true,
      folder: '/yard',
      environment: system.environment.all(),
    });
  });

  test('one that ends at once is a refusal with the last line of its log', async () => {
    const { system, starting } = await start(async () => 1);
    expect(await system.clock.runUntil(starting)).toEqual(
      refuse('host-failed', 'the host ended while starting (exit 1): houston: no-model: nothing is configured'),
    );
  });

  test('a disk without room, on which no log can be written either, is told by how it ended', async () => {
    const { system, starting } = await start(async () => NO_ROOM_EXIT, undefined, '');
    expect(await system.clock.runUntil(starting)).toEqual(
      refuse('host-failed', 'the host ended while starting: no room is left on the disk'),
    );
  });

  test('of one that was ended by a fault it is told which, not what stands below it', async () => {
    const fault =
      "12 | import x\n      ^\nerror: Cannot find module './x.ts'\n      at y (z.ts:1)\n\nBun v1.4.5 (Linux x64)\n";
    const { system, starting } = await start(async () => 1, undefined, fault);
    expect(await system.clock.runUntil(starting)).toEqual(
      refuse('host-failed', "the host ended while starting (exit 1): error: Cannot find module './x.ts'"),
    );
  });

  test('one that never answers is ended', async () => {
    const { system, starting } = await start(() => new Promise(() => {}), 2_000);
    const outcome = await system.clock.runUntil(starting);
    expect(outcome).toMatchObject({ ok: false, refusal: { identifier: 'host-not-answering' } });
    expect(system.processes.running).toEqual([]);
  });

  test('a program that is not there is a refusal', async () => {
    const system = createMemorySystem();
    const files = await openHostFiles(system, STATE);
    const outcome = await startHost({ system, files, command: ['no-such-program'], folder: '/yard', options: {} });
    expect(outcome).toMatchObject({ ok: false, refusal: { identifier: 'host-failed' } });
  });

  test.each(['', '{}', '{"host":"../x"}', 'nonsense'])('options %p are no options', (text) => {
    expect(readHostOptions(text)).toMatchObject({ ok: false, refusal: { identifier: 'bad-host-options' } });
  });
});
