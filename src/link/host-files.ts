import path from 'node:path';
import { done, type Outcome, refuse } from '../base/refusal.ts';
import { sha256 } from '../base/sha256.ts';
import type { HostedSession } from '../protocol/host.ts';
import { type FileStat, SystemError } from '../system/files.ts';
import type { System } from '../system/system.ts';
import { clearDeadLock } from './host-lock.ts';
import { isRunning } from './process-identity.ts';

/** A line in the directory of hosts: what can be known of a host without connecting to it. */
export interface HostEntry extends HostedSession {
  readonly socket: string;
  readonly log: string;
  /** With the pid it names the process for good; null where the system cannot tell. */
  readonly startTime: string | null;
  /** Of the code it runs: another one than ours is old code. */
  readonly fingerprint: string;
  /** Turns that came to their end in this process; a host of an older build does not say. */
  readonly turnsEnded?: number;
}

export interface HostFiles {
  readonly folder: string;
  readonly locks: string;
  /** Makes the folders, private to this user; refuses with `not-private` one that is somebody else's. */
  prepare(): Promise<Outcome<null>>;
  socketOf(host: string): string;
  logOf(host: string): string;
  write(entry: HostEntry): Promise<void>;
  /** Null when there is none, or none that can be read. */
  read(host: string): Promise<HostEntry | null>;
  /** The entry and the socket; the log stays. */
  remove(host: string): Promise<void>;
  /** Takes away what a host that ended left to be seen of this session: it is open again. */
  forget(session: string): Promise<void>;
  /** Newest update first, without connecting to any. What dead hosts left is removed. */
  list(): Promise<HostEntry[]>;
  /** True for the first, in any process, who asks about this turn (`HOST-NUMBER`) of a host that is still listed. */
  claimTurn(turn: string): Promise<boolean>;
  /** Calls back after the list may have changed; null where the system cannot watch. */
  watch(listener: () => void): { close(): void } | null;
}

/** What a unix socket's address holds, its closing zero left out. */
const SOCKET_PATH_BYTES = 103;
const PRIVATE_FOLDER = 0o700;
const PRIVATE_FILE = 0o600;
const ENTRY_BYTES = 64 * 1024;
const CLAIM = '.claim';

