import type { BaseAnthropic } from '@anthropic-ai/sdk/client';
import type {
  MessageCreateParamsStreaming,
  RawMessageStreamEvent,
} from '@anthropic-ai/sdk/resources/messages/messages';
import type { Failure } from '../../../protocol/failure.ts';
import { failureOfNetwork, failureOfService, internalFailure, type ServiceProblem, streamCut } from '../failures.ts';
import type { Model, ModelEnd, ModelEvent, ModelRequest, Wire, WireConnection } from '../model.ts';
import { ServerEventDecoder } from '../sse.ts';
import { ANTHROPIC_MODELS, anthropicModel } from './anthropic-models.ts';
import { anthropicRequest, signaturesOf } from './anthropic-request.ts';
import { AnthropicStream } from './anthropic-stream.ts';

/** The SDK's client costs most of a tenth of a second to load, so it is loaded for the first request or by `warm`. */
function loadSdk(): Promise<typeof import('@anthropic-ai/sdk/client')> {
  return import('@anthropic-ai/sdk/client');
}

/** Anthropic Messages, on the vendor's SDK: it makes the request, signs it and reads errors; the stream is read here. */
export const anthropicWire: Wire = {
  known: ANTHROPIC_MODELS,
  warm: async () => void (await loadSdk()),
  facts: (model) => anthropicModel(model)?.facts ?? null,
  open: (connection) => new AnthropicMessages(connection),
};

/** The SDK gives up on a request after this; our own watch over silence is far shorter. */
const LONGEST_REQUEST_MS = 3_600_000;

class AnthropicMessages implements Model {
  readonly ref;
  readonly facts;
  readonly #connection: WireConnection;
  readonly #deadSignatures = new Set<string>();
  #client: Promise<BaseAnthropic> | null = null;

  constructor(connection: WireConnection) {
    this.ref = connection.ref;
    this.facts = connection.facts;
    this.#connection = connection;
  }

