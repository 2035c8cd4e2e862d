import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import fc from 'fast-check';
import type { Files } from '../../system/files.ts';
import { createMemorySystem, type MemorySystem } from '../../system/memory/system.ts';
import type { ProcessFacts } from '../../system/processes.ts';
import { type LockSystem, takeSessionLock, underLock } from './session-lock.ts';

// A busy machine takes its time over what is tried many times.
setDefaultTimeout(60_000);

const FOLDER = '/state/s';
const LOCK = `${FOLDER}/lock`;

/** The system as one process among several sees it; `alive` holds pid and start time of all that run. */
function as(
  system: MemorySystem,
  pid: number,
  alive: ReadonlyMap<number, string>,
  files: Files = system.files,
): LockSystem {
  const facts = (pid: number, startTime: string): ProcessFacts => ({
    pid,
    parent: 1,
    group: pid,
    session: pid,
    startTime,
    command: 'x',
  });
  return {
    ...system,
    files,
    processes: {
      ownPid: pid,
      facts: async (asked) => (alive.has(asked) ? facts(asked, alive.get(asked)!) : null),
      isAlive: (asked) => alive.has(asked),
    },
  };
}

function newSystem(): MemorySystem {
  const system = createMemorySystem();
  system.files.seedFolder(FOLDER);
  return system;
}

describe('one writer a session', () => {
  test('UP-33 the second is refused by the name of the first, and may have it afterwards', async () => {
    const system = newSystem();
    const alive = new Map([
      [10, 'a'],
      [11, 'b'],
    ]);
    const first = await takeSessionLock(as(system, 10, alive), FOLDER);
    if (!first.ok) throw new Error('refused');
    expect(await takeSessionLock(as(system, 11, alive), FOLDER)).toEqual({
      ok: false,
      refusal: { identifier: 'session-open', message: 'the session is open in process 10' },
    });
    expect(await takeSessionLock(as(system, 10, alive), FOLDER)).toMatchObject({ ok: false });
    await first.value.release();
    expect(system.files.paths(FOLDER)).toEqual([]);
    expect(await takeSessionLock(as(system, 11, alive), FOLDER)).toMatchObject({ ok: true });
    expect((await system.files.stat(LOCK))!.mode).toBe(0o600);
  });

  test('the lock of a dead owner is taken over, also when its pid is in use again', async () => {
    const system = newSystem();
    const alive = new Map([
      [10, 'a'],
      [11, 'b'],
    ]);
    await takeSessionLock(as(system, 10, alive), FOLDER);
    alive.set(10, 'started later');
    const taken = await takeSessionLock(as(system, 11, alive), FOLDER);
    expect(taken).toMatchObject({ ok: true });
    alive.delete(11);
    expect(await takeSessionLock(as(system, 10, alive), FOLDER)).toMatchObject({ ok: true });
    expect(system.files.paths(FOLDER)).toEqual([LOCK]);
  });

  test('an owner late to let go does not take the lock from its successor', async () => {
    const system = newSystem();
    const alive = new Map([[10, 'a']]);
    const first = await takeSessionLock(as(system, 10, alive), FOLDER);
    if (!first.ok) throw new Error('refused');
    alive.set(11, 'b').delete(10);
    await takeSessionLock(as(system, 11, alive), FOLDER);
    await first.value.release();
    expect(system.files.textOf(LOCK)).toContain('"pid":11');
  });

  test('a lock file without words counts for two seconds', async () => {
    const system = newSystem();
    await system.files.createNew(LOCK, new Uint8Array(0), 0o600);
    const taker = as(system, 10, new Map([[10, 'a']]));
    expect(await takeSessionLock(taker, FOLDER)).toMatchObject({
      ok: false,
      refusal: { message: 'the session is open in another process' },
    });
    await system.clock.advance(2_000);
    expect(await takeSessionLock(taker, FOLDER)).toMatchObject({ ok: true });
  });

  test('a folder that cannot be written is a refusal of its own', async () => {
    const system = newSystem();
    system.files.fail({ operation: 'write', code: 'EROFS' });
    expect(await takeSessionLock(as(system, 10, new Map()), FOLDER)).toMatchObject({
      ok: false,
      refusal: { identifier: 'session-unwritable' },
    });
  });

  test('however their steps fall, two never have it at once, and a dead owner keeps nobody out', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.scheduler(),
        fc.integer({ min: 2, max: 4 }),
        fc.boolean(),
        async (scheduler, takers, crash) => {
          const system = newSystem();
          const alive = new Map(Array.from({ length: takers }, (_, number) => [20 + number, 'x']));
          await takeSessionLock(as(system, 10, new Map([[10, 'dead soon']])), FOLDER);
          const stepped = { ...system.files };
          for (const name of ['createNew', 'read', 'remove', 'linkStat'] as const) {
            stepped[name] = scheduler.scheduleFunction(system.files[name].bind(system.files) as never) as never;
          }
          const holders = new Set<number>();
          let most = 0;
          let had = 0;
          const take = async (pid: number) => {
            const taken = await takeSessionLock(as(system, pid, alive, stepped), FOLDER);
            if (!taken.ok) return;
            holders.add(pid);
            had++;
            most = Math.max(most, holders.size);
            await scheduler.schedule(Promise.resolve());
            if (crash && had === 1) alive.delete(pid);
            holders.delete(pid);
            if (alive.has(pid)) await taken.value.release();
          };
          await scheduler.waitFor(Promise.all([...alive.keys()].map(take)));
          expect(most).toBe(1);
          expect(had).toBeGreaterThan(0);
          const last = await takeSessionLock(as(system, 99, new Map([...alive, [99, 'y']])), FOLDER);
          expect(last.ok).toBe(true);
          expect(system.files.paths(FOLDER)).toEqual([LOCK]);
        },
      ),
      { numRuns: 300, endOnFailure: true },
    );
  });
});

describe('a lock for a moment', () => {
  test('is waited for, and given back whatever happens', async () => {
    const system = newSystem();
    const alive = new Map([
      [10, 'a'],
      [11, 'b'],
    ]);
    const { promise, resolve } = Promise.withResolvers<void>();
    const first = underLock(as(system, 10, alive), LOCK, 0, () => promise);
    await system.clock.settle();
    const second = underLock(as(system, 11, alive), LOCK, 1_000, async () => 'mine');
    expect(await underLock(as(system, 11, alive), LOCK, 0, async () => 'mine')).toBeNull();
    resolve();
    await first;
    expect(await system.clock.runUntil(second)).toBe('mine');
    await expect(underLock(as(system, 10, alive), LOCK, 0, () => Promise.reject(new Error('bug')))).rejects.toThrow(
      'bug',
    );
    expect(system.files.paths(FOLDER)).toEqual([]);
  });
});
