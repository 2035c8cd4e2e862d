import type { EntryBody, EntryId, ResultOutcome } from '../../src/protocol/entry.ts';
import { TRUSTED_PUBLIC } from '../../src/protocol/label.ts';
import {
  type AssistantPart,
  type ModelRef,
  NO_TOTALS,
  type StopReason,
  type Usage,
} from '../../src/protocol/message.ts';

/** Short ways to write journal entries in tests: what does not matter there has a plain default. */

export const MODEL: ModelRef = { provider: 'test', model: 'one' };
export const OTHER_MODEL: ModelRef = { provider: 'other', model: 'two' };
export const NO_USAGE: Usage = { input: null, output: null, cacheRead: null, cacheWrite: null, reasoning: null };

export type Body<K extends EntryBody['kind']> = Extract<EntryBody, { kind: K }>;

export function sessionBody(session = '00000000-0000-7000-8000-000000000001', folder = '/yard'): Body<'session'> {
  return { kind: 'session', version: 1, session, folder, build: 'test', forkedFrom: null };
}

export function inputBody(text: string, delivery: Body<'input'>['delivery'] = 'queue', ref = text): Body<'input'> {
  return { kind: 'input', client: 'c', ref, text, attachments: [], delivery, target: null };
}

export function takenBody(input: EntryId, turn: number, as: Body<'taken'>['as'] = 'prompt'): Body<'taken'> {
  return { kind: 'taken', input, turn, as };
}

export function turnStartBody(turn: number): Body<'turn-start'> {
  return { kind: 'turn-start', turn, model: MODEL, effort: 'default', mode: 'ask' };
}

export function assistantBody(
  turn: number,
  parts: readonly AssistantPart[],
  stop: StopReason = parts.some((part) => part.type === 'call') ? 'calls' : 'end',
  model: ModelRef = MODEL,
): Body<'assistant'> {
  return {
    kind: 'assistant',
    turn,
    round: 1,
    model,
    parts,
    stop,
    usage: NO_USAGE,
    cost: null,
    requestId: null,
    duration: 5,
  };
}

export function textPart(text: string): AssistantPart {
  return { type: 'text', text };
}

export function callPart(
  call: string,
  input: Extract<AssistantPart, { type: 'call' }>['input'] = { path: 'a' },
): AssistantPart {
  return { type: 'call', call, tool: 'read', title: `Read ${call}`, why: null, input };
}

export function callBody(turn: number, call: string, tool = 'read'): Body<'call'> {
  return { kind: 'call', turn, call, tool, title: `Read ${call}`, effects: [], decidedBy: 'not-needed' };
}

export function resultBody(
  turn: number,
  call: string,
  text = `result of ${call}`,
  outcome: ResultOutcome = 'ok',
  tool = 'read',
): Body<'result'> {
  return {
    kind: 'result',
    turn,
    call,
    tool,
    title: `Read ${call}`,
    outcome,
    text,
    images: [],
    ref: null,
    label: TRUSTED_PUBLIC,
    display: { kind: 'none' },
    output: null,
    job: null,
    duration: 1,
  };
}

export function turnEndBody(turn: number, reason: Body<'turn-end'>['reason'] = 'done'): Body<'turn-end'> {
  return { kind: 'turn-end', turn, reason, failure: null, message: null, duration: 10, usage: NO_TOTALS };
}

export function compactionBody(summary: string, keepFrom: EntryId): Body<'compaction'> {
  return { kind: 'compaction', summary, keepFrom, tokensBefore: 100, tokensAfter: 10, usage: NO_USAGE, cost: null };
}

export function noteBody(text: string): Body<'note'> {
  return { kind: 'note', level: 'info', identifier: 'test', text };
}
