import type { Json } from '../../src/base/json.ts';
import type { Model, ModelEvent, ModelFacts, ModelRequest } from '../../src/core/models/model.ts';
import type { Failure } from '../../src/protocol/failure.ts';
import type { AssistantPart, ModelRef, Usage } from '../../src/protocol/message.ts';
import type { Clock } from '../../src/system/clock.ts';

/** One reply of the scripted model: plain text, a list of parts, or everything spelled out. */
export type ScriptReply = string | readonly ScriptPart[] | ScriptStep;
export type ScriptEntry = ScriptReply | ((request: ModelRequest, index: number) => ScriptReply);

export interface ScriptStep {
  readonly parts?: readonly ScriptPart[];
  /** Default: `calls` when a part is a call, else `end`. */
  readonly stop?: 'end' | 'calls' | 'length' | 'refusal';
  /** Ends the stream with this failure after its parts. */
  readonly failure?: Partial<Failure> & Pick<Failure, 'category'>;
  readonly usage?: Partial<Usage>;
  readonly requestId?: string;
  /** Nothing is answered, not even `begin`, before this settles. */
  readonly gate?: Promise<unknown>;
}

export type ScriptPart =
  | string
  /** Streamed in pieces of `piece` characters, each after `every` ms of the clock. */
  | { readonly text: string; readonly piece?: number; readonly every?: number }
  | { readonly thinking: string; readonly opaque?: Json }
  /** `raw` in place of `input`: arguments that could not be parsed. */
  | { readonly tool: string; readonly input?: Json; readonly raw?: string; readonly call?: string }
  /** Waits here, mid-stream: for a promise the test settles, or for milliseconds of the clock. */
  | { readonly wait: Promise<unknown> | number };

export interface ScriptOptions {
  readonly ref?: ModelRef;
  readonly facts?: Partial<ModelFacts>;
  /** Needed for `every` and numeric waits; without it they take no time. */
  readonly clock?: Clock;
  /** After the last step, go on answering with it (default: fail as a bug of the test). */
  readonly repeatLast?: boolean;
}

export interface ScriptedModel extends Model {
  /** Every request so far, as it was given. */
  readonly requests: readonly ModelRequest[];
  /** Settles once `count` requests have arrived. */
  received(count: number): Promise<void>;
}

const FACTS: ModelFacts = {
  contextWindow: 200_000,
  maxOutput: 32_000,
  images: true,
  thinking: true,
  efforts: ['low', 'medium', 'high'],
  price: { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 },
};

const USAGE: Usage = { input: 100, output: 10, cacheRead: 0, cacheWrite: 0, reasoning: null };

/** A model that answers request number N with step number N, and remembers what it was asked. */
export function scriptedModel(entries: readonly ScriptEntry[], options: ScriptOptions = {}): ScriptedModel {
  const requests: ModelRequest[] = [];
  const waiting: { count: number; settle: () => void }[] = [];
  let calls = 0;

  const nextStep = (request: ModelRequest): ScriptStep => {
    const index = requests.length;
    requests.push(request);
    for (const one of waiting) if (requests.length >= one.count) one.settle();
    const entry = entries[index] ?? (options.repeatLast ? entries.at(-1) : undefined);
    if (entry === undefined) {
      return { failure: { category: 'internal', message: `the script has no step ${index + 1}` } };
    }
    const reply = typeof entry === 'function' ? entry(request, index) : entry;
    if (typeof reply === 'string') return { parts: [reply] };
    return 'length' in reply ? { parts: reply } : reply;
  };

  return {
    ref: options.ref ?? { provider: 'script', model: 'one' },
    facts: { ...FACTS, ...options.facts },
    requests,
    received: (count) =>
      requests.length >= count ? Promise.resolve() : new Promise((settle) => waiting.push({ count, settle })),
    async *stream(request, signal): AsyncIterable<ModelEvent> {
      const step = nextStep(request);
      const requestId = step.requestId ?? `request-${requests.length}`;
      const usage: Usage = { ...USAGE, ...step.usage };
      const parts: AssistantPart[] = [];
      const aborted = (): ModelEvent => ({
        type: 'end',
        result: { outcome: 'aborted' },
        parts: [...parts],
        usage,
        requestId,
      });

      if (!(await passed(step.gate, signal))) return yield aborted();
      // A failure without parts is one before the first byte: nothing begins.
      if (step.failure === undefined || step.parts !== undefined) yield { type: 'begin', requestId };

      for (const given of step.parts ?? []) {
        if (signal.aborted) return yield aborted();
        const part = typeof given === 'string' ? { text: given } : given;
        const position = parts.length;
        if ('wait' in part) {
          if (!(await passed(pause(part.wait, options.clock, signal), signal))) return yield aborted();
        } else if ('text' in part) {
          const piece = part.piece ?? Math.max(part.text.length, 1);
          let sent = '';
          for (let from = 0; from < part.text.length; from += piece) {
            if (part.every && options.clock) await options.clock.sleep(part.every, signal);
            if (signal.aborted) return yield aborted();
            const text = part.text.slice(from, from + piece);
            sent += text;
            parts[position] = { type: 'text', text: sent };
            yield { type: 'text', part: position, text };
          }
          if (part.text === '') parts.push({ type: 'text', text: '' });
        } else if ('thinking' in part) {
          parts.push({
            type: 'thinking',
            text: part.thinking,
            ...(part.opaque === undefined ? {} : { opaque: part.opaque }),
          });
          yield { type: 'thinking', part: position, text: part.thinking };
        } else {
          calls++;
          const call = part.call ?? `call-${calls}`;
          const raw = part.raw;
          parts.push({
            type: 'call',
            call,
            tool: part.tool,
            title: '',
            why: null,
            input: raw === undefined ? (part.input ?? {}) : null,
            ...(raw === undefined ? {} : { raw }),
          });
          const inputBytes = (raw ?? JSON.stringify(part.input ?? {})).length;
          yield { type: 'call', part: position, call, tool: part.tool, inputBytes };
        }
      }
      if (signal.aborted) return yield aborted();
      if (step.failure) {
        const failure = failureOf(step.failure, requestId);
        return yield { type: 'end', result: { outcome: 'failed', failure }, parts, usage, requestId };
      }
      const stop = step.stop ?? (parts.some((part) => part.type === 'call') ? 'calls' : 'end');
      yield { type: 'end', result: { outcome: 'complete', stop }, parts, usage, requestId };
    },
  };
}

/** A promise together with the function that settles it: a place where a script waits until the test goes on. */
export function gate(): { readonly opened: Promise<void>; open(): void } {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { opened: promise, open: resolve };
}

function failureOf(given: NonNullable<ScriptStep['failure']>, requestId: string): Failure {
  return {
    message: given.category,
    status: null,
    requestId,
    detail: null,
    retryAfterMs: null,
    retryable: false,
    attempts: 1,
    ...given,
  };
}

function pause(
  wait: Promise<unknown> | number,
  clock: Clock | undefined,
  signal: AbortSignal,
): Promise<unknown> | undefined {
  return typeof wait === 'number' ? clock?.sleep(wait, signal) : wait;
}

/** False when `signal` aborted before `promise` settled. */
async function passed(promise: Promise<unknown> | undefined, signal: AbortSignal): Promise<boolean> {
  if (signal.aborted) return false;
  if (promise === undefined) return true;
  let stop: (() => void) | undefined;
  const aborted = new Promise<void>((resolve) => {
    stop = resolve;
    signal.addEventListener('abort', stop, { once: true });
  });
  await Promise.race([promise, aborted]);
  if (stop) signal.removeEventListener('abort', stop);
  return !signal.aborted;
}
