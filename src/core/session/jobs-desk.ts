import type { Entry, EntryBody } from '../../protocol/entry.ts';
import type { Intent, Sent } from '../../protocol/intent.ts';
import type { ClientId } from '../../protocol/session.ts';
import type { JobRow } from '../../protocol/view.ts';
import type { System } from '../../system/system.ts';
import { durationText, isFailed, labelOf, outcomeText, summaryOf } from '../jobs/job-words.ts';
import type { JobFacts, Jobs } from '../jobs/jobs.ts';
import type { Audit } from '../policy/audit.ts';
import type { Inbox } from '../runtime/inbox.ts';
import type { Recorder } from '../runtime/runtime.ts';
import type { Publisher } from './publish.ts';
import { accepted, refused } from './sent.ts';
import type { TurnLoop } from './turn-loop.ts';

/** What a session makes of the jobs of its process: shows them, tells of their end, once to people and once to the model. */
export interface JobsDesk {
  /** Null where commands only run while somebody waits for them. */
  readonly jobs: Jobs | null;
  act(intent: Extract<Intent, { type: 'job' | 'job-input' | 'job-size' }>, client: ClientId): Promise<Sent>;
  /** Starts a line of the person's on a terminal of its own. Throws a `SystemError` where it cannot be started. */
  open(line: string): Promise<Sent>;
  /** Stops one or all, as the person; how many ran. */
  stop(ids: readonly string[]): number;
  see(entry: Entry): void;
  /** What the model is to be told with the next request, marked as told; nothing where nothing ended. */
  notices(turn: number): Promise<readonly EntryBody[]>;
  /** The session is ready: what others left behind is taken over, and what ends from now on is told. */
  start(): Promise<void>;
  /** A turn or a line ended: what waited for that is told when nothing else begins. */
  rest(): void;
  /** The person stopped a turn: whoever wanted everything to end is told of what still runs (SC-8.7). */
  stopped(): void;
  /** Ends what outlives neither the session nor this moment; true where jobs go on. */
  close(): Promise<boolean>;
}

export interface DeskParts {
  readonly jobs: Jobs | null;
  readonly system: Pick<System, 'ids' | 'clock'>;
  readonly publisher: Publisher;
  readonly recorder: Recorder;
  readonly inbox: Inbox;
  readonly loop: () => Pick<TurnLoop, 'running' | 'wake' | 'idle'>;
  readonly redact: (text: string) => string;
  readonly audit: Audit;
  /** Whether a job that ends while nothing runs begins a turn. */
  readonly wakes: boolean;
  /** Whether there is a model to wake, and somebody who sees it. */
  readonly canWake: () => boolean;
  readonly folder: string;
  /** Why a line may not run, whoever typed it; null where it may. */
  readonly forbids: (line: string) => Promise<string | null>;
  /** Whether what others left behind is taken over. */
  readonly adopts: boolean;
}

/** Bytes of output that stand in a report, and of a failed job in the notice to the model. */
const REPORT_BYTES = 2048;
/** What whoever looks at a job is shown of what it printed before. */
const WATCHED_BYTES = 128 * 1024;

