// Where the milliseconds of one round go: a turn of 50 reads through the whole session but the screen, in this process, over
// a real disk and a scripted server in a process of its own. Medians of the rounds after the tenth.
//   sh scripts/bun.sh bench/round.ts [--trace]      --trace: every step of one round instead
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { openSession } from '../src/cli/open-session.ts';
import { createBunSystem } from '../src/system/bun/system.ts';
import { startMock, writeProject } from './lib/common.mjs';

const root = mkdtempSync(path.join(tmpdir(), 'houston-round-'));
const project = path.join(root, 'project');
writeProject(project);
const mock = await startMock({
  node: process.env.BENCH_NODE ?? 'node',
  scenario: {
    cwd: project,
    rules: [{ when: { user: 'READ' }, steps: [{ times: 50, tool: 'read', args: { path: 'src/f{{i2}}.ts' } }, { text: 'DONE' }] }],
    default: { text: 'ok' },
    auxReply: { text: 'A title' },
  },
});
process.env.HOUSTON_HOME = path.join(root, 'home');
process.env.ANTHROPIC_BASE_URL = mock.base;
process.env.ANTHROPIC_API_KEY = 'sk-test';
const bun = createBunSystem();
const steps: { at: number; what: string }[] = [];
const mark = (what: string): void => void steps.push({ at: performance.now(), what });

/** The promise's end, and beginning, as steps. */
async function timed<T>(what: string, work: Promise<T>): Promise<T> {
  mark(`${what} {`);
  try {
    return await work;
  } finally {
    mark(`${what} }`);
  }
}

function watched<T extends object>(object: T, name: string): T {
  return new Proxy(object, {
    get(target, key) {
      const value = Reflect.get(target, key) as unknown;
      if (typeof value !== 'function') return value;
      return (...given: unknown[]) => {
        const answer = (value as (...all: unknown[]) => unknown).apply(target, given);
        const about = typeof given[0] === 'string' ? ` ${path.basename(given[0])}` : '';
        if (!(answer instanceof Promise)) return answer;
        const of = `${name}.${String(key)}${about}`;
        return timed(of, answer).then((found: unknown) =>
          (key === 'openAppend' || key === 'open') && typeof found === 'object' && found !== null
            ? watched(found, path.basename(String(given[0])))
            : found,
        );
      };
    },
  });
}

const fetch: typeof globalThis.fetch = Object.assign(
  async (...given: Parameters<typeof globalThis.fetch>) => {
    mark('request {');
    const response = await bun.network.fetch(...given);
    mark('request } headers');
    return response;
  },
  { preconnect: bun.network.fetch.preconnect },
);
const system = { ...bun, files: watched(bun.files, 'files'), network: { ...bun.network, fetch } };
const opened = await openSession(system, {
  folder: project, session: system.ids.uuid(), open: 'new', forkOf: null, save: true, model: 'anthropic:mock-model', effort: null, mode: 'bypass',
  settings: null, sandbox: 'off', addFolders: [], allow: [], canAsk: true, roundLimit: null, demo: false,
} as never);
if (!opened.ok) throw new Error(opened.refusal.message);
const { session, close } = opened.value;
const over = Promise.withResolvers<void>();
session.attach({ client: 'bench', onlyReads: true }, (update) => {
  for (const change of update.changes) {
    if (change.type === 'entry') mark(`shown: ${change.entry.kind}`);
    else if (change.type === 'live-call') mark('call begins');
    if (change.type === 'entry' && change.entry.kind === 'turn-end') over.resolve();
  }
});
await new Promise((resolve) => setTimeout(resolve, 1500));
/** Milliseconds each thread of this process took so far, by name. */
function threads(): Map<string, number> {
  const taken = new Map<string, number>();
  for (const id of readdirSync('/proc/self/task')) {
    const stat = readFileSync(`/proc/self/task/${id}/stat`, 'latin1');
    const name = stat.slice(stat.indexOf('(') + 1, stat.lastIndexOf(')'));
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    taken.set(name, (taken.get(name) ?? 0) + (Number(fields[11]) + Number(fields[12])) * 10);
  }
  return taken;
}
const before = threads();
const cpu = process.cpuUsage();
const begun = performance.now();
await session.send({ type: 'say', ref: 'reads', text: 'READ', attachments: [], delivery: 'queue' } as never, 'bench');
await over.promise;
const wall = performance.now() - begun;
const used = process.cpuUsage(cpu);
const after = threads();
const events = (await mock.state()).events.filter((event: { kind: string }) => event.kind === 'main');
const server = events.reduce((sum: number, event: { t0: number; t1?: number }) => sum + ((event.t1 ?? event.t0) - event.t0), 0);

const starts = steps.flatMap((step, index) => (step.what === 'request {' ? [index] : []));
const rounds = starts.slice(10, -1).map((from, index) => steps.slice(from, starts[10 + index + 1]! + 1));
if (process.argv.includes('--trace')) {
  const one = rounds[Math.floor(rounds.length / 2)]!;
  for (const step of one) console.log(`${(step.at - one[0]!.at).toFixed(2).padStart(8)}  ${step.what}`);
} else {
  const NAMES = ['request } headers', 'call begins', 'shown: assistant', 'shown: call', 'shown: result', 'request {'];
  const LABELS = ['request sent to headers', 'to the first piece of the call', 'to the message on disk and shown', 'facts, policy, call on disk and shown', 'file read, result on disk and shown', 'to the next request'];
  const median = (times: number[]): number => times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)] ?? Number.NaN;
  let last = (round: typeof steps): number => round[0]!.at;
  for (const [index, name] of NAMES.entries()) {
    const at = (round: typeof steps): number => round.slice(1).find((step) => step.what === name)?.at ?? Number.NaN;
    const before = last;
    console.log(`${LABELS[index]!.padEnd(42)} ${median(rounds.map((round) => at(round) - before(round))).toFixed(2).padStart(7)} ms`);
    last = at;
  }
}
console.log(`50 rounds: ${wall.toFixed(0)} ms wall, ${((used.user + used.system) / 1000).toFixed(0)} ms CPU here, ${server.toFixed(0)} ms in the server`);
console.log([...after].map(([name, taken]) => `${name} ${taken - (before.get(name) ?? 0)}`).filter((one) => !one.endsWith(' 0')).join(', '));
await close();
mock.stop();
rmSync(root, { recursive: true, force: true });
process.exit(0);
