// Starts `crash-host.ts` and links to it, for the proof that a killed host loses nothing.
import path from 'node:path';
import { requestToJson } from '../../src/cli/session-request.ts';
import { openHostFiles } from '../../src/link/host-files.ts';
import { NEVER_RECONNECT } from '../../src/link/reconnect.ts';
import { connectSession } from '../../src/link/socket-client.ts';
import type { LinkedSession } from '../../src/protocol/link.ts';
import { createBunSystem } from '../../src/system/bun/system.ts';
import type { CrashHow } from './crash-host.ts';

/** Number of the journal write (from 1) at which the host dies, and on which side of it. */
export interface CrashPoint {
  readonly at: number;
  readonly how: CrashHow;
}

export interface CrashHost {
  readonly socket: string;
  readonly exited: Promise<unknown>;
  died(): boolean;
  kill(): Promise<void>;
}

const HOST = path.join(import.meta.dir, 'crash-host.ts');

export async function startCrashHost(options: {
  readonly project: string;
  readonly home: string;
  readonly url: string;
  readonly session: string;
  readonly open: 'new' | 'resume';
  readonly crash: CrashPoint | null;
}): Promise<CrashHost> {
  const state = path.join(options.home, 'state');
  const host = Bun.randomUUIDv7().replaceAll('-', '').slice(-8);
  const request = requestToJson({
    folder: options.project,
    session: options.session,
    open: options.open,
    forkOf: null,
    save: true,
    model: 'anthropic:mock-model',
    effort: null,
    mode: 'edits',
    settings: null,
    sandbox: 'off',
    addFolders: [],
    allow: [],
    canAsk: true,
    roundLimit: null,
    demo: false,
  });
  const process_ = Bun.spawn([process.execPath, HOST], {
    cwd: options.project,
    env: {
      PATH: process.env.PATH ?? '',
      HOUSTON_HOME: options.home,
      ANTHROPIC_BASE_URL: options.url,
      ANTHROPIC_API_KEY: 'sk-test',
      TMPDIR: path.dirname(options.home),
    },
    stdin: new TextEncoder().encode(
      JSON.stringify({
        ...request,
        host,
        state,
        crashAt: options.crash?.at ?? null,
        crashHow: options.crash?.how ?? 'after',
        countFile: path.join(options.home, 'count'),
      }),
    ),
    stdout: 'ignore',
    stderr: Bun.file(path.join(options.home, 'host.log')),
  });
  let over = false;
  const exited = process_.exited.then(() => {
    over = true;
  });
  // The same place the host works out for itself: without XDG_RUNTIME_DIR, as it runs.
  const system = createBunSystem();
  const environment = {
    ...system.environment,
    get: (name: string) =>
      name === 'XDG_RUNTIME_DIR'
        ? undefined
        : name === 'TMPDIR'
          ? path.dirname(options.home)
          : system.environment.get(name),
    temp: path.dirname(options.home),
  };
  const files = await openHostFiles({ ...system, environment }, state);
  return {
    socket: files.socketOf(host),
    exited,
    died: () => over,
    kill: async () => {
      process_.kill('SIGKILL');
      await exited;
    },
  };
}

/** Null when the host died before it could be reached. */
export async function linkTo(host: CrashHost, client: string): Promise<LinkedSession | null> {
  const system = createBunSystem();
  while (!host.died()) {
    const linked = await connectSession({
      client,
      build: 'test',
      clock: system.clock,
      connect: () => system.network.connect(host.socket),
      reconnect: NEVER_RECONNECT,
      report: () => {},
    });
    if (linked.ok) return linked.value;
    await Bun.sleep(3);
  }
  return null;
}
