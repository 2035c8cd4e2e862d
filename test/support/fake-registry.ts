/** A package registry on loopback that answers only what the true one would be asked, and notes everything. */
export interface FakeRegistry {
  readonly url: string;
  readonly asked: readonly string[];
  /** What was asked otherwise than it has to be. */
  readonly faults: readonly string[];
  answer: (request: Request) => Response | Promise<Response>;
  close(): void;
}

export function fakeRegistry(): FakeRegistry {
  const asked: string[] = [];
  const faults: string[] = [];
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch: async (request) => {
      const { pathname, search } = new URL(request.url);
      asked.push(`${request.method} ${pathname}${search}`);
      if (request.method !== 'GET' || pathname !== '/houston' || search !== '') faults.push(asked.at(-1)!);
      if (request.headers.get('accept') !== 'application/vnd.npm.install-v1+json') faults.push('accept');
      for (const name of ['authorization', 'cookie', 'referer', 'npm-session'])
        if (request.headers.has(name)) faults.push(name);
      if ((await request.text()) !== '') faults.push('body');
      return registry.answer(request);
    },
  });
  const registry: FakeRegistry = {
    url: `http://127.0.0.1:${server.port}`,
    asked,
    faults,
    answer: () => releases('0.1.0'),
    close: () => void server.stop(true),
  };
  return registry;
}

const OURS = { bin: { houston: 'houston' }, dependencies: { bun: '1.4.5' } };

export function releases(...versions: (string | readonly [string, object])[]): Response {
  const told = versions.map((one) => (typeof one === 'string' ? [one, OURS] : [one[0], { ...OURS, ...one[1] }]));
  return Response.json({ name: 'houston', 'dist-tags': {}, versions: Object.fromEntries(told) });
}
