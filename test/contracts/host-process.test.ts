// Real processes and real sockets: what cannot be seen in memory.
import { afterEach, beforeEach, expect, test } from 'bun:test';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { JsonObject } from '../../src/base/json.ts';
import { type HostFiles, openHostFiles } from '../../src/link/host-files.ts';
import { type StartedHost, startHost } from '../../src/link/host-process.ts';
import { NEVER_RECONNECT } from '../../src/link/reconnect.ts';
import { connectSession } from '../../src/link/socket-client.ts';
import type { LinkedSession } from '../../src/protocol/link.ts';
import { createBunSystem } from '../../src/system/bun/system.ts';
import type { System } from '../../src/system/system.ts';
import { must } from '../support/session-rigs.ts';
import { isIdle, saidTexts, watch } from '../support/watcher.ts';

const PROGRAM = path.join(import.meta.dir, '../support/host-program.ts');

let folder: string;
let state: string;
let system: System;
let files: HostFiles;
const started: number[] = [];

beforeEach(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'houston-host-'));
  state = path.join(folder, 'state');
  const real = createBunSystem();
  const variables = { ...real.environment.all(), XDG_RUNTIME_DIR: '' };
  const environment = {
    ...real.environment,
    all: () => variables,
    get: (name: string) => (variables as Record<string, string | undefined>)[name],
  };
  system = { ...real, environment };
  files = await openHostFiles(system, state);
});
afterEach(async () => {
  for (const pid of started.splice(0)) if (system.processes.isAlive(pid)) process.kill(pid, 'SIGKILL');
  rmSync(folder, { recursive: true });
});

async function start(options: JsonObject = {}): Promise<StartedHost> {
  const host = must(
    await startHost({
      system,
      files,
      command: [process.execPath, PROGRAM],
      folder,
      options: { state, idleMs: 60_000, ...options },
    }),
  );
  started.push(host.pid);
  return host;
}

async function connect(host: StartedHost): Promise<LinkedSession> {
  let first: typeof host.connection | null = host.connection;
  return must(
    await connectSession({
      client: 'one',
      build: 'test',
      clock: system.clock,
      async connect() {
        const connection = first ?? (await system.network.connect(host.socket));
        first = null;
        return connection;
      },
      reconnect: NEVER_RECONNECT,
      report() {},
    }),
  );
}

async function gone(pid: number): Promise<void> {
  for (let tries = 0; tries < 500 && system.processes.isAlive(pid); tries++) await system.clock.sleep(10);
  expect(system.processes.isAlive(pid)).toBe(false);
}

/** The entry is written a moment after what it tells of. */
async function listed(entry: Readonly<Record<string, unknown>>): Promise<void> {
  for (let tries = 0; tries < 100; tries++) {
    const found = (await files.list())[0] as unknown as Readonly<Record<string, unknown>> | undefined;
    if (found !== undefined && Object.keys(entry).every((key) => found[key] === entry[key])) return;
    await system.clock.sleep(10);
  }
  expect(await files.list()).toMatchObject([entry]);
}

function left(): string[] {
  return readdirSync(state, { recursive: true, withFileTypes: true }).flatMap((one) =>
    one.isDirectory() ? [] : [one.name],
  );
}

const SAY = { type: 'say', ref: 'r', text: 'hello', attachments: [], delivery: 'queue' } as const;

test('a host of its own: private, in its own OS session, deaf to HUP, gone without a trace (UP-36)', async () => {
  const host = await start();
  const facts = await system.processes.facts(host.pid);
  expect(facts?.session).toBe(host.pid);
  expect(statSync(path.dirname(host.socket)).mode & 0o777).toBe(0o700);
  expect(statSync(host.socket).mode & 0o777).toBe(0o600);
  const one = await connect(host);
  const watcher = watch(one);
  process.kill(host.pid, 'SIGHUP');
  expect((await one.send(SAY, 'one')).accepted).toBe(true);
  await watcher.until((view) => isIdle(view) && saidTexts(view).length === 1);
  await listed({ host: host.host, pid: host.pid, folder, attached: 1 });
  process.kill(host.pid, 'SIGTERM');
  expect(await watcher.attachment.closed).toBe('ended');
  await gone(host.pid);
  expect(left()).toEqual([]);
});

test('a host ends by itself soon after its last client left', async () => {
  const host = await start({ idleMs: 500 });
  const one = await connect(host);
  await one.send({ type: 'set-mode', mode: 'plan' }, 'one');
  expect(system.processes.isAlive(host.pid)).toBe(true);
  await one.close();
  await gone(host.pid);
  expect(left()).toEqual([]);
});

test('what a killed host left is removed by the next listing', async () => {
  const host = await start();
  const one = await connect(host);
  const watcher = watch(one);
  await listed({ host: host.host, attached: 1 });
  process.kill(host.pid, 'SIGKILL');
  expect(await watcher.attachment.closed).toBe('lost');
  await gone(host.pid);
  expect(left()).toContain(`${host.host}.json`);
  expect(await files.list()).toEqual([]);
  expect(left()).toEqual([]);
});

test('a host that cannot even start says why in the refusal', async () => {
  const outcome = await startHost({
    system,
    files,
    command: [process.execPath, path.join(folder, 'no-such-file.ts')],
    folder,
    options: { state },
  });
  expect(outcome).toMatchObject({ ok: false, refusal: { identifier: 'host-failed' } });
  if (!outcome.ok) expect(outcome.refusal.message).toContain('no-such-file');
});

test('a session that cannot be opened: whoever started the host is told why', async () => {
  const host = await start({ fail: true });
  const outcome = await connectSession({
    client: 'one',
    build: 'test',
    clock: system.clock,
    connect: async () => host.connection,
    reconnect: NEVER_RECONNECT,
    report() {},
  });
  if (outcome.ok) {
    const sent = await outcome.value.send(SAY, 'one');
    expect(sent).toMatchObject({ accepted: false, refusal: { identifier: 'no-model' } });
  } else expect(outcome.refusal.identifier).toBe('no-model');
  await gone(host.pid);
  expect(await files.list()).toEqual([]);
  expect(readFileSync(files.logOf(host.host), 'utf8')).toBe('houston: no-model: nothing is configured\n');
});
