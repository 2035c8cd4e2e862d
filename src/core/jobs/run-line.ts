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
  const kept = createHeadTail(KEPT);
  const progress = createProgress(clock, onOutput);
  const saved = await saveOutput(parts.files, order.unsaved === true ? null : parts.outputs, order.call);
  let over = false;

  function take(bytes: Uint8Array): Promise<void> | undefined {
    if (over) return undefined;
    kept.push(bytes);
    progress.push(bytes);
    return saved.push(bytes);
  }

  let child: Child;
  let prepared: PreparedLine;
  try {
    prepared = await prepareLine(parts, order, signal);
    child = await processes.spawn({
      argv: prepared.confined.argv,
      folder: order.folder,
      environment: prepared.environment,
      input: order.input ?? null,
      output: 'pieces',
      onOutput: take,
    });
  } catch (error) {
    await saved.close();
    throw notStarted(error);
  }

  const { confined } = prepared;
  const {
    exit,
    endedBy,
    ended: found,
  } = await waitForEnd(parts, child, order, signal, callMark({ session: parts.session, call: order.call }), confined);
  const ended = await endedWith(parts, order, prepared, found);
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

/** A line as it is to be started. */
export interface PreparedLine {
  readonly confined: Confined;
  /** All of it. */
  readonly environment: Readonly<Record<string, string>>;
  /** Where commands it leaves running are written to; null for nowhere. */
  readonly left: string | null;
}

/** Finds the shell, makes up the environment, and puts both into the sandbox. Throws a `SystemError` where that fails. */
export async function prepareLine(parts: LineParts, order: LineOrder, signal: AbortSignal): Promise<PreparedLine> {
  const marks = { session: parts.session, call: order.call };
  const scratch = parts.scratch ?? null;
  const left = scratch === null ? null : join(scratch, `.left-${order.call.replace(/[^\w-]/g, '_')}`);
  const terminal = order.terminal === true;
  const environment = parts.forPerson
    ? personEnvironment(parts.environment, marks, terminal)
    : childEnvironment(parts.environment, marks, parts.secretNames, terminal);
  if (scratch !== null) environment[SCRATCH] = scratch;
  const shell = await findShell(parts, environment.PATH ?? '');
  const confined = await (parts.confine ?? unconfined)([shell, '-c', order.line], order, left);
  // The sandbox may have had to be waited for.
  if (signal.aborted) throw new SystemError('EINTR', 'it was stopped before it began');
  for (const name of confined.removed) delete environment[name];
  return { confined, environment: { ...environment, ...confined.added }, left };
}

/** The person's lines are for the shell they use; the model's are written for bash. */
async function findShell({ processes, forPerson, environment }: LineParts, path: string): Promise<string> {
  const theirs = forPerson === true ? (environment.SHELL ?? '') : '';
  const found = theirs.startsWith('/') ? await processes.find(theirs, path) : null;
  return found ?? (await processes.find('bash', path)) ?? '/bin/sh';
}

/** What had to be ended with a line: what was found by its mark, and what its sandbox wrote down. */
export async function endedWith(
  parts: Pick<LineParts, 'files'>,
  order: Pick<LineOrder, 'line'>,
  { confined, left }: PreparedLine,
  found: readonly string[],
): Promise<readonly string[]> {
  const behind = await readLeft(parts.files, left);
  const named = [...new Set([...found, ...behind])].filter((command) => !isOfSandbox(command, confined));
  // What was only just being started still has the name of the shell that starts it: it is known by the whole line.
  return named.length > 0 || behind.length === 0 ? named : [order.line];
}

export function notStarted(error: unknown): unknown {
  return error instanceof SystemError
    ? new SystemError(error.code, `the command could not be started: ${error.message}`)
    : error;
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
