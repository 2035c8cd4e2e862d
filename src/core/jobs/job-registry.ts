import { join } from 'node:path';
import { onAbort } from '../../base/abort.ts';
import { type FileStat, SystemError } from '../../system/files.ts';
import { adoptJobs } from './adopt-jobs.ts';
import { type Channel, ownerFolder } from './job-record.ts';
import { type JobFacts, type JobOutput, type Jobs, type JobsParts, type JobWait, KEPT_FINISHED } from './jobs.ts';
import { launchJob } from './launch-job.ts';
import { removeLeftScratch } from './left-scratch.ts';
import type { LineOrder, LineResult, MovedBy, RunLine } from './line.ts';
import { createLineRunner, type LineParts } from './run-line.ts';
import { type RunningJob, runningJob } from './running-job.ts';
import { newOnScreen, textOnScreen } from './screen-text.ts';

/** How often the log of a command is looked at that somebody waits for or watches, and of any other, in milliseconds. */
const LOOK_CLOSELY = 100;
const LOOK = 1000;
/** Milliseconds what is being ended is given when the session ends. */
const CLOSE_LIMIT = 5000;

/** Somebody who waits for a job; told what ended the wait. */
interface Wait {
  readonly job: string;
  readonly released: (by: 'person' | 'message') => void;
}

