// Real programs: what is left of a hook is gone, whatever it did to stay.
import { afterAll, describe, expect, test } from 'bun:test';
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { createBunSystem } from '../../system/bun/system.ts';
import { CALL_MARK } from './child-environment.ts';
import { type HookEnd, runHook } from './run-hook.ts';

const system = createBunSystem();
const folder = realpathSync(mkdtempSync(join(tmpdir(), 'houston-hook-')));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

let runs = 0;
async function run(
  line: string,
  { timeoutMs = 20_000, signal = new AbortController().signal, input = '{}\n' } = {},
): Promise<HookEnd & { left(): Promise<number> }> {
  const mark = `${basename(folder)}/${++runs}`;
  const end = await runHook(
    system,
    {
      argv: ['sh', '-c', line],
      folder,
      environment: { PATH: process.env.PATH ?? '/usr/bin:/bin', [CALL_MARK]: mark },
      input: new TextEncoder().encode(input),
      timeoutMs,
      mostBytes: 64 * 1024,
    },
    signal,
  );
  return { ...end, left: async () => (await system.processes.findMarked(CALL_MARK, mark)).length };
}

describe('a real hook', () => {
  test('HR-3: nothing of it is left after a success, a time limit or a stop, also of what ignores TERM or left its group', async () => {
    const forks = "(trap '' TERM; sleep 600) & setsid sleep 600 & setsid sh -c 'sleep 600 & wait' &";
    const stop = new AbortController();
    const [done, late, stopped] = await Promise.all([
      run(`${forks} echo done`),
      run(`trap '' TERM; ${forks} sleep 600`, { timeoutMs: 300 }),
      run(`${forks} echo up; sleep 600`, { signal: stop.signal, timeoutMs: 60_000 }),
      system.clock.sleep(300).then(() => stop.abort('stopped')),
    ]);
    expect([done.ended, late.ended, stopped.ended]).toEqual(['exit', 'timeout', 'stopped']);
    expect(done.out).toBe('done\n');
    for (const end of [done, late, stopped]) {
      await end.gone;
      expect(await end.left()).toBe(0);
    }
  }, 20_000);

  test('one that prints without end or reads nothing of what it is given harms nobody (HR-3)', async () => {
    const large = 'x'.repeat(4 * 1024 * 1024);
    const [flood, deaf, closed] = await Promise.all([
      run('head -c 100000000 /dev/zero'),
      run('exit 0', { input: large }),
      run('exec <&-; exec >&- 2>&-; exit 4', { input: large }),
    ]);
    expect([flood.ended, flood.out.length, flood.outBytes]).toEqual(['exit', 64 * 1024, 100_000_000]);
    expect([deaf.exit, closed.exit]).toEqual([0, 4]);
    await Promise.all([flood.gone, deaf.gone, closed.gone]);
  }, 20_000);
});
