import type { Failure } from '../../../protocol/failure.ts';
import type { AssistantPart, Usage } from '../../../protocol/message.ts';
import type { Clock } from '../../../system/clock.ts';
import { internalFailure, streamCut } from '../failures.ts';
import type { ModelEnd, ModelEvent } from '../model.ts';
import { ServerEventDecoder } from '../sse.ts';
import { gatherPieces } from './gather-pieces.ts';

/** One message as it grows: each wire feeds its own from the service's events. */
export interface GrowingReply {
  /** The service began to answer, and said that the message is complete. */
  readonly began: boolean;
  readonly ended: boolean;
  readonly usage: Usage;
  /** The service's id of the reply, where it stands in the reply itself. */
  readonly id?: string | null;
  /** How it is served, where the service says so. */
  readonly tier?: string | null;
  /** What came since the last time, folded to one event a part. */
  drain(): Iterable<ModelEvent>;
  /** Whole parts, or as far as they came. A call that was still being written has no input. */
  parts(): AssistantPart[];
  stop(): 'end' | 'calls' | 'length' | 'refusal';
}

export interface ReplyStream {
  readonly reply: GrowingReply;
  readonly signal: AbortSignal;
  readonly secrets: readonly string[];
  readonly clock: Clock;
  /** Builds and sends the request; a failure is one the service answered with, or one of reaching it. */
  send(): Promise<Response | Failure>;
  requestIdOf(response: Response): string | null;
  /** Takes one server-sent event into the reply; a failure ends it. */
  take(data: string, name: string | null, requestId: string | null): Failure | null;
  /** The body ended: some services end a message by that alone. */
  close?(): void;
}

/** One request and its answer, read to its end or as far as it goes. Never throws; the last event is its `end`. */
export async function* streamReply(stream: ReplyStream): AsyncGenerator<ModelEvent, void, undefined> {
  const { reply } = stream;
  const { requestId, result } = yield* converse(stream);
  const tier = reply.tier ? { tier: reply.tier } : {};
  yield { type: 'end', result, parts: reply.parts(), usage: reply.usage, requestId, ...tier };
}

async function* converse(
  stream: ReplyStream,
): AsyncGenerator<ModelEvent, Pick<ModelEnd, 'requestId' | 'result'>, undefined> {
  const { reply, signal } = stream;
  let requestId: string | null = null;
  const failed = (failure: Failure) =>
    ({ requestId: failure.requestId ?? requestId, result: { outcome: 'failed', failure } }) as const;
  const aborted = () => ({ requestId, result: { outcome: 'aborted' } }) as const;

  let response: Response;
  try {
    const sent = await stream.send();
    if (signal.aborted) return aborted();
    if (!(sent instanceof Response)) return failed(sent);
    response = sent;
  } catch (error) {
    return signal.aborted ? aborted() : failed(internalFailure(error, stream.secrets));
  }

  requestId = stream.requestIdOf(response);
  if (response.body === null) return failed(streamCut('the answer had no body', requestId));
  const reader = response.body.getReader();
  // A read that is under way ends at once, whatever the network does about the abort.
  const onAbort = () => void reader.cancel().catch(() => {});
  signal.addEventListener('abort', onAbort, { once: true });
  let problem: Failure | null = null;
  const decoder = new ServerEventDecoder((data, name) => {
    // What follows an error or the end of the message has no meaning any more.
    if (problem === null && !reply.ended) problem = stream.take(data, name, requestId);
  });

  const pieces = gatherPieces(reader, stream.clock, (piece) => {
    decoder.push(piece);
    return reply.ended || problem !== null ? 'over' : 'goes-on';
  });

  let begun = false;
  let shown = false;
  try {
    for (;;) {
      const more = await pieces.next(shown);
      if (signal.aborted) return aborted();
      if (!begun && reply.began) {
        begun = true;
        requestId ??= reply.id ?? null;
        yield { type: 'begin', requestId };
      }
      shown = false;
      for (const event of reply.drain()) {
        shown = true;
        yield event;
      }
      if (!more && problem === null) stream.close?.();
      if (!more || reply.ended || problem !== null) break;
      if (!shown) yield { type: 'alive' };
    }
  } catch (error) {
    if (signal.aborted) return aborted();
    return failed(streamCut(String(error), requestId));
  } finally {
    signal.removeEventListener('abort', onAbort);
    if (reply.ended && problem === null && !signal.aborted) void readOut(reader, stream.clock);
    else await reader.cancel().catch(() => {});
  }
  if (problem !== null) return failed(problem);
  if (!reply.ended) return failed(streamCut('the stream ended before the message did', requestId));
  return { requestId, result: { outcome: 'complete', stop: reply.stop() } };
}

/** A body whose message is complete ends at once, or its connection is given up. */
const READ_OUT_MS = 500;

/** Reads what stands behind the message, nobody waiting for it: only a body read to its end leaves its connection to the next request. */
async function readOut(reader: ReadableStreamDefaultReader<Uint8Array>, clock: Clock): Promise<void> {
  const stop = clock.after(READ_OUT_MS, () => void reader.cancel().catch(() => {}));
  try {
    while (!(await reader.read()).done);
  } catch {
    // The message is whole: how its connection ended is of no interest.
  } finally {
    stop();
  }
}

/** The event's data as an object; null when it cannot be read. */
export function parsedEvent(data: string): Readonly<Record<string, unknown>> | null {
  try {
    const value: unknown = JSON.parse(data);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : null;
  } catch {
    return null;
  }
}

export function unreadableEvent(data: string, requestId: string | null): Failure {
  return streamCut(`an event could not be read: ${data.slice(0, 200)}`, requestId);
}
