// A host as a program of its own, with a scripted session: what tests of real processes start.
import { done, refuse } from '../../src/base/refusal.ts';
import { openHostFiles } from '../../src/link/host-files.ts';
import { readHostOptions } from '../../src/link/host-process.ts';
import { runHost } from '../../src/link/run-host.ts';
import { createBunSystem } from '../../src/system/bun/system.ts';
import { createFakeSession } from './fake-session.ts';

const options = readHostOptions(await Bun.stdin.text());
if (!options.ok) throw new Error(options.refusal.message);
const { host, state, idleMs, fail } = options.value as unknown as {
  host: string;
  state: string;
  idleMs: number;
  fail?: boolean;
};
const system = createBunSystem();
const session = createFakeSession();
process.exitCode = await runHost({
  system,
  files: await openHostFiles(system, state),
  host,
  folder: process.cwd(),
  build: 'test',
  fingerprint: 'test',
  session: null,
  idleMs,
  open: async () =>
    fail === true ? refuse('no-model', 'nothing is configured') : done({ session, close: async () => {} }),
  onSignal: (listener) => system.terminal.onSignal(listener),
  log: (line) => console.error(line),
});
process.exit();
