import type { Refusal } from '../../base/refusal.ts';
import type { EntryBody, EntryId, QueuePause } from '../../protocol/entry.ts';
import { isSameModel, type ModelRef, type Target } from '../../protocol/message.ts';
import type { UsageLimit } from '../../protocol/usage.ts';
import type { InputOutcome, View } from '../../protocol/view.ts';
import type { Inbox, Waiting } from '../runtime/inbox.ts';
import type { Recorder, Runtime, StopCause, TurnTerms } from '../runtime/runtime.ts';
import { runTurn, type TurnReport } from '../runtime/turn.ts';
import type { CurrentModel } from './current-model.ts';
import type { OutcomeMessage, Outcomes } from './outcomes.ts';
import type { Publisher } from './publish.ts';
import type { LineEnd, PrivateLine, ShellLines } from './shell-line.ts';

/**
 * Runs what waits, one thing at a time, and settles each: tells its owners, holds or lets go what waits behind it. It
 * never ends by an error; only `close` ends it.
 */
export interface TurnLoop {
  /** What runs now. */
  readonly running: 'turn' | 'shell' | 'command' | null;
  /** Looks whether something may start, and starts it before it returns. */
  wake(): void;
  /** Runs a line that is kept nowhere, as soon as nothing else runs. */
  runPrivately(line: PrivateLine): void;
  /** Ends what runs; false when nothing did. What is done already stays done. */
  stop(cause: StopCause): boolean;
  /**
   * Ends the running turn and starts the next one with everything that waits now, up to the first command or shell line
   * (QUE-13). Beside anything that is no turn it does nothing.
   */
  sendTogether(): void;
  /** The number of a turn that is had elsewhere and written here. */
  nextTurn(): number;
  /** Holds what waits, with the reason, where anything waits. */
  pause(pause: QueuePause): Promise<void>;
  /** Holds what waits because of a failure; where nobody is there to go on, drops it and tells its owners. */
  holdBehind(message: string): Promise<void>;
  /** Settles when nothing runs and nothing that waits may start. */
  idle(): Promise<void>;
  close(): Promise<void>;
}

/** How a command that waited its turn ended. One that failed holds what waits behind it. */
export interface CommandEnd {
  readonly state: 'done' | 'failed' | 'stopped' | 'refused';
  readonly messages: readonly OutcomeMessage[];
  /** What goes back into the box of whoever sent it. */
  readonly recalled?: InputOutcome['recalled'];
}

export interface TurnLoopParts {
  readonly publisher: Publisher;
  readonly recorder: Recorder;
  readonly inbox: Inbox;
  readonly outcomes: Outcomes;
  readonly model: CurrentModel;
  readonly shell: ShellLines;
  /** Carries out a command that waited for an idle session; nothing else runs meanwhile. */
  readonly runCommand: (row: Waiting, signal: AbortSignal) => Promise<CommandEnd>;
  /** Null until the session is ready. */
  readonly runtime: () => Runtime | null;
  readonly roundLimit: number | null;
  /** Headless: nobody can go on after a failure, so what waits is dropped and its owners told. */
  readonly dropsAfterFailure: boolean;
  readonly lastTurn: number;
  /** A prompt joined the branch. */
  readonly onTaken: (input: Waiting) => void;
  /** A usage limit the turn this input opens goes on sleeping for, after a restart. */
  readonly asleep: (input: EntryId) => { readonly asleep?: UsageLimit };
  /** Why no turn may start; what needs none may. */
  readonly blocked: () => Refusal | null;
  /** Before a turn's first effect. */
  readonly beforeTurn: () => Promise<void>;
  /** What waits is held for this failure. */
  readonly onFailed: (because: QueuePause) => void;
  readonly onSettled: (input: Waiting, report: TurnReport) => void;
  /** Whether anything that waits may start now. */
  readonly mayStart: () => boolean;
  /** No turn may begin, however much waits. */
  readonly isHeld: () => boolean;
  /** What is at work while the loop rests; null for nothing. */
  readonly beside: () => View['activity'] | null;
}

