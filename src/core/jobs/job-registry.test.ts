// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are words of a shell
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { mkdtempSync, readdirSync, readFileSync, rmSync, truncateSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createBunSystem } from '../../system/bun/system.ts';
import { createMemorySystem } from '../../system/memory/system.ts';
import { createJobs } from './job-registry.ts';
import { type Jobs, type JobsParts, KEPT_FINISHED } from './jobs.ts';
import type { LineOrder, LineResult } from './line.ts';

const system = createBunSystem();
const NEVER = new AbortController().signal;
let folder = '';
let calls = 0;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'houston-jobs-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function open(more: Partial<JobsParts> = {}): Jobs {
  return createJobs({
    ...system,
    environment: { PATH: process.env.PATH ?? '', HOME: folder },
    session: `jobs-${process.pid}`,
    outputs: join(folder, 'outputs'),
    root: join(folder, 'jobs'),
    lifetime: 'detached',
    ...more,
  });
}

function order(line: string, more: Partial<LineOrder> = {}): LineOrder {
  return { call: `c${++calls}`, line, folder, timeoutMs: 20_000, ...more };
}

const run = (jobs: Jobs, line: string, more: Partial<LineOrder> = {}): Promise<LineResult> =>
  jobs.runLine(order(line, more), NEVER, () => {});
const ended = (jobs: Jobs, id: string) => jobs.wait(id, { ms: 15_000, text: null }, NEVER);
const placeOf = (): string => join(folder, 'jobs', readdirSync(join(folder, 'jobs'))[0]!);

