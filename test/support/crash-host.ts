// A real host that kills itself (SIGKILL) at a chosen write of its journal: before it, in the middle of it, or after it.
// Everything else is the product as it is.
import { done } from '../../src/base/refusal.ts';
import { fingerprint, VERSION } from '../../src/cli/build.ts';
import { openSession } from '../../src/cli/open-session.ts';
import { requestFromJson } from '../../src/cli/session-request.ts';
import { openHostFiles } from '../../src/link/host-files.ts';
import { readHostOptions } from '../../src/link/host-process.ts';
import { runHost } from '../../src/link/run-host.ts';
import { createBunSystem } from '../../src/system/bun/system.ts';
import type { AppendFile, Files } from '../../src/system/files.ts';

export type CrashHow = 'before' | 'torn' | 'after';

const read = readHostOptions(await Bun.stdin.text());
if (!read.ok) throw new Error(read.refusal.message);
const options = read.value as unknown as {
  host: string;
  state: string;
  crashAt: number | null;
  crashHow: CrashHow;
  countFile: string;
};
const real = createBunSystem();

let operations = 0;

function die(): never {
  process.kill(process.pid, 'SIGKILL');
  // The signal is delivered before this returns; the loop is for the type checker's sake only.
  for (;;) Bun.sleepSync(1_000);
}

/** Counts every append and every flush of the journal, and dies at the one that was chosen. */
function counted(file: AppendFile): AppendFile {
  const step = async (write: () => Promise<void>, half: (() => Promise<void>) | null): Promise<void> => {
    operations++;
    const here = operations === options.crashAt;
    if (here && options.crashHow === 'before') die();
    if (here && options.crashHow === 'torn') {
      await half?.();
      die();
    }
    await write();
    if (here) die();
  };
  return {
    size: () => file.size(),
    truncate: (size) => file.truncate(size),
    close: () => file.close(),
    append: (bytes) =>
      step(
        () => file.append(bytes),
        () => file.append(bytes.subarray(0, Math.max(1, bytes.length >> 1))),
      ),
    flush: () => step(() => file.flush(), null),
  };
}

const files: Files = Object.assign(Object.create(real.files) as Files, {
  openAppend: async (path: string, mode: number) => {
    const file = await real.files.openAppend(path, mode);
    return path.endsWith('journal.jsonl') ? counted(file) : file;
  },
});
const system = { ...real, files };
const request = requestFromJson(read.value);

process.exitCode = await runHost({
  system,
  files: await openHostFiles(system, options.state),
  host: options.host,
  folder: request.folder,
  build: VERSION,
  fingerprint: fingerprint(),
  session: request.session,
  idleMs: 15_000,
  open: async () => {
    const opened = await openSession(system, request);
    if (!opened.ok) return opened;
    const { session, close } = opened.value;
    return done({ session, close });
  },
  onSignal: (listener) => system.terminal.onSignal(listener),
  log: (line) => console.error(line),
});
await Bun.write(options.countFile, String(operations));
process.exit();
