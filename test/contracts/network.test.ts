// What every implementation of `Network` promises about sockets, and what the real `fetch` does.
import { afterAll, describe, expect, test } from 'bun:test';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createBunFiles } from '../../src/system/bun/files.ts';
import { createBunNetwork } from '../../src/system/bun/network.ts';
import type { Files } from '../../src/system/files.ts';
import { createMemorySystem } from '../../src/system/memory/system.ts';
import type { Connection, Network } from '../../src/system/network.ts';

const folder = mkdtempSync(join(tmpdir(), 'network-contract-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const SYSTEMS: readonly [string, () => { network: Network; files: Files; folder: string }][] = [
  ['bun', () => ({ network: createBunNetwork(), files: createBunFiles(), folder })],
  [
    'memory',
    () => {
      const { network, files } = createMemorySystem();
      return { network, files, folder: '/yard' };
    },
  ],
];

const bytes = (text: string) => new TextEncoder().encode(text);
const codeOf = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'fine',
    (error) => error.code,
  );

/** Collects what arrives; `until` waits for a number of bytes, `closed` for the end. */
function collect(connection: Connection) {
  let text = '';
  let total = 0;
  const waiting: (() => void)[] = [];
  connection.onData((piece) => {
    total += piece.length;
    if (total < 10_000) text += new TextDecoder().decode(piece);
    for (const wake of waiting.splice(0)) wake();
  });
  const closed = new Promise<void>((resolve) => connection.onClose(resolve));
  return {
    text: () => text,
    total: () => total,
    closed,
    async until(count: number) {
      while (total < count) await new Promise<void>((resolve) => waiting.push(resolve));
    },
  };
}

let sockets = 0;

for (const [name, make] of SYSTEMS) {
  describe(`sockets: ${name}`, () => {
    const { network, files, folder: here } = make();
    const nextPath = () => join(here, `s${sockets++}`);
    const pair = async () => {
      const path = nextPath();
      let accepted: (connection: Connection) => void = () => {};
      const server = new Promise<Connection>((resolve) => {
        accepted = resolve;
      });
      const listening = await network.listen(path, (connection) => accepted(connection));
      return { path, listening, client: await network.connect(path), server: await server };
    };

    test('bytes go both ways, in order', async () => {
      const { client, server, listening } = await pair();
      const [atServer, atClient] = [collect(server), collect(client)];
      for (let turn = 0; turn < 20; turn++) client.write(bytes(`${turn},`));
      server.write(bytes('back'));
      await atServer.until(50);
      await atClient.until(4);
      expect(atServer.text()).toBe(Array.from({ length: 20 }, (_, turn) => `${turn},`).join(''));
      expect(atClient.text()).toBe('back');
      await listening.close();
    });

    test('who pauses is handed nothing, its sender runs out of room, and all of it comes with resume', async () => {
      const { client, server, listening } = await pair();
      const atServer = collect(server);
      client.write(bytes('first'));
      await atServer.until(5);
      server.pause();
      let written = 0;
      while (client.write(new Uint8Array(64 * 1024))) {
        written += 64 * 1024;
        await Bun.sleep(0);
        if (written > 64 * 1024 * 1024) throw new Error('the sender never ran out of room');
      }
      written += 64 * 1024;
      const drained = new Promise<void>((resolve) => client.onDrain(resolve));
      await Bun.sleep(5);
      expect(atServer.total()).toBe(5);
      server.resume();
      await atServer.until(5 + written);
      await drained;
      expect(client.buffered).toBe(0);
      await listening.close();
    });

    test('what was written before closing still arrives; both sides learn of the end', async () => {
      const { client, server, listening } = await pair();
      const [atServer, atClient] = [collect(server), collect(client)];
      client.write(new Uint8Array(500_000));
      client.close();
      await Promise.all([atServer.closed, atClient.closed]);
      expect(atServer.total()).toBe(500_000);
      expect(client.write(bytes('late'))).toBe(false);
      client.close();
      let told = false;
      client.onClose(() => {
        told = true;
      });
      await Promise.resolve();
      await Bun.sleep(0);
      expect(told).toBe(true);
      await listening.close();
    });

    test('a receiver that is behind shows in the buffer, and draining says when it caught up', async () => {
      const { client, server, listening } = await pair();
      let pushed = 0;
      while (client.write(new Uint8Array(50_000)) && pushed < 200) pushed++;
      expect(client.buffered).toBeGreaterThan(0);
      const drained = new Promise<void>((resolve) => client.onDrain(resolve));
      const atServer = collect(server);
      await drained;
      expect(client.buffered).toBe(0);
      await atServer.until((pushed + 1) * 50_000);
      expect(client.write(bytes('x'))).toBe(true);
      await listening.close();
    });

    test('bytes that came before anybody listened are kept', async () => {
      const { client, server, listening } = await pair();
      client.write(bytes('early'));
      await Bun.sleep(5);
      const atServer = collect(server);
      await atServer.until(5);
      expect(atServer.text()).toBe('early');
      await listening.close();
    });

    test('the socket file is private, and goes with its listener', async () => {
      const { path, listening, client } = await pair();
      expect(await files.stat(path)).toMatchObject({ kind: 'other', mode: 0o600 });
      const ended = collect(client).closed;
      await listening.close();
      await ended;
      expect(await files.stat(path)).toBeNull();
      expect(await codeOf(network.connect(path))).toBe('ENOENT');
    });

    test('a place where somebody listens is taken; a file there too', async () => {
      const { path, listening, client } = await pair();
      expect(await codeOf(network.listen(path, () => {}))).toBe('EADDRINUSE');
      client.close();
      await listening.close();
      await files.writeAtomic(path, bytes('left behind'), { mode: 0o600, flush: false });
      expect(await codeOf(network.listen(path, () => {}))).toBe('EADDRINUSE');
      expect(await codeOf(network.connect(path))).toBe('ECONNREFUSED');
      expect(await codeOf(network.listen(join(here, 'none', 's'), () => {}))).toBe('ENOENT');
      expect(await codeOf(network.listen(join(here, 'x'.repeat(120)), () => {}))).toBe('EINVAL');
      expect(await codeOf(network.connect(join(here, 'none')))).toBe('ENOENT');
    });
  });
}

