import { join } from 'node:path';
import { type AppendFile, type Files, SystemError } from '../../system/files.ts';
import type { Child, TerminalChild } from '../../system/processes.ts';
import { endTree } from './end-tree.ts';
import { createJobLog, type JobLog } from './job-log.ts';
import { EXIT, type JobRecord, writeRecord } from './job-record.ts';
import type { JobFacts } from './jobs.ts';
import { createProgress, type Progress } from './progress.ts';
import { endedWith, type LineParts, type PreparedLine } from './run-line.ts';
import { exitOf } from './supervise.ts';

/** A command under its supervisor, while this process knows of it. */
export interface RunningJob {
  readonly facts: JobFacts;
  readonly place: string;
  readonly log: JobLog;
  /** Milliseconds it has run, or ran. */
  readonly duration: number;
  readonly terminal: TerminalChild | null;
  /** Settles when it and all it started have ended and the log was read to its end: what had to be ended with it. */
  readonly done: Promise<readonly string[]>;
  record: JobRecord;
  /** Writes down what changed of its record; a disk that is full is borne. */
  keep(changes: Partial<JobRecord>): Promise<void>;
  stop(note: string): void;
  listen(listener: (text: string) => void): () => void;
  readonly heard: boolean;
}

/** Bytes kept at each end for the model. */
const KEPT = 16 * 1024;

export interface RunningParts {
  readonly files: Files;
  readonly processes: LineParts['processes'];
  readonly clock: LineParts['clock'];
  readonly onChange: () => void;
}

export interface Started {
  readonly id: string;
  readonly place: string;
  readonly record: JobRecord;
  readonly child: Child;
  readonly terminal: TerminalChild | null;
  readonly prepared: PreparedLine | null;
  readonly adopted: boolean;
  /** What of a terminal's output is not in the log yet. */
  readonly written?: () => Promise<void>;
}

export function runningJob(parts: RunningParts, started: Started): RunningJob {
  const { files, clock } = parts;
  const { child, place, prepared } = started;
  let { record } = started;
  let state: JobFacts['state'] = 'running';
  let exit: number | null = null;
  let ended: number | null = null;
  let note = '';
  let endedTree: Promise<readonly string[]> | null = null;
  let keeping: Promise<void> = Promise.resolve();
  const begun = clock.ticks() - Math.max(0, clock.now() - record.started);
  let lasted: number | null = null;
  const listeners = new Map<(text: string) => void, Progress>();
  const log = createJobLog(files, record.log, KEPT, (bytes) => {
    for (const progress of listeners.values()) progress.push(bytes);
  });
  const end = (): Promise<readonly string[]> => endTree(parts, child, record.mark, record.holdsTree);

  const finish = async (): Promise<readonly string[]> => {
    const own = await child.exited;
    lasted = clock.ticks() - begun;
    const found = await (endedTree ?? end());
    const named = prepared === null ? found : await endedWith(parts, { line: record.command }, prepared, found);
    await started.written?.();
    await log.look();
    const written = await files.read(join(place, EXIT), 16).then(exitOf, () => null);
    exit = written ?? own.code;
    state = record.stopped ? 'stopped' : 'ended';
    // The moment it was written, where nobody was there then.
    ended = written === null ? clock.now() : ((await files.stat(join(place, EXIT)))?.modifiedMs ?? clock.now());
    for (const progress of listeners.values()) progress.close();
    parts.onChange();
    return named;
  };

  const job: RunningJob = {
    get facts() {
      const { command, purpose, folder, by, call, reads, terminal, background, lifetime } = record;
      const known = { command, purpose, folder, by, call, reads, terminal, background, lifetime, log: record.log };
      return { id: started.id, ...known, adopted: started.adopted, state, exit, started: record.started, ended, note };
    },
    place,
    log,
    get duration() {
      return Math.round(lasted ?? clock.ticks() - begun);
    },
    terminal: started.terminal,
    done: Promise.resolve([]),
    get record() {
      return record;
    },
    keep: (changes) => {
      record = { ...record, ...changes };
      const now = record;
      keeping = keeping.then(() =>
        writeRecord(files, place, now).catch((error) => {
          if (!(error instanceof SystemError)) throw error;
        }),
      );
      return keeping;
    },
    stop: (why) => {
      if (state !== 'running') return;
      state = 'stopping';
      note = why;
      // Written down meanwhile: what ends it waits for no disk.
      void job.keep({ stopped: true });
      endedTree = end();
      parts.onChange();
    },
    listen: (listener) => {
      const progress = createProgress(clock, listener);
      listeners.set(listener, progress);
      return () => {
        progress.close();
        listeners.delete(listener);
      };
    },
    get heard() {
      return listeners.size > 0;
    },
  };
  return Object.defineProperty(job, 'done', { value: finish() });
}

/** The output of a terminal, written to the log as it comes. */
export function logWriter(file: AppendFile): { push(bytes: Uint8Array): void; written(): Promise<void> } {
  let last: Promise<void> = Promise.resolve();
  return {
    push: (bytes) => {
      last = last.then(() => file.append(bytes)).catch(() => undefined);
    },
    written: async () => {
      await last;
      await file.close().catch(() => undefined);
    },
  };
}
