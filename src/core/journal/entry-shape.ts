import type { EntryKind } from '../../protocol/entry.ts';

type Check = (value: unknown) => boolean;

const text: Check = (value) => typeof value === 'string';
const number: Check = (value) => typeof value === 'number';
const flag: Check = (value) => typeof value === 'boolean';
const anything: Check = (value) => value !== undefined;
const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function orNull(check: Check): Check {
  return (value) => value === null || check(value);
}

function orMissing(check: Check): Check {
  return (value) => value === undefined || check(value);
}

function listOf(check: Check): Check {
  return (value) => Array.isArray(value) && value.every(check);
}

function record(fields: Readonly<Record<string, Check>>): Check {
  const checks = Object.entries(fields);
  return (value) => isRecord(value) && checks.every(([name, check]) => check(value[name]));
}

const MODEL = record({ provider: text, model: text });
const NAMED = record({ kind: text });
const ATTACHMENT = record({ kind: text, name: text, mediaType: text, bytes: number, hash: text });
const FAILURE = record({ category: text, message: text });
const TODO = listOf(record({ text }));
const COUNT = orNull(orMissing(number));
const USAGE = record({ input: COUNT, output: COUNT, cacheRead: COUNT, cacheWrite: COUNT });
const STEP = record({ path: text, from: orNull(text), to: orNull(text) });

const CALL = record({ call: text, tool: text, title: text });
const PART: Check = (part) =>
  isRecord(part) && (part.type === 'call' ? CALL(part) : text(part.type) && orMissing(text)(part.text));

/** What reading an entry of each kind rests on; fields that may be missing are left out. */
const SHAPES: { readonly [K in EntryKind]: Check } = {
  session: record({ session: text, folder: text, forkedFrom: orNull(record({ session: text })) }),
  input: record({ client: text, ref: text, text, attachments: listOf(ATTACHMENT), delivery: text }),
  taken: record({ input: text, turn: number, as: text, words: orMissing(text) }),
  dropped: record({ input: text, reason: text }),
  queue: record({
    order: listOf(text),
    edited: listOf(record({ input: text, text, delivery: text })),
    paused: orNull(record({ because: text, message: text })),
    held: orMissing(listOf(text)),
  }),
  'turn-start': record({ turn: number, model: MODEL, effort: text, mode: text }),
  assistant: record({ turn: number, round: number, model: MODEL, parts: listOf(PART), usage: USAGE, duration: number }),
  call: record({ turn: number, call: text, tool: text, title: text, effects: listOf(NAMED) }),
  result: record({
    ...{ turn: number, call: text, tool: text, title: text, outcome: text, text, images: listOf(ATTACHMENT) },
    ...{ label: record({ integrity: text, confidentiality: text }), display: NAMED, output: orNull(text) },
  }),
  ask: record({ ask: text, call: orNull(text), title: text }),
  answer: record({ ask: text, answer: orNull(NAMED), by: text }),
  'turn-end': record({ turn: number, reason: text, failure: orNull(FAILURE), duration: number, usage: USAGE }),
  compaction: record({
    ...{ summary: text, keepFrom: text, usage: USAGE, model: orMissing(MODEL) },
    kept: orMissing(record({ said: listOf(text), answers: listOf(text), todo: TODO, mode: text })),
  }),
  todo: record({ items: TODO }),
  model: record({ model: MODEL, effort: text }),
  mode: record({ mode: text }),
  name: record({ name: text, by: text }),
  position: record({ leaf: text }),
  note: record({ level: text, identifier: text, text }),
  decision: record({ decision: isRecord }),
  usage: record({ purpose: text, model: MODEL, usage: USAGE }),
  sleep: record({ turn: number, until: number, failure: FAILURE }),
  'active-time': record({ duration: number }),
  'file-change': record({ path: text, before: orNull(text), after: orNull(text) }),
  'undo-start': record({ what: text, from: text, to: text, files: listOf(STEP) }),
  'undo-end': record({
    ...{ start: text, whole: flag, restored: listOf(text), left: listOf(record({ path: text, why: text })) },
  }),
  hook: record({
    ...{ turn: number, hook: text, phase: text, label: text, tool: orNull(text), call: orNull(text), status: text },
    ...{ duration: number, text },
    injected: orNull(
      record({ text, ref: orNull(text), label: record({ integrity: text }), items: number, bytes: number }),
    ),
  }),
  record: record({ name: text, data: anything }),
};

/**
 * Whether a line that is sound as JSON can be used as what it says it is. One that can not costs itself alone, as a torn
 * one does (UP-32): whoever reads entries rests on their fields. A kind nobody knows here may hold anything.
 */
export function hasShape(kind: string, entry: unknown): boolean {
  return !Object.hasOwn(SHAPES, kind) || SHAPES[kind as EntryKind](entry);
}
