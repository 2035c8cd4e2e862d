import type { JsonObject } from '../../base/json.ts';
import { HOOK_WORDS } from '../values/hook-words.ts';
import type { CallResult, ModelRequest } from './model.ts';

/** Where the pilot is, read from a request. */
export interface Flight {
  /** What the person said last. */
  readonly prompt: string;
  /** Replies given since then: which step comes next. */
  readonly step: number;
  /** Results of the last step's calls. */
  readonly results: readonly CallResult[];
  /** Every result since the last prompt. */
  readonly seen: readonly CallResult[];
  /** Calls so far in the whole conversation. */
  readonly calls: number;
  /** Tools used before this prompt. */
  readonly usedBefore: ReadonlySet<string>;
  /** A call as the session's own tool of that name takes it; null when there is no such tool. */
  call(tool: string, wanted: Wanted): PilotCall | null;
}

/** What the pilot says in one reply: an exact script, decided from the request alone. */
export type PilotPart = { readonly thinking: string } | { readonly text: string } | PilotCall;

export interface PilotCall {
  readonly tool: string;
  readonly input: Readonly<Record<string, unknown>>;
}

export interface Wanted {
  readonly path?: string;
  readonly folder?: string;
  readonly pattern?: string;
  readonly line?: string;
  readonly before?: string;
  readonly after?: string;
  readonly todo?: readonly { readonly text: string; readonly state: 'pending' | 'active' | 'done' }[];
  readonly why?: string;
}

export function readFlight(request: ModelRequest): Flight {
  let prompt = '';
  let step = 0;
  let results: readonly CallResult[] = [];
  let seen: CallResult[] = [];
  let calls = 0;
  const used = new Set<string>();
  let usedBefore: ReadonlySet<string> = new Set();
  for (const message of request.messages) {
    if (message.role === 'user') {
      const text = message.parts
        .flatMap((part) => (part.type === 'text' && !part.text.startsWith(HOOK_WORDS) ? [part.text] : []))
        .join('\n');
      if (text.trim() === '') continue;
      prompt = text;
      step = 0;
      results = [];
      seen = [];
      usedBefore = new Set(used);
    } else if (message.role === 'assistant') {
      step++;
      results = [];
      for (const part of message.parts) {
        if (part.type !== 'call') continue;
        calls++;
        used.add(part.tool);
      }
    } else {
      results = message.results;
      seen.push(...message.results);
    }
  }
  const call = (tool: string, wanted: Wanted): PilotCall | null => {
    const schema = request.tools.find((candidate) => candidate.name === tool)?.input;
    return schema === undefined ? null : { tool, input: argumentsFor(schema, wanted) };
  };
  return { prompt, step, results, seen, calls, usedBefore, call };
}

/** What an argument may be called: the tools' own schemas decide, so that the pilot flies whatever they are named. */
const NAMES: Readonly<Record<Exclude<keyof Wanted, 'todo'>, readonly string[]>> = {
  path: ['path', 'file'],
  folder: ['directory', 'folder', 'path'],
  pattern: ['pattern', 'query', 'text'],
  line: ['line', 'command'],
  before: ['old_text', 'before', 'old'],
  after: ['new_text', 'after', 'new'],
  why: ['why'],
};

function argumentsFor(schema: JsonObject, wanted: Wanted): Record<string, unknown> {
  const properties = (schema.properties ?? {}) as JsonObject;
  const input: Record<string, unknown> = {};
  for (const [kind, names] of Object.entries(NAMES)) {
    const value = wanted[kind as keyof typeof NAMES];
    const name = names.find((candidate) => Object.hasOwn(properties, candidate));
    if (value !== undefined && name !== undefined) input[name] = value;
  }
  // A list of replacements in place of a single one.
  const edit = (properties.edits as { readonly items?: JsonObject } | undefined)?.items;
  if (edit !== undefined && wanted.before !== undefined) {
    input.edits = [argumentsFor(edit, { before: wanted.before, after: wanted.after ?? '' })];
  }
  if (wanted.todo !== undefined) {
    const name = ['todos', 'items'].find((candidate) => Object.hasOwn(properties, candidate));
    if (name !== undefined) input[name] = wanted.todo;
  }
  return input;
}
