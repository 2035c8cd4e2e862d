import path from 'node:path';
import type { Outcome } from '../../src/base/refusal.ts';
import { connectProgram } from '../../src/link/byte-stream.ts';
import { linkInProcess } from '../../src/link/in-process.ts';
import { LOCAL_RECONNECT } from '../../src/link/reconnect.ts';
import { connectSession } from '../../src/link/socket-client.ts';
import { type SessionServer, serveSession } from '../../src/link/socket-server.ts';
import type { LinkedSession } from '../../src/protocol/link.ts';
import type { Session } from '../../src/protocol/session.ts';
import { createBunClock } from '../../src/system/bun/clock.ts';
import { createBunFiles } from '../../src/system/bun/files.ts';
import { createBunNetwork } from '../../src/system/bun/network.ts';
import { createBunSystem } from '../../src/system/bun/system.ts';
import type { Clock } from '../../src/system/clock.ts';
import { SystemError } from '../../src/system/files.ts';
import { createMemoryFiles } from '../../src/system/memory/files.ts';
import { createMemoryNetwork } from '../../src/system/memory/network.ts';
import type { Connection, Network } from '../../src/system/network.ts';
import type { LinkFaults, SessionRig } from '../contracts/session.ts';
import type { FakeSession } from './fake-session.ts';
import { createHandClock, type HandClock } from './hand-clock.ts';
import type { OpenSsh } from './open-ssh.ts';
import { createPipe, type Pipe } from './pipe.ts';

/** What a rig needs of whatever session stands behind the links. */
export interface Scripted {
  readonly session: Session;
  readonly clientLost: (client: string) => void;
  readonly script: SessionRig['script'];
  readonly release: SessionRig['release'];
  readonly end: SessionRig['end'];
  readonly askOne: SessionRig['askOne'];
}

export function scriptedFake(session: FakeSession): Scripted {
  const { clientLost, script, release, end, askOne } = session;
  return { session, clientLost, script, release, end, askOne };
}

/** Small, so that falling behind takes few updates. */
const BACKLOG_LIMIT = 64 * 1024;
const LOST_AFTER_MS = 5_000;

export function report(what: string): void {
  if (what.includes('a bug in a front end')) return;
  throw new Error(`reported: ${what}`);
}

export async function inProcessRig(scripted: Scripted): Promise<SessionRig> {
  const open = new Set<LinkedSession>();
  return {
    ...scripted,
    connect: async (client) => {
      const linked = linkInProcess(scripted.session, { client, onClientLost: scripted.clientLost, report });
      open.add(linked);
      return linked;
    },
    faults: null,
    dispose: async () => {
      for (const linked of open) await linked.close();
    },
  };
}

/** How clients reach the server, and what can go wrong on the way. */
interface Carrier {
  connect(client: string): Promise<Connection>;
  readonly faults: LinkFaults;
  close(): Promise<void>;
}

async function servedRig(
  scripted: Scripted,
  server: SessionServer,
  carrier: Carrier,
  clock: Clock,
): Promise<SessionRig> {
  const open = new Set<LinkedSession>();
  return {
    ...scripted,
    async connect(client) {
      const linked = must(
        await connectSession({
          client,
          build: 'test',
          clock,
          connect: () => carrier.connect(client),
          reconnect: LOCAL_RECONNECT,
          report,
        }),
      );
      open.add(linked);
      return linked;
    },
    faults: carrier.faults,
    async dispose() {
      for (const linked of open) await linked.close();
      await server.close('ended');
      await carrier.close();
    },
  };
}

export function must<T>(outcome: Outcome<T>): T {
  if (!outcome.ok) throw new Error(`${outcome.refusal.identifier}: ${outcome.refusal.message}`);
  return outcome.value;
}

function serve(scripted: Scripted, clock: Clock, lostAfterMs = LOST_AFTER_MS): SessionServer {
  return serveSession({
    session: scripted.session,
    clock,
    build: 'test',
    report,
    backlogLimit: BACKLOG_LIMIT,
    lostAfterMs,
    onClientLost: scripted.clientLost,
  });
}

