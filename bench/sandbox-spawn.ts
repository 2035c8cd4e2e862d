// What confining a command costs: `bun bench/sandbox-spawn.ts [RUNS]`. Medians in milliseconds of `bash -c :`, by turns.
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { createLineRunner } from '../src/core/jobs/run-line.ts';
import { type SandboxWish, settleSandbox } from '../src/core/sandbox/settle-sandbox.ts';
import { createBunSystem } from '../src/system/bun/system.ts';

const RUNS = Number(process.argv[2] ?? 60);
const system = createBunSystem();
const { files, processes, clock } = system;
const top = realpathSync(mkdtempSync('/var/tmp/houston-bench-'));
const workspace = join(top, 'home/project');
mkdirSync(workspace, { recursive: true });
const environment = { PATH: process.env.PATH ?? '', HOME: join(top, 'home') };

async function runnerFor(mode: SandboxWish['mode']): Promise<() => Promise<number>> {
  const scope = { workspace, roots: [], own: [], home: join(top, 'home'), temp: '/tmp', scratch: null, environment, userId: process.getuid?.() ?? 0 };
  const settled = await settleSandbox(system, { mode, asked: 'bench', network: 'open' }, scope);
  if (settled.state === 'refused') throw new Error(settled.description);
  const run = createLineRunner({ files, processes, clock, environment, session: 'bench', outputs: null, confine: settled.confine });
  let calls = 0;
  return async () => {
    const begun = performance.now();
    await run({ call: `${mode}-${calls++}`, line: ':', folder: workspace, timeoutMs: 10_000 }, new AbortController().signal, () => {});
    return performance.now() - begun;
  };
}

const median = (times: number[]): number => times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)]!;
const modes = ['off', 'standard', 'strict'] as const;
const runners = await Promise.all(modes.map(runnerFor));
const times = modes.map((): number[] => []);
for (let round = -5; round < RUNS; round++)
  for (const [index, run] of runners.entries()) {
    const took = await run();
    if (round >= 0) times[index]!.push(took);
  }
const without = median(times[0]!);
for (const [index, mode] of modes.entries()) {
  const took = median(times[index]!);
  console.log(`${mode.padEnd(10)} ${took.toFixed(1).padStart(6)} ms${index === 0 ? '' : `   +${(took - without).toFixed(1)} ms`}`);
}
rmSync(top, { recursive: true, force: true });
