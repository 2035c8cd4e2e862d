import { join } from 'node:path';
import { done, type Outcome, refuse } from '../../base/refusal.ts';
import { sha256 } from '../../base/sha256.ts';
import { SystemError } from '../../system/files.ts';
import type { System } from '../../system/system.ts';

export interface Lock {
  release(): Promise<void>;
}

export interface LockSystem extends Pick<System, 'files' | 'clock' | 'ids'> {
  readonly processes: Pick<System['processes'], 'ownPid' | 'facts' | 'isAlive'>;
}

/**
 * One writer per session. Refusals: `session-open`, naming the process that has it; `session-unwritable`. The lock of a
 * process that is gone is taken over.
 */
export async function takeSessionLock(system: LockSystem, folder: string): Promise<Outcome<Lock>> {
  try {
    const claimed = await claim(system, join(folder, 'lock'));
    if ('release' in claimed) return done(claimed);
    const who = claimed.pid === null ? 'another process' : `process ${claimed.pid}`;
    return refuse('session-open', `the session is open in ${who}`);
  } catch (error) {
    if (!(error instanceof SystemError)) throw error;
    return refuse('session-unwritable', `the session cannot be locked: ${error.message} (${error.code})`);
  }
}

/** Runs `work` under a lock that is only ever held for a moment, waiting up to `waitMs` for it; null when it did not come free. */
export async function underLock<T>(
  system: LockSystem,
  path: string,
  waitMs: number,
  work: () => Promise<T>,
): Promise<T | null> {
  const until = system.clock.ticks() + waitMs;
  for (;;) {
    const claimed = await claim(system, path);
    if ('release' in claimed) {
      try {
        return await work();
      } finally {
        await claimed.release();
      }
    }
    if (system.clock.ticks() >= until) return null;
    await system.clock.sleep(POLL_MS);
  }
}

const POLL_MS = 10;
/** How long a lock file may be without words: its maker is between creating and writing it. */
const EMPTY_MS = 2_000;
const LARGEST = 4_096;

interface Owner {
  readonly pid: number | null;
}

/**
 * Creates the lock file; whoever creates it has it. A dead owner's file may be removed only under a second lock named
 * after its exact content, so that of two takers the slower one can never remove the file of the faster. That second
 * lock is an ordinary one: should its owner die too, it is taken over the same way.
 */
async function claim(system: LockSystem, path: string): Promise<Lock | Owner> {
  const { files, processes, ids } = system;
  const facts = await processes.facts(processes.ownPid);
  const mine = JSON.stringify({ pid: processes.ownPid, started: facts?.startTime ?? null, nonce: ids.hex(8) });
  for (;;) {
    try {
      await files.createNew(path, new TextEncoder().encode(mine), 0o600);
      // A maker that slept since then may have been taken for dead.
      if ((await readText(system, path)) === mine) return { release: () => release(system, path, mine) };
      continue;
    } catch (error) {
      if (!(error instanceof SystemError && error.code === 'EEXIST')) throw error;
    }
    const theirs = await readText(system, path);
    if (theirs === null) continue;
    const owner = await findOwner(system, path, theirs);
    if (owner === 'gone') continue;
    if (owner !== 'dead') return owner;
    const guard = await claim(system, `${path}.${sha256(theirs).slice(0, 16)}`);
    if (!('release' in guard)) return guard;
    try {
      if ((await readText(system, path)) === theirs) await files.remove(path);
    } finally {
      await guard.release();
    }
  }
}

async function release(system: LockSystem, path: string, mine: string): Promise<void> {
  if ((await readText(system, path)) === mine) await system.files.remove(path);
}

async function readText(system: LockSystem, path: string): Promise<string | null> {
  try {
    return new TextDecoder().decode(await system.files.read(path, LARGEST));
  } catch (error) {
    if (error instanceof SystemError && error.code === 'ENOENT') return null;
    throw error;
  }
}

async function findOwner(system: LockSystem, path: string, text: string): Promise<Owner | 'dead' | 'gone'> {
  const read = parseOwner(text);
  if (read === null) {
    const stat = await system.files.linkStat(path);
    if (stat === null) return 'gone';
    return system.clock.now() - stat.modifiedMs < EMPTY_MS ? { pid: null } : 'dead';
  }
  const facts = await system.processes.facts(read.pid);
  if (facts !== null && read.started !== null) return facts.startTime === read.started ? { pid: read.pid } : 'dead';
  return system.processes.isAlive(read.pid) ? { pid: read.pid } : 'dead';
}

function parseOwner(text: string): { pid: number; started: string | null } | null {
  try {
    const value = JSON.parse(text) as { pid?: unknown; started?: unknown } | null;
    if (typeof value?.pid !== 'number' || !Number.isSafeInteger(value.pid) || value.pid <= 0) return null;
    return { pid: value.pid, started: typeof value.started === 'string' ? value.started : null };
  } catch {
    return null;
  }
}