/** `cut` says in which pieces bytes arrive. */
export async function pipeRig(scripted: Scripted, cut?: (bytes: Uint8Array) => Uint8Array[]): Promise<SessionRig> {
  const clock: HandClock = createHandClock();
  const server = serve(scripted, clock);
  const pipes = new Map<string, Pipe>();
  const gone = new Set<string>();
  return servedRig(
    scripted,
    server,
    {
      async connect(client) {
        if (gone.has(client)) throw new SystemError('ENOENT', 'nobody there');
        const pipe = createPipe(cut);
        pipes.set(client, pipe);
        server.accept(pipe.right);
        return pipe.left;
      },
      faults: {
        sever: (client) => pipes.get(client)!.sever(),
        lose(client) {
          gone.add(client);
          pipes.get(client)!.sever();
          clock.advance(LOST_AFTER_MS);
        },
        freeze: (client) => pipes.get(client)!.freeze(),
        thaw: (client) => pipes.get(client)!.thaw(),
      },
      close: async () => {},
    },
    clock,
  );
}

/** Sockets of a network; `lost` lets the server's time of grace pass. */
async function networkRig(
  scripted: Scripted,
  server: SessionServer,
  network: Network,
  path: string,
  clock: Clock,
  lost: () => void | Promise<void>,
  close: () => Promise<void>,
): Promise<SessionRig> {
  const listener = await network.listen(path, (connection) => server.accept(connection));
  const connections = new Map<string, Connection>();
  const gone = new Set<string>();
  return servedRig(
    scripted,
    server,
    {
      async connect(client) {
        if (gone.has(client)) throw new SystemError('ENOENT', 'nobody there');
        const connection = await network.connect(path);
        connections.set(client, connection);
        return connection;
      },
      faults: {
        sever: (client) => connections.get(client)!.close(),
        lose(client) {
          gone.add(client);
          connections.get(client)!.close();
          return lost();
        },
        freeze: null,
        thaw() {},
      },
      async close() {
        await listener.close();
        await close();
      },
    },
    clock,
  );
}

export async function memoryNetworkRig(scripted: Scripted): Promise<SessionRig> {
  const clock = createHandClock();
  const files = createMemoryFiles(clock);
  files.seedFolder('/run');
  const server = serve(scripted, clock);
  const network = createMemoryNetwork(clock, files);
  const lost = async () => {
    await new Promise<void>((resolve) => setImmediate(resolve));
    clock.advance(LOST_AFTER_MS);
  };
  return networkRig(scripted, server, network, '/run/host.sock', clock, lost, async () => {});
}

/** A real unix socket in a folder of its own. */
export async function unixSocketRig(scripted: Scripted): Promise<SessionRig> {
  const clock = createBunClock();
  const files = createBunFiles();
  const folder = await files.makeTempFolder('houston-link-');
  const server = serve(scripted, clock, 20);
  const close = () => files.remove(folder, { recursive: true });
  return networkRig(scripted, server, createBunNetwork(), `${folder}/host.sock`, clock, () => {}, close);
}

const BRIDGE = path.join(import.meta.dir, 'socket-bridge.ts');

/** The session's socket is reached through a real ssh client, a real server, and a bridge behind it. */
export async function openSshRig(scripted: Scripted, ssh: OpenSsh): Promise<SessionRig> {
  const system = createBunSystem();
  const folder = await system.files.makeTempFolder('houston-ssh-');
  const socket = `${folder}/host.sock`;
  const server = serve(scripted, system.clock, 20);
  const listener = await system.network.listen(socket, (connection) => server.accept(connection));
  const connections = new Map<string, Connection>();
  const gone = new Set<string>();
  const carrier: Carrier = {
    async connect(client) {
      if (gone.has(client)) throw new SystemError('ENOENT', 'nobody there');
      const program = {
        argv: ssh.argv(process.execPath, BRIDGE, socket),
        folder,
        environment: system.environment.all(),
      };
      const connection = await connectProgram(system, program, () => {});
      connections.set(client, connection);
      return connection;
    },
    faults: {
      sever: (client) => connections.get(client)!.close(),
      lose(client) {
        gone.add(client);
        connections.get(client)!.close();
      },
      freeze: null,
      thaw() {},
    },
    async close() {
      await listener.close();
      await system.files.remove(folder, { recursive: true });
    },
  };
  return servedRig(scripted, server, carrier, system.clock);
}
