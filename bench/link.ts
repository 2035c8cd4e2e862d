// What the way to a host costs: `bun bench/link.ts [ROUNDS]` (2,000 when not said). The round trip of a small question over
// the unix socket of a real host, attaching to 20,000 entries, and what an idle host holds and does.
// HOUSTON_PROGRAM: the launcher of a checkout or of an installed package.
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { NEVER_RECONNECT } from '../src/link/reconnect.ts';
import { connectSession } from '../src/link/socket-client.ts';
import { createBunSystem } from '../src/system/bun/system.ts';
import { PtyProgram } from '../test/support/pty-program.ts';

const rounds = Number(process.argv[2] ?? '2000');
const program = process.env.HOUSTON_PROGRAM ?? join(import.meta.dir, '..', 'houston');
const root = mkdtempSync(join(tmpdir(), 'houston-link-'));
const project = join(root, 'project');
const state = join(root, 'state', 'houston');
await Bun.$`mkdir -p ${project} ${state}`.quiet();
const environment = { PATH: process.env.PATH ?? '', HOME: root, XDG_STATE_HOME: join(root, 'state'), XDG_CONFIG_HOME: join(root, 'config'), TERM: 'xterm-256color' };
await Bun.$`mkdir -p ${join(root, 'config', 'houston')}`.quiet();
await Bun.write(join(root, 'config', 'houston', 'settings.json'), '{"session":{"hostIdleSeconds":"off"}}');
const system = createBunSystem();

interface Entry { readonly host: string; readonly pid: number; readonly socket: string; readonly state: string }
function hosts(): Entry[] {
  const folder = join(state, 'hosts');
  try {
    return readdirSync(folder).filter((name) => name.endsWith('.json')).map((name) => JSON.parse(readFileSync(join(folder, name), 'utf8')) as Entry);
  } catch {
    return [];
  }
}

async function until(holds: () => boolean, what: string): Promise<void> {
  for (let tries = 0; tries < 3_000 && !holds(); tries++) await Bun.sleep(10);
  if (!holds()) throw new Error(`waited for ${what}`);
}

function show(name: string, times: number[]): void {
  times.sort((a, b) => a - b);
  const at = (share: number): string => times[Math.min(times.length - 1, Math.floor(times.length * share))]!.toFixed(3);
  console.log(`${name.padEnd(34)} p50 ${at(0.5)} ms  p99 ${at(0.99)} ms  most ${at(1)} ms  (${times.length})`);
}

async function connect(host: Entry, client: string) {
  const linked = await connectSession({ client, build: 'bench', clock: system.clock, connect: () => system.network.connect(host.socket), reconnect: NEVER_RECONNECT, report: console.error });
  if (!linked.ok) throw new Error(linked.refusal.message);
  return linked.value;
}

/** User and system time so far, in milliseconds. */
function cpu(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ');
  return (Number(fields[11]) + Number(fields[12])) * 10;
}
/** Of the threads that live all the while. */
function wakes(pid: number): Map<string, number> {
  const tasks = readdirSync(`/proc/${pid}/task`);
  return new Map(tasks.map((task) => [task, Number(/^voluntary_ctxt_switches:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/task/${task}/status`, 'utf8'))![1])]));
}
const pss = (pid: number): number => Number(/^Pss:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))![1]) / 1024;

async function idle(name: string, pid: number): Promise<void> {
  // Whatever is done once after a start is over by then.
  await Bun.sleep(8_000);
  const [before, woken] = [cpu(pid), wakes(pid)];
  await Bun.sleep(10_000);
  console.log(`${name.padEnd(34)} PSS ${pss(pid).toFixed(1)} MB, ${cpu(pid) - before} ms of processor time and ${[...wakes(pid)].reduce((sum, [task, count]) => sum + count - (woken.get(task) ?? count), 0)} wake-ups in 10 s`);
}

// An ordinary session.
const window = new PtyProgram({ argv: [program, '-m', 'demo:pilot'], folder: project, environment });
await until(() => hosts().some((host) => host.state === 'idle' || host.state === 'asking'), 'a host');
await Bun.sleep(500);
const [host] = hosts();
const linked = await connect(host!, 'bench');
const reads: number[] = [];
for (let round = 0; round < rounds + 200; round++) {
  const from = performance.now();
  await linked.read({ type: 'page', from: 0, count: 1 });
  if (round >= 200) reads.push(performance.now() - from);
}
show('round trip: a question', reads);
const drafts: number[] = [];
for (let round = 0; round < rounds + 200; round++) {
  const from = performance.now();
  await linked.send({ type: 'draft', draft: { text: `half ${round}`, caret: 0, folded: [], shell: false } }, 'bench');
  if (round >= 200) drafts.push(performance.now() - from);
}
show('round trip: an intent', drafts);
await linked.close();
window.kill();
await window.exited;
await idle('idle host, nobody attached', host!.pid);
process.kill(host!.pid);
await until(() => hosts().length === 0, 'no host');

// 20,000 entries.
const session = (await Bun.$`${process.execPath} ${join(import.meta.dir, 'make-session.ts')} ${state} ${project} 20000`.text()).trim();
const again = new PtyProgram({ argv: [program, '--resume', session, '-m', 'demo:pilot'], folder: project, environment, columns: 120, rows: 40 });
await again.until('turn 1600', 60_000).catch(() => undefined);
await until(() => hosts().some((one) => one.state === 'idle' || one.state === 'asking'), 'a host of 20,000 entries');
const [long] = hosts();
const attaches: number[] = [];
for (let round = 0; round < 60; round++) {
  const from = performance.now();
  const one = await connect(long!, `bench-${round}`);
  await new Promise<void>((there) => one.attach({ client: one.client, onlyReads: true }, () => there()));
  attaches.push(performance.now() - from);
  await one.close();
}
show('attach to 20,000 entries: snapshot', attaches);
again.kill();
await again.exited;
await idle('idle host of 20,000 entries', long!.pid);
process.kill(long!.pid);
rmSync(root, { recursive: true, force: true });
process.exit();
