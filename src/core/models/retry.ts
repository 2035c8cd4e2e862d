import type { Failure, FailureCategory } from '../../protocol/failure.ts';
import type { AssistantPart, Usage } from '../../protocol/message.ts';
import type { Clock } from '../../system/clock.ts';
import { emptyReply, internalFailure, stalled } from './failures.ts';
import type { Model, ModelEnd, ModelEvent, ModelRequest } from './model.ts';
import { hasUsage, NO_USAGE } from './usage.ts';

export interface RetryLimits {
  /** Tries in all, the first one included. */
  readonly tries: number;
  /** Fewer where a try costs minutes or tokens: counted over tries that ended this way. */
  readonly triesOf: Readonly<Partial<Record<FailureCategory, number>>>;
  readonly firstWaitMs: number;
  readonly longestWaitMs: number;
  /** A service that asks for more than this is not waited for. */
  readonly longestAskedMs: number;
  /** Silence of this length ends a try. */
  readonly stallMs: number;
}

export const RETRY_LIMITS: RetryLimits = {
  tries: 6,
  triesOf: { stalled: 3, 'stream-cut': 3, 'empty-reply': 2 },
  firstWaitMs: 1_000,
  longestWaitMs: 60_000,
  longestAskedMs: 600_000,
  stallMs: 120_000,
};

/** What to show while waiting: `Try 2 of 6 in 3 s`. */
export interface RetryInfo {
  /** When the next try starts, milliseconds since the epoch. */
  readonly at: number;
  /** Number of the coming try, from 2 on, and how many there can be. */
  readonly attempt: number;
  readonly attempts: number;
  readonly failure: Failure;
  /** What the failed try cost, as far as the service said: it adds to the totals; null when it said nothing. */
  readonly usage: Usage | null;
  /** How the failed try was served, where the service said so. */
  readonly tier?: string;
}

export interface RetryOptions {
  readonly signal: AbortSignal;
  readonly clock: Pick<Clock, 'now' | 'ticks' | 'sleep' | 'after'>;
  /** Between 0 and 1, for jitter. */
  readonly random: () => number;
  readonly limits?: Partial<RetryLimits>;
  readonly onRetry?: (info: RetryInfo) => void;
  /** Everything streamed since the last `begin` is void, since the next try starts over: what it said. Called before `onRetry`. */
  readonly onVoid?: (said: readonly AssistantPart[]) => void;
}

/**
 * One reply, tried again where that can help. Exactly one `end` comes out, the last; a failed or aborted one holds what
 * came of the last try. Calls of a failed try are not among its parts: they must never run (UP-25).
 */
export async function* streamWithRetry(
  model: Model,
  request: ModelRequest,
  options: RetryOptions,
): AsyncGenerator<ModelEvent, void, undefined> {
  const { signal, clock } = options;
  const limits: RetryLimits = { ...RETRY_LIMITS, ...options.limits };
  const ended = new Map<FailureCategory, number>();

  for (let attempt = 1; ; attempt++) {
    const refusal = signal.aborted ? null : ((await model.admits?.(signal)) ?? null);
    if (refusal !== null) {
      yield {
        ...abortedEnd(),
        result: signal.aborted ? { outcome: 'aborted' } : { outcome: 'failed', failure: refusal },
      };
      return;
    }
    let streamed = false;
    let end: ModelEnd | null = null;
    for await (const event of oneTry(model, request, signal, clock, limits.stallMs)) {
      if (event.type === 'end') {
        end = event;
        break;
      }
      streamed ||= event.type !== 'begin' && event.type !== 'notice';
      yield event;
    }
    const closing = judged(end ?? abortedEnd());
    if (closing.result.outcome !== 'failed') {
      yield closing;
      return;
    }
    const { failure } = closing.result;
    const times = (ended.get(failure.category) ?? 0) + 1;
    ended.set(failure.category, times);
    const own = limits.triesOf[failure.category] ?? limits.tries;
    const attempts = Math.min(limits.tries, attempt - times + own);
    const wait = failure.retryable && attempt < attempts ? waitFor(failure, times, limits, options.random) : null;
    if (wait === null || signal.aborted) {
      yield signal.aborted ? { ...closing, result: { outcome: 'aborted' } } : withAttempts(closing, failure, attempt);
      return;
    }
    if (streamed) options.onVoid?.(spoken(closing.parts));
    options.onRetry?.({
      at: clock.now() + wait,
      attempt: attempt + 1,
      attempts,
      failure: { ...failure, attempts: attempt },
      usage: hasUsage(closing.usage) ? closing.usage : null,
      ...(closing.tier === undefined ? {} : { tier: closing.tier }),
    });
    // The failed try is void and accounted for: an abort from here on leaves nothing of it.
    if (!(await clock.sleep(wait, signal)) || signal.aborted) {
      yield abortedEnd();
      return;
    }
  }
}

