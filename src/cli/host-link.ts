import { type Outcome, refuse } from '../base/refusal.ts';
import { type HostFiles, openHostFiles } from '../link/host-files.ts';
import { type StartedHost, startHost } from '../link/host-process.ts';
import { isRunning } from '../link/process-identity.ts';
import { HOSTED_RECONNECT, LOCAL_RECONNECT, type ReconnectPolicy } from '../link/reconnect.ts';
import { connectSession } from '../link/socket-client.ts';
import type { LinkedSession } from '../protocol/link.ts';
import { SystemError } from '../system/files.ts';
import type { Connection } from '../system/network.ts';
import type { System } from '../system/system.ts';
import { ownCommand, VERSION } from './build.ts';
import { asItWas, requestToJson, type SessionRequest } from './session-request.ts';

/** How long a host that is listed may take until it listens. */
const LISTEN_MS = 10_000;
const LOOK_AGAIN_MS = 20;

/** A way to a host: where it listens, and perhaps a connection that stands already. */
interface Way {
  readonly socket: string;
  readonly connection?: Connection;
}

/**
 * A session in a host process: the one that runs it already, or a new one. When that dies (killed, out of memory), the
 * session is taken up from its journal in another one; what the person sees is a moment without answers.
 */
export async function openHosted(
  system: System,
  state: string,
  request: SessionRequest,
  client: string,
  /** Null: it never ends by itself. */
  idleSeconds: number | null,
  /** A person at a window can wait, and leave; a script is told after seconds. */
  reconnect: ReconnectPolicy = HOSTED_RECONNECT,
): Promise<Outcome<LinkedSession>> {
  const files = await openHostFiles(system, state);
  const start = (wanted: SessionRequest): Promise<Outcome<Way>> =>
    startHost({
      system,
      files,
      command: ownCommand('__host'),
      folder: wanted.folder,
      options: { ...requestToJson(wanted), idleSeconds },
    });
  const running = request.open === 'resume' ? await hostOf(files, request.session) : null;
  const way =
    running === null ? await startOrJoin(system, files, request, start) : { ok: true as const, value: running };
  if (!way.ok) return way;
  const another = async (): Promise<Way | null> => {
    const other = await hostOf(files, request.session);
    if (other !== null) return other;
    const again = await startOrJoin(system, files, asItWas(request), start);
    return again.ok ? again.value : null;
  };
  return linkToHost(system, way.value, client, another, reconnect);
}

/** Where two windows start a session's host at once, one of them is too late and goes to the other's. */
async function startOrJoin(
  system: System,
  files: HostFiles,
  request: SessionRequest,
  start: (wanted: SessionRequest) => Promise<Outcome<Way>>,
): Promise<Outcome<Way>> {
  const started = await start(request);
  if (started.ok || request.open !== 'resume' || !started.refusal.message.includes('already-hosted')) return started;
  const until = system.clock.ticks() + LISTEN_MS;
  while (system.clock.ticks() < until) {
    const other = await hostOf(files, request.session);
    if (other !== null) return { ok: true, value: other };
    await system.clock.sleep(LOOK_AGAIN_MS);
  }
  return started;
}

/** A new host for a session, already connected to and not yet greeted. */
export async function startSessionHost(
  system: System,
  state: string | null,
  request: SessionRequest,
  idleSeconds: number | null,
): Promise<Outcome<StartedHost>> {
  if (state === null) return refuse('no-place', 'a host needs a place: neither HOME nor HOUSTON_HOME is set');
  return startHost({
    system,
    files: await openHostFiles(system, state),
    command: ownCommand('__host'),
    folder: request.folder,
    options: { ...requestToJson(request), idleSeconds },
  });
}

/** A connection to a host that is listed, which may not listen yet. Refuses with `host-gone`. */
export async function connectToListed(
  system: System,
  host: { readonly pid: number; readonly startTime: string | null; readonly socket: string },
): Promise<Outcome<Connection>> {
  for (const until = system.clock.ticks() + LISTEN_MS; ; ) {
    try {
      return { ok: true, value: await system.network.connect(host.socket) };
    } catch (error) {
      if (!(error instanceof SystemError)) throw error;
      if (!(await isRunning(system, host))) return refuse('host-gone', 'that session does not run any more');
      if (system.clock.ticks() >= until) return refuse('host-gone', `the host cannot be reached: ${error.message}`);
    }
    await system.clock.sleep(LOOK_AGAIN_MS);
  }
}

/** A host that runs already; when it dies, whoever opened its session may start another, which is then found. */
export async function attachToHost(
  system: System,
  state: string,
  host: { readonly socket: string; readonly session: string },
  client: string,
  readOnly = false,
): Promise<Outcome<LinkedSession>> {
  const files = await openHostFiles(system, state);
  return linkToHost(system, host, client, () => hostOf(files, host.session), LOCAL_RECONNECT, readOnly);
}

async function hostOf(files: HostFiles, session: string): Promise<Way | null> {
  return (await files.list()).find((host) => host.session === session && host.state !== 'stopped') ?? null;
}

function linkToHost(
  system: System,
  first: Way,
  client: string,
  /** Another way once this one leads nowhere; null when there is none. */
  another: () => Promise<Way | null>,
  reconnect: ReconnectPolicy,
  readOnly = false,
): Promise<Outcome<LinkedSession>> {
  let way = first;
  const take = (next: Way): Promise<Connection> => {
    way = { socket: next.socket };
    return next.connection === undefined ? system.network.connect(next.socket) : Promise.resolve(next.connection);
  };
  return connectSession({
    client,
    readOnly,
    build: VERSION,
    clock: system.clock,
    connect: async () => {
      const until = system.clock.ticks() + LISTEN_MS;
      for (let next: Way | null = way; ; ) {
        try {
          return await take(next);
        } catch (error) {
          next = await another();
          // One that is listed and does not listen yet is waited for; one that went is not.
          if (next === null || system.clock.ticks() >= until) throw error;
          if (next.connection === undefined) await system.clock.sleep(LOOK_AGAIN_MS);
        }
      }
    },
    reconnect,
    report: () => {},
  });
}
