import type { BaseAnthropic } from '@anthropic-ai/sdk/client';
import type {
  MessageCreateParamsStreaming,
  MessageParam,
  RawMessageStreamEvent,
} from '@anthropic-ai/sdk/resources/messages/messages';
import type { Failure } from '../../../protocol/failure.ts';
import { failureOfNetwork, failureOfService, type ServiceProblem } from '../failures.ts';
import type { Message, Model, ModelEvent, ModelRequest, Wire, WireConnection } from '../model.ts';
import { ANTHROPIC_MODELS, anthropicModel } from './anthropic-models.ts';
import { anthropicRequest, signaturesOf } from './anthropic-request.ts';
import { AnthropicStream } from './anthropic-stream.ts';
import { BodyBytes } from './body-bytes.ts';
import { secretsOf } from './connection-secrets.ts';
import { withHeadersOf } from './own-headers.ts';
import { parsedEvent, streamReply, unreadableEvent } from './stream-reply.ts';

/** The SDK's client costs most of a tenth of a second to load, so it is loaded for the first request or by `warm`. */
function loadSdk(): Promise<typeof import('@anthropic-ai/sdk/client')> {
  return import('@anthropic-ai/sdk/client');
}

/** Anthropic Messages, on the vendor's SDK: it makes the request, signs it and reads errors; the stream is read here. */
export const anthropicWire: Wire = {
  known: ANTHROPIC_MODELS,
  warm: async () => void (await loadSdk()),
  facts: (model) => anthropicModel(model)?.facts ?? null,
  images: {
    side: 8_000,
    base64: 5 * 1024 * 1024,
    types: ['image/png', 'image/jpeg', 'image/gif', 'image/webp'],
    shrinkTo: 2_000,
    many: { over: 20, side: 2_000 },
  },
  open: (connection) => new AnthropicMessages(connection),
};

/** What the SDK's requests are written in. */
const ADDRESS = 'https://api.anthropic.com';
const VERSION = '2026-10-21';

/** The SDK gives up on a request after this; our own watch over silence is far shorter. */
const LONGEST_REQUEST_MS = 3_600_000;

class AnthropicMessages implements Model {
  readonly ref;
  readonly facts;
  readonly #connection: WireConnection;
  readonly #secrets: readonly string[];
  readonly #deadSignatures = new Set<string>();
  readonly #bytes = new BodyBytes();
  #known = new WeakMap<Message, MessageParam>();
  #client: Promise<BaseAnthropic> | null = null;

  constructor(connection: WireConnection) {
    this.ref = connection.ref;
    this.facts = connection.facts;
    this.#connection = connection;
    this.#secrets = secretsOf(connection);
  }

  stream(request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelEvent, void, undefined> {
    const reply = new AnthropicStream();
    return streamReply({
      reply,
      signal,
      secrets: this.#secrets,
      clock: this.#connection.clock,
      send: () => this.#send(request, signal),
      requestIdOf: (response) => response.headers.get('request-id'),
      take: (data, name, requestId) => {
        if (name === 'ping') return null;
        const event = parsedEvent(data);
        if (event === null || typeof event.type !== 'string') return unreadableEvent(data, requestId);
        if (event.type === 'error') return this.#failureOfEvent(event, requestId);
        reply.take(event as unknown as RawMessageStreamEvent);
        return null;
      },
    });
  }

  ready(request: ModelRequest): void {
    this.#bytes.ready(this.#bodyOf(request).messages);
  }

  #bodyOf(request: ModelRequest): MessageCreateParamsStreaming {
    return anthropicRequest(request, {
      ref: this.ref,
      facts: this.facts,
      thinking: anthropicModel(this.ref.model)?.thinking ?? 'unknown',
      deadSignatures: this.#deadSignatures,
      known: this.#known,
    });
  }

  async #send(request: ModelRequest, signal: AbortSignal): Promise<Response | Failure> {
    const body = this.#bodyOf(request);
    const { messages, ...rest } = body;
    const client = await this.#open();
    // As bytes: the SDK would make the text of the whole conversation anew for each request.
    const encoded = this.#bytes.encode(rest, 'messages', messages);
    try {
      return await client
        .post('/v1/messages', {
          body: encoded.bytes,
          headers: { 'content-type': 'application/json' },
          stream: true,
          signal,
          timeout: LONGEST_REQUEST_MS,
        })
        .asResponse();
    } catch (error) {
      return this.#failureOf(error, body);
    } finally {
      // Whoever sends them took a copy.
      encoded.giveBack();
    }
  }

  #open(): Promise<BaseAnthropic> {
    this.#client ??= loadSdk().then(({ Anthropic }) => {
      const { key, baseUrl } = this.#connection;
      return new Anthropic({
        // Given even where there is none: otherwise the SDK would look for credentials on its own.
        apiKey: key ?? '',
        baseURL: baseUrl ?? ADDRESS,
        fetch: withHeadersOf(this.#connection, { 'anthropic-version': VERSION, ...keyHeaders(key, baseUrl !== null) }),
        maxRetries: 0,
        logLevel: 'off',
        openTelemetry: false,
      });
    });
    return this.#client;
  }

  #failureOf(error: unknown, body: MessageCreateParamsStreaming): Failure {
    const problem = this.#problemOf(error);
    if (problem === null) return failureOfNetwork(error, this.#secrets, this.#connection.baseUrl ?? ADDRESS);
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
    this.#known = new WeakMap();
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
      secrets: this.#secrets,
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
      secrets: this.#secrets,
    });
  }
}

/** The key goes as a bearer token; gateways of others often look for the older header only. */
function keyHeaders(key: string | null, gateway: boolean): Record<string, string> {
  if (key === null) return {};
  return { authorization: `Bearer ${key}`, ...(gateway ? { 'x-api-key': key } : {}) };
}

/** `{type: 'error', error: {type: 'overloaded_error', ...}}` */
function typeOf(answer: unknown): string | null {
  const inner = (answer as { error?: { type?: unknown } } | null | undefined)?.error?.type;
  return typeof inner === 'string' ? inner : null;
}
