import type { Outcome } from '../base/refusal.ts';
import { openHostFiles } from '../link/host-files.ts';
import { startHost } from '../link/host-process.ts';
import { LOCAL_RECONNECT } from '../link/reconnect.ts';
import { connectSession } from '../link/socket-client.ts';
import type { LinkedSession } from '../protocol/link.ts';
import type { Connection } from '../system/network.ts';
import type { System } from '../system/system.ts';
import { ownCommand, VERSION } from './build.ts';
import { requestToJson, type SessionRequest } from './session-request.ts';

/** A session in a host process: the one that runs it already, or a new one. */
export async function openHosted(
  system: System,
  state: string,
  request: SessionRequest,
  client: string,
  idleSeconds: number,
): Promise<Outcome<LinkedSession>> {
  const files = await openHostFiles(system, state);
  if (request.open === 'resume') {
    const running = (await files.list()).find((host) => host.session === request.session && host.state !== 'stopped');
    if (running !== undefined) return connectToHost(system, running.socket, client);
  }
  const started = await startHost({
    system,
    files,
    command: ownCommand('__host'),
    folder: request.folder,
    options: { ...requestToJson(request), idleSeconds },
  });
  if (!started.ok) return started;
  return connectToHost(system, started.value.socket, client, started.value.connection);
}

/** `first`: a connection that stands already; later ones are made anew. */
export function connectToHost(
  system: System,
  socket: string,
  client: string,
  first?: Connection,
): Promise<Outcome<LinkedSession>> {
  let standing = first;
  return connectSession({
    client,
    build: VERSION,
    clock: system.clock,
    connect: async () => {
      const connection = standing ?? (await system.network.connect(socket));
      standing = undefined;
      return connection;
    },
    reconnect: LOCAL_RECONNECT,
    report: () => {},
  });
}
