import type { AskRow } from '../../protocol/ask.ts';
import { type Label, TRUSTED_PUBLIC, UNTRUSTED_PRIVATE } from '../../protocol/label.ts';
import { SystemError } from '../../system/files.ts';
import { durationText } from '../jobs/job-words.ts';
import type { LineResult } from '../jobs/line.ts';
import { flag, optional, peek, text, toolArguments, whole } from './arguments.ts';
import { keepEnd, limitOutput } from './limit-output.ts';
import { argumentsLabel, limitsOf, wrongArguments } from './planning.ts';
import { type Impossible, noReferences, noSuchReference, withoutContent } from './references.ts';
import description from './run-shell.md' with { type: 'text' };
import { type PlanContext, type Provenance, TOOL_LIMITS, type Tool, type ToolOutcome } from './tool.ts';
import { absolutePath, outputReference, shortPath } from './tool-paths.ts';

interface Planned {
  readonly command: string;
  readonly folder: string;
  readonly seconds: number;
  /** What was asked for instead, where that was out of range. */
  readonly wanted: number | null;
  readonly fed: Label | null;
  readonly background: boolean;
}

const MOST_SECONDS = 600;
/** From so many milliseconds on it is worth saying how long it took: next time it may run in the background. */
const LONG_MS = 10_000;
/** What a card keeps of the end; the whole is read from the saved output. */
const TAIL_BYTES = 4 * 1024;

/** Said in the question whether it may run. */
const GOES_ON: AskRow = {
  role: 'reason',
  shown: { text: 'It goes on in the background: nobody waits for it.', label: TRUSTED_PUBLIC },
};

