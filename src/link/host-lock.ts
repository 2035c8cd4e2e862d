import { done, type Outcome, refuse } from '../base/refusal.ts';
import { SystemError } from '../system/files.ts';
import type { System } from '../system/system.ts';
import { isRunning } from './host-files.ts';

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
const TRIES = 200;

/**
 * One host a session: the lock file names its owner, and a dead owner's is taken over. Refuses with `already-hosted`
 * and the owner's host id as message when a living process holds it.
 */
export async function lockForHost(system: System, path: string, host: string): Promise<Outcome<HostLock>> {
  const { files, processes, clock } = system;
  const facts = await processes.facts(processes.ownPid);
  const owner: LockOwner = { pid: processes.ownPid, startTime: facts?.startTime ?? null, host };
  const bytes = new TextEncoder().encode(JSON.stringify(owner));
  const guard = `${path}.takeover`;

  for (let tries = 0; tries < TRIES; tries++) {
    if (await create(path)) return done(held());
    const owns = await holder(path);
    if (owns === 'half-written') {
      await clock.sleep(TRY_AGAIN_MS);
      continue;
    }
    if (owns !== null && (await isRunning(system, owns))) return refuse('already-hosted', owns.host);
    // Only one process at a time may clear a dead owner's lock away, else a fresh one could be cleared with it.
    if (!(await create(guard))) {
      const other = await holder(guard);
      if (other === null || (other !== 'half-written' && !(await isRunning(system, other)))) await files.remove(guard);
      await clock.sleep(TRY_AGAIN_MS);
      continue;
    }
    const still = await holder(path);
    if (still === null || (still !== 'half-written' && !(await isRunning(system, still)))) await files.remove(path);
    await files.remove(guard);
  }
  return refuse('lock-busy', `${path} cannot be taken`);

  function held(): HostLock {
    let released = false;
    return {
      async release() {
        // Once only: the next one may be somebody else's.
        if (released) return;
        released = true;
        await files.remove(path);
      },
    };
  }

  async function create(at: string): Promise<boolean> {
    try {
      await files.createNew(at, bytes, 0o600);
      return true;
    } catch (error) {
      if (error instanceof SystemError && error.code === 'EEXIST') return false;
      throw error;
    }
  }

  /** Null when nobody holds it, or whoever began to write it died. */
  async function holder(at: string): Promise<LockOwner | 'half-written' | null> {
    const stat = await files.stat(at);
    if (stat === null) return null;
    try {
      const found = JSON.parse(new TextDecoder().decode(await files.read(at, 4_096))) as LockOwner;
      if (typeof found.pid === 'number' && typeof found.host === 'string') return found;
    } catch (error) {
      if (error instanceof SystemError && error.code === 'ENOENT') return null;
      if (!(error instanceof SystemError) && !(error instanceof SyntaxError)) throw error;
    }
    return clock.now() - stat.modifiedMs < HALF_WRITTEN_MS ? 'half-written' : null;
  }
}
