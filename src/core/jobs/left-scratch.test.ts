import { afterEach, beforeEach, expect, test } from 'bun:test';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createBunSystem } from '../../system/bun/system.ts';
import { createJobs } from './job-registry.ts';
import { makeScratch } from './left-scratch.ts';

const system = createBunSystem();
let folder = '';
let temp = '';

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'houston-left-'));
  temp = join(folder, 'temp');
  mkdirSync(temp);
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** A process that makes its scratch folder, starts a job there if a line is given, and is killed. */
async function killed(root: string, line: string | null): Promise<string> {
  const script = `
    import { createJobs } from ${JSON.stringify(join(import.meta.dir, 'job-registry.ts'))};
    import { makeScratch } from ${JSON.stringify(join(import.meta.dir, 'left-scratch.ts'))};
    import { createBunSystem } from ${JSON.stringify(join(import.meta.dir, '../../system/bun/system.ts'))};
    const system = createBunSystem();
    const root = ${JSON.stringify(root)};
    const scratch = await makeScratch({ ...system, root });
    const jobs = createJobs({ ...system, environment: { PATH: process.env.PATH }, session: 'killed-' + process.pid, outputs: null, root, lifetime: 'detached', scratch });
    const line = ${JSON.stringify(line)};
    if (line !== null) await jobs.runLine({ call: 'a', line, folder: scratch, timeoutMs: 9000, background: true }, new AbortController().signal, () => {});
    console.log(scratch);
    process.kill(process.pid, 'SIGKILL');
  `;
  const environment = { ...process.env, TMPDIR: temp };
  const child = Bun.spawn([process.execPath, '-e', script], { env: environment, stdout: 'pipe', stderr: 'inherit' });
  const scratch = (await new Response(child.stdout).text()).trim();
  writeFileSync(join(scratch, 'thrown-away'), '');
  return scratch;
}

test('the scratch folder of a process that is gone goes with its last job; one without jobs at once; no other is touched', async () => {
  const root = join(folder, 'jobs');
  const idle = await killed(root, null);
  const busy = await killed(root, 'sleep 60');
  const elsewhere = await killed(join(folder, 'other', 'jobs'), null);
  const own = (await makeScratch({
    files: { ...system.files, makeTempFolder: inTemp },
    processes: system.processes,
    root,
  }))!;
  const jobs = createJobs({
    ...system,
    environment: { PATH: process.env.PATH ?? '' },
    session: `later-${process.pid}`,
    outputs: null,
    root,
    lifetime: 'detached',
    scratch: own,
  });
  expect(await jobs.adopt()).toMatchObject([{ id: 'j1', adopted: true }]);
  await until(() => !existsSync(idle));
  expect(existsSync(join(busy, 'thrown-away'))).toBe(true);
  await jobs.stop('j1');
  expect(await jobs.remove('j1')).toBe(true);
  await jobs.close();
  expect(existsSync(busy)).toBe(false);
  expect(
    readdirSync(temp)
      .map((name) => join(temp, name))
      .sort(),
  ).toEqual([elsewhere, own].sort());
}, 20_000);

async function inTemp(prefix: string): Promise<string> {
  return mkdtempSync(join(temp, prefix));
}

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await Bun.sleep(5);
}
