import type { Json } from '../../base/json.ts';
import type { EntryBody } from '../../protocol/entry.ts';
import type { Failure } from '../../protocol/failure.ts';
import type { AssistantPart, StopReason } from '../../protocol/message.ts';
import type { ModelEnd, ModelEvent } from '../models/model.ts';
import { streamWithRetry } from '../models/retry.ts';
import { costOf, hasUsage } from '../models/usage.ts';
import { hookSide } from './hook-side.ts';
import { buildRequest } from './request.ts';
import type { CallPart, Runtime, TurnTerms } from './runtime.ts';
import type { TurnProgress } from './turn-progress.ts';

export type RoundResult =
  /** `calls` is empty when the model is done. Where there are some, whoever runs them has the message written. */
  | {
      readonly outcome: 'complete';
      readonly stop: StopReason;
      readonly calls: readonly CallPart[];
      readonly save: Save;
    }
  /** `images`: hashes of those in the request, should the failure be about one. */
  | { readonly outcome: 'failed'; readonly failure: Failure; readonly images: ReadonlySet<string> }
  | { readonly outcome: 'aborted' };

/**
 * Writes the message, once, however often it is asked for; settles when it is on the disk. Until then nothing in it may be
 * asked about or done. What is written in the same moment goes to the disk with it.
 */
export type Save = () => Promise<unknown>;

/**
 * One request and its reply: streamed to whoever looks, then kept as one whole entry, however it ended. With `last` the
 * model may call no tool and is told so (TURN-2).
 */
export async function runRound(
  runtime: Runtime,
  terms: TurnTerms,
  progress: TurnProgress,
  round: number,
  last: boolean,
): Promise<RoundResult> {
  const { model, signal, turn } = terms;
  progress.phase('waiting');
  const { clock } = runtime.system;
  const started = clock.ticks();
  const { request, images } = await buildRequest(runtime, terms, last);
  if (signal.aborted) return { outcome: 'aborted' };

  const live = createLive(runtime, turn, round, progress);
  const names = new Map<number, string>();
  const ownName = (part: number, given: string): string => {
    const known = names.get(part);
    if (known !== undefined) return known;
    const name = uniqueName(given, (one) => runtime.usedCalls.has(one));
    // Taken at once: delegates beside each other may be given the same name in the same moment.
    runtime.usedCalls.add(name);
    names.set(part, name);
    return name;
  };
  let end: ModelEnd | null = null;
  /** Of the last try that was given up after it had said something. */
  let said: readonly AssistantPart[] = [];
  const stream = streamWithRetry(model, request, {
    signal,
    clock,
    random: runtime.random,
    limits: runtime.retryLimits,
    onVoid: (parts) => {
      said = parts;
      live.end();
    },
    onRetry: (info) => {
      for (const name of names.values()) runtime.usedCalls.delete(name);
      names.clear();
      progress.phase('retrying', info.failure.message, {
        at: info.at,
        attempt: info.attempt,
        attempts: info.attempts,
        failure: info.failure,
      });
      if (info.usage !== null) {
        const cost = costOf(model.facts, info.usage, info.tier ?? request.tier);
        progress.spend(info.usage, cost);
        // Tokens of a failed try were still paid for (TURN-5).
        void runtime.recorder.write([{ kind: 'usage', purpose: 'retry', model: model.ref, usage: info.usage, cost }], {
          onFailure: 'keep',
        });
      }
    },
  });
  for await (const event of stream) {
    if (event.type === 'end') end = event;
    else if (event.type === 'notice') void runtime.recorder.write([noticeEntry(event)], { onFailure: 'keep' });
    else live.show(event, event.type === 'call' ? ownName(event.part, event.call) : '');
  }
  if (end === null) throw new Error('a model stream ended without its end');

  const complete = end.result.outcome === 'complete';
  // What was read of a try that nothing came after is kept all the same. Calls of a reply that was cut off or stopped
  // never run, so they are not part of what was said.
  const given = complete || end.parts.some((part) => part.type !== 'call' && isVisible(part)) ? end.parts : said;
  const parts = given.flatMap((part, index): AssistantPart[] => {
    if (part.type !== 'call') return [part];
    return complete && !last ? [describeCall(runtime, part, ownName(index, part.call))] : [];
  });
  const cost = costOf(model.facts, end.usage, end.tier ?? request.tier);
  const calls = parts.filter((part) => part.type === 'call');
  let save: Save = () => Promise.resolve();
  if (parts.some(isVisible) || hasUsage(end.usage)) {
    progress.spend(end.usage, cost);
    if (parts.some(isVisible)) progress.visible = true;
    const entry: EntryBody = {
      kind: 'assistant',
      turn,
      round,
      model: model.ref,
      parts,
      stop: stopOf(end),
      usage: end.usage,
      cost,
      requestId: end.requestId,
      duration: Math.round(clock.ticks() - started),
    };
    let saved: Promise<unknown> | null = null;
    save = () => (saved ??= runtime.recorder.write([entry], { onFailure: 'keep' }));
    if (calls.length === 0 || stopOf(end) === 'refusal') await save();
  } else live.end();

  const { hooks } = runtime.calls;
  if (complete && hooks) {
    await save();
    await hooks.message(hookSide(runtime, terms), parts);
  }
  if (end.result.outcome === 'failed') return { outcome: 'failed', failure: end.result.failure, images };
  if (end.result.outcome === 'aborted') return { outcome: 'aborted' };
  return { outcome: 'complete', stop: end.result.stop, calls, save };
}

