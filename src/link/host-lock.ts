import { done, type Outcome, refuse } from '../base/refusal.ts';
import { SystemError } from '../system/files.ts';
import type { System } from '../system/system.ts';
import { isRunning } from './process-identity.ts';

/** Who holds a lock; `host` is what a second one may attach to instead. */
export interface LockOwner {
  readonly pid: number;
  readonly startTime: string | null;
  readonly host: string;
}

export interface HostLock {
  release(): Promise<void>;
}

/** A lock file nobody can read is being written; longer than this and its writer died. */
const HALF_WRITTEN_MS = 2_000;
const TRY_AGAIN_MS = 20;
const LOCK_BYTES = 4_096;
const TRIES = 200;

/**
 * One host a session: the lock file names its owner, and a dead owner's is taken over. Refuses with `already-hosted`
 * and the owner's host id as message when a living process holds it.
 */
export async function lockForHost(system: System, path: string, host: string): Promise<Outcome<HostLock>> {
  const { files, processes, clock } = system;
  const facts = await processes.facts(processes.ownPid);
  const owner: LockOwner = { pid: processes.ownPid, startTime: facts?.startTime ?? null, host };
  let released = false;
  const lock: HostLock = {
    async release() {
      // Once only: the next one may be somebody else's.
      if (released) return;
      released = true;
      await files.remove(path);
    },
  };
  for (let tries = 0; tries < TRIES; tries++) {
    if (await createLock(system, path, owner)) return done(lock);
    const held = await holderOf(system, path);
    if (held !== null && held !== 'half-written') return refuse('already-hosted', held.host);
    if (held === 'half-written' || !(await clearDeadLock(system, path))) await clock.sleep(TRY_AGAIN_MS);
  }
  return refuse('lock-busy', `${path} cannot be taken`);
}

/**
 * Removes a lock whose owner is dead. Only one process at a time may do so, else a fresh lock could be removed in place
 * of the dead one: false when another is at it.
 */
export async function clearDeadLock(system: System, path: string): Promise<boolean> {
  const { files, processes } = system;
  const guard = `${path}.takeover`;
  const facts = await processes.facts(processes.ownPid);
  const self: LockOwner = { pid: processes.ownPid, startTime: facts?.startTime ?? null, host: '' };
  if (!(await createLock(system, guard, self))) {
    if ((await holderOf(system, guard)) === null) await files.remove(guard);
    return false;
  }
  if ((await holderOf(system, path)) === null) await files.remove(path);
  await files.remove(guard);
  return true;
}

async function createLock(system: System, path: string, owner: LockOwner): Promise<boolean> {
  try {
    await system.files.createNew(path, new TextEncoder().encode(JSON.stringify(owner)), 0o600);
    return true;
  } catch (error) {
    if (error instanceof SystemError && error.code === 'EEXIST') return false;
    throw error;
  }
}

/** Who holds it and lives; null when nobody does, or whoever began to write it died. */
async function holderOf(system: System, path: string): Promise<LockOwner | 'half-written' | null> {
  const { files, clock } = system;
  const stat = await files.stat(path);
  if (stat === null) return null;
  try {
    const found = JSON.parse(new TextDecoder().decode(await files.read(path, LOCK_BYTES))) as LockOwner;
    if (typeof found.pid === 'number' && typeof found.host === 'string') {
      return (await isRunning(system, found)) ? found : null;
    }
  } catch (error) {
    if (error instanceof SystemError && error.code === 'ENOENT') return null;
    if (!(error instanceof SystemError) && !(error instanceof SyntaxError)) throw error;
  }
  return clock.now() - stat.modifiedMs < HALF_WRITTEN_MS ? 'half-written' : null;
}
