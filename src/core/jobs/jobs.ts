import type { Ids } from '../../system/environment.ts';
import type { Files } from '../../system/files.ts';
import type { Channel, JobLifetime } from './job-record.ts';
import type { Confine, RunLine } from './line.ts';
import type { LineParts } from './run-line.ts';

/** What is known of one command that is or was a job. */
export interface JobFacts {
  /** `j1`, `j2`, …: fresh in every process. */
  readonly id: string;
  readonly command: string;
  readonly purpose: string;
  readonly folder: string;
  readonly by: 'model' | 'person';
  /** The call it belongs to. */
  readonly call: string;
  readonly reads: 'text' | 'ref';
  readonly log: string;
  readonly terminal: boolean;
  /** False while somebody waits for it to end. */
  readonly background: boolean;
  /** Started by a process that is gone. */
  readonly adopted: boolean;
  readonly state: 'running' | 'stopping' | 'ended' | 'stopped';
  readonly exit: number | null;
  /** Milliseconds since the epoch. */
  readonly started: number;
  readonly ended: number | null;
  /** What is to be said besides of how it ended; empty for nothing. */
  readonly note: string;
  readonly lifetime: JobLifetime;
}

/** How a wait for a job ended. */
export type JobWait = 'ended' | 'output' | 'time' | 'message' | 'stopped';

/** A part of what a job printed. */
export interface JobOutput {
  readonly text: string;
  /** Bytes of the log in all. */
  readonly totalBytes: number;
  /** Whether `text` begins behind the log's beginning. */
  readonly cut: boolean;
}

/**
 * Every command that runs here, and those that run on by themselves (SC-29). Each is started the same way, under a small
 * supervisor that writes how it ended; in the foreground its caller waits, that is all the difference.
 */
export interface Jobs {
  /** The model's lines, confined. */
  readonly runLine: RunLine;
  /** The person's own. */
  readonly runOwnLine: RunLine;
  /** All that there are, oldest first; those that ended in their own call are not among them. */
  readonly all: readonly JobFacts[];
  /** By `j1`, `1` or `job:1`. */
  find(name: string): JobFacts | null;
  /** Makes a job of a command somebody waits for; false where there is none. */
  background(id: string): boolean;
  /** Ends it with everything it started; resolves when it has ended. False where it does not run. */
  stop(id: string, note?: string): Promise<boolean>;
  /** Lets go every wait in this moment; the commands go on (SC-29.9). */
  releaseWaits(): void;
  /** Waits until it ends, until it printed something new (`fresh`) or a text, or for so long. */
  wait(
    id: string,
    until: { readonly ms: number; readonly text: string | null; readonly fresh?: boolean },
    signal: AbortSignal,
  ): Promise<JobWait>;
  /** The last `bytes` of what it printed, as it came: for whoever shows a terminal. */
  tail(id: string, bytes: number): Promise<JobOutput>;
  /** The same for reading: of a terminal, the end of the text that was left on it. */
  text(id: string, bytes: number): Promise<JobOutput>;
  /** What it printed since this was last asked, for reading; at most the last `bytes` of it. */
  unread(id: string, bytes: number): Promise<JobOutput>;
  /** Calls back with what it prints from now on, until taken back. */
  watch(id: string, listener: (text: string) => void): () => void;
  /** Keys for a job on a terminal; false where it has none. */
  write(id: string, bytes: Uint8Array): boolean;
  resize(id: string, columns: number, rows: number): boolean;
  /** Forgets one that has ended, with what is kept of it. */
  remove(id: string): Promise<boolean>;
  /** Jobs whose end is to be told on this channel; those still running are not among them. */
  untold(channel: Channel): readonly JobFacts[];
  /** On the disk before it resolves: what is told twice was told once too often. */
  markTold(ids: readonly string[], channel: Channel): Promise<void>;
  /** Takes over what other processes, dead now, left running or ended untold (SC-29.19). */
  adopt(): Promise<readonly JobFacts[]>;
  /** Ends those that live no longer than their turn. */
  turnEnded(): Promise<void>;
  /** Something of what is listed changed. */
  onChange(listener: () => void): void;
  /** Leaves running what outlives a session; everything else ends, and is forgotten. True where something was left. */
  close(): Promise<boolean>;
}

export interface JobsParts extends Omit<LineParts, 'files' | 'forPerson' | 'confine'> {
  readonly files: Files;
  readonly ids: Pick<Ids, 'hex'>;
  /** `jobs/` of the state folder. */
  readonly root: string;
  readonly lifetime: JobLifetime;
  readonly confine?: Confine;
}

/** Finished jobs that are kept; the oldest goes first, one that runs never (SC-29.17). */
export const KEPT_FINISHED = 50;
