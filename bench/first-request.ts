// How long the first request of a long session takes, from the prompt to the moment it leaves, and the longest the process
// was not to be spoken to meanwhile: `bun bench/first-request.ts [ENTRIES] [RUNS] [WAIT_MS]`. Medians in milliseconds.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { openSession } from '../src/cli/open-session.ts';
import { codeName } from '../src/cli/build.ts';
import { keepCheckpoint } from '../src/core/session/checkpointer.ts';
import { createUsageDesk } from '../src/core/session/usage-desk.ts';
import { createBunSystem } from '../src/system/bun/system.ts';
import { findSession } from '../src/core/journal/catalog.ts';
import { places } from '../src/core/settings/paths.ts';

const [entries = '20000', runs = '7', wait = '3000'] = process.argv.slice(2);
const root = mkdtempSync(path.join(tmpdir(), 'first-request-'));
const project = path.join(root, 'project');
await Bun.$`mkdir -p ${path.join(root, 'state')} ${project}`;
Object.assign(process.env, { HOME: root, HOUSTON_HOME: root, ANTHROPIC_API_KEY: 'sk-mock', ANTHROPIC_BASE_URL: 'http://127.0.0.1:9' });
const bun = createBunSystem();
const state = places(bun.environment).state!;
const session = (await Bun.$`${process.execPath} ${path.join(import.meta.dir, 'make-session.ts')} ${state} ${project} ${entries}`.text()).trim();
const found = await findSession(bun, state, null, session);
if (!found.ok) throw new Error(found.refusal.message);
await keepCheckpoint(bun.files, found.value.place, codeName(), createUsageDesk({ system: bun, state: null, session }));

const figures = new Map<string, number[]>();
const note = (name: string, value: number): void => void figures.set(name, [...(figures.get(name) ?? []), value]);
/** The longest time in which nothing else got its turn. */
function watchPauses(): () => number {
  let last = performance.now();
  let longest = 0;
  const timer = setInterval(() => {
    const now = performance.now();
    longest = Math.max(longest, now - last - 1);
    last = now;
  }, 1);
  return () => {
    clearInterval(timer);
    return longest;
  };
}

for (let run = 0; run < Number(runs); run++) {
  const left = Promise.withResolvers<number>();
  const fetch: typeof globalThis.fetch = Object.assign(
    async () => {
      left.resolve(performance.now());
      return new Response('{"type":"error","error":{"type":"invalid_request_error","message":"no"}}', { status: 400 });
    },
    { preconnect: bun.network.fetch.preconnect },
  );
  const system = { ...bun, network: { ...bun.network, fetch } };
  const begun = performance.now();
  const opened = await openSession(system, {
    folder: project, session, open: 'resume', forkOf: null, save: true, model: 'anthropic:mock-model', effort: null, mode: 'bypass', settings: null,
    sandbox: 'off', addFolders: [], allow: [], canAsk: true, roundLimit: null, demo: false,
  } as never);
  if (!opened.ok) throw new Error(opened.refusal.message);
  note('open', performance.now() - begun);
  const { session: door, close } = opened.value;
  const started = performance.now();
  await new Promise<void>((there) => door.attach({ client: 'bench' }, () => there()));
  note('attach', performance.now() - started);
  const whileWaiting = watchPauses();
  await Bun.sleep(Number(wait));
  note('longest pause at rest', whileWaiting());
  const whileAsking = watchPauses();
  const said = performance.now();
  await door.send({ type: 'say', ref: `say-${run}`, text: 'GO', attachments: [], delivery: 'queue' } as never, 'bench');
  note('prompt to request', (await left.promise) - said);
  note('longest pause then', whileAsking());
  await door.idle();
  await close();
  Bun.gc(true);
}
for (const [name, values] of figures) {
  values.sort((a, b) => a - b);
  console.log(`${name.padEnd(22)} median ${values[values.length >> 1]!.toFixed(1)}  min ${values[0]!.toFixed(1)}  max ${values.at(-1)!.toFixed(1)}`);
}
rmSync(root, { recursive: true, force: true });
process.exit();
