import { done, type Outcome } from '../base/refusal.ts';
import { visible } from '../base/text-width.ts';
import { loadSettings, settingsLayers } from '../core/settings/load.ts';
import { places } from '../core/settings/paths.ts';
import { chooseHost, type HostEntry, type HostFiles, openHostFiles } from '../link/host-files.ts';
import { stopHost } from '../link/stop-host.ts';
import type { System } from '../system/system.ts';
import { fingerprint, VERSION } from './build.ts';
import { startSessionHost } from './host-link.ts';
import { writeErr, writeOut } from './output.ts';
import { plainRequest } from './reach-session.ts';

/** `unwatched`: nothing runs there and no window shows it; `idle`: nothing runs there; `stale`: it runs other code than this. */
type Which = 'unwatched' | 'idle' | 'stale' | 'all';
const GROUPS: readonly string[] = ['unwatched', 'idle', 'stale', 'all'] satisfies readonly Which[];

/** `houston hosts [list | stop WHICH | restart WHICH]`. Resolves to the exit code. */
export async function runHosts(system: System, words: readonly string[]): Promise<number> {
  const { state } = places(system.environment);
  const files = state === null ? null : await openHostFiles(system, state);
  const [what = 'list', which = null] = words;
  if (what === 'list') return list(await hostsOf(files));
  return what === 'stop' ? stop(system, files, which ?? 'unwatched') : restart(system, files, which ?? 'stale');
}

/** `houston restart [HOST]`: that host, or all that run other code than this. */
export async function runRestart(system: System, name: string | null): Promise<number> {
  return runHosts(system, ['restart', name ?? 'stale']);
}

async function hostsOf(files: HostFiles | null): Promise<HostEntry[]> {
  return files === null ? [] : await files.list();
}

function list(hosts: readonly HostEntry[]): number {
  if (hosts.length === 0) writeErr('houston: no session runs in a host\n');
  for (const host of hosts) writeOut(`${hostLine(host, fingerprint())}\n`);
  return 0;
}

export function hostLine(host: HostEntry, ours: string): string {
  const notes = [
    `${host.attached} attached`,
    ...(host.unseen ? ['unseen reply'] : []),
    ...(host.state !== 'stopped' && host.fingerprint !== ours ? ['old code'] : []),
  ].join(', ');
  return `${host.host}  ${host.state.padEnd(8)} ${host.session.slice(0, 13)}  ${notes}  ${visible(host.folder)}  ${visible(host.title)}`;
}

/** Which hosts are meant; of a group also those left alone, each with the reason. */
export function chooseHosts(
  hosts: readonly HostEntry[],
  which: string,
): Outcome<{ readonly chosen: readonly HostEntry[]; readonly skipped: readonly string[] }> {
  const running = hosts.filter((host) => host.state !== 'stopped');
  if (!GROUPS.includes(which)) {
    const found = chooseHost(running, which);
    return found.ok ? done({ chosen: [found.value], skipped: [] }) : found;
  }
  const why = (host: HostEntry): string | null => {
    if ((which === 'idle' || which === 'unwatched') && host.state !== 'idle') return host.state;
    if (which === 'unwatched' && host.attached > 0)
      return `${windows(host.attached)} on it; houston hosts stop ${host.host} ends it`;
    return which === 'stale' && host.fingerprint === fingerprint() ? 'runs this code' : null;
  };
  return done({
    chosen: running.filter((host) => why(host) === null),
    skipped: running.flatMap((host) => (why(host) === null ? [] : [`${host.host}  left alone: ${why(host)}`])),
  });
}

async function stop(system: System, files: HostFiles | null, which: string): Promise<number> {
  return forEach(await hostsOf(files), which, async (host) => {
    const stopped = await end(system, host, 'stop');
    const closed = host.attached === 0 ? '' : ` with ${windows(host.attached)} on it`;
    const goesOn = `houston --resume ${host.session.slice(0, 13)} goes on with it`;
    return stopped.ok ? done(`stopped${closed}; ${goesOn}`) : stopped;
  });
}

function windows(count: number): string {
  return count === 1 ? 'one window' : `${count} windows`;
}

async function restart(system: System, files: HostFiles | null, which: string): Promise<number> {
  return forEach(await hostsOf(files), which, async (host) => {
    const stopped = await end(system, host, 'restart');
    if (!stopped.ok) return stopped;
    // Its windows start it again themselves, as they started it; where nobody is, that is for us to do.
    if (host.attached > 0) return done('restarted by the windows on it');
    const own = places(system.environment);
    const request = plainRequest({ folder: host.folder, session: host.session, open: 'resume' });
    const layers = settingsLayers({ config: own.config, project: host.folder, argument: null });
    const { settings } = await loadSettings(system.files, layers);
    const started = await startSessionHost(system, own.state, request, settings.hostIdleSeconds);
    if (!started.ok) return started;
    started.value.connection.close();
    return done(`restarted as ${started.value.host}`);
  });
}

async function forEach(
  hosts: readonly HostEntry[],
  which: string,
  work: (host: HostEntry) => Promise<Outcome<string>>,
): Promise<number> {
  const found = chooseHosts(hosts, which);
  if (!found.ok) {
    writeErr(`houston: ${found.refusal.identifier}: ${found.refusal.message}\n`);
    return 2;
  }
  const { chosen, skipped } = found.value;
  if (chosen.length === 0) writeErr(`houston: no host is ${which === 'all' ? 'running' : which}\n`);
  let failed = false;
  for (const host of chosen) {
    const outcome = await work(host);
    failed ||= !outcome.ok;
    if (outcome.ok) writeOut(`${host.host}  ${outcome.value}\n`);
    else writeErr(`houston: ${outcome.refusal.identifier}: ${host.host}: ${outcome.refusal.message}\n`);
  }
  for (const text of skipped) writeOut(`${text}\n`);
  return failed ? 1 : 0;
}

/** Through the part of the protocol every build speaks. Resolves once it is gone. */
export function end(
  system: System,
  host: Pick<HostEntry, 'socket' | 'host'>,
  how: 'stop' | 'restart',
): Promise<Outcome<null>> {
  const client = `stop-${system.ids.hex(4)}`;
  const connect = () => system.network.connect(host.socket);
  return stopHost(connect, how, { client, build: VERSION, clock: system.clock });
}
