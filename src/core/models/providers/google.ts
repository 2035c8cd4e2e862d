import type { Failure } from '../../../protocol/failure.ts';
import { knownModels, snapshotFacts } from '../facts/snapshot.ts';
import { failureOfNetwork, failureOfService } from '../failures.ts';
import type { Model, ModelEvent, ModelRequest, Wire, WireConnection } from '../model.ts';
import { secretsOf } from './connection-secrets.ts';
import { geminiRequest, signaturesIn } from './google-request.ts';
import { GeminiStream } from './google-stream.ts';
import type { GeminiChunk, GeminiRequest } from './google-types.ts';
import { parsedEvent, streamReply, unreadableEvent } from './stream-reply.ts';

/** Google Gemini, spoken by hand over `fetch`: nothing to load. */
export const googleWire: Wire = {
  known: knownModels('google'),
  facts: (model) => snapshotFacts('google', model),
  warm: async () => {},
  // A request holds 20 MB in all, and there are no GIFs.
  images: {
    side: 8_000,
    base64: 8 * 1024 * 1024,
    types: ['image/png', 'image/jpeg', 'image/webp', 'image/heic', 'image/heif'],
    shrinkTo: 3_072,
    many: null,
  },
  open: (connection) => new Gemini(connection),
};

const ADDRESS = 'https://generativelanguage.googleapis.com';

class Gemini implements Model {
  readonly ref;
  readonly facts;
  readonly #connection: WireConnection;
  readonly #secrets: readonly string[];
  readonly #deadSignatures = new Set<string>();
  #noThinking = false;

  constructor(connection: WireConnection) {
    this.ref = connection.ref;
    this.facts = connection.facts;
    this.#connection = connection;
    this.#secrets = secretsOf(connection);
  }

  stream(request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelEvent, void, undefined> {
    const reply = new GeminiStream();
    return streamReply({
      reply,
      signal,
      secrets: this.#secrets,
      clock: this.#connection.clock,
      send: () => this.#send(request, signal),
      requestIdOf: (response) => response.headers.get('x-request-id'),
      take: (data, _name, requestId) => {
        const event = parsedEvent(data);
        if (event === null) return unreadableEvent(data, requestId);
        const chunk = event as GeminiChunk;
        return chunk.error ? this.#failureOf(event, null, requestId) : reply.take(chunk);
      },
      close: () => reply.close(),
    });
  }

  async #send(request: ModelRequest, signal: AbortSignal): Promise<Response | Failure> {
    const { ref, facts } = this;
    const { key, headers, baseUrl } = this.#connection;
    const body = geminiRequest(request, {
      ref,
      facts,
      noThinking: this.#noThinking,
      deadSignatures: this.#deadSignatures,
    });
    let response: Response;
    try {
      response = await this.#connection.fetch(addressOf(baseUrl, ref.model), {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          accept: 'text/event-stream',
          ...(key === null ? {} : { 'x-goog-api-key': key }),
          ...headers,
        },
        body: JSON.stringify(body),
        signal,
      });
      if (response.ok) return response;
      return this.#judge(await response.text(), response, body);
    } catch (error) {
      return failureOfNetwork(error, this.#secrets, this.#connection.baseUrl ?? ADDRESS);
    }
  }

  /** A request refused for something that can be left out is tried again without it. */
  #judge(said: string, response: Response, body: GeminiRequest): Failure {
    // Some gateways put the one error into a list.
    const answer = parsedEvent(said);
    const failure = this.#failureOf(Array.isArray(answer) ? answer[0] : answer, response, null, said);
    if (failure.category !== 'request-rejected') return failure;
    const again = (message: string): Failure => ({ ...failure, message, retryable: true, retryAfterMs: 0 });
    const fresh = signaturesIn(body).filter((signature) => !this.#deadSignatures.has(signature));
    if (fresh.length > 0 && /thought[_ ]?signature/i.test(said)) {
      for (const signature of fresh) this.#deadSignatures.add(signature);
      return again('The service no longer accepts earlier thinking; it is left out');
    }
    if (!this.#noThinking && /thinking/i.test(said) && body.generationConfig?.thinkingConfig !== undefined) {
      this.#noThinking = true;
      return again('This model is not asked how to think');
    }
    return failure;
  }

  #failureOf(answer: unknown, response: Response | null, requestId: string | null, said?: string): Failure {
    const error = (answer as { readonly error?: { readonly status?: unknown } } | null | undefined)?.error;
    return failureOfService({
      status: response?.status ?? null,
      type: typeof error?.status === 'string' ? error.status : null,
      text: said ?? JSON.stringify(answer),
      headers: response?.headers ?? null,
      requestId: requestId ?? response?.headers.get('x-request-id') ?? null,
      now: this.#connection.clock.now(),
      secrets: this.#secrets,
    });
  }
}

/** A base address may name its version; otherwise it is the one that knows every feature used here. */
function addressOf(baseUrl: string | null, model: string): string {
  const base = (baseUrl ?? ADDRESS).replace(/\/+$/, '');
  const versioned = /\/v\d\w*$/.test(base) ? base : `${base}/v1beta`;
  return `${versioned}/models/${encodeURIComponent(model)}:streamGenerateContent?alt=sse`;
}
