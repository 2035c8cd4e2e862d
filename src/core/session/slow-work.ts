import type { Outcome } from '../../base/refusal.ts';
import type { InputOutcome, View } from '../../protocol/view.ts';
import type { Clock } from '../../system/clock.ts';
import type { Recorder } from '../runtime/runtime.ts';
import { type ErrorLog, failedText } from './error-log.ts';
import type { OutcomeMessage, Outcomes } from './outcomes.ts';
import type { Publisher } from './publish.ts';
import type { TurnLoop } from './turn-loop.ts';

/** A command that takes its time and needs no idle session. */
export interface SlowTask {
  /** As it is shown, such as `/worktree merge`. */
  readonly label: string;
  /** Who sent it, and as what; null for what the session does by itself. */
  readonly owner: Pick<InputOutcome, 'client' | 'ref'> | null;
  /** Names the note with what came of it. */
  readonly note: string;
  /** How a refusal is told; a warning where it is not said. */
  readonly refusal?: 'error';
  /** It says itself that it goes on beside a turn. */
  readonly quiet?: true;
  /** Lines to show; a refusal is no bug. */
  readonly run: (signal: AbortSignal) => Promise<Outcome<readonly string[]>>;
}

/** Carries out such commands beside turns, each shown while it runs and stopped like anything else (SC-16, SC-43.14). */
export interface SlowWork {
  begin(task: SlowTask): void;
  /** Stops what was begun under this name of a note; false when nothing was. */
  stop(note: string): boolean;
  /** How many were running. */
  stopAll(): number;
  /** What is at work where no turn is; null for nothing. */
  readonly activity: View['activity'] | null;
  close(): Promise<void>;
}

export interface SlowWorkParts {
  readonly clock: Clock;
  readonly publisher: Publisher;
  readonly recorder: Pick<Recorder, 'write'>;
  readonly outcomes: Outcomes;
  readonly errors: Pick<ErrorLog, 'record'>;
  readonly loop: () => Pick<TurnLoop, 'running'>;
}

interface Running {
  readonly task: SlowTask;
  readonly since: number;
  readonly abort: AbortController;
  readonly over: Promise<void>;
}

export function createSlowWork(parts: SlowWorkParts): SlowWork {
  const { clock, publisher, recorder, outcomes } = parts;
  const running = new Set<Running>();
  let closing = false;

  /** Never over what a turn says of itself: the loop comes back to this when it rests. */
  const show = (): void => {
    if (parts.loop().running === null && !closing)
      publisher.publish({ type: 'activity', activity: work.activity ?? IDLE });
  };

  const tell = ({ owner }: SlowTask, state: InputOutcome['state'], messages: readonly OutcomeMessage[] = []): void => {
    if (owner !== null) outcomes.set(owner, state, { messages: [...messages] });
  };

  const carryOut = async (task: SlowTask, signal: AbortSignal): Promise<void> => {
    try {
      const came = await task.run(signal);
      // Whoever stops it is told by its end alone.
      const lines = came.ok ? came.value : signal.aborted ? [] : [came.refusal.message];
      const level = came.ok ? 'info' : (task.refusal ?? 'warning');
      const identifier = came.ok ? task.note : came.refusal.identifier;
      const said = lines.length === 0 ? [] : [{ level, identifier, text: lines.join('\n') } as const];
      for (const one of said) await recorder.write([{ kind: 'note', ...one }], KEEP);
      // Who sent it may have no transcript before them: the end says it too (SC-16.3).
      tell(task, signal.aborted ? 'stopped' : came.ok ? 'done' : 'failed', said);
    } catch (error) {
      if (closing) return;
      const text = failedText(task.label, error, await parts.errors.record('command', task.label.slice(1), error));
      const said = { level: 'error', identifier: 'internal', text } as const;
      await recorder.write([{ kind: 'note', ...said }], KEEP);
      tell(task, 'failed', [said]);
    }
  };

  const work: SlowWork = {
    begin: (task) => {
      const abort = new AbortController();
      const { promise, resolve } = Promise.withResolvers<void>();
      const one: Running = { task, since: clock.now(), abort, over: promise };
      running.add(one);
      tell(task, 'started');
      if (parts.loop().running === null) show();
      else if (task.quiet !== true && task.owner !== null) {
        const text = `${task.label} goes on beside what runs.`;
        publisher.publish({ type: 'flash', client: task.owner.client, level: 'info', text });
      }
      void carryOut(task, abort.signal).finally(() => {
        running.delete(one);
        show();
        resolve();
      });
    },
    stop: (note) => {
      const open = [...running].filter(({ task, abort }) => task.note === note && !abort.signal.aborted);
      for (const { abort } of open) abort.abort('stopped');
      if (open.length > 0) show();
      return open.length > 0;
    },
    stopAll: () => {
      const open = [...running].filter(({ abort }) => !abort.signal.aborted);
      for (const { abort } of open) abort.abort('stopped');
      if (open.length > 0) show();
      return running.size;
    },
    get activity(): View['activity'] | null {
      const [first] = running;
      if (first === undefined) return null;
      const { task, since, abort } = first;
      const row: View['activity'] = { phase: 'command', turn: null, since, detail: task.label, retry: null };
      return abort.signal.aborted ? { ...row, phase: 'stopping', detail: '' } : row;
    },
    close: async () => {
      closing = true;
      for (const { abort } of running) abort.abort('closing');
      await Promise.all([...running].map(({ over }) => over));
    },
  };
  return work;
}

const KEEP = { onFailure: 'keep' } as const;
const IDLE = { phase: 'idle', turn: null, since: null, detail: '', retry: null } as const;