export function createJobs(parts: JobsParts): Jobs {
  const { files, processes, clock } = parts;
  const jobs = new Map<string, RunningJob>();
  const waits = new Set<Wait>();
  const listeners: (() => void)[] = [];
  /** Bytes of a log that were given out as unread before. */
  const read = new Map<string, number>();
  /** Of terminals somebody looked at. */
  const sizes = new Map<string, { readonly columns: number; readonly rows: number }>();
  const { confine, ...withoutConfine } = parts;
  const confined: LineParts = confine === undefined ? withoutConfine : { ...withoutConfine, confine };
  const ownLines: LineParts = { ...withoutConfine, forPerson: true };
  let last = 0;
  let own: Promise<string> | null = null;
  let tick: (() => void) | null = null;
  let closed = false;
  let sweeping: Promise<void> = Promise.resolve();

  const changed = (): void => {
    for (const listener of listeners) listener();
  };
  /** Our own folder, made when the first job needs it. */
  const folder = (): Promise<string> => {
    own ??= processes.facts(processes.ownPid).then((facts) => {
      const owner = { pid: processes.ownPid, startTime: facts?.startTime ?? '' };
      return join(parts.root, ownerFolder(owner, parts.ids.hex(3)));
    });
    return own;
  };
  const next = (place: string) => {
    const id = `j${++last}`;
    return { id, place: join(place, id) };
  };

  /** One timer while anything runs, none otherwise. */
  const watchOver = (): void => {
    const running = [...jobs.values()].filter(({ facts }) => isRunning(facts));
    if (tick !== null || running.length === 0 || closed) return;
    const close = running.some(({ facts, heard }) => heard || !facts.background) || waits.size > 0;
    tick = clock.after(close ? LOOK_CLOSELY : LOOK, () => {
      tick = null;
      void Promise.all(running.map(({ log }) => log.look())).then(watchOver);
    });
  };
  const lookNow = (): void => {
    tick?.();
    tick = null;
    watchOver();
  };

  const add = (job: RunningJob): void => {
    jobs.set(job.facts.id, job);
    void job.done.then(() => {
      void evict();
      changed();
    });
    lookNow();
    changed();
  };
  const forget = async (job: RunningJob): Promise<void> => {
    jobs.delete(job.facts.id);
    read.delete(job.facts.id);
    sizes.delete(job.facts.id);
    await job.keep({});
    await files.remove(job.place, { recursive: true }).catch(ignored);
    if (job.facts.adopted) sweep();
    changed();
  };
  /** What jobs of processes that are gone had for throw-away files goes with the last of them; nobody waits for that. */
  const sweep = (): void => {
    const scratch = parts.scratch ?? null;
    if (scratch === null) return;
    sweeping = sweeping.then(() => removeLeftScratch(parts, scratch)).catch(ignored);
  };
  const evict = async (): Promise<void> => {
    const finished = [...jobs.values()].filter(({ facts }) => !isRunning(facts));
    for (const job of finished.slice(0, Math.max(0, finished.length - KEPT_FINISHED))) await forget(job);
  };

  const runner =
    (by: 'model' | 'person', lines: LineParts): RunLine =>
    async (order, signal, onOutput) => {
      const plain = createLineRunner(lines);
      if (order.unsaved === true || closed) return plain(order, signal, onOutput);
      const started = await launchJob(parts, lines, { ...next(await folder()), order, by, signal });
      // Where nothing can be written down it runs all the same, only not as a job.
      if (started === null) return plain(order, signal, onOutput);
      const job = runningJob({ files, processes, clock, onChange: changed }, started);
      const deaf = job.listen(onOutput);
      add(job);
      try {
        return await waitFor(job, order, by, signal);
      } finally {
        deaf();
      }
    };

  const waitFor = async (
    job: RunningJob,
    order: LineOrder,
    by: 'model' | 'person',
    signal: AbortSignal,
  ): Promise<LineResult> => {
    const { promise, resolve } = Promise.withResolvers<MovedBy | null>();
    let stopped = false;
    if (order.background === true) resolve('asked');
    const wait: Wait = {
      job: job.facts.id,
      // A person who types a line waits for it themselves: no message ends that.
      released: (who) => (who === 'person' || by === 'model' ? resolve(who) : undefined),
    };
    waits.add(wait);
    const forgetDeadline = clock.after(order.timeoutMs, () => resolve('deadline'));
    const forgetSignal = onAbort(signal, () => {
      if (signal.reason === 'interrupted' && by === 'model') return resolve('message');
      stopped = true;
      job.stop('');
    });
    void job.done.then(() => resolve(null));
    const moved = await promise;
    forgetDeadline();
    forgetSignal();
    waits.delete(wait);
    if (moved !== null && isRunning(job.facts)) {
      await job.keep({ background: true });
      await job.log.look();
      changed();
      return resultOf(job, [], { movedBy: moved, endedBy: 'background' });
    }
    const ended = await job.done;
    const result = resultOf(job, ended, { endedBy: stopped ? 'stopped' : 'exit' });
    // It ended in its own call: there is nothing more to be told of it (SC-29.13).
    if (stopped || job.facts.state !== 'stopped') await forget(job);
    else await job.keep({ told: ['ui', 'model'] });
    return result;
  };

  const resultOf = (
    job: RunningJob,
    ended: readonly string[],
    how: Pick<LineResult, 'endedBy'> & { readonly movedBy?: MovedBy },
  ): LineResult => {
    const { facts, log } = job;
    read.set(facts.id, log.kept.totalBytes);
    return {
      exit: facts.exit,
      ...how,
      endedBy: how.endedBy === 'exit' && facts.state === 'stopped' ? 'stopped' : how.endedBy,
      output: parts.outputs === null ? null : facts.log.slice(parts.outputs.length + 1),
      outputTrouble: log.trouble,
      ...keptText(job),
      totalBytes: log.kept.totalBytes,
      totalLines: log.kept.totalLines,
      job: how.endedBy === 'background' ? facts.id : null,
      duration: job.duration,
      ended,
    };
  };

  const find = (name: string): RunningJob | null => {
    const number = /^(?:job:|j)?(\d+)$/.exec(name.trim())?.[1];
    return number === undefined ? null : (jobs.get(`j${Number(number)}`) ?? null);
  };

  const readFrom = async (job: RunningJob, from: number, bytes: number, to?: number): Promise<JobOutput> => {
    const size = to ?? (await files.stat(job.facts.log).catch((): FileStat | null => null))?.size ?? 0;
    const at = Math.max(0, from, size - bytes);
    const piece = size > at ? await files.readRange(job.facts.log, at, size - at).catch(() => new Uint8Array()) : null;
    return { text: piece === null ? '' : decode(piece, at > 0), totalBytes: size, cut: at > from };
  };

  const readText = async (job: RunningJob, from: number, bytes: number): Promise<JobOutput> => {
    if (!job.facts.terminal) return readFrom(job, from, bytes);
    const size = sizes.get(job.facts.id);
    // What stands there already is what the new goes on from.
    const before = from === 0 ? NOTHING : await readFrom(job, Math.max(0, from - MOST_SETTLED), MOST_SETTLED, from);
    const found = await readFrom(job, from, Math.max(bytes, MOST_SETTLED));
    const whole = newOnScreen(before.text, found.text, size);
    const text = whole.length <= bytes ? whole : whole.slice(-bytes).toWellFormed();
    return { ...found, text, cut: found.cut || text !== whole };
  };

  const stop = async (id: string, note = ''): Promise<boolean> => {
    const job = find(id);
    if (job === null || !isRunning(job.facts)) return false;
    job.stop(note);
    await job.done;
    return true;
  };

  return {
    runLine: runner('model', confined),
    runOwnLine: runner('person', ownLines),
    get all() {
      return [...jobs.values()].map(({ facts }) => facts);
    },
    find: (name) => find(name)?.facts ?? null,
    background: (id) => {
      const job = find(id);
      const wait = [...waits].find((one) => one.job === job?.facts.id);
      // A stop by the person wins over a move at the same time (JOB-9).
      if (wait === undefined || job?.facts.state !== 'running') return false;
      wait.released('person');
      return true;
    },
    stop,
    releaseWaits: () => {
      for (const wait of [...waits]) wait.released('message');
    },
    wait: async (id, until, signal) => {
      const job = find(id);
      if (job === null || !isRunning(job.facts)) return 'ended';
      const { promise, resolve } = Promise.withResolvers<JobWait>();
      const from = read.get(job.facts.id) ?? 0;
      let tail = '';
      const deaf = job.listen((text) => {
        tail = (tail + text).slice(-MOST_SOUGHT);
        if (until.text !== null && saysSo(job, tail, until.text)) resolve('output');
        if (until.fresh === true) resolve('output');
      });
      const wait: Wait = { job: job.facts.id, released: () => resolve('message') };
      waits.add(wait);
      const forgetDeadline = clock.after(until.ms, () => resolve('time'));
      const forgetSignal = onAbort(signal, () => resolve('stopped'));
      void job.done.then(() => resolve('ended'));
      lookNow();
      // What it printed before counts as well.
      if (until.text !== null && saysSo(job, (await readFrom(job, 0, MOST_SOUGHT)).text, until.text)) resolve('output');
      if (until.fresh === true && (await readFrom(job, from, 1)).totalBytes > from) resolve('output');
      const how = await promise;
      deaf();
      forgetDeadline();
      forgetSignal();
      waits.delete(wait);
      return how;
    },
    tail: async (id, bytes) => {
      const job = find(id);
      return job === null ? NOTHING : readFrom(job, 0, bytes);
    },
    text: async (id, bytes) => {
      const job = find(id);
      return job === null ? NOTHING : readText(job, 0, bytes);
    },
    unread: async (id, bytes) => {
      const job = find(id);
      if (job === null) return NOTHING;
      const found = await readText(job, read.get(job.facts.id) ?? 0, bytes);
      read.set(job.facts.id, found.totalBytes);
      return found;
    },
    watch: (id, listener) => {
      const deaf = find(id)?.listen(listener) ?? (() => {});
      lookNow();
      return deaf;
    },
    write: (id, bytes) => {
      const job = find(id);
      if (!job?.terminal || !isRunning(job.facts)) return false;
      void job.terminal.write(bytes).then(() => clock.after(ECHO, () => void job.log.look()));
      return true;
    },
    resize: (id, columns, rows) => {
      const job = find(id);
      if (!job?.terminal || !isRunning(job.facts)) return false;
      job.terminal.resize(columns, rows);
      sizes.set(job.facts.id, { columns, rows });
      return true;
    },
    remove: async (id) => {
      const job = find(id);
      if (job === null || isRunning(job.facts)) return false;
      await forget(job);
      return true;
    },
    untold: (channel) =>
      [...jobs.values()].flatMap(({ facts, record }) =>
        !isRunning(facts) && (facts.background || facts.state === 'stopped') && !record.told.includes(channel)
          ? [facts]
          : [],
      ),
    markTold: async (ids, channel) => {
      await Promise.all(
        ids.map(async (id) => {
          const job = find(id);
          if (job !== null && !job.record.told.includes(channel))
            await job.keep({ told: [...job.record.told, channel] satisfies Channel[] });
        }),
      );
    },
    adopt: async () => {
      const place = await folder();
      await files.makeFolder(place, 0o700).catch(ignored);
      const found = await adoptJobs({ ...parts, own: place, next: () => next(place) });
      const adopted = found.map(({ id, place: at, record, child }) => {
        const started = { id, place: at, record, child, terminal: null, prepared: null, adopted: true };
        return runningJob({ files, processes, clock, onChange: changed }, started);
      });
      for (const job of adopted) {
        add(job);
        await job.keep({});
      }
      if (jobs.size === 0) await files.remove(place).catch(ignored);
      sweep();
      return adopted.map(({ facts }) => facts);
    },
    turnEnded: async () => {
      const running = [...jobs.values()].filter(({ facts }) => isRunning(facts) && facts.lifetime === 'turn');
      await Promise.all(running.map(({ facts }) => stop(facts.id, 'stopped when the turn ended')));
    },
    onChange: (listener) => listeners.push(listener),
    close: async () => {
      const enough = new AbortController();
      const ending = [...jobs.values()].filter(({ facts }) => isRunning(facts) && facts.lifetime !== 'detached');
      await Promise.race([
        Promise.all(ending.map(({ facts }) => stop(facts.id, 'stopped when the session ended'))),
        clock.sleep(CLOSE_LIMIT, enough.signal),
      ]);
      enough.abort();
      closed = true;
      tick?.();
      listeners.length = 0;
      const left = [...jobs.values()].filter(({ facts }) => isRunning(facts));
      for (const job of jobs.values()) if (!left.includes(job)) await forget(job);
      // A folder with jobs in it stays.
      if (own !== null) await files.remove(await own).catch(ignored);
      await sweeping;
      return left.length > 0;
    },
  };
}

