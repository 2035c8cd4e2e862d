import { onAbort } from '../../base/abort.ts';
import type { Clock } from '../../system/clock.ts';
import { type Files, SystemError } from '../../system/files.ts';
import type { Child, Exit, Processes } from '../../system/processes.ts';
import { callMark, childEnvironment, personEnvironment } from './child-environment.ts';
import { endTree } from './end-tree.ts';
import { createHeadTail } from './head-tail.ts';
import type { LineOrder, LineResult, RunLine } from './line.ts';
import { createProgress } from './progress.ts';
import { saveOutput } from './saved-output.ts';

export interface LineParts {
  readonly files: Pick<Files, 'openAppend' | 'makeFolder'>;
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
  /** Puts an argv into the sandbox; throws `SystemError` when it cannot be confined as asked. */
  readonly wrap: (argv: readonly string[], folder: string) => readonly string[];
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
  try {
    const environment = parts.forPerson
      ? personEnvironment(parts.environment, marks)
      : childEnvironment(parts.environment, marks, parts.secretNames);
    const shell = (await processes.find('bash', environment.PATH ?? '')) ?? '/bin/sh';
    child = await processes.spawn({
      argv: parts.wrap([shell, '-c', order.line], order.folder),
      folder: order.folder,
      environment,
      input: null,
      output: 'pieces',
      onOutput: take,
    });
  } catch (error) {
    await saved.close();
    throw error instanceof SystemError
      ? new SystemError(error.code, `the command could not be started: ${error.message}`)
      : error;
  }

  const { exit, endedBy, ended } = await waitForEnd(parts, child, order, signal, callMark(marks));
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
): Promise<Ending> {
  let told: 'timeout' | 'stopped' | null = null;
  let ending: Promise<readonly string[]> | null = null;
  function tell(why: 'timeout' | 'stopped'): void {
    if (told !== null) return;
    told = why;
    ending = endTree(parts, child, mark);
  }
  const forgetDeadline = parts.clock.after(order.timeoutMs, () => tell('timeout'));
  const forgetSignal = onAbort(signal, () => tell('stopped'));
  const exit = await child.exited;
  forgetDeadline();
  forgetSignal();
  const ended = await (ending ?? endTree(parts, child, mark));
  return { exit, endedBy: told ?? (exit.signal === null ? 'exit' : 'signal'), ended };
}
