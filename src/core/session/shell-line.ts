import type { EntryBody } from '../../protocol/entry.ts';
import { TRUSTED_PRIVATE } from '../../protocol/label.ts';
import type { InputOutcome } from '../../protocol/view.ts';
import type { Clock } from '../../system/clock.ts';
import type { LineResult, RunLine } from '../jobs/line.ts';
import type { HookSide, Hooks } from '../runtime/hooks.ts';
import type { Waiting } from '../runtime/inbox.ts';
import type { Recorder } from '../runtime/runtime.ts';
import { keepEnd, limitOutput } from '../tools/limit-output.ts';
import { outputReference } from '../tools/tool-paths.ts';
import type { OutcomeMessage } from './outcomes.ts';
import type { Publisher } from './publish.ts';

/** A line that is shown to the one who typed it and kept nowhere (DSH-3). */
export type PrivateLine = Pick<InputOutcome, 'client' | 'ref'> & { readonly text: string };

/** How a line ended, and what its owner is told of it. */
export interface LineEnd {
  readonly state: 'done' | 'failed' | 'stopped';
  readonly messages: readonly OutcomeMessage[];
}

/** Lines a person runs in their own shell: whole environment, no question, never confined (SH-1). */
export interface ShellLines {
  /** `onTaken`: it is on the branch. Rejects only when the line could not even be recorded; then it has not run. */
  run(row: Waiting, turn: number, signal: AbortSignal, onTaken: () => void): Promise<LineEnd>;
  runPrivately(line: PrivateLine, signal: AbortSignal): Promise<'done' | 'failed' | 'stopped'>;
}

export interface ShellParts {
  readonly recorder: Recorder;
  readonly publisher: Publisher;
  readonly clock: Clock;
  readonly runLine: RunLine;
  readonly folder: string;
  readonly usedCalls: Set<string>;
  readonly redact: (text: string) => string;
  /** Why a line may not run, whoever typed it; null where it may. */
  readonly forbids: (line: string) => Promise<string | null>;
  /** Hooks hold for the person's own lines too (DSH-2); null while none are there. */
  readonly hooks: () => { readonly hooks: Hooks; side(turn: number, signal: AbortSignal): HookSide } | null;
}

/** A line that was stopped or did not start is the person's affair alone (SC-11.2). */
const NOT_TOLD = {
  level: 'warning',
  identifier: 'not-told',
  text: 'Your line was not run to its end; the model is not told of it.',
} as const;
/** No deadline: what a person starts, a person ends. */
const NO_TIMEOUT = 0x7fffffff;
/** What a card keeps of the end; the whole is read from the saved output. */
const TAIL_BYTES = 4 * 1024;

export function createShellLines(parts: ShellParts): ShellLines {
  const { recorder, publisher, clock, folder, redact } = parts;

  const show = (line: string, turn: number | null): void => {
    publisher.publish({
      type: 'activity',
      activity: { phase: 'shell', turn, since: clock.now(), detail: line, retry: null },
    });
  };
  const start = async (
    call: string,
    line: string,
    signal: AbortSignal,
    onOutput: (text: string) => void,
    unsaved = false,
  ): Promise<LineResult | { readonly trouble: string }> => {
    try {
      const forbidden = await parts.forbids(line);
      if (forbidden !== null) return { trouble: forbidden };
      return await parts.runLine({ call, line, folder, timeoutMs: NO_TIMEOUT, unsaved }, signal, onOutput);
    } catch (error) {
      return { trouble: error instanceof Error ? error.message : String(error) };
    }
  };

  return {
    run: async (row, turn, signal, onTaken) => {
      const call = `shell-${turn}`;
      parts.usedCalls.add(call);
      show(row.text, turn);
      await recorder.write([
        { kind: 'taken', input: row.id, turn, as: 'shell' },
        { kind: 'call', turn, call, tool: '!', title: row.text, effects: [], decidedBy: 'person' },
      ]);
      onTaken();
      const told = toHooks(call, row.text, parts.hooks(), (hooks) => hooks.side(turn, signal));
      await told.before();
      const begun = clock.ticks();
      const result = signal.aborted
        ? { trouble: 'stopped before it began' }
        : await start(call, row.text, signal, (text) =>
            publisher.publish({ type: 'call-output', call, text: redact(text) }),
          );
      const duration = Math.round(clock.ticks() - begun);
      const entry = resultOf(result, { call, turn, line: row.text, duration, stopped: signal.aborted }, redact);
      await recorder.write([entry, { kind: 'active-time', duration }], { onFailure: 'keep' });
      if (!('trouble' in result)) await told.after(entry);
      if (signal.aborted) return { state: 'stopped', messages: [NOT_TOLD] };
      if (!('trouble' in result)) return { state: 'done', messages: [] };
      const text = `Your line did not run: ${result.trouble}`;
      return { state: 'failed', messages: [{ level: 'error', identifier: 'line-not-run', text }, NOT_TOLD] };
    },
    runPrivately: async ({ client, ref, text: line }, signal) => {
      show(line, null);
      const told = toHooks(`private-${ref}`, line, parts.hooks(), (hooks) => ({
        ...hooks.side(0, signal),
        recorder: null,
        onFailure: (text) => publisher.publish({ type: 'flash', client, level: 'warning', text }),
      }));
      await told.before();
      const begun = clock.ticks();
      const result = signal.aborted
        ? { trouble: 'stopped before it began' }
        : await start(`private-${ref}`, line, signal, () => {}, true);
      // The time is the session's like any other; of the line nothing is kept.
      await recorder.write([{ kind: 'active-time', duration: Math.round(clock.ticks() - begun) }], {
        onFailure: 'keep',
      });
      const text = 'trouble' in result ? `Could not start: ${result.trouble}` : `$ ${line}\n${outputText(result)}`;
      publisher.publish({ type: 'flash', client, level: 'trouble' in result ? 'error' : 'info', text });
      if (!('trouble' in result))
        await told.after(resultOf(result, { call: '', turn: 0, line, duration: 0, stopped: signal.aborted }, redact));
      if (signal.aborted) return 'stopped';
      return 'trouble' in result ? 'failed' : 'done';
    },
  };
}

