import { join } from 'node:path';
import { onAbort } from '../../base/abort.ts';
import type { Clock } from '../../system/clock.ts';
import { type Files, SystemError } from '../../system/files.ts';
import type { Child, Exit, Processes } from '../../system/processes.ts';
import { callMark, childEnvironment, personEnvironment, SCRATCH } from './child-environment.ts';
import { endTree } from './end-tree.ts';
import { createHeadTail } from './head-tail.ts';
import { isOfSandbox, readLeft, unconfined } from './left-running.ts';
import type { Confine, Confined, LineOrder, LineResult, RunLine } from './line.ts';
import { createProgress } from './progress.ts';
import { saveOutput } from './saved-output.ts';

export interface LineParts {
  readonly files: Pick<Files, 'openAppend' | 'makeFolder' | 'open' | 'remove'>;
  readonly processes: Processes;
  readonly clock: Clock;
  /** Our own environment; commands get it without our credentials. */
  readonly environment: Readonly<Record<string, string>>;
  /** Names of further variables that hold credentials. */
  readonly secretNames?: readonly string[];
  /** The person's own lines get the whole environment; default false. */
  readonly forPerson?: boolean;
  readonly session: string;
  /** The session's `outputs/`, null when nothing is saved. */
  readonly outputs: string | null;
  /** Puts an argv into the sandbox; left out where lines run as the person's own. */
  readonly confine?: Confine;
  /** The session's folder for throw-away files, which commands may write; null or left out when there is none. */
  readonly scratch?: string | null;
}

/** Bytes kept at each end for the model; the whole is in the saved output. */
const KEPT = 16 * 1024;
/** What ended programs had still written is given so long to arrive, in milliseconds. */
const LAST_WORDS = 30;

/** A runner of lines for one session. */
export function createLineRunner(parts: LineParts): RunLine {
  return (order, signal, onOutput) => runLine(parts, order, signal, onOutput);
}

/**
 * Runs one line with bash in a session of its own, without a terminal or a keyboard. It ends with its shell, at its
 * deadline or when `signal` aborts, and its whole tree ends with it: what it left in the background is ended and named.
 */
async function runLine(
  parts: LineParts,
  order: LineOrder,
  signal: AbortSignal,
  onOutput: (text: string) => void,
): Promise<LineResult> {
  const { processes, clock } = parts;
  const started = clock.ticks();
  const marks = { session: parts.session, call: order.call };
  const kept = createHeadTail(KEPT);
  const progress = createProgress(clock, onOutput);
  const saved = await saveOutput(parts.files, parts.outputs, order.call);
  let over = false;

  function take(bytes: Uint8Array): Promise<void> | undefined {
    if (over) return undefined;
    kept.push(bytes);
    progress.push(bytes);
    return saved.push(bytes);
  }

  let child: Child;
  let confined: Confined;
  const scratch = parts.scratch ?? null;
  const left = scratch === null ? null : join(scratch, `.left-${order.call.replace(/[^\w-]/g, '_')}`);
  try {
    const environment = parts.forPerson
      ? personEnvironment(parts.environment, marks)
      : childEnvironment(parts.environment, marks, parts.secretNames);
    if (scratch !== null) environment[SCRATCH] = scratch;
    const shell = (await processes.find('bash', environment.PATH ?? '')) ?? '/bin/sh';
    confined = await (parts.confine ?? unconfined)([shell, '-c', order.line], order, left);
    // The sandbox may have had to be waited for.
    if (signal.aborted) throw new SystemError('EINTR', 'it was stopped before it began');
    for (const name of confined.removed) delete environment[name];
    child = await processes.spawn({
      argv: confined.argv,
      folder: order.folder,
      environment: { ...environment, ...confined.added },
      input: order.input ?? null,
      output: 'pieces',
      onOutput: take,
    });
  } catch (error) {
    await saved.close();
    throw error instanceof SystemError
      ? new SystemError(error.code, `the command could not be started: ${error.message}`)
      : error;
  }

  const { exit, endedBy, ended: found } = await waitForEnd(parts, child, order, signal, callMark(marks), confined);
  const behind = await readLeft(parts.files, left);
  const named = [...new Set([...found, ...behind])].filter((command) => !isOfSandbox(command, confined));
  // What was only just being started still has the name of the shell that starts it: it is known by the whole line.
  const ended = named.length > 0 || behind.length === 0 ? named : [order.line];
  if (ended.length > 0) await clock.sleep(LAST_WORDS);
  over = true;
  progress.close();
  const outputTrouble = await saved.close();
  return {
    exit: exit.code,
    endedBy,
    output: saved.name,
    outputTrouble,
    ...kept.read(),
    totalBytes: kept.totalBytes,
    totalLines: kept.totalLines,
    job: null,
    duration: clock.ticks() - started,
    ended,
  };
}

type Ending = { readonly exit: Exit } & Pick<LineResult, 'endedBy' | 'ended'>;

/** Resolves when the shell has ended, by itself or because it was told to, and its tree with it. */
async function waitForEnd(
  parts: LineParts,
  child: Child,
  order: LineOrder,
  signal: AbortSignal,
  mark: string,
  confined: Confined,
): Promise<Ending> {
  let told: 'timeout' | 'stopped' | null = null;
  let ending: Promise<readonly string[]> | null = null;
  function tell(why: 'timeout' | 'stopped'): void {
    if (told !== null) return;
    told = why;
    ending = endTree(parts, child, mark, confined.holdsTree);
  }
  const forgetDeadline = parts.clock.after(order.timeoutMs, () => tell('timeout'));
  const forgetSignal = onAbort(signal, () => tell('stopped'));
  const exit = await child.exited;
  forgetDeadline();
  forgetSignal();
  const ended = await (ending ?? endTree(parts, child, mark, confined.holdsTree));
  return { exit, endedBy: told ?? (exit.signal === null ? 'exit' : 'signal'), ended };
}
