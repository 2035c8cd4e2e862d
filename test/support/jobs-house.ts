import type { JobLifetime } from '../../src/core/jobs/job-record.ts';
import { createJobs } from '../../src/core/jobs/job-registry.ts';
import type { Jobs } from '../../src/core/jobs/jobs.ts';
import type { AuditEvent } from '../../src/core/policy/audit.ts';
import type { ControllerOptions } from '../../src/core/session/controller.ts';
import { createTools } from '../../src/core/tools/registry.ts';
import type { Item, ItemOf, View } from '../../src/protocol/view.ts';
import type { ProgramRun } from '../../src/system/memory/processes.ts';
import { createMemorySystem, type MemorySystem } from '../../src/system/memory/system.ts';
import type { ProcessFacts } from '../../src/system/processes.ts';
import { type House, openHouse, SESSION_FOLDER } from './controller.ts';
import type { ScriptEntry, ScriptedModel } from './script.ts';
import { scriptedModel } from './script.ts';

export const JOBS = '/home/pat/state/jobs';

export interface JobsHouse {
  readonly house: House;
  readonly jobs: Jobs;
  readonly model: ScriptedModel;
  readonly system: MemorySystem;
  readonly audit: readonly AuditEvent[];
  /** Its process is gone from here on, as by SIGKILL; programs it started go on. */
  die(): void;
}

export interface JobsHouseOptions
  extends Partial<Pick<ControllerOptions, 'jobsWake' | 'canAsk' | 'redact' | 'rules' | 'skills' | 'mode'>> {
  readonly system?: MemorySystem;
  readonly lifetime?: JobLifetime;
  readonly outputs?: string | null;
  /** The process it runs in: a later one has another number. */
  readonly pid?: number;
  readonly repeatLast?: boolean;
  /** Why there is no model. */
  readonly problem?: { readonly identifier: string; readonly message: string };
  /** Houston's own. */
  readonly environment?: Readonly<Record<string, string>>;
}

/** A session in memory whose commands are jobs; any line may run. The supervisor's last word is written by `program`. */
export async function openJobsHouse(
  script: readonly ScriptEntry[],
  options: JobsHouseOptions = {},
): Promise<JobsHouse> {
  const {
    lifetime = 'detached',
    pid = 1000,
    outputs = `${SESSION_FOLDER}/outputs`,
    repeatLast = true,
    environment = { PATH: '/usr/bin:/bin' },
    ...given
  } = options;
  const system = options.system ?? createMemorySystem();
  system.processes.install('bash', 'build', 'serve', 'sleep', 'false');
  let dead = false;
  const jobs = createJobs({
    ...system,
    files: mortal(system.files, () => dead),
    processes: asProcess(system, pid),
    environment,
    session: 's1',
    outputs,
    root: JOBS,
    lifetime,
  });
  const model = scriptedModel(script, { repeatLast, clock: system.clock });
  const audit: AuditEvent[] = [];
  const house = await openHouse({
    script: model,
    tools: createTools(),
    mode: 'bypass',
    bypassOffered: true,
    ...given,
    system,
    jobs,
    runLine: jobs.runLine,
    runOwnLine: jobs.runOwnLine,
    trail: {
      audit: (event) => audit.push(event),
      read: async () => ({ total: 0, from: 0, lines: [] }),
      close: async () => {},
    },
  });
  const die = (): void => {
    dead = true;
    system.crash({ kill: true });
  };
  return { house, jobs, model, system, audit, die };
}

/** Scripts a line; as under a true supervisor, its status is written when it ends, whoever is there to see it. */
export function program(system: MemorySystem, line: string, play: (run: ProgramRun) => Promise<number> | number): void {
  system.processes.script(
    (argv) => argv.at(-1) === line,
    async (run) => {
      const place = run.argv[3] ?? '';
      const code = await play(run);
      if (place.startsWith('/')) system.files.seed(await moved(system, place), `${code}\n`);
      return code;
    },
  );
}

/** The exit file is held open: it is written wherever its folder was moved to. */
async function moved(system: MemorySystem, place: string): Promise<string> {
  if ((await system.files.stat(place.slice(0, place.lastIndexOf('/')))) !== null) return place;
  for (const owner of await system.files.list(JOBS).catch(() => []))
    for (const job of await system.files.list(`${JOBS}/${owner.name}`))
      if ((await system.files.stat(`${JOBS}/${owner.name}/${job.name}/exit`)) === null)
        return `${JOBS}/${owner.name}/${job.name}/exit`;
  return place;
}

/** Files of a process: once it is dead nothing it asks for comes back, and nothing is done. */
function mortal(files: MemorySystem['files'], isDead: () => boolean): MemorySystem['files'] {
  return new Proxy(files, {
    get: (target, name, receiver) => {
      const value: unknown = Reflect.get(target, name, receiver);
      if (typeof value !== 'function') return value;
      return (...given: unknown[]) => (isDead() ? new Promise(() => {}) : Reflect.apply(value, target, given));
    },
  });
}

/** The processes of a system, seen from a process of this number; no other such process is alive but it. */
function asProcess(system: MemorySystem, pid: number): MemorySystem['processes'] {
  const { processes } = system;
  const own: ProcessFacts = { pid, parent: 1, group: pid, session: pid, startTime: `began-${pid}`, command: 'houston' };
  return new Proxy(processes, {
    get: (target, name, receiver) => {
      if (name === 'ownPid') return pid;
      if (name === 'facts')
        return async (asked: number) => (asked === pid ? own : asked === 1000 ? null : target.facts(asked));
      return Reflect.get(target, name, receiver);
    },
  });
}

export function callsOf(view: View): ItemOf<'call'>[] {
  return view.transcript.items.filter((item: Item): item is ItemOf<'call'> => item.kind === 'call');
}

export function notesOf(view: View, identifier: string): string[] {
  return view.transcript.items.flatMap((item) =>
    item.kind === 'note' && item.identifier === identifier ? [item.text] : [],
  );
}