export function createJobsDesk(parts: DeskParts): JobsDesk {
  const { jobs, publisher, recorder, inbox, redact } = parts;
  const { clock, ids } = parts.system;
  const watches = new Map<string, { readonly clients: Set<ClientId>; readonly deaf: () => void }>();
  let ready = false;
  let telling: Promise<void> = Promise.resolve();
  let shown = '[]';

  const show = (): void => {
    const rows = (jobs?.all ?? []).map(rowOf);
    const now = JSON.stringify(rows);
    if (now === shown) return;
    shown = now;
    publisher.publish({ type: 'jobs', jobs: rows });
    for (const id of watches.keys()) if (!isLive(id)) unwatch(id, null);
    if (rows.some(({ state }) => state === 'ended' || state === 'stopped')) desk.rest();
  };
  const isLive = (id: string): boolean => {
    const state = jobs?.find(id)?.state;
    return state === 'running' || state === 'stopping';
  };

  const watch = async (id: string, client: ClientId): Promise<void> => {
    const known = watches.get(id);
    known?.clients.add(client);
    if (known === undefined && jobs !== null) {
      const deaf = jobs.watch(id, (text) =>
        publisher.publish({ type: 'job-output', job: id, text: redact(text), whole: false }),
      );
      watches.set(id, { clients: new Set([client]), deaf });
    }
    await showTail(id);
  };
  /** The end of what it printed, to whoever looks at it. */
  const showTail = async (id: string): Promise<void> => {
    const shown = (await jobs?.tail(id, WATCHED_BYTES)) ?? NONE;
    publisher.publish({ type: 'job-output', job: id, text: redact(wholeLines(shown)), whole: true });
  };
  /** Null: nobody watches it any more. */
  const unwatch = (id: string, client: ClientId | null): void => {
    const watched = watches.get(id);
    if (watched === undefined) return;
    if (client === null) watched.clients.clear();
    else watched.clients.delete(client);
    if (watched.clients.size > 0) return;
    watched.deaf();
    watches.delete(id);
  };

  /** Reports are held until nothing runs: in the middle of a turn they would stand inside what streams (SC-15.11). */
  const tell = async (): Promise<void> => {
    if (jobs === null || !ready || parts.loop().running !== null) return;
    const ended = jobs.untold('ui');
    if (ended.length > 0) {
      await jobs.markTold(
        ended.map(({ id }) => id),
        'ui',
      );
      const notes = await Promise.all(ended.map(report));
      await recorder.write(notes, KEEP);
    }
    await wake();
  };

  const report = async (job: JobFacts): Promise<EntryBody> => {
    const { text, cut } = (await jobs?.text(job.id, REPORT_BYTES)) ?? NONE;
    const whole = wholeLines({ text, cut });
    const body = job.reads === 'ref' ? '' : redact(whole).trimEnd();
    const lines = [
      `${job.id} ${redact(labelOf(job.purpose, job.command))}`,
      ...(job.purpose.trim() === '' ? [] : [`$ ${redact(job.command)}`]),
      ...(job.reads === 'ref' ? ['What it printed is kept aside: /jobs shows it.'] : []),
      ...(cut && body !== '' ? [`[only the last ${body.length} characters of what it printed]`] : []),
      ...(body === '' ? [] : [body]),
      endingLine(job),
    ];
    return { kind: 'note', level: isFailed(job) ? 'warning' : 'info', identifier: 'job-ended', text: lines.join('\n') };
  };

  const notice = async (job: JobFacts): Promise<string> => {
    const head = `[Job ${job.id} (${redact(labelOf(job.purpose, job.command))}) ${endedWords(job)}.`;
    if (job.state === 'stopped') return `${head} What it printed may not be whole; the tool job shows it.]`;
    if (!isFailed(job) || job.reads === 'ref') return `${head} The tool job shows what it printed.]`;
    const { text, cut } = (await jobs?.text(job.id, REPORT_BYTES)) ?? NONE;
    const whole = wholeLines({ text, cut });
    return `${head} The end of what it printed; the tool job shows more.]\n${redact(whole).trimEnd()}`;
  };

  /** A job that ended by itself, with a handle in the model's hands, begins a turn while nothing else would (SC-15.5). */
  const wake = async (): Promise<void> => {
    if (jobs === null || !parts.wakes || !parts.canWake()) return;
    if (parts.loop().running !== null || inbox.rows.length > 0) return;
    const due = jobs.untold('model').filter((job) => wakesModel(job));
    if (due.length === 0) return;
    await jobs.markTold(
      due.map(({ id }) => id),
      'model',
    );
    const text = (await Promise.all(due.map(notice))).join('\n\n');
    const body = { client: 'houston', ref: `wake-${ids.hex(6)}`, text, attachments: [], delivery: 'wake' } as const;
    const [entry] = await recorder.write([{ kind: 'input', ...body, target: null }], KEEP);
    inbox.add({ id: entry!.id, ...body });
    parts.loop().wake();
  };

  const desk: JobsDesk = {
    jobs,
    act: async (intent, client) => {
      const job = jobs?.find(intent.job) ?? null;
      if (job === null || jobs === null) return refused('no-such-job', `There is no job ${intent.job}.`);
      if (intent.type === 'job-input')
        return jobs.write(job.id, new TextEncoder().encode(intent.text)) ? accepted() : refused(...NO_TERMINAL);
      if (intent.type === 'job-size')
        return jobs.resize(job.id, intent.columns, intent.rows) ? accepted() : refused(...NO_TERMINAL);
      switch (intent.action) {
        case 'background':
          if (jobs.background(job.id)) {
            parts.audit({ event: 'job', call: job.call, job: job.id, did: 'moved' });
            return accepted();
          }
          return refused('not-movable', 'That command is over, or in the background already.');
        case 'stop':
          return desk.stop([job.id]) > 0 ? accepted() : refused('not-running', `${job.id} is not running.`);
        case 'watch':
          if (isLive(job.id)) await watch(job.id, client);
          else await showTail(job.id);
          return accepted();
        case 'unwatch':
          unwatch(job.id, client);
          return accepted();
        case 'remove':
          return (await jobs.remove(job.id))
            ? accepted()
            : refused('still-running', `${job.id} is running: stop it first.`);
      }
    },
    open: async (line) => {
      if (jobs === null) return refused('no-jobs', 'Nothing can run in the background here.');
      const forbidden = await parts.forbids(line);
      if (forbidden !== null) return refused('forbidden', `It does not run: ${forbidden}`);
      const order = { call: `terminal-${ids.hex(6)}`, line, folder: parts.folder, timeoutMs: 0x7fffffff };
      const how = { background: true, terminal: true } as const;
      const { job } = await jobs.runOwnLine({ ...order, ...how }, new AbortController().signal, () => {});
      return job === null
        ? refused('no-jobs', 'It ran, but not as a job: nothing can be written down.')
        : accepted({ kind: 'job', job });
    },
    stop: (wanted) => {
      if (jobs === null) return 0;
      const running = jobs.all.filter(({ id, state }) => state === 'running' && wanted.includes(id));
      // The person knows: nothing is reported of it (SC-15.8).
      const told = running.map(({ id }) => id);
      void jobs.markTold(told, 'ui');
      for (const { id, call } of running) {
        parts.audit({ event: 'job', call, job: id, did: 'stopped' });
        void jobs.stop(id, 'stopped by the person');
      }
      return running.length;
    },
    see: (entry) => {
      if (
        entry.kind === 'input' &&
        entry.delivery === 'steering' &&
        parts.loop().running === 'turn' &&
        !parts.inbox.holdsSteering
      )
        jobs?.releaseWaits();
    },
    notices: async (turn) => {
      const due = jobs?.untold('model').filter(({ by }) => by === 'model') ?? [];
      if (jobs === null || due.length === 0) return [];
      await jobs.markTold(
        due.map(({ id }) => id),
        'model',
      );
      const words = (await Promise.all(due.map(notice))).join('\n\n');
      return [{ kind: 'taken', input: ids.uuid(), turn, as: 'wake', words }];
    },
    start: async () => {
      if (jobs === null) return;
      jobs.onChange(show);
      if (parts.adopts) {
        const adopted = await jobs.adopt();
        if (adopted.length > 0) {
          const now = clock.now();
          const head =
            adopted.length === 1
              ? 'A job of an earlier session was taken over:'
              : `${adopted.length} jobs of earlier sessions were taken over:`;
          const text = [head, ...adopted.map((job) => redact(summaryOf(job, now)))].join('\n');
          await recorder.write([{ kind: 'note', level: 'info', identifier: 'jobs-adopted', text }], KEEP);
        }
      }
      ready = true;
      show();
      desk.rest();
    },
    rest: () => {
      if (jobs === null || !ready) return;
      telling = telling
        .then(() => parts.loop().idle())
        .then(tell)
        .catch(async (error: unknown) => {
          // A session that ends takes no more reports: the next one finds what was not told.
          if (!ready) return;
          const text = `A job could not be reported: ${error instanceof Error ? error.message : String(error)}`;
          await recorder.write([{ kind: 'note', level: 'error', identifier: 'internal', text }], KEEP);
        });
    },
    stopped: () => {
      const left = (jobs?.all ?? []).filter(({ state, background }) => state === 'running' && background);
      if (left.length === 0) return;
      const text = redact(stillRunningText(left));
      void recorder.write([{ kind: 'note', level: 'info', identifier: 'still-running', text }], KEEP);
    },
    close: async () => {
      ready = false;
      for (const id of [...watches.keys()]) unwatch(id, null);
      return (await jobs?.close()) ?? false;
    },
  };
  return desk;
}

