import type { Network } from '../network.ts';
import { systemError } from './errors.ts';
import { connectToSocket, listenOnSocket } from './sockets.ts';

/**
 * Bun's fetch reads HTTP_PROXY, HTTPS_PROXY, ALL_PROXY, NO_PROXY, SSL_CERT_FILE and NODE_EXTRA_CA_CERTS itself. Its own
 * limit on silence is off: whoever reads a stream decides how long it may be silent.
 */
const fetchWithoutLimit: typeof globalThis.fetch = Object.assign(
  (input: string | URL | Request, init?: BunFetchRequestInit) =>
    globalThis.fetch(input, { timeout: false, ...init } as BunFetchRequestInit),
  { preconnect: globalThis.fetch.preconnect },
);

/** How long answers may take to go out once nothing new is taken. */
const LINGER_MS = 300;

export function createBunNetwork(): Network {
  return {
    fetch: fetchWithoutLimit,
    async listen(path, onConnection) {
      const listening = listenOnSocket(path, onConnection);
      return { close: async () => listening.close() };
    },
    connect: connectToSocket,
    async answerLoopback(port, answer) {
      try {
        // No limit on how long an answer takes: whoever answers knows.
        const server = Bun.serve({ hostname: '127.0.0.1', port, idleTimeout: 0, fetch: answer, development: false });
        return {
          port: server.port ?? port,
          close: async () => {
            // A browser may keep its connection open without asking for anything more.
            await Promise.race([server.stop(), Bun.sleep(LINGER_MS)]);
            await server.stop(true);
          },
        };
      } catch (error) {
        throw systemError(error, null);
      }
    },
  };
}
