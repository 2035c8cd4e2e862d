// What opening a long session costs: `bun bench/open-session.ts [ENTRIES] [RUNS]`. Medians in milliseconds; `cpu` is user + system.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openSession } from '../src/cli/open-session.ts';
import { connectSession } from '../src/link/socket-client.ts';
import { serveSession } from '../src/link/socket-server.ts';
import { createBunSystem } from '../src/system/bun/system.ts';

const [entries = '20000', runs = '7'] = process.argv.slice(2);
const root = mkdtempSync(join(tmpdir(), 'open-session-'));
for (const name of ['state', 'project']) await Bun.$`mkdir -p ${join(root, name)}`;
Object.assign(process.env, { HOUSTON_HOME: root, ANTHROPIC_API_KEY: 'sk-mock', ANTHROPIC_BASE_URL: 'http://127.0.0.1:9' });
const project = join(root, 'project');
const { places } = await import('../src/core/settings/paths.ts');
const system = createBunSystem();
const state = places(system.environment).state!;
const session = (await Bun.$`${process.execPath} ${join(import.meta.dir, 'make-session.ts')} ${state} ${project} ${entries}`.text()).trim();

const figures = new Map<string, number[]>();
async function timed<T>(name: string, work: () => Promise<T>): Promise<T> {
  const cpu = process.cpuUsage();
  const from = performance.now();
  const result = await work();
  const used = process.cpuUsage(cpu);
  for (const [label, value] of [[name, performance.now() - from], [`${name} cpu`, (used.user + used.system) / 1000]] as const)
    figures.set(label, [...(figures.get(label) ?? []), value]);
  return result;
}

for (let run = 0; run < Number(runs); run++) {
  const opened = await timed('open', () =>
    openSession(system, {
      folder: project, session, open: 'resume', forkOf: null, save: true, model: 'anthropic:mock-model', effort: null, mode: null, settings: null,
      sandbox: null, addFolders: [], allow: [], canAsk: true, roundLimit: null, demo: false,
    } as never),
  );
  if (!opened.ok) throw new Error(opened.refusal.message);
  const service = opened.value.session;
  const socket = join(root, `s${run}`);
  const server = serveSession({ session: service, clock: system.clock, build: 'bench', report: console.error });
  const listener = await system.network.listen(socket, (connection) => server.accept(connection));
  const linked = await timed('attach', async () => {
    const connected = await connectSession({
      client: 'bench', build: 'bench', clock: system.clock, connect: () => system.network.connect(socket), reconnect: { tries: [] } as never, report: console.error,
    });
    if (!connected.ok) throw new Error(connected.refusal.message);
    await new Promise<void>((there) => connected.value.attach({ client: 'bench' }, () => there()));
    return connected.value;
  });
  await timed('first page', () => linked.read({ type: 'page', from: 0, count: 100 } as never));
  await timed('next page', () => linked.read({ type: 'page', from: 4000, count: 100 } as never));
  await linked.close();
  await listener.close();
  await opened.value.close();
  Bun.gc(true);
}
for (const [name, values] of figures) {
  values.sort((a, b) => a - b);
  console.log(`${name.padEnd(16)} median ${values[values.length >> 1]!.toFixed(1)}  min ${values[0]!.toFixed(1)}  max ${values.at(-1)!.toFixed(1)}`);
}
console.log(`rss ${(process.memoryUsage.rss() / 2 ** 20).toFixed(0)} MB`);
rmSync(root, { recursive: true, force: true });