/** Commands that would wait for a person. */
const WANTS_A_PERSON =
  /(?:^|[;&|(\n]|\b(?:then|do|else)\s)\s*(?:read|sudo|su|passwd|ssh|vi|vim|nvim|nano|emacs|top|htop)\s|\/dev\/tty|rebase\s+(?:-i|--interactive)|\badd\s+(?:-p|--patch|-i)\b/;

const given = toolArguments({
  command: text('The command line, as bash would take it.'),
  directory: optional(text('Folder it runs in. Default: the working folder.')),
  stdin_ref: optional(text('A reference whose content it gets on its standard input. Not together with `<`.')),
  timeout_seconds: optional(
    whole(
      `Seconds you wait for it, 1 to ${MOST_SECONDS}. Default ${TOOL_LIMITS.commandSeconds}.`,
      Number.MIN_SAFE_INTEGER,
      Number.MAX_SAFE_INTEGER,
    ),
  ),
  background: optional(flag('Do not wait: it goes on by itself, and you are told when it ends.')),
  terminal: optional(flag('Run it on a terminal, which the person can take over to type into. Goes on by itself.')),
});

export const runShell: Tool<Planned> = {
  name: 'run_shell',
  description,
  heldBy: 'checker',
  input: given.schema,
  routing: ['command', 'directory', 'stdin_ref', 'timeout_seconds', 'background', 'terminal'],
  order: 'alone',
  title: (input) => `$ ${firstLine(peek(input, 'command'))}`,

  async plan(input, context) {
    const read = given.read(input);
    if (!read.ok) return wrongArguments(read.refusal);
    const { command } = read.value;
    if (command.trim() === '') return { ok: false, message: 'Wrong arguments: "command" must not be empty.' };
    if (command.includes('\0'))
      return { ok: false, message: 'Wrong arguments: "command" must not hold a zero character.' };
    const wanted = read.value.timeout_seconds ?? limitsOf(context).commandSeconds;
    const seconds = Math.min(Math.max(wanted, 1), MOST_SECONDS);
    const folder = read.value.directory === null ? context.folder : absolutePath(read.value.directory, context);
    if (folder !== context.folder && (await context.files.stat(folder))?.kind !== 'folder')
      return { ok: false, message: `${shortPath(folder, context.folder)} is no folder. Nothing was run.` };
    const fed = inputOf(read.value.stdin_ref, context);
    if (fed !== null && 'message' in fed) return fed;
    const terminal = read.value.terminal === true;
    if (terminal && fed !== null)
      return {
        ok: false,
        message: 'Wrong arguments: a terminal has no standard input to feed: leave "stdin_ref" out.',
      };
    const background = terminal || read.value.background === true;
    const effect = {
      kind: 'run',
      line: command,
      folder,
      background,
      terminal,
      timeoutMs: seconds * 1000,
      label: argumentsLabel(context),
      ...(fed === null ? {} : { input: fed }),
    } as const;
    return {
      ok: true,
      title: `$ ${firstLine(command)}`,
      effects: [effect],
      diffs: [],
      ...(background ? { rows: [GOES_ON] } : {}),
      planned: {
        command,
        folder,
        seconds,
        wanted: wanted === seconds ? null : wanted,
        fed: fed?.label ?? null,
        background,
      },
    };
  },

  async run({ command, folder, seconds, wanted, fed, background }, world): Promise<ToolOutcome> {
    if (background && world.jobs === undefined)
      return { ok: false, kind: 'error', message: 'Nothing was run: no command can go on in the background here.' };
    let result: LineResult;
    try {
      result = await world.runLine(world.progress);
    } catch (error) {
      if (!(error instanceof SystemError)) throw error;
      return { ok: false, kind: 'error', message: `Nothing was run. ${error.message}` };
    }
    const whole = result.output === null ? null : outputReference(result.output);
    const output = limitOutput(result, whole);
    const clamped = wanted === null ? [] : [`its deadline was ${seconds} seconds, not ${wanted}`];
    // Nothing was written: then there is nothing of the program's in what is said.
    const silent = result.totalBytes === 0;
    const goesOn = result.endedBy === 'background';
    const notes = [
      ending(result, seconds),
      ...(result.endedBy === 'exit' && result.duration >= LONG_MS ? [durationText(result.duration)] : []),
      ...clamped,
      ...trouble(silent ? { ...result, ended: [] } : result, command),
    ];
    const said = `${output === '' ? '' : output.endsWith('\n') ? output : `${output}\n`}[${notes.join('; ')}]`;
    const provenance: Provenance = silent
      ? { from: 'houston' }
      : { from: 'program', line: command, folder, ...(fed === null ? {} : { fed }) };
    const common = {
      provenance,
      output: result.output,
      display: {
        kind: 'terminal',
        command,
        tail: keepEnd(result.omittedBytes === 0 ? result.head : result.tail, TAIL_BYTES),
        totalLines: result.totalLines,
        totalBytes: result.totalBytes,
        exit: result.exit,
        endedBy: result.endedBy,
        label: UNTRUSTED_PRIVATE,
      },
    } as const;
    if (result.endedBy === 'stopped' || result.endedBy === 'timeout')
      return { ok: false, kind: 'stopped', message: said, ...common };
    return goesOn || result.exit === 0
      ? { ok: true, text: said, job: result.job, ...common }
      : { ok: false, kind: 'error', message: said, ...common };
  },
};

function inputOf(
  ref: string | null,
  context: PlanContext,
): { readonly ref: string; readonly label: Label } | Impossible | null {
  if (ref === null) return null;
  if (!context.refs) return noReferences(context);
  const slot = context.refs.find(ref);
  if (slot === null) return noSuchReference(ref);
  return withoutContent(ref, slot.form) ?? { ref, label: slot.label };
}

function ending(result: LineResult, seconds: number): string {
  const empty = result.totalBytes === 0 ? 'no output, ' : '';
  switch (result.endedBy) {
    case 'exit':
      return `${empty}exit ${result.exit}`;
    case 'signal':
      return `${empty}ended by a signal`;
    case 'timeout':
      return `${empty}ended after ${seconds} seconds, its deadline`;
    case 'stopped':
      return `${empty}interrupted by the person`;
    case 'background':
      return `${empty}${handedOver(result, seconds)}`;
  }
}

/** The result of a call that did not wait for its command to end: the job's handle (decisions §10.11). */
function handedOver({ movedBy, job }: LineResult, seconds: number): string {
  const end = `you are told when it ends, and the tool job looks after it`;
  switch (movedBy) {
    case 'person':
      return `the person moved it to the background: it goes on as ${job}; ${end}`;
    case 'deadline':
      return `still running after ${seconds} seconds: it goes on in the background as ${job}; ${end}`;
    case 'message':
      return `a message of the person came: it goes on in the background as ${job}; ${end}`;
    default:
      return `it runs in the background as ${job}; ${end}`;
  }
}

function trouble(result: LineResult, command: string): string[] {
  const notes: string[] = [];
  if (result.outputTrouble !== null) notes.push(result.outputTrouble);
  if (result.ended.length > 0)
    notes.push(
      `ended with it: ${result.ended
        .slice(0, 5)
        .map((one) => firstLine(one))
        .join(', ')}`,
    );
  if (WANTS_A_PERSON.test(`${command} `))
    notes.push('commands have no keyboard and no terminal: input was not available');
  return notes;
}

function firstLine(command: string): string {
  const line = command.trimStart().split(/[\n\r]/, 1)[0]!;
  return line.length < command.trim().length || line.length > 120 ? `${line.slice(0, 119).toWellFormed()}…` : line;
}