interface Current {
  readonly kind: 'turn' | 'shell' | 'command';
  readonly abort: AbortController;
}

export function createTurnLoop(parts: TurnLoopParts): TurnLoop {
  const { publisher, recorder, inbox, outcomes, model } = parts;
  let lastTurn = parts.lastTurn;
  let current: Current | null = null;
  let pumping: Promise<void> | null = null;
  let closed = false;
  let idlers: (() => void)[] = [];
  const privateLines: PrivateLine[] = [];
  /** What opens the next turn together. */
  let together: readonly EntryId[] = [];

  /** What may start now, taken out of the queue; null when nothing may. */
  const takeNext = (): (() => Promise<void>) | null => {
    if (closed || parts.runtime() === null || !parts.mayStart()) return null;
    const row = inbox.next();
    if (row === null) return null;
    // A shell line and a command need no model; everything else waits for one.
    const isTurn = row.delivery !== 'shell' && row.delivery !== 'command';
    if (isTurn && (model.model === null || parts.blocked() !== null || parts.isHeld())) return null;
    const beside = takeBeside(row);
    inbox.start([row, ...beside]);
    // With the last held row gone, or none held at all, the queue is no longer paused: the journal says so first.
    if (inbox.paused === null && publisher.view.queue.paused !== null) void recorder.write([queueEntry(inbox)], KEEP);
    switch (row.delivery) {
      case 'shell':
        return () => runShell(row);
      case 'command':
        return () => runCommand(row);
      default:
        return () => runPrompt(row, beside);
    }
  };
  /** What opens the turn together with this one: an interruption in between, or one stopped before it began, parts them. */
  const takeBeside = (row: Waiting): Waiting[] => {
    if (row.stillborn || !together.includes(row.id)) return [];
    const [, ...behind] = inbox.batch();
    const end = behind.findIndex((one) => !together.includes(one.id));
    together = [];
    return end < 0 ? behind : behind.slice(0, end);
  };
  const takePrivate = (): (() => Promise<void>) | null => {
    const line = closed ? undefined : privateLines.shift();
    if (line === undefined) return null;
    return async () => {
      current = { kind: 'shell', abort: new AbortController() };
      outcomes.set(line, 'started');
      outcomes.set(line, await parts.shell.runPrivately(line, current.abort.signal));
    };
  };

  const pump = async (): Promise<void> => {
    for (let next = takePrivate() ?? takeNext(); next !== null; next = takePrivate() ?? takeNext()) {
      try {
        await next();
        current = null;
        await model.adopt();
      } catch (error) {
        // A bug while settling: said, and the loop goes on. A journal that is closed already takes no more of it.
        if (closed) break;
        await recorder.write([noteOf(error)], KEEP);
      }
      current = null;
    }
    // Nothing is awaited from the last look at the queue to here: a wake can not fall in between.
    pumping = null;
    if (closed) return;
    const beside = parts.beside();
    if ((publisher.view.activity.phase !== 'idle' || beside !== null) && parts.runtime() !== null)
      publisher.publish({ type: 'activity', activity: beside ?? IDLE });
    for (const settle of idlers) settle();
    idlers = [];
  };

  const wake = (): void => {
    if (pumping !== null || closed) return;
    refuseUnready();
    pumping = Promise.resolve();
    const started = pump();
    if (pumping !== null) pumping = started;
  };

  /** Headless, with no model or a broken agent: nobody will cure that, so what waits ends here. */
  const refuseUnready = (): void => {
    const problem = model.problem ?? parts.blocked();
    if (!parts.dropsAfterFailure || problem === null || parts.runtime() === null) return;
    drop(inbox.remove('all'), { level: 'error', identifier: problem.identifier, text: problem.message }, 'failed');
  };

  const drop = (rows: readonly Waiting[], message: OutcomeMessage, state: 'failed' | 'dropped'): void => {
    if (rows.length === 0) return;
    void recorder.write(
      rows.map((row) => ({ kind: 'dropped', input: row.id, reason: 'failed' })),
      KEEP,
    );
    for (const row of rows) outcomes.set(row, state, { messages: [message] });
  };

  const runPrompt = async (row: Waiting, beside: readonly Waiting[]): Promise<void> => {
    const runtime = parts.runtime();
    if (runtime === null || model.model === null) throw new Error('a turn was started before the session was ready');
    const target = awayFrom(model.model.ref, row.target ?? null);
    const aimed = await model.aim(target);
    if (!aimed.ok) return fail([row, ...beside], new Error(aimed.refusal.message));
    const abort = new AbortController();
    if (row.stillborn) abort.abort('stopped' satisfies StopCause);
    current = { kind: 'turn', abort };
    const turn = ++lastTurn;
    const taken: Waiting[] = [];
    const terms: TurnTerms = {
      turn,
      ...aimed.value,
      ...(target === null ? {} : { once: target }),
      ...parts.asleep(row.id),
      roundLimit: parts.roundLimit,
      tags: true,
      opening: row,
      beside,
      signal: abort.signal,
      onTaken: (input) => {
        inbox.started();
        taken.push(input);
        outcomes.set(input, 'started', { turn });
        parts.onTaken(input);
      },
    };
    let report: TurnReport;
    try {
      await parts.beforeTurn();
      // What was read again before it counts for it.
      report = await runTurn(parts.runtime() ?? runtime, terms);
    } catch (error) {
      return fail([row, ...beside], error);
    }
    const ends = taken.map((input) => ({ input, messages: messagesOf(report, input, taken, inbox) }));
    if (report.reason === 'failed' || report.reason === 'repeating')
      await holdBehind(report.message ?? 'The turn failed.');
    // The next one would meet the same limit.
    else if (report.asleep && report.reason === 'stopped' && inbox.rows.length > 0)
      await hold({ because: 'stopped', message: 'Held: the usage limit is not lifted yet.' });
    // Whoever is told that it is over finds everything settled: what waits is held, the next model is in force.
    try {
      await model.adopt();
    } finally {
      for (const { input, messages } of ends)
        outcomes.set(input, stateOf(report), { refusals: report.refusals, messages });
      parts.onSettled(row, report);
    }
  };

  const runShell = async (row: Waiting): Promise<void> => {
    const abort = new AbortController();
    if (row.stillborn) abort.abort('stopped' satisfies StopCause);
    current = { kind: 'shell', abort };
    const turn = ++lastTurn;
    let end: LineEnd;
    try {
      end = await parts.shell.run(row, turn, abort.signal, () => {
        inbox.started();
        outcomes.set(row, 'started', { turn });
      });
    } catch (error) {
      return fail([row], error);
    }
    if (end.state === 'failed') await holdBehind(end.messages[0]?.text ?? 'The line did not run.');
    outcomes.set(row, end.state, { messages: [...end.messages] });
  };

  const runCommand = async (row: Waiting): Promise<void> => {
    const abort = new AbortController();
    if (row.stillborn) abort.abort('stopped' satisfies StopCause);
    current = { kind: 'command', abort };
    try {
      // It leaves the queue before it does anything: after a crash it is not carried out twice.
      await recorder.write([{ kind: 'dropped', input: row.id, reason: 'carried-out' }]);
    } catch (error) {
      return fail([row], error);
    }
    inbox.started();
    outcomes.set(row, 'started');
    let end: CommandEnd = { state: 'stopped', messages: [] };
    try {
      if (!abort.signal.aborted) end = await parts.runCommand(row, abort.signal);
    } catch (error) {
      await recorder.write([noteOf(error)], KEEP);
      const text = error instanceof Error ? error.message : String(error);
      end = { state: 'failed', messages: [{ level: 'error', identifier: 'internal', text }] };
    }
    const { state, messages, recalled } = end;
    if (state === 'failed') await holdBehind(messages[0]?.text ?? 'The command failed.');
    outcomes.set(row, state, { messages: [...messages], ...(recalled === undefined ? {} : { recalled }) });
  };

  /** What was to start could not even be put on the branch (a full disk): it waits on, held, and says why. */
  const fail = async (rows: readonly Waiting[], error: unknown): Promise<void> => {
    const text = error instanceof Error ? error.message : String(error);
    inbox.putBack(rows);
    for (const row of rows)
      outcomes.set(row, 'waiting', { messages: [{ level: 'error', identifier: 'not-started', text }] });
    await holdBehind(`Could not start: ${text}`);
  };

  const holdBehind = async (message: string): Promise<void> => {
    if (!parts.dropsAfterFailure) {
      const because = { because: 'failed', message } as const;
      parts.onFailed(because);
      return hold(because);
    }
    drop(inbox.remove('all'), { level: 'error', identifier: 'dropped', text: message }, 'dropped');
  };

  const hold = async (reason: QueuePause): Promise<void> => {
    inbox.pause(reason);
    await recorder.write([queueEntry(inbox)], KEEP);
  };

  const stop = (cause: StopCause): boolean => {
    if (current === null || current.abort.signal.aborted) return current !== null;
    current.abort.abort(cause);
    publisher.publish({
      type: 'activity',
      activity: { ...publisher.view.activity, phase: 'stopping', detail: '', retry: null },
    });
    return true;
  };

  return {
    get running() {
      return current?.kind ?? null;
    },
    wake,
    nextTurn: () => ++lastTurn,
    runPrivately: (line) => {
      privateLines.push(line);
      outcomes.set(line, 'waiting');
      wake();
    },
    stop,
    sendTogether: () => {
      // A compaction is finished first: what is sent meanwhile waits behind it (QUE-14).
      if (current === null || current.kind === 'command' || publisher.view.activity.phase === 'compacting') return;
      together = inbox.batch().map(({ id }) => id);
      if (together.length > 0) stop('interrupted');
    },
    pause: async (reason) => {
      if (inbox.rows.length > 0) await hold(reason);
    },
    holdBehind: async (message) => {
      if (inbox.rows.length > 0) await holdBehind(message);
    },
    idle: () => (pumping === null ? Promise.resolve() : new Promise((settle) => idlers.push(settle))),
    close: async () => {
      closed = true;
      current?.abort.abort('closing' satisfies StopCause);
      await pumping;
      for (const settle of idlers) settle();
    },
  };
}