interface Live {
  show(event: Exclude<ModelEvent, ModelEnd | { readonly type: 'notice' }>, call: string): void;
  end(): void;
}

function noticeEntry({ identifier, text }: Extract<ModelEvent, { type: 'notice' }>): EntryBody {
  return { kind: 'note', level: 'info', identifier, text };
}

/** The message as it streams. Its closing entry, or `end` when nothing is kept, takes it away again. */
function createLive(runtime: Runtime, turn: number, round: number, progress: TurnProgress): Live {
  let shown = false;
  return {
    show: (event, call) => {
      if (event.type === 'alive') return;
      if (!shown) runtime.publish({ type: 'live-start', turn, round });
      shown = true;
      switch (event.type) {
        case 'begin':
          return progress.phase('waiting');
        case 'text':
        case 'thinking':
          progress.phase(event.type === 'text' ? 'writing' : 'thinking');
          return runtime.publish({ type: 'delta', part: event.part, kind: event.type, text: event.text });
        case 'call':
          progress.phase('writing');
          return runtime.publish({
            type: 'live-call',
            part: event.part,
            call,
            tool: event.tool,
            title: titleOf(runtime, event.tool, {}),
            inputBytes: event.inputBytes,
          });
      }
    },
    end: () => {
      if (shown) runtime.publish({ type: 'live-end' });
      shown = false;
    },
  };
}

function describeCall(runtime: Runtime, part: CallPart, call: string): CallPart {
  return { ...part, call, title: titleOf(runtime, part.tool, part.input), why: whyOf(part.input) };
}

function titleOf({ calls }: Runtime, name: string, input: Json): string {
  return calls.tools.find((tool) => tool.name === name)?.title(input) ?? name;
}

function whyOf(input: Json): string | null {
  const why =
    typeof input === 'object' && input !== null && !Array.isArray(input)
      ? (input as { readonly why?: Json }).why
      : null;
  return typeof why === 'string' && why.trim() !== '' ? why.trim() : null;
}

/** Providers may repeat an id, even within one reply; the session may not. */
function uniqueName(given: string, isUsed: (name: string) => boolean): string {
  if (given !== '' && !isUsed(given)) return given;
  const stem = given === '' ? 'call' : given;
  for (let count = 2; ; count++) if (!isUsed(`${stem}-${count}`)) return `${stem}-${count}`;
}

function isVisible(part: AssistantPart): boolean {
  return part.type === 'call' || part.text.trim() !== '';
}

function stopOf(end: ModelEnd): StopReason {
  return end.result.outcome === 'complete' ? end.result.stop : end.result.outcome;
}
