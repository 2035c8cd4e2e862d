import { UNTRUSTED_PRIVATE } from '../../protocol/label.ts';
import { SystemError } from '../../system/files.ts';
import type { LineResult } from '../jobs/line.ts';
import { optional, peek, text, toolArguments, whole } from './arguments.ts';
import { keepEnd, limitOutput } from './limit-output.ts';
import { argumentsLabel, wrongArguments } from './planning.ts';
import description from './run-shell.md' with { type: 'text' };
import type { Tool, ToolOutcome } from './tool.ts';
import { outputReference } from './tool-paths.ts';

interface Planned {
  readonly command: string;
  readonly folder: string;
  readonly seconds: number;
}

const DEFAULT_SECONDS = 300;
const MOST_SECONDS = 600;
/** What a card keeps of the end; the whole is read from the saved output. */
const TAIL_BYTES = 4 * 1024;

/** Commands that would wait for a person. */
const WANTS_A_PERSON =
  /(?:^|[;&|(\n]|\b(?:then|do|else)\s)\s*(?:read|sudo|su|passwd|ssh|vi|vim|nvim|nano|emacs|top|htop)\s|\/dev\/tty|rebase\s+(?:-i|--interactive)|\badd\s+(?:-p|--patch|-i)\b/;

const given = toolArguments({
  command: text('The command line, as bash would take it.'),
  timeout_seconds: optional(
    whole(`Seconds after which it is ended. Default ${DEFAULT_SECONDS}, most ${MOST_SECONDS}.`, 1, MOST_SECONDS),
  ),
});

export const runShell: Tool<Planned> = {
  name: 'run_shell',
  description,
  input: given.schema,
  routing: ['command', 'timeout_seconds'],
  order: 'alone',
  title: (input) => `$ ${firstLine(peek(input, 'command'))}`,

  async plan(input, context) {
    const read = given.read(input);
    if (!read.ok) return wrongArguments(read.refusal);
    const { command } = read.value;
    if (command.trim() === '') return { ok: false, message: 'Wrong arguments: "command" must not be empty.' };
    if (command.includes('\0'))
      return { ok: false, message: 'Wrong arguments: "command" must not hold a zero character.' };
    const seconds = read.value.timeout_seconds ?? DEFAULT_SECONDS;
    const effect = {
      kind: 'run',
      line: command,
      folder: context.folder,
      background: false,
      terminal: false,
      timeoutMs: seconds * 1000,
      label: argumentsLabel(context),
    } as const;
    return {
      ok: true,
      title: `$ ${firstLine(command)}`,
      effects: [effect],
      diffs: [],
      planned: { command, folder: context.folder, seconds },
    };
  },

  async run({ command, folder, seconds }, world): Promise<ToolOutcome> {
    let result: LineResult;
    try {
      result = await world.runLine(() => {});
    } catch (error) {
      if (!(error instanceof SystemError)) throw error;
      return { ok: false, kind: 'error', message: `Nothing was run. ${error.message}` };
    }
    const whole = result.output === null ? null : outputReference(result.output);
    const output = limitOutput(result, whole);
    const notes = [ending(result, seconds), ...trouble(result, command)];
    const said = `${output === '' ? '' : output.endsWith('\n') ? output : `${output}\n`}[${notes.join('; ')}]`;
    const common = {
      provenance: { from: 'program', line: command, folder },
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
    return result.exit === 0
      ? { ok: true, text: said, job: result.job, ...common }
      : { ok: false, kind: 'error', message: said, ...common };
  },
};

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
      return `${empty}still running as ${result.job}`;
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