const KEEP = { onFailure: 'keep' } as const;
const NONE = { text: '', cut: false };

/** A part of a credential is known by nothing: what was cut begins with a whole line. */
function wholeLines({ text, cut }: { readonly text: string; readonly cut: boolean }): string {
  return cut ? text.slice(text.indexOf('\n') + 1) : text;
}

const NO_TERMINAL = ['no-terminal', 'That job has no terminal to type into, or has ended.'] as const;

/** How many of them are named. */
const NAMED = 3;

function stillRunningText(left: readonly JobFacts[]): string {
  const named = left.slice(0, NAMED).map(({ id, purpose, command }) => `${id} ${labelOf(purpose, command)}`);
  const more = left.length > NAMED ? ` and ${left.length - NAMED} more` : '';
  const head = left.length === 1 ? 'One command still runs' : `${left.length} commands still run`;
  return `${head}: ${named.join(', ')}${more}. /jobs shows and stops ${left.length === 1 ? 'it' : 'them'}.`;
}

/** Adopted jobs never wake the model, and neither does what a person started or stopped. */
function wakesModel(job: JobFacts): boolean {
  return job.by === 'model' && job.state === 'ended' && !job.adopted;
}

function endedWords(job: JobFacts): string {
  const after = durationText((job.ended ?? job.started) - job.started);
  if (job.state === 'stopped') return `was ${job.note === '' ? 'stopped' : job.note} after ${after}`;
  return `ended after ${after}: ${outcomeText(job)}`;
}

/** `[j1 · exit 1 · 12.3s]` */
function endingLine(job: JobFacts): string {
  const how = job.note === '' ? outcomeText(job) : job.note;
  return `[${job.id} · ${how} · ${durationText((job.ended ?? job.started) - job.started)}]`;
}

function rowOf(job: JobFacts): JobRow {
  const { id, command, state, exit, started, ended, background, terminal, adopted, by, note } = job;
  const label = labelOf(job.purpose, command);
  return { id, label, command, state, exit, started, ended, background, terminal, adopted, by, note };
}