describe('commands under a supervisor', () => {
  test('SC-29.1, SC-29.2: one log for both streams, a record and an exit status on the disk, a session of its own', async () => {
    const jobs = open();
    const line = 'echo out; echo err >&2; ps -o sid= -p $$ | tr -d " "; exit 3';
    expect(await run(jobs, line, { background: true })).toMatchObject({ endedBy: 'background', job: 'j1' });
    await ended(jobs, 'j1');
    const [out, err, session] = readFileSync(jobs.all[0]!.log, 'utf8').split('\n');
    expect([out, err]).toEqual(['out', 'err']);
    const place = join(placeOf(), 'j1');
    expect(readFileSync(join(place, 'exit'), 'utf8')).toBe('3\n');
    const record = JSON.parse(readFileSync(join(place, 'job.json'), 'utf8'));
    expect(record).toMatchObject({ command: line, pid: Number(session), told: [] });
    expect(record.startTime).toMatch(/^[0-9a-f]{8}-\d+$/);
    expect(await jobs.close()).toBe(false);
    expect(readdirSync(join(folder, 'jobs'))).toEqual([]);
  }, 20_000);

  test('SC-29.3: j1, j2, …; no input; its own folder; a launch that fails leaves nothing', async () => {
    const jobs = open();
    const first = await run(jobs, 'pwd; cat; [ -t 0 ] || echo no terminal');
    expect(first.head).toBe(`${folder}\nno terminal\n`);
    const nowhere = run(jobs, 'true', { folder: join(folder, 'nowhere') });
    expect(nowhere).rejects.toThrow('could not be started');
    await nowhere.catch(() => {});
    expect((await run(jobs, 'sleep 30', { background: true })).job).toBe('j3');
    expect(readdirSync(placeOf())).toEqual(['j3']);
    await jobs.stop('j3');
    await jobs.close();
  }, 20_000);

  test('UP-39, SC-29.16: stopping ends the whole tree, what ignores TERM too, and what left its group', async () => {
    const jobs = open();
    const tree = `(trap "" TERM; while :; do sleep 0.2; done) & setsid sleep 77 & sleep 78 & wait`;
    await run(jobs, tree, { background: true });
    const marked = () => system.processes.findMarked('HOUSTON_CALL', `jobs-${process.pid}/c${calls}`);
    while ((await marked()).length < 5) await system.clock.sleep(20);
    const began = performance.now();
    const stopping = jobs.stop('j1', 'stopped by the person');
    // Marked at once; nobody waits for the rest.
    expect(jobs.find('j1')?.state).toBe('stopping');
    await stopping;
    expect(performance.now() - began).toBeLessThan(5000);
    expect(await marked()).toEqual([]);
    expect(jobs.find('j1')).toMatchObject({ state: 'stopped', note: 'stopped by the person' });
    await jobs.close();
  }, 20_000);

  test('what it left running ends with it, and is named', async () => {
    const jobs = open();
    const result = await run(jobs, 'sleep 66 & sleep 0.1; echo on');
    expect(result).toMatchObject({ head: 'on\n', exit: 0, endedBy: 'exit', ended: ['sleep 66'] });
    await jobs.close();
  }, 20_000);

  test('a log that is gone reads as empty (SC-29.6); a part says that it is one', async () => {
    const jobs = open();
    await run(jobs, 'echo 0123456789; sleep 0.5', { background: true });
    await ended(jobs, 'j1');
    expect(await jobs.tail('j1', 4)).toEqual({ text: '789\n', totalBytes: 11, cut: true });
    truncateSync(jobs.all[0]!.log, 0);
    rmSync(jobs.all[0]!.log);
    expect(await jobs.tail('j1', 100)).toEqual({ text: '', totalBytes: 0, cut: false });
    await jobs.close();
  }, 20_000);

  test('a command on a terminal takes keys and a size, and knows who it is talking to', async () => {
    const jobs = open();
    const seen: string[] = [];
    await run(jobs, 'stty size; read -s -p "name? " x; echo; echo "got ${x}"; stty size', {
      terminal: true,
      background: true,
    });
    jobs.watch('j1', (text) => seen.push(text));
    await jobs.wait('j1', { ms: 5000, text: 'name?' }, NEVER);
    expect(jobs.resize('j1', 91, 17)).toBe(true);
    expect(jobs.write('j1', new TextEncoder().encode('ann\r'))).toBe(true);
    await ended(jobs, 'j1');
    const { text } = await jobs.tail('j1', 1000);
    expect(text.replaceAll('\r', '')).toBe('30 100\nname? \ngot ann\n17 91\n');
    expect(seen.join('')).toContain('got ann');
    expect(jobs.write('j1', new Uint8Array([65]))).toBe(false);
    await jobs.close();
  }, 20_000);

  test('a killed process leaves its job running; of two that come at once one takes it over (SC-29.19)', async () => {
    const script = `
      import { createJobs } from ${JSON.stringify(join(import.meta.dir, 'job-registry.ts'))};
      import { createBunSystem } from ${JSON.stringify(join(import.meta.dir, '../../system/bun/system.ts'))};
      const system = createBunSystem();
      const jobs = createJobs({ ...system, environment: { PATH: process.env.PATH }, session: 'killed-' + process.pid, outputs: null, root: ${JSON.stringify(join(folder, 'jobs'))}, lifetime: 'detached' });
      const never = new AbortController().signal;
      await jobs.runLine({ call: 'a', line: 'sleep 1; echo survived; exit 5', folder: ${JSON.stringify(folder)}, timeoutMs: 9000, background: true }, never, () => {});
      void jobs.runLine({ call: 'b', line: 'sleep 1; echo awaited', folder: ${JSON.stringify(folder)}, timeoutMs: 9000 }, never, () => {});
      while (jobs.all.length < 2) await Bun.sleep(5);
      process.kill(process.pid, 'SIGKILL');
    `;
    const child = Bun.spawn([process.execPath, '-e', script], { stdout: 'inherit', stderr: 'inherit' });
    await child.exited;
    const one = open({ outputs: null });
    const other = open({ outputs: null });
    const [here, there] = await Promise.all([one.adopt(), other.adopt()]);
    expect([...here, ...there].map(({ command }) => command).sort()).toEqual([
      'sleep 1; echo awaited',
      'sleep 1; echo survived; exit 5',
    ]);
    const all = [one, other].flatMap((jobs) => jobs.all.map((job) => ({ jobs, job })));
    for (const { jobs, job } of all) await ended(jobs, job.id);
    const survived = all.find(({ job }) => job.command.includes('survived'))!;
    expect(survived.jobs.find(survived.job.id)).toMatchObject({
      state: 'ended',
      exit: 5,
      adopted: true,
      background: true,
    });
    expect((await survived.jobs.tail(survived.job.id, 100)).text).toBe('survived\n');
    expect([...one.untold('ui'), ...other.untold('ui')]).toHaveLength(2);
    await one.close();
    await other.close();
    expect(readdirSync(join(folder, 'jobs'))).toEqual([]);
  }, 30_000);

  test('a job on a terminal is read as the text it left there, and shown as it came', async () => {
    const jobs = open();
    const line =
      "printf '\\033[31mred\\033[0m\\n10%%\\r50%%\\r'; read -r word; printf 'pass\\033[1mword: %s\\033[0m\\033[K\\n' $word";
    await run(jobs, line, { background: true, terminal: true });
    await jobs.wait('j1', { ms: 15_000, text: '50%' }, NEVER);
    expect((await jobs.unread('j1', 1000)).text).toBe('red\n50%');
    expect((await jobs.unread('j1', 1000)).text).toBe('');
    const sought = jobs.wait('j1', { ms: 15_000, text: 'password' }, NEVER);
    jobs.write('j1', new TextEncoder().encode('mellon\r'));
    expect(['output', 'ended']).toContain(await sought);
    await ended(jobs, 'j1');
    expect((await jobs.unread('j1', 1000)).text).toBe('mellon\npassword: mellon');
    expect((await jobs.text('j1', 1000)).text).toBe('red\nmellon\npassword: mellon');
    expect(await jobs.text('j1', 8)).toMatchObject({ text: ': mellon', cut: true });
    expect((await jobs.tail('j1', 1000)).text).toContain('\x1b[31mred');
    await jobs.remove('j1');
    await jobs.close();
  }, 30_000);

  test('UP-40: what wants a keyboard has none and returns by itself', async () => {
    const jobs = open();
    expect((await run(jobs, 'read -p "name? " x; echo got:$x')).head).toContain('got:\n');
    expect((await run(jobs, 'echo X > /dev/tty')).exit).not.toBe(0);
    await jobs.close();
  }, 20_000);
});

