import { join } from 'node:path';
import type { Json } from '../../base/json.ts';
import { type Files, SystemError } from '../../system/files.ts';
import type { ProcessFacts } from '../../system/processes.ts';

/** How long a job may live: past everything, until its session's end, or until the end of the turn that started it. */
export type JobLifetime = 'detached' | 'session' | 'turn';

/** What is on the disk of a job, so that a later process can take it over. */
export interface JobRecord {
  readonly command: string;
  /** What it is for, in the words of whoever started it; empty where nobody said. */
  readonly purpose: string;
  readonly folder: string;
  readonly session: string;
  /** The mark in the environment of each of its processes. */
  readonly mark: string;
  readonly by: 'model' | 'person';
  /** The call it belongs to. */
  readonly call: string;
  /** Whether the model may read what it prints: decided when it started, and never again (JOB-9). */
  readonly reads: 'text' | 'ref';
  readonly log: string;
  /** The folder for throw-away files it was given; null for none. */
  readonly scratch: string | null;
  readonly lifetime: JobLifetime;
  readonly background: boolean;
  readonly terminal: boolean;
  readonly holdsTree: boolean;
  /** Milliseconds since the epoch. */
  readonly started: number;
  /** Its supervisor; the start time names it for good, machine start included. Null until it runs. */
  readonly pid: number | null;
  readonly startTime: string | null;
  readonly stopped: boolean;
  /** Channels on which its end was told, each at most once (SC-29.12). */
  readonly told: readonly Channel[];
}

export type Channel = 'ui' | 'model';

export const RECORD = 'job.json';
export const EXIT = 'exit';

const MOST_RECORD_BYTES = 1024 * 1024;

export async function writeRecord(files: Files, place: string, record: JobRecord): Promise<void> {
  const bytes = new TextEncoder().encode(`${JSON.stringify(record)}\n`);
  await files.writeAtomic(join(place, RECORD), bytes, { mode: 0o600, flush: false });
}

/** Null where there is none, or one that is not whole. */
export async function readRecord(files: Files, place: string): Promise<JobRecord | null> {
  try {
    return recordOf(JSON.parse(new TextDecoder().decode(await files.read(join(place, RECORD), MOST_RECORD_BYTES))));
  } catch (error) {
    if (error instanceof SystemError || error instanceof SyntaxError) return null;
    throw error;
  }
}

const TEXTS = ['command', 'purpose', 'folder', 'session', 'mark', 'call', 'log'] as const;
const FLAGS = ['background', 'terminal', 'holdsTree', 'stopped'] as const;

function recordOf(value: Json): JobRecord | null {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return null;
  const record = value as Readonly<Record<string, Json>>;
  const { pid, startTime, started, told, lifetime, by, reads } = record;
  const isWhole =
    TEXTS.every((name) => typeof record[name] === 'string') &&
    FLAGS.every((name) => typeof record[name] === 'boolean') &&
    (pid === null || Number.isSafeInteger(pid)) &&
    (startTime === null || typeof startTime === 'string') &&
    typeof started === 'number' &&
    Array.isArray(told) &&
    (lifetime === 'detached' || lifetime === 'session' || lifetime === 'turn') &&
    (by === 'model' || by === 'person') &&
    (reads === 'text' || reads === 'ref');
  // Records of older builds name none.
  const scratch = typeof record.scratch === 'string' ? record.scratch : null;
  return isWhole ? { ...(record as unknown as JobRecord), scratch } : null;
}

/** The folder of one process's jobs says in its name whose it is: a number used again does not start at the same time. */
export function ownerFolder(owner: Pick<ProcessFacts, 'pid' | 'startTime'>, unique: string): string {
  return `${owner.pid}~${plain(owner.startTime)}~${unique}`;
}

/** Whether `facts` are those of the process such a folder belongs to; null for a name that is none. */
export function isOwner(folder: string, facts: (pid: number) => Promise<ProcessFacts | null>): Promise<boolean> | null {
  const [, pid, startTime] = /^(\d+)~([^~]*)~[^~]*$/.exec(folder) ?? [];
  if (pid === undefined) return null;
  return facts(Number(pid)).then((found) => found !== null && plain(found.startTime) === startTime);
}

const plain = (text: string): string => text.replace(/[^\w.-]/g, '_');
