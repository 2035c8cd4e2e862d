// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are words of a shell
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createBunSystem } from '../../system/bun/system.ts';
import type { LineResult } from './line.ts';
import { createLineRunner } from './run-line.ts';

const system = createBunSystem();
let folder = '';
let calls = 0;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'houston-line-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function run(
  line: string,
  options: { timeoutMs?: number; signal?: AbortSignal; environment?: Record<string, string>; folder?: string } = {},
): Promise<LineResult> {
  const runner = createLineRunner({
    files: system.files,
    processes: system.processes,
    clock: system.clock,
    environment: options.environment ?? { PATH: process.env.PATH ?? '', HOME: folder },
    session: `test-${process.pid}`,
    outputs: join(folder, 'outputs'),
  });
  const order = {
    call: `call-${++calls}`,
    line,
    folder: options.folder ?? folder,
    timeoutMs: options.timeoutMs ?? 20_000,
  };
  return runner(order, options.signal ?? new AbortController().signal, () => {});
}

async function marked(): Promise<number> {
  return (await system.processes.findMarked('HOUSTON_CALL', `test-${process.pid}/call-${calls}`)).length;
}

describe('run a line', () => {
  test('gives output, exit code and the whole on disk', async () => {
    const result = await run('echo out; echo err >&2; exit 3');
    expect(result).toMatchObject({ exit: 3, endedBy: 'exit', omittedBytes: 0, ended: [], outputTrouble: null });
    expect(result.head.split('\n').sort()).toEqual(['', 'err', 'out']);
    expect(readFileSync(join(folder, 'outputs', result.output!), 'utf8')).toBe(result.head);
  });

  test('UP-40: what wants a keyboard returns by itself and sees none', async () => {
    const read = await run('read -p "name? " x; echo got:$x');
    expect(read.head).toContain('got:\n');
    const terminal = await run('echo X > /dev/tty');
    expect(terminal.exit).not.toBe(0);
    const commit = 'git -c user.name=a -c user.email=a@b commit -q --allow-empty -m';
    const pager = await run(`git init -q . && for i in 1 2 3; do ${commit} $i; done; git log --stat | cat; git log`);
    expect(pager).toMatchObject({ exit: 0, endedBy: 'exit' });
    const editor = await run('git rebase -i HEAD~2');
    expect(editor.exit).not.toBe(0);
    expect(editor.head).toContain('no editor can be opened here');
    for (const one of [read, terminal, pager, editor]) expect(one).toMatchObject({ endedBy: 'exit' });
  }, 20_000);

  test('does not hand on our credentials or what bash would run first', async () => {
    const environment = {
      PATH: process.env.PATH ?? '',
      ANTHROPIC_API_KEY: 'secret-1',
      BASH_ENV: '/x',
      'BASH_FUNC_ls%%': '() { echo hijacked; }',
      KEPT: 'yes',
    };
    const { head } = await run('env; ls /nowhere', { environment });
    expect(head).not.toContain('secret-1');
    expect(head).not.toContain('hijacked');
    expect(head).toContain('KEPT=yes');
  });

  test('CRED-5: a child has none of our credentials, not even blank ones, nor those the settings name', async () => {
    const environment = {
      PATH: process.env.PATH ?? '',
      ANTHROPIC_API_KEY: 'secret-1',
      OPENROUTER_API_KEY: 'secret-2',
      MY_TOKEN: 'secret-3',
      HOUSTON_LAUNCHER: 'ours',
      BUN_RUNTIME_TRANSPILER_CACHE_PATH: 'ours',
      BUN_GC_TIMER_DISABLE: 'ours',
      BUN_JSC_useDFGJIT: 'ours',
      BUN_JSC_thresholdForOptimizeSoon: 'ours',
      BUN_JSC_maxNumberOfWorklistThreads: 'ours',
      BUN_JSC_numberOfGCMarkers: 'ours',
      BUN_JSC_useWarmUpMarkedBlocks: 'ours',
      MIMALLOC_PURGE_DELAY: 'ours',
      MIMALLOC_PURGE_HOLES_MIN_INTERVAL: 'ours',
      MY_OTHER: 'yes',
    };
    const runner = (forPerson: boolean) =>
      createLineRunner({
        ...system,
        environment,
        secretNames: ['MY_TOKEN'],
        forPerson,
        session: `test-${process.pid}`,
        outputs: null,
      });
    const order = (call: string) => ({ call, line: 'env -0 | tr "\\0" "\\n"; ulimit -c', folder, timeoutMs: 20_000 });
    const never = new AbortController().signal;
    const child = await runner(false)(order(`c${++calls}`), never, () => {});
    expect(child.head).not.toMatch(/secret-|API_KEY|MY_TOKEN|ours|HOUSTON_LAUNCHER|TRANSPILER|GC_TIMER/);
    expect(child.head).toContain('MY_OTHER=yes');
    // The person's own line has their whole environment, without what was set for Houston alone.
    const own = await runner(true)(order(`c${++calls}`), never, () => {});
    expect(own.head).toContain('ANTHROPIC_API_KEY=secret-1');
    expect(own.head).not.toContain('ours');
  });

  test('UP-39: ends at its deadline with everything it started, re-parented and deaf to TERM', async () => {
    const result = await run('(trap "" TERM; while :; do sleep 0.2; done) & setsid sleep 60 & echo started; wait', {
      timeoutMs: 300,
    });
    expect(result.endedBy).toBe('timeout');
    expect(result.head).toContain('started');
    expect(result.ended.some((command) => command.includes('sleep 60'))).toBe(true);
    expect(await marked()).toBe(0);
  }, 15_000);

  test('UP-39: stops when told to', async () => {
    const controller = new AbortController();
    const running = run('echo begun; sleep 60', { signal: controller.signal });
    setTimeout(() => controller.abort('stopped'), 200);
    const result = await running;
    expect(result).toMatchObject({ endedBy: 'stopped', head: 'begun\n' });
    expect(await marked()).toBe(0);
  }, 15_000);

  test('returns when the shell ends though something in the background holds the pipe', async () => {
    const started = performance.now();
    const result = await run('sleep 60 & echo done');
    expect(result).toMatchObject({ exit: 0, endedBy: 'exit', head: 'done\n' });
    expect(result.ended).toEqual([expect.stringContaining('sleep 60')]);
    expect(performance.now() - started).toBeLessThan(5_000);
    expect(await marked()).toBe(0);
  }, 15_000);

  test('UP-29: keeps the ends of a huge output, whole characters only, and the file byte for byte', async () => {
    const result = await run(
      `printf 'ab'; for i in $(seq 3000); do printf '🚀🚀🚀🚀🚀🚀🚀🚀🚀🚀'; done; echo; echo FATAL 42`,
    );
    expect(result.omittedBytes).toBeGreaterThan(0);
    expect(result.head.startsWith('ab🚀')).toBe(true);
    expect(result.tail.endsWith('🚀\nFATAL 42\n')).toBe(true);
    expect(result.head + result.tail).not.toContain('\ufffd');
    expect(readFileSync(join(folder, 'outputs', result.output!), 'utf8')).toBe(`ab${'🚀'.repeat(30_000)}\nFATAL 42\n`);
    expect(result.totalBytes).toBe(2 + 120_000 + 10);
    expect(result.totalLines).toBe(2);
  });

  test('shows what is not UTF-8 with marks and saves it as it is', async () => {
    const result = await run(`printf 'caf\\xe9\\n'`);
    expect(result.head).toBe('caf\ufffd\n');
    expect([...readFileSync(join(folder, 'outputs', result.output!))]).toEqual([0x63, 0x61, 0x66, 0xe9, 0x0a]);
  });

  test('says when the folder is not there', async () => {
    await expect(run('true', { folder: join(folder, 'gone') })).rejects.toMatchObject({ code: 'ENOENT' });
  });
});

test('SBX-3: a line cannot have us read for it: the note of what it left running is no way to other files', async () => {
  writeFileSync(join(folder, 'secret'), 'CANARY\n');
  const runner = createLineRunner({
    files: system.files,
    processes: system.processes,
    clock: system.clock,
    environment: { PATH: process.env.PATH ?? '' },
    session: `test-${process.pid}`,
    outputs: null,
    scratch: folder,
  });
  const line = 'ln -s secret "$HOUSTON_SCRATCH/.left-${HOUSTON_CALL#*/}"; ls -A "$HOUSTON_SCRATCH"';
  const order = { call: 'call-1', line, folder, timeoutMs: 20_000 };
  const result = await runner(order, new AbortController().signal, () => {});
  expect(result.head).toContain('.left-call-1');
  expect(result.ended).toEqual([]);
});