  async *stream(request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelEvent, void, undefined> {
    const message = new AnthropicStream();
    const { requestId, result } = yield* this.#converse(request, message, signal);
    yield { type: 'end', result, parts: message.parts(), usage: message.usage, requestId };
  }

  async *#converse(
    request: ModelRequest,
    message: AnthropicStream,
    signal: AbortSignal,
  ): AsyncGenerator<ModelEvent, Pick<ModelEnd, 'requestId' | 'result'>, undefined> {
    let requestId: string | null = null;
    const failed = (failure: Failure) =>
      ({ requestId: failure.requestId ?? requestId, result: { outcome: 'failed', failure } }) as const;
    const aborted = () => ({ requestId, result: { outcome: 'aborted' } }) as const;
    const secrets = this.#secrets();

    let body: MessageCreateParamsStreaming;
    let response: Response;
    try {
      const thinking = anthropicModel(this.ref.model)?.thinking ?? 'unknown';
      body = anthropicRequest(request, {
        ref: this.ref,
        facts: this.facts,
        thinking,
        deadSignatures: this.#deadSignatures,
      });
      const client = await this.#open();
      if (signal.aborted) return aborted();
      try {
        response = await client
          .post('/v1/messages', { body, stream: true, signal, timeout: LONGEST_REQUEST_MS })
          .asResponse();
      } catch (error) {
        if (signal.aborted) return aborted();
        return failed(this.#failureOf(error, body));
      }
    } catch (error) {
      return failed(internalFailure(error, secrets));
    }

    requestId = response.headers.get('request-id');
    if (response.body === null) return failed(streamCut('the answer had no body', requestId));
    const reader = response.body.getReader();
    // A read that is under way ends at once, whatever the network does about the abort.
    const onAbort = () => void reader.cancel().catch(() => {});
    signal.addEventListener('abort', onAbort, { once: true });
    let problem: Failure | null = null;
    const decoder = new ServerEventDecoder((data, name) => {
      // What follows an error or the end of the message has no meaning any more.
      if (problem !== null || message.ended || name === 'ping') return;
      const event = parsed(data);
      if (event === null) problem = streamCut(`an event could not be read: ${data.slice(0, 200)}`, requestId);
      else if (event.type === 'error') problem = this.#failureOfEvent(event, requestId);
      else message.take(event);
    });

    let begun = false;
    try {
      for (;;) {
        const piece = await reader.read();
        if (signal.aborted) return aborted();
        if (piece.done) break;
        decoder.push(piece.value);
        if (!begun && message.began) {
          begun = true;
          yield { type: 'begin', requestId };
        }
        let quiet = true;
        for (const event of message.drain()) {
          quiet = false;
          yield event;
        }
        if (message.ended || problem !== null) break;
        if (quiet) yield { type: 'alive' };
      }
    } catch (error) {
      if (signal.aborted) return aborted();
      return failed(streamCut(String(error), requestId));
    } finally {
      signal.removeEventListener('abort', onAbort);
      await reader.cancel().catch(() => {});
    }
    if (problem !== null) return failed(problem);
    if (!message.ended) return failed(streamCut('the stream ended before the message did', requestId));
    return { requestId, result: { outcome: 'complete', stop: message.stop() } };
  }

  #open(): Promise<BaseAnthropic> {
    this.#client ??= loadSdk().then(({ Anthropic }) => {
      const { key, baseUrl, headers, fetch } = this.#connection;
      return new Anthropic({
        // Given even where there is none: otherwise the SDK would look for credentials on its own.
        apiKey: key ?? '',
        baseURL: baseUrl ?? 'https://api.anthropic.com',
        defaultHeaders: { ...keyHeaders(key, baseUrl !== null), ...headers },
        fetch,
        maxRetries: 0,
        logLevel: 'off',
        openTelemetry: false,
      });
    });
    return this.#client;
  }

  #failureOf(error: unknown, body: MessageCreateParamsStreaming): Failure {
    const problem = this.#problemOf(error);
    if (problem === null) return failureOfNetwork(error, this.#secrets());
    const failure = failureOfService(problem);
    return failure.category === 'request-rejected' && this.#buriesThinking(problem.text, body)
      ? {
          ...failure,
          message: 'The service no longer accepts earlier thinking; it is left out',
          retryable: true,
          retryAfterMs: 0,
        }
      : failure;
  }

  /**
   * Thinking is bound to everything before it. Once that changed (compaction, other tools), the service refuses the
   * whole request; the blocks it was sent are then of no use to anybody and stay out from now on.
   */
  #buriesThinking(text: string, body: MessageCreateParamsStreaming): boolean {
    if (!/thinking/i.test(text) || !/signature|bound to a different|block/i.test(text)) return false;
    const fresh = signaturesOf(body).filter((signature) => !this.#deadSignatures.has(signature));
    for (const signature of fresh) this.#deadSignatures.add(signature);
    return fresh.length > 0;
  }

  /** Reads the SDK's error by its shape; null for one that never got an answer. */
  #problemOf(error: unknown): ServiceProblem | null {
    const {
      status,
      error: answer,
      headers,
      message,
    } = error as {
      status?: unknown;
      error?: unknown;
      headers?: unknown;
      message?: unknown;
    };
    if (typeof status !== 'number') return null;
    const given = headers instanceof Headers ? headers : null;
    return {
      status,
      type: typeOf(answer),
      text: answer === undefined || answer === null ? String(message ?? '') : JSON.stringify(answer),
      headers: given,
      requestId: given?.get('request-id') ?? null,
      now: this.#connection.clock.now(),
      secrets: this.#secrets(),
    };
  }

  #failureOfEvent(event: unknown, requestId: string | null): Failure {
    return failureOfService({
      status: null,
      type: typeOf(event),
      text: JSON.stringify(event),
      headers: null,
      requestId,
      now: this.#connection.clock.now(),
      secrets: this.#secrets(),
    });
  }

  #secrets(): string[] {
    const { key, headers } = this.#connection;
    // Headers from settings may carry a key too; short values would mask ordinary words.
    return [key ?? '', ...Object.values(headers)].filter((secret) => secret.length >= 8);
  }
}

/** The SDK sends the key as a bearer token; gateways of others often look for the older header only. */
function keyHeaders(key: string | null, gateway: boolean): Record<string, string | null> {
  if (key === null) return { authorization: null };
  return gateway ? { 'x-api-key': key } : {};
}

type StreamEvent = RawMessageStreamEvent | { readonly type: 'error' };

function parsed(data: string): StreamEvent | null {
  try {
    const value: unknown = JSON.parse(data);
    return typeof value === 'object' && value !== null && 'type' in value ? (value as StreamEvent) : null;
  } catch {
    return null;
  }
}

/** `{type: 'error', error: {type: 'overloaded_error', ...}}` */
function typeOf(answer: unknown): string | null {
  const inner = (answer as { error?: { type?: unknown } } | null | undefined)?.error?.type;
  return typeof inner === 'string' ? inner : null;
}