/** Milliseconds before the next try; null when the service asks for more patience than we have. */
function waitFor(failure: Failure, times: number, limits: RetryLimits, random: () => number): number | null {
  const asked = failure.retryAfterMs;
  if (asked !== null) {
    if (asked > limits.longestAskedMs) return null;
    // Never earlier than asked; a little later, so that many clients do not come back together.
    return Math.ceil(asked * (1 + 0.1 * random()));
  }
  if (failure.category === 'empty-reply') return 0;
  const full = Math.min(limits.longestWaitMs, limits.firstWaitMs * 2 ** (times - 1));
  return Math.round(full * (0.75 + 0.25 * random()));
}

function withAttempts(end: ModelEnd, failure: Failure, attempts: number): ModelEnd {
  return {
    ...end,
    parts: spoken(end.parts),
    result: { outcome: 'failed', failure: { ...failure, attempts } },
  };
}

/** Without its calls, which never run. */
function spoken(parts: readonly AssistantPart[]): AssistantPart[] {
  return parts.filter((part) => part.type !== 'call');
}

/** A reply that is complete but holds nothing a person or a tool could use counts as a failure (TURN-6). */
function judged(end: ModelEnd): ModelEnd {
  if (end.result.outcome !== 'complete' || end.result.stop !== 'end' || end.parts.some(saysSomething)) return end;
  return { ...end, result: { outcome: 'failed', failure: emptyReply(end.requestId) } };
}

function saysSomething(part: AssistantPart): boolean {
  return part.type === 'call' || (part.type === 'text' && part.text.trim() !== '');
}

function abortedEnd(): ModelEnd {
  return { type: 'end', result: { outcome: 'aborted' }, parts: [], usage: NO_USAGE, requestId: null };
}

/**
 * One request, watched: silence ends it as `stalled`, an abort ends it at once. Either way the model is told first and
 * has a moment to end by itself, with exact parts and counts; one that does not listen is left behind. A model that
 * throws has a bug; its error becomes a failure here, so that nothing above has to catch.
 */
async function* oneTry(
  model: Model,
  request: ModelRequest,
  signal: AbortSignal,
  clock: RetryOptions['clock'],
  stallMs: number,
): AsyncGenerator<ModelEvent, void, undefined> {
  if (signal.aborted) return;
  const own = new AbortController();
  const seen = new SeenParts();
  let heard = clock.ticks();
  let stopping: 'aborted' | 'stalled' | null = null;
  let leave = () => {};
  let stopTimer = () => {};

  const stop = (why: 'aborted' | 'stalled') => {
    if (stopping !== null) return;
    stopping = why;
    stopTimer();
    own.abort();
    stopTimer = clock.after(GRACE_MS, () => leave());
  };
  const onAbort = () => stop('aborted');
  const watch = (ms: number) => {
    stopTimer = clock.after(ms, () => {
      // One timer for the whole try: it looks back when it fires, instead of being set anew for each piece.
      const left = heard + stallMs - clock.ticks();
      if (left > 0) watch(left);
      else stop('stalled');
    });
  };
  const resultWhenStopped = (why: 'aborted' | 'stalled'): ModelEnd['result'] =>
    why === 'aborted' ? { outcome: 'aborted' } : { outcome: 'failed', failure: stalled(stallMs, seen.requestId) };

  signal.addEventListener('abort', onAbort, { once: true });
  watch(stallMs);
  const iterator = model.stream(request, own.signal)[Symbol.asyncIterator]();
  try {
    for (;;) {
      const next = await new Promise<IteratorResult<ModelEvent> | null>((resolve, reject) => {
        leave = () => resolve(null);
        iterator.next().then(resolve, reject);
      });
      if (next === null) {
        yield { ...seen.end(), result: resultWhenStopped(stopping ?? 'aborted') };
        return;
      }
      if (next.done) return;
      const event = next.value;
      heard = clock.ticks();
      if (event.type === 'end') {
        const early = stopping !== null && event.result.outcome !== 'complete';
        yield early ? { ...event, result: resultWhenStopped(stopping ?? 'aborted') } : event;
        return;
      }
      if (event.type === 'alive') continue;
      seen.add(event);
      yield event;
    }
  } catch (error) {
    yield { ...seen.end(), result: { outcome: 'failed', failure: internalFailure(error, []) } };
  } finally {
    stopTimer();
    signal.removeEventListener('abort', onAbort);
    own.abort();
    // Not awaited: a model that hangs must not hold us, and one that ended has nothing left to do.
    iterator.return?.().catch(() => {});
  }
}

/** How long a model may take to end by itself once it was told to. */
const GRACE_MS = 50;

/** Text and thinking as they went by: what is left of a try that had to be left behind. Calls are not kept. */
class SeenParts {
  requestId: string | null = null;
  readonly #parts: { type: 'text' | 'thinking'; text: string }[] = [];

  add(event: ModelEvent): void {
    if (event.type === 'begin') this.requestId = event.requestId;
    if (event.type !== 'text' && event.type !== 'thinking') return;
    const part = this.#parts[event.part];
    if (part === undefined) this.#parts[event.part] = { type: event.type, text: event.text };
    else part.text += event.text;
  }

  end(): Omit<ModelEnd, 'result'> {
    // Places of calls are empty.
    const parts = this.#parts.filter((part) => part !== undefined);
    return { type: 'end', parts, usage: NO_USAGE, requestId: this.requestId };
  }
}
