import { done } from '../base/refusal.ts';
import { places } from '../core/settings/paths.ts';
import { openHostFiles } from '../link/host-files.ts';
import { readHostOptions } from '../link/host-process.ts';
import { runHost } from '../link/run-host.ts';
import { GATHER_MS } from '../link/update-gate.ts';
import { releaseCode } from '../system/bun/release-code.ts';
import { createBunSystem } from '../system/bun/system.ts';
import { fingerprint, VERSION } from './build.ts';
import { openSession } from './open-session.ts';
import { requestFromJson } from './session-request.ts';
import { withSide } from './with-side.ts';

const SOONEST_SECONDS = 2;

/** The process a session lives in. Started by Houston itself, with its options on standard input. */
export async function runHostProcess(): Promise<number> {
  const system = createBunSystem();
  const log = (text: string): void => console.error(text);
  process.on('uncaughtException', (error) => log(`houston: internal: ${error.stack ?? error.message}`));
  process.on('unhandledRejection', (error) =>
    log(`houston: internal: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`),
  );
  const read = readHostOptions(await Bun.stdin.text());
  if (!read.ok) {
    log(`houston: ${read.refusal.identifier}: ${read.refusal.message}`);
    return 2;
  }
  const { state } = places(system.environment);
  if (state === null) return 1;
  const request = requestFromJson(read.value);
  const { idleSeconds } = read.value;
  return runHost({
    system,
    files: await openHostFiles(system, state),
    host: read.value.host,
    folder: request.folder,
    build: VERSION,
    fingerprint: fingerprint(),
    session: request.session,
    gatherMs: GATHER_MS,
    // Who starts one still has to come, however soon it may go.
    idleMs: typeof idleSeconds === 'number' ? Math.max(SOONEST_SECONDS, idleSeconds) * 1000 : null,
    open: async () => {
      const opened = await openSession(system, request);
      if (!opened.ok) return opened;
      const { session, close, clientLost, isBusy } = withSide(system, request, opened.value);
      return done({ session, close, clientLost, isBusy, uncut: opened.value.session.uncut });
    },
    onSignal: (listener) => system.terminal.onSignal(listener),
    log,
    // Bun's own timer for this is off, since it would tick for ever: without either, what opening and working left stays.
    onRest: () => {
      Bun.gc(true);
      releaseCode();
    },
  });
}