describe('fetch: the real one', () => {
  const { fetch } = createBunNetwork();
  /** Proxy settings are read from the process's own environment: this file's tests set and restore them. */
  const withVariables = async (variables: Readonly<Record<string, string>>, work: () => Promise<void>) => {
    const names = ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'NO_PROXY'].flatMap((name) => [name, name.toLowerCase()]);
    const before = names.map((name) => [name, process.env[name]] as const);
    for (const name of names) delete process.env[name];
    Object.assign(process.env, variables);
    try {
      await work();
    } finally {
      for (const [name, value] of before) {
        if (value === undefined) delete process.env[name];
        else process.env[name] = value;
      }
    }
  };
  const serve = (answer: string) => Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => new Response(answer) });
  const textOf = async (url: string) => await (await fetch(url)).text();

  test('proxies are used as the environment says, and left out where it says so', async () => {
    const [proxy, direct] = [serve('through the proxy'), serve('direct')];
    const url = `http://127.0.0.1:${direct.port}/`;
    const way = `http://127.0.0.1:${proxy.port}`;
    await withVariables({}, async () => expect(await textOf(url)).toBe('direct'));
    for (const name of ['HTTP_PROXY', 'http_proxy', 'ALL_PROXY']) {
      await withVariables({ [name]: way }, async () => expect(await textOf(url)).toBe('through the proxy'));
    }
    for (const except of ['127.0.0.1', '*', `127.0.0.1:${direct.port}`]) {
      await withVariables({ HTTP_PROXY: way, NO_PROXY: except }, async () => expect(await textOf(url)).toBe('direct'));
    }
    await Promise.all([proxy.stop(true), direct.stop(true)]);
  });

  test('an abort ends a request and a body under way', async () => {
    let gone = () => {};
    const left = new Promise<void>((resolve) => {
      gone = resolve;
    });
    const server = Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      idleTimeout: 0,
      fetch: (request) => {
        request.signal.addEventListener('abort', () => gone());
        return new Response(new ReadableStream({ start: (controller) => controller.enqueue(bytes('first')) }));
      },
    });
    await withVariables({}, async () => {
      const stop = new AbortController();
      const reader = (await fetch(`http://127.0.0.1:${server.port}/`, { signal: stop.signal })).body?.getReader();
      expect((await reader?.read())?.value).toEqual(bytes('first'));
      const rest = reader?.read().then(
        () => 'more',
        (error) => error.name,
      );
      stop.abort();
      expect(await rest).toBe('AbortError');
      await left;
    });
    await server.stop(true);
  });

  test('nobody there is an error with a code', async () => {
    await withVariables({}, async () => expect(await codeOf(fetch('http://127.0.0.1:1/'))).toBe('ECONNREFUSED'));
  });

  test('a listener leaves the process mask as it was', async () => {
    const before = process.umask();
    const path = join(folder, 'mask');
    const listening = await createBunNetwork().listen(path, () => {});
    expect(process.umask()).toBe(before);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    await listening.close();
  });
});
