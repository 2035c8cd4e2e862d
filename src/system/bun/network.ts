import type { Server, Socket } from 'node:net';
import type { Connection, Network } from '../network.ts';
import { systemError } from './errors.ts';

/**
 * Bun's fetch reads HTTP_PROXY, HTTPS_PROXY, ALL_PROXY, NO_PROXY, SSL_CERT_FILE and NODE_EXTRA_CA_CERTS itself. Its own
 * limit on silence is off: whoever reads a stream decides how long it may be silent.
 */
const fetchWithoutLimit: typeof globalThis.fetch = Object.assign(
  (input: string | URL | Request, init?: BunFetchRequestInit) =>
    globalThis.fetch(input, { timeout: false, ...init } as BunFetchRequestInit),
  { preconnect: globalThis.fetch.preconnect },
);

export function createBunNetwork(): Network {
  return {
    fetch: fetchWithoutLimit,
    async listen(path, onConnection) {
      const { createServer } = await import('node:net');
      const open = new Set<Socket>();
      const server = createServer((socket) => {
        open.add(socket);
        socket.on('close', () => open.delete(socket));
        onConnection(connectionOf(socket));
      });
      await bind(server, path);
      return {
        close: () =>
          new Promise<void>((resolve) => {
            server.close(() => resolve());
            for (const socket of open) endSocket(socket);
          }),
      };
    },
    async connect(path) {
      const { connect } = await import('node:net');
      return await new Promise<Connection>((resolve, reject) => {
        const socket = connect(path);
        const fail = (error: Error) => reject(systemError(error, path));
        socket.once('error', fail);
        socket.once('connect', () => {
          socket.off('error', fail);
          resolve(connectionOf(socket));
        });
      });
    },
  };
}

/** The socket file is bound within the call, so nobody ever sees it with wider permissions. */
async function bind(server: Server, path: string): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    // Stays on: what fails later (too many open files, say) costs one connection, not the process.
    server.on('error', (error) => reject(systemError(error, path)));
    const before = process.umask(0o177);
    try {
      server.listen(path, resolve);
    } catch (error) {
      reject(systemError(error, path));
    } finally {
      process.umask(before);
    }
  });
}

function connectionOf(socket: Socket): Connection {
  // Whatever goes wrong on a connection ends it; the end is what listeners are told of.
  socket.on('error', () => socket.destroy());
  return {
    write: (bytes) => !socket.destroyed && socket.writable && socket.write(bytes),
    get buffered() {
      return socket.writableLength;
    },
    onData(listener) {
      socket.on('data', listener);
    },
    onDrain(listener) {
      socket.on('drain', listener);
    },
    onClose(listener) {
      if (socket.destroyed) queueMicrotask(listener);
      else socket.once('close', () => listener());
    },
    close: () => endSocket(socket),
  };
}

/** How long a receiver that is behind may take for what was written before the end. */
const LINGER_MS = 1000;

/** Lets go once everything written is out: `end` alone would wait for the other side to end too. */
function endSocket(socket: Socket): void {
  if (socket.destroyed) return;
  const late = setTimeout(() => socket.destroy(), LINGER_MS);
  socket.once('close', () => clearTimeout(late));
  socket.end(() => socket.destroy());
}