type ResultBody = Extract<EntryBody, { kind: 'result' }>;

/** A line of the person's goes by `!`, and by the tool that runs the model's lines. */
function toHooks(
  call: string,
  line: string,
  given: ReturnType<ShellParts['hooks']>,
  side: (hooks: NonNullable<ReturnType<ShellParts['hooks']>>) => HookSide,
): { before(): Promise<void>; after(result: ResultBody): Promise<void> } {
  if (given === null) return NO_HOOKS;
  const about = { tool: '!', alias: 'run_shell', call, title: line, arguments: { command: line } };
  return {
    before: () => given.hooks.tool(side(given), { phase: 'before_tool', ...about }),
    after: ({ outcome: status, text, label, duration }) =>
      given.hooks.tool(side(given), { phase: 'after_tool', ...about, outcome: { status, text, label, duration } }),
  };
}

const NO_HOOKS = { before: async () => {}, after: async () => {} };

interface Ran {
  readonly call: string;
  readonly turn: number;
  readonly line: string;
  readonly duration: number;
  readonly stopped: boolean;
}

function resultOf(
  result: LineResult | { readonly trouble: string },
  ran: Ran,
  redact: (text: string) => string,
): ResultBody {
  const { call, turn, line, duration } = ran;
  const common = {
    kind: 'result',
    turn,
    call,
    tool: '!',
    title: line,
    images: [],
    ref: null,
    label: TRUSTED_PRIVATE,
    job: 'trouble' in result ? null : result.job,
    duration,
  } as const;
  if ('trouble' in result) {
    const outcome = ran.stopped ? 'stopped' : 'error';
    return { ...common, outcome, text: `It did not run: ${result.trouble}`, display: { kind: 'none' }, output: null };
  }
  // A command that ends in an error has still been run, and its result is what was asked for.
  return {
    ...common,
    outcome: ran.stopped ? 'stopped' : 'ok',
    text: redact(outputText(result)),
    display: {
      kind: 'terminal',
      command: line,
      tail: redact(keepEnd(result.omittedBytes === 0 ? result.head + result.tail : result.tail, TAIL_BYTES)),
      totalLines: result.totalLines,
      totalBytes: result.totalBytes,
      exit: result.exit,
      endedBy: result.endedBy,
      label: TRUSTED_PRIVATE,
    },
    output: result.output,
  };
}

function endingOf({ endedBy, exit, job }: LineResult): string {
  if (endedBy === 'exit') return exit === 0 ? '' : `[exit ${exit}]`;
  return endedBy === 'background' ? `[the person moved it to the background: it goes on as ${job}]` : `[${endedBy}]`;
}

/** What the line printed, within what a request may hold, and how it ended where that says something. */
function outputText(result: LineResult): string {
  const printed = limitOutput(result, result.output === null ? null : outputReference(result.output));
  const ending = endingOf(result);
  return [printed.trimEnd(), ending].filter((part) => part !== '').join('\n');
}
