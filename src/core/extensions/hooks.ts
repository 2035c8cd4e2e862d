import { getNodeValue, parseTree } from 'jsonc-parser/lib/esm/impl/parser.js';
import type { Json } from '../../base/json.ts';

export const HOOK_PHASES = [
  'before_tool',
  'after_tool',
  'after_assistant',
  'after_reasoning',
  'turn_started',
  'turn_finished',
] as const;
export type HookPhase = (typeof HOOK_PHASES)[number];

/** A program the person, or with their leave a project, has run at moments of a turn. It observes; it decides nothing. */
export interface Hook {
  /** The file it stands in, absolute. */
  readonly source: string;
  readonly phase: HookPhase;
  readonly label: string;
  /** A line for `sh -c`, or a program and its arguments. */
  readonly command: string | readonly string[];
  /** Names of tools; null for all. In phases of tools only. */
  readonly include: readonly string[] | null;
  readonly exclude: readonly string[];
  /** Seconds. */
  readonly timeout: number;
  /** Whether what it prints is to be told to the model, where the settings allow that at all. */
  readonly inject: boolean;
}

export interface HooksRead {
  readonly hooks: readonly Hook[];
  /** One line each, with its place: such an entry is no hook, and the others hold. */
  readonly problems: readonly string[];
}

export const HOOKS_FILE_BYTES = 64 * 1024;
const DEFAULT_SECONDS = 30;
const SECONDS: readonly [number, number] = [1, 600];
const MOST_HOOKS = 64;
const MOST_LABEL = 80;
const MOST_COMMAND = 4096;
const KNOWN = new Set([
  ...['phase', 'label', 'command', 'include_tools', 'exclude_tools', 'timeout', 'inject', 'payload', 'failure_policy'],
]);

/** Whether a phase is about one use of a tool. */
export function isToolPhase(phase: HookPhase): boolean {
  return phase === 'before_tool' || phase === 'after_tool';
}

/** Reads one file of hooks; whatever stands in it, nothing is thrown (HOOK-1). */
export function readHooks(text: string, source: string): HooksRead {
  const parsed = parse(text);
  if (parsed.problem !== null) return { hooks: [], problems: [`${source}: ${parsed.problem}`] };
  const { value } = parsed;
  if (!isRecord(value) || !Array.isArray(value.hooks))
    return { hooks: [], problems: [`${source}: not of the form {"hooks": [...]}`] };
  const hooks: Hook[] = [];
  const problems: string[] = [];
  for (const [index, entry] of value.hooks.slice(0, MOST_HOOKS).entries()) {
    const read = readHook(entry, source);
    if (typeof read === 'string') problems.push(`${source}: hook ${index + 1}: ${read}; it is no hook`);
    else hooks.push(read);
  }
  if (value.hooks.length > MOST_HOOKS) problems.push(`${source}: only the first ${MOST_HOOKS} hooks count`);
  return { hooks, problems };
}

/** `names`: what the tool goes by; empty in phases that are about no tool. */
export function matchesHook(hook: Hook, phase: HookPhase, names: readonly string[]): boolean {
  if (hook.phase !== phase) return false;
  if (!isToolPhase(phase)) return true;
  if (names.some((name) => hook.exclude.includes(name))) return false;
  return hook.include === null || names.some((name) => hook.include?.includes(name));
}

/** The command as one line for people. */
export function hookCommandText({ command }: Pick<Hook, 'command'>): string {
  return typeof command === 'string' ? command : JSON.stringify(command);
}

function parse(text: string): { readonly value: Json; readonly problem: null } | { readonly problem: string } {
  try {
    if (text.trim() === '') return { value: { hooks: [] }, problem: null };
    const errors: { offset: number }[] = [];
    const tree = parseTree(text, errors as never, { allowTrailingComma: true, disallowComments: false });
    const [first] = errors;
    if (tree === undefined || first !== undefined)
      return { problem: `not valid JSON (line ${text.slice(0, first?.offset ?? 0).split('\n').length})` };
    return { value: getNodeValue(tree) as Json, problem: null };
  } catch {
    // Nested deeper than the parser's stack.
    return { problem: 'not valid JSON' };
  }
}

/** The hook, or what is wrong with it. */
function readHook(entry: Json, source: string): Hook | string {
  if (!isRecord(entry)) return 'not an object';
  const unknown = Object.keys(entry).find((key) => !KNOWN.has(key));
  if (unknown !== undefined) return `unknown key ${JSON.stringify(unknown.slice(0, MOST_LABEL))}`;
  const phase = HOOK_PHASES.find((one) => one === entry.phase);
  if (phase === undefined) return `phase is none of ${HOOK_PHASES.join(', ')}`;
  const { label, timeout = DEFAULT_SECONDS, inject = false } = entry;
  if (typeof label !== 'string' || label.trim() === '' || label.length > MOST_LABEL || !isPlain(label))
    return `label is not a text of 1 to ${MOST_LABEL} characters on one line`;
  const command = readCommand(entry.command);
  if (command === null) return 'command is neither a line nor a list of a program and its arguments';
  const include = entry.include_tools === undefined ? null : readNames(entry.include_tools);
  const exclude = entry.exclude_tools === undefined ? [] : readNames(entry.exclude_tools);
  if (include === undefined || exclude === undefined) return 'include_tools and exclude_tools are lists of tool names';
  if (!isToolPhase(phase) && (entry.include_tools !== undefined || entry.exclude_tools !== undefined))
    return `include_tools and exclude_tools have no meaning for ${phase}`;
  const [least, most] = SECONDS;
  if (typeof timeout !== 'number' || !Number.isFinite(timeout) || timeout < least || timeout > most)
    return `timeout is not a number of seconds from ${least} to ${most}`;
  if (typeof inject !== 'boolean') return 'inject is neither true nor false';
  if (inject && (phase === 'before_tool' || phase.startsWith('turn_'))) return `inject has no meaning for ${phase}`;
  if (entry.payload !== undefined && entry.payload !== 'redacted') return 'payload can be "redacted" only';
  if (entry.failure_policy !== undefined && entry.failure_policy !== 'warn') return 'failure_policy can be "warn" only';
  return { source, phase, label: label.trim(), command, include, exclude, timeout, inject };
}

function readCommand(value: Json | undefined): Hook['command'] | null {
  const isWord = (word: Json): word is string => typeof word === 'string' && !word.includes('\0');
  if (Array.isArray(value)) {
    const words = value.filter(isWord);
    const sound = words.length > 0 && words.length === value.length && words[0] !== '';
    return sound && words.join(' ').length <= MOST_COMMAND ? words : null;
  }
  return value !== undefined && isWord(value) && value.trim() !== '' && value.length <= MOST_COMMAND ? value : null;
}

function readNames(value: Json): readonly string[] | undefined {
  if (!Array.isArray(value)) return undefined;
  const names = value.filter((name): name is string => typeof name === 'string' && name !== '');
  return names.length === value.length ? names : undefined;
}

/** A label stands in rows and lines: nothing in it may break one. */
function isPlain(label: string): boolean {
  return !/[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]/u.test(label);
}

function isRecord(value: Json | undefined): value is { readonly [key: string]: Json } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