/** `stateFolder` is Houston's own state folder, absolute. A host and its clients find the same places from it. */
export async function openHostFiles(system: System, stateFolder: string): Promise<HostFiles> {
  const { files, environment } = system;
  const folder = path.join(stateFolder, 'hosts');
  const locks = path.join(folder, 'locks');
  const logs = path.join(stateFolder, 'logs');
  const runtime = await ownFolder(system, environment.get('XDG_RUNTIME_DIR'));
  const socketFolder = runtime === null ? folder : path.join(runtime, 'houston');
  const shortFolder = path.join(environment.temp, `houston-${environment.userId}`);

  function entryPath(host: string): string {
    return path.join(folder, `${host}.json`);
  }

  function socketOf(host: string): string {
    const plain = path.join(socketFolder, `${host}.sock`);
    if (Buffer.byteLength(plain) <= SOCKET_PATH_BYTES) return plain;
    return path.join(shortFolder, sha256(plain).slice(0, 16));
  }

  function logOf(host: string): string {
    return path.join(logs, `host-${host}.log`);
  }

  async function makePrivate(place: string): Promise<Outcome<null>> {
    try {
      await files.makeFolder(place, PRIVATE_FOLDER);
    } catch (error) {
      if (error instanceof SystemError) return refuse('not-private', `${place} cannot be made: ${error.message}`);
      throw error;
    }
    const stat: FileStat | null = await files.linkStat(place);
    if (stat === null || stat.kind !== 'folder' || stat.owner !== environment.userId) {
      return refuse('not-private', `${place} is not a folder of yours`);
    }
    if (stat.mode !== PRIVATE_FOLDER) await files.changeMode(place, PRIVATE_FOLDER);
    return done(null);
  }

  async function read(host: string): Promise<HostEntry | null> {
    try {
      const text = new TextDecoder().decode(await files.read(entryPath(host), ENTRY_BYTES));
      const entry: unknown = JSON.parse(text);
      return isEntry(entry) && entry.host === host ? entry : null;
    } catch (error) {
      if (error instanceof SystemError || error instanceof SyntaxError) return null;
      throw error;
    }
  }

  async function remove(host: string): Promise<void> {
    await files.remove(socketOf(host));
    await files.remove(entryPath(host));
    for (const { name } of await files.list(locks).catch(() => []))
      if (name.startsWith(`${host}-`) && name.endsWith(CLAIM)) await files.remove(path.join(locks, name));
  }

  async function claimTurn(turn: string): Promise<boolean> {
    const host = turn.slice(0, turn.lastIndexOf('-'));
    const claim = path.join(locks, `${turn}${CLAIM}`);
    if ((await read(host)) === null) return false;
    try {
      await files.createNew(claim, new Uint8Array(), PRIVATE_FILE);
    } catch (error) {
      if (error instanceof SystemError) return false;
      throw error;
    }
    // It went meanwhile, and what it left was cleared away before this came.
    if ((await read(host)) === null) await files.remove(claim);
    return true;
  }

  async function clearAway(dead: HostEntry): Promise<void> {
    await remove(dead.host);
    if (dead.session !== '') await clearDeadLock(system, path.join(locks, dead.session));
    // Whoever was killed said nothing; a log that says something stays.
    const log = logOf(dead.host);
    if ((await files.stat(log))?.size === 0) await files.remove(log);
  }

  return {
    folder,
    locks,
    async prepare() {
      const sockets = path.dirname(socketOf('x'.repeat(16)));
      for (const place of new Set([folder, locks, logs, sockets])) {
        const made = await makePrivate(place);
        if (!made.ok) return made;
      }
      return done(null);
    },
    socketOf,
    logOf,
    write(entry) {
      const bytes = new TextEncoder().encode(`${JSON.stringify(entry)}\n`);
      return files.writeAtomic(entryPath(entry.host), bytes, { mode: PRIVATE_FILE, flush: false });
    },
    read,
    remove,
    claimTurn,
    async list() {
      const entries: HostEntry[] = [];
      for (const name of await namesIn(system, folder)) {
        const entry = await read(name.slice(0, -'.json'.length));
        if (entry === null) continue;
        if (entry.state === 'stopped' || (await isRunning(system, entry))) entries.push(entry);
        else await clearAway(entry);
      }
      return entries.sort((a, b) => b.updated - a.updated);
    },
    async forget(session) {
      for (const name of await namesIn(system, folder)) {
        const entry = await read(name.slice(0, -'.json'.length));
        if (entry?.state === 'stopped' && entry.session === session) await remove(entry.host);
      }
    },
    watch: (listener) => files.watch(folder, listener),
  };
}

/** By host id, or by the beginning of a session id; it must mean exactly one. */
export function chooseHost<T extends HostedSession>(hosts: readonly T[], name: string): Outcome<T> {
  const exact = hosts.filter((one) => one.host === name || one.session === name);
  const found = exact.length > 0 ? exact : hosts.filter((one) => name !== '' && one.session.startsWith(name));
  if (found.length === 1) return done(found[0]!);
  if (found.length === 0) return refuse('no-such-host', `no session with a host begins with ${name}`);
  const names = found.map((one) => one.session).join(', ');
  return refuse('ambiguous-host', `${name} can mean ${names}`);
}

/** The variable often outlives its folder, or is another user's after `su`: then it does not count. */
async function ownFolder(system: System, place: string | undefined): Promise<string | null> {
  if (place === undefined || !path.isAbsolute(place)) return null;
  const stat = await system.files.stat(place);
  return stat?.kind === 'folder' && stat.owner === system.environment.userId ? place : null;
}

async function namesIn(system: System, folder: string): Promise<string[]> {
  try {
    const entries = await system.files.list(folder);
    return entries.filter((entry) => entry.name.endsWith('.json')).map((entry) => entry.name);
  } catch (error) {
    if (error instanceof SystemError && error.code === 'ENOENT') return [];
    throw error;
  }
}

function isEntry(value: unknown): value is HostEntry {
  const entry = value as Partial<HostEntry> | null;
  return (
    typeof entry === 'object' &&
    entry !== null &&
    typeof entry.host === 'string' &&
    typeof entry.session === 'string' &&
    typeof entry.pid === 'number' &&
    typeof entry.socket === 'string' &&
    typeof entry.state === 'string' &&
    typeof entry.updated === 'number'
  );
}
