// What opening a long session costs: `bun bench/open-session.ts [ENTRIES] [RUNS]`. Medians in milliseconds; `cpu` is user + system.
// First inside one process, then through the real program on a terminal (HOUSTON_PROGRAM: the launcher of a checkout or an
// installed package): from the start of the process until the newest card is drawn.
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openSession } from '../src/cli/open-session.ts';
import { keepCheckpoint } from '../src/core/session/checkpointer.ts';
import { createUsageDesk } from '../src/core/session/usage-desk.ts';
import { codeName } from '../src/cli/build.ts';
import { connectSession } from '../src/link/socket-client.ts';
import { serveSession } from '../src/link/socket-server.ts';
import { createBunSystem } from '../src/system/bun/system.ts';
import { PtyProgram } from '../test/support/pty-program.ts';

const [entries = '20000', runs = '7'] = process.argv.slice(2);
const program = process.env.HOUSTON_PROGRAM ?? join(import.meta.dir, '..', 'houston');
const root = mkdtempSync(join(tmpdir(), 'open-session-'));
for (const name of ['state', 'project']) await Bun.$`mkdir -p ${join(root, name)}`;
Object.assign(process.env, { HOME: root, HOUSTON_HOME: root, ANTHROPIC_API_KEY: 'sk-mock', ANTHROPIC_BASE_URL: 'http://127.0.0.1:9' });
const project = join(root, 'project');
const { places } = await import('../src/core/settings/paths.ts');
const system = createBunSystem();
const state = places(system.environment).state!;
const session = (await Bun.$`${process.execPath} ${join(import.meta.dir, 'make-session.ts')} ${state} ${project} ${entries}`.text()).trim();

const figures = new Map<string, number[]>();
function note(name: string, ms: number, cpu: number): void {
  for (const [label, value] of [[name, ms], [`${name} cpu`, cpu]] as const) figures.set(label, [...(figures.get(label) ?? []), value]);
}

async function timed<T>(name: string, work: () => Promise<T>): Promise<T> {
  const cpu = process.cpuUsage();
  const from = performance.now();
  const result = await work();
  const used = process.cpuUsage(cpu);
  note(name, performance.now() - from, (used.user + used.system) / 1000);
  return result;
}

async function inside(run: number, kind: string): Promise<void> {
  const opened = await timed(`${kind}open`, () =>
    openSession(system, {
      folder: project, session, open: 'resume', forkOf: null, save: true, model: 'anthropic:mock-model', effort: null, mode: null, settings: null,
      sandbox: null, addFolders: [], allow: [], canAsk: true, roundLimit: null, demo: false,
    } as never),
  );
  if (!opened.ok) throw new Error(opened.refusal.message);
  const service = opened.value.session;
  const socket = join(root, `s${kind}${run}`);
  const server = serveSession({ session: service, clock: system.clock, build: 'bench', report: console.error });
  const listener = await system.network.listen(socket, (connection) => server.accept(connection));
  const linked = await timed(`${kind}attach`, async () => {
    const connected = await connectSession({
      client: 'bench', build: 'bench', clock: system.clock, connect: () => system.network.connect(socket), reconnect: { tries: [] } as never, report: console.error,
    });
    if (!connected.ok) throw new Error(connected.refusal.message);
    await new Promise<void>((there) => connected.value.attach({ client: 'bench' }, () => there()));
    return connected.value;
  });
  await timed(`${kind}first page`, () => linked.read({ type: 'page', from: 0, count: 100 } as never));
  await timed(`${kind}next page`, () => linked.read({ type: 'page', from: 4000, count: 100 } as never));
  await linked.close();
  await listener.close();
  await opened.value.close();
  Bun.gc(true);
}

/** The number of the last turn, as the prompt of its card has it. */
const newest = (await Bun.file(await journalPath()).text()).match(/Do step \d+/g)!.at(-1)!;

async function journalPath(): Promise<string> {
  const { findSession } = await import('../src/core/journal/catalog.ts');
  const found = await findSession(system, state, null, session);
  if (!found.ok) throw new Error(found.refusal.message);
  return join(found.value.place, 'journal.jsonl');
}

async function onScreen(name: string, words: readonly string[]): Promise<PtyProgram> {
  const started = performance.now();
  const environment = { ...process.env, TERM: 'xterm-256color' } as Record<string, string>;
  const pty = new PtyProgram({ argv: [program, ...words], folder: project, environment, columns: 120, rows: 40 });
  await pty.until(`const answer = ${newest.slice('Do step '.length)};`);
  const shown = performance.now() - started;
  const cpu = (): number => spent(pty.pid) + (words[0] === 'attach' ? 0 : hostPids().reduce((sum, pid) => sum + spent(pid), 0));
  note(name, shown, cpu());
  // The session itself is there: what was shown of it before has become its own word.
  await pty.until(/─ Ready ─|Do you trust/);
  note(`${name.replace(' to screen', '')} to ready`, performance.now() - started, cpu());
  return pty;
}

/** Processor time of a process so far, in milliseconds; the kernel counts it in hundredths of a second. */
function spent(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'latin1').split(') ')[1]!.split(' ');
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

function hostPids(): number[] {
  const names = readdirSync(join(state, 'hosts')).filter((name) => name.endsWith('.json'));
  return names.flatMap((name) => {
    try {
      return JSON.parse(readFileSync(join(state, 'hosts', name), 'utf8')).pid as number;
    } catch {
      return []; // It went between the two.
    }
  });
}

async function leave(pty: PtyProgram, command: string): Promise<void> {
  await Bun.sleep(500);
  await pty.say(command);
  await pty.exited;
}

/** A host that ended may still be on its way out of the list. */
async function hostGone(): Promise<void> {
  for (let tries = 0; tries < 100 && hostPids().length > 0; tries++) await Bun.sleep(50);
}

for (let run = 0; run < Number(runs); run++) await inside(run, 'bare ');
const place = (await journalPath()).replace(/\/[^/]*$/, '');
for (let run = 0; run < Number(runs); run++) {
  rmSync(join(place, 'checkpoint'), { force: true });
  await timed('checkpoint', () => keepCheckpoint(system.files, place, codeName(), createUsageDesk({ system, state: null, session })));
}
for (let run = 0; run < Number(runs); run++) await inside(run, '');
// The program's own checkpoint, which it makes while nothing is to be done.
const opener = await onScreen('never opened to screen', ['--resume', session, '-m', 'anthropic:mock-model']);
await Bun.sleep(8_000);
await leave(opener, '/quit');
await hostGone();
for (let run = 0; run < Number(runs); run++) {
  const first = await onScreen('cold to screen', ['--resume', session, '-m', 'anthropic:mock-model']);
  await leave(first, '/detach');
  await leave(await onScreen('attach to screen', ['attach', session]), '/quit');
  await hostGone();
}
for (const [name, values] of figures) {
  values.sort((a, b) => a - b);
  console.log(`${name.padEnd(22)} median ${values[values.length >> 1]!.toFixed(1)}  min ${values[0]!.toFixed(1)}  max ${values.at(-1)!.toFixed(1)}`);
}
console.log(`rss ${(process.memoryUsage.rss() / 2 ** 20).toFixed(0)} MB`);
rmSync(root, { recursive: true, force: true });
process.exit();
