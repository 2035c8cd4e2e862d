import { basename, join } from 'node:path';
import type { Clock } from '../../system/clock.ts';
import { type Files, SystemError } from '../../system/files.ts';
import type { Child, Exit, Processes, ProcessFacts } from '../../system/processes.ts';
import { CALL_MARK } from './child-environment.ts';
import { endTree } from './end-tree.ts';
import { EXIT, isOwner, type JobRecord, readRecord } from './job-record.ts';
import { exitOf } from './supervise.ts';

export interface AdoptParts {
  readonly files: Files;
  readonly processes: Processes;
  readonly clock: Clock;
  readonly root: string;
  /** Our own folder in it. */
  readonly own: string;
  /** A new id and the folder it gets. */
  readonly next: () => { readonly id: string; readonly place: string };
}

export interface Adopted {
  readonly id: string;
  readonly place: string;
  readonly record: JobRecord;
  readonly child: Child;
}

/** How often one that is not our child is looked at, in milliseconds. */
const LOOK_EVERY = 1000;

/**
 * Takes over the jobs of processes that are dead. A job's folder is moved into ours: whoever moves it has it, so that two
 * processes that come at the same time never both take it. What need not be told of any more is removed.
 */
export async function adoptJobs(parts: AdoptParts): Promise<Adopted[]> {
  const { files, processes, root } = parts;
  const owners = await files.list(root).catch(nothing);
  const adopted: Adopted[] = [];
  for (const owner of owners) {
    if (owner.kind !== 'folder' || owner.name === basename(parts.own)) continue;
    if ((await isOwner(owner.name, processes.facts)) !== false) continue;
    const folder = join(root, owner.name);
    for (const job of await files.list(folder).catch(nothing)) {
      const taken = await take(parts, join(folder, job.name));
      if (taken !== null) adopted.push(taken);
    }
    // Not empty while another process is at it: that one removes it.
    await files.remove(folder).catch(nothing);
  }
  return adopted;
}

/** Null where another process took it, where nothing was left of it, or nothing is to be said. */
async function take(parts: AdoptParts, from: string): Promise<Adopted | null> {
  const { files, processes } = parts;
  const { id, place } = parts.next();
  try {
    await files.rename(from, place);
  } catch (error) {
    if (error instanceof SystemError) return null;
    throw error;
  }
  const record = await readRecord(files, place);
  const forget = () => files.remove(place, { recursive: true }).catch(() => undefined);
  if (record === null) {
    await forget();
    return null;
  }
  const supervisor = await findSupervisor(processes, record);
  const exit = await files.read(join(place, EXIT), 16).then(exitOf, () => null);
  const runs = supervisor !== null && exit === null;
  // One that lives no longer than its session or its turn has outlived both; one that is being stopped was not stopped yet.
  if (runs && (record.lifetime !== 'detached' || record.stopped)) {
    await endTree(parts, otherChild(parts, supervisor.pid, supervisor.startTime), record.mark, record.holdsTree);
    await forget();
    return null;
  }
  const untold = record.background && !record.told.includes('ui');
  if (!runs && !untold) {
    await endLeft(parts, record);
    await forget();
    return null;
  }
  // A log in the job's own folder was moved with it.
  const log = record.log.startsWith(`${parts.root}/`) ? join(place, basename(record.log)) : record.log;
  const now: JobRecord = { ...record, background: true, log };
  if (supervisor !== null)
    return { id, place, record: now, child: otherChild(parts, supervisor.pid, supervisor.startTime) };
  return { id, place, record: now, child: goneChild(record.pid ?? 0) };
}

/** By pid and start time; by its mark, where its starter died before it could write those down. */
async function findSupervisor(processes: Processes, record: JobRecord): Promise<ProcessFacts | null> {
  if (record.pid !== null) {
    const facts = await processes.facts(record.pid);
    return facts !== null && facts.startTime === record.startTime ? facts : null;
  }
  const marked = await processes.findMarked(CALL_MARK, record.mark);
  return marked.find(({ pid, group }) => pid === group) ?? null;
}

/** What a line left running whose starter was not there to end it. */
async function endLeft(parts: AdoptParts, record: JobRecord): Promise<void> {
  await endTree(parts, goneChild(record.pid ?? 0), record.mark, false);
}

/** A process we did not start: looked at now and then, since nobody tells us of its end. */
function otherChild({ processes, clock }: AdoptParts, pid: number, startTime: string): Child {
  const wait = async (): Promise<Exit> => {
    while ((await processes.facts(pid))?.startTime === startTime) await clock.sleep(LOOK_EVERY);
    return UNKNOWN;
  };
  return {
    ...goneChild(pid),
    exited: wait(),
    signal: (name) => (name === 'TERM' || name === 'KILL' ? processes.signalGroup(pid, name) : false),
  };
}

const UNKNOWN: Exit = { code: null, signal: null };

function goneChild(pid: number): Child {
  return {
    pid,
    exited: Promise.resolve(UNKNOWN),
    write: async () => {},
    closeInput: () => {},
    signal: () => false,
    release: () => {},
  };
}

const nothing = (error: unknown): [] => {
  if (error instanceof SystemError) return [];
  throw error;
};