/** What of a target differs from the conversation, now that its turn has come; null where it comes to the same. */
function awayFrom(own: ModelRef, target: Target | null): Target | null {
  if (target?.model == null || !isSameModel(own, target.model)) return target;
  return target.effort === null ? null : { model: null, effort: target.effort };
}

const KEEP = { onFailure: 'keep' } as const;
const IDLE = { phase: 'idle', turn: null, since: null, detail: '', retry: null } as const;

function noteOf(error: unknown): EntryBody {
  const text = error instanceof Error ? error.message : String(error);
  return { kind: 'note', level: 'error', identifier: 'internal', text: `Houston failed: ${text}` };
}

/** The queue as it stands, for the journal. */
export function queueEntry(inbox: Inbox): Extract<EntryBody, { kind: 'queue' }> {
  const { paused, held, line: order } = inbox;
  const some = paused !== null && held.length < order.length;
  return { kind: 'queue', order, edited: [], paused, ...(some ? { held } : {}) };
}

function stateOf(report: TurnReport): 'done' | 'failed' | 'stopped' {
  switch (report.reason) {
    case 'done':
    case 'limit':
      return 'done';
    case 'failed':
    case 'repeating':
      return 'failed';
    case 'stopped':
    case 'interrupted':
      return 'stopped';
  }
}

function messagesOf(report: TurnReport, input: Waiting, taken: readonly Waiting[], inbox: Inbox): OutcomeMessage[] {
  // Offered back to the box: stopped before anything came of it, and nothing else is in play (STOP-6).
  const unanswered = report.reason === 'stopped' && !report.visible && taken.length === 1 && inbox.rows.length === 0;
  if (unanswered) return [{ level: 'info', identifier: 'offered-back', text: input.text }];
  if (report.message === null) return [];
  const identifier = report.failure?.category ?? `turn-${report.reason}`;
  return [{ level: report.reason === 'failed' ? 'error' : 'warning', identifier, text: report.message }];
}