/** The ends of what it printed, for reading. */
function keptText({ log, facts }: RunningJob): Pick<LineResult, 'head' | 'tail' | 'omittedBytes'> {
  const { head, tail, omittedBytes } = log.kept.read();
  return facts.terminal
    ? { head: textOnScreen(head), tail: textOnScreen(tail), omittedBytes }
    : { head, tail, omittedBytes };
}

/** Whether a text stands in what was printed, on a terminal also with a colour or a move in the middle of it. */
function saysSo({ facts }: RunningJob, printed: string, sought: string): boolean {
  return printed.includes(sought) || (facts.terminal && textOnScreen(printed.slice(-MOST_REDRAWN)).includes(sought));
}

const NOTHING: JobOutput = { text: '', totalBytes: 0, cut: false };
/** A text that is waited for is looked for in so much of what was printed last. */
const MOST_SOUGHT = 64 * 1024;
/** So much of a terminal's output is made to text, and so much on every piece that comes while a text is waited for. */
const MOST_SETTLED = 32 * 1024;
const MOST_REDRAWN = 4 * 1024;
/** Milliseconds after a key in which a program mostly has answered it. */
const ECHO = 15;

function isRunning({ state }: JobFacts): boolean {
  return state === 'running' || state === 'stopping';
}

/** Without the rest of a character that was cut at the beginning. */
function decode(bytes: Uint8Array, cut: boolean): string {
  let at = 0;
  while (cut && at < 3 && at < bytes.length && (bytes[at]! & 0xc0) === 0x80) at++;
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes.subarray(at));
}

function ignored(error: unknown): undefined {
  if (!(error instanceof SystemError)) throw error;
}