describe('in memory', () => {
  function house() {
    const memory = createMemorySystem();
    memory.processes.install('bash');
    const make = (more: Partial<JobsParts> = {}): Jobs =>
      createJobs({
        ...memory,
        environment: { PATH: '/usr/bin' },
        session: 's',
        outputs: null,
        root: '/yard/jobs',
        lifetime: 'detached',
        ...more,
      });
    return { memory, make };
  }
  const background = (line: string): LineOrder => ({
    call: `m${++calls}`,
    line,
    folder: '/yard',
    timeoutMs: 1e6,
    background: true,
  });

  test('SC-29.17: fifty that ended are kept with their folders, the oldest goes first, one that runs never', async () => {
    const { memory, make } = house();
    memory.processes.script('forever', { duration: Number.POSITIVE_INFINITY });
    memory.processes.script('quick', { out: 'x' });
    const jobs = make();
    await jobs.runLine(background('forever'), NEVER, () => {});
    for (let count = 0; count < 100; count++) await jobs.runLine(background('quick'), NEVER, () => {});
    await memory.clock.settle();
    expect(jobs.all).toHaveLength(KEPT_FINISHED + 1);
    expect(jobs.all[0]?.id).toBe('j1');
    expect(jobs.all[1]?.id).toBe('j52');
    // A hundred that ended cost no process, and no timer but the one for what runs.
    expect(memory.processes.running).toHaveLength(1);
    const [owner] = await memory.files.list('/yard/jobs');
    expect(await memory.files.list(`/yard/jobs/${owner?.name}`)).toHaveLength(KEPT_FINISHED + 1);
  });

  test('a disk that is full: the command runs all the same, only not as a job', async () => {
    const { memory, make } = house();
    memory.processes.script('quick', { out: 'x', exit: 4 });
    const files = Object.assign(Object.create(memory.files), {
      writeAtomic: async () => {
        const { SystemError } = await import('../../system/files.ts');
        throw new SystemError('ENOSPC', 'no space left on device');
      },
    });
    const jobs = make({ files });
    const result = await memory.clock.runUntil(
      jobs.runLine({ ...background('quick'), background: false }, NEVER, () => {}),
    );
    expect(result).toMatchObject({ head: 'x', exit: 4, job: null });
    expect(jobs.all).toEqual([]);
  });

  test('SC-29.10: letting waits go counts for the moment alone: what is waited for later is waited for', async () => {
    const { memory, make } = house();
    memory.processes.script('long', { duration: 5000 });
    const jobs = make();
    jobs.releaseWaits();
    const first = jobs.runLine({ ...background('long'), background: false }, NEVER, () => {});
    await memory.clock.advance(1000);
    expect(jobs.all[0]?.background).toBe(false);
    jobs.releaseWaits();
    expect(await first).toMatchObject({ endedBy: 'background', movedBy: 'message' });
    await memory.clock.advance(10_000);
    expect(jobs.all[0]?.state).toBe('ended');
  });

  test('SC-29.5: what runs unseen is looked at once a second, and nothing is where nothing runs', async () => {
    const { memory, make } = house();
    memory.processes.script('long', { duration: 10_000 });
    const jobs = make();
    let looks = 0;
    const stat = memory.files.stat.bind(memory.files);
    memory.files.stat = async (path: string) => {
      if (path.endsWith('/log')) looks++;
      return stat(path);
    };
    await jobs.runLine(background('long'), NEVER, () => {});
    looks = 0;
    await memory.clock.advance(5000);
    expect(looks).toBeGreaterThanOrEqual(4);
    expect(looks).toBeLessThanOrEqual(6);
    await memory.clock.advance(20_000);
    looks = 0;
    await memory.clock.advance(60_000);
    expect(looks).toBe(0);
    expect(memory.clock.timers).toBe(0);
  });
});

test('the folder of jobs holds nothing others may read', async () => {
  const jobs = open();
  await run(jobs, 'sleep 30', { background: true });
  const { mode } = (await system.files.stat(join(placeOf(), 'j1')))!;
  expect(mode & 0o077).toBe(0);
  expect((await system.files.stat(join(placeOf(), 'j1', 'job.json')))!.mode & 0o077).toBe(0);
  await jobs.stop('j1');
  await jobs.close();
}, 20_000);
