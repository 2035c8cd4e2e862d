import type { Network } from '../network.ts';
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

export function createBunNetwork(): Network {
  return {
    fetch: fetchWithoutLimit,
    async listen(path, onConnection) {
      const listening = listenOnSocket(path, onConnection);
      return { close: async () => listening.close() };
    },
    connect: connectToSocket,
  };
}
