import type { ResponseStreamEvent } from 'openai/resources/responses/responses';
import type { Failure } from '../../../protocol/failure.ts';
import { knownModels, snapshotFacts } from '../facts/snapshot.ts';
import type { Model, ModelEvent, ModelRequest, Wire, WireConnection } from '../model.ts';
import { loadOpenAi, OPENAI_IMAGES, OpenAiClient, type RefusedRequest } from './openai-client.ts';
import { openAiNames } from './openai-names.ts';
import { type ResponsesLack, reasoningIds, responsesRequest } from './openai-responses-request.ts';
import { ResponsesStream } from './openai-responses-stream.ts';
import { parsedEvent, streamReply, unreadableEvent } from './stream-reply.ts';

/** OpenAI Responses, on the vendor's SDK: it makes the request, signs it and reads errors; the stream is read here. */
export const openaiResponsesWire: Wire = {
  known: knownModels('openai'),
  facts: (model) => snapshotFacts('openai', model),
  warm: async () => void (await loadOpenAi()),
  names: openAiNames,
  images: OPENAI_IMAGES,
  open: (connection) => new OpenAiResponses(connection),
};

/** Words by which a service says what it does not take, in the order in which they are looked for. */
const LACKS: readonly (readonly [RegExp, ResponsesLack])[] = [
  [/encrypted[ _]content/i, 'encrypted-reasoning'],
  [/reasoning\.summary|reasoning summar/i, 'summary'],
  [/reasoning\.effort|reasoning[ _]effort|'reasoning'/i, 'effort'],
  [/prompt_cache_key/i, 'cache-key'],
  // An account's service has limits of its own.
  [/max_output_tokens/i, 'max-output'],
];
const NOT_TAKEN =
  /not supported|unsupported|unknown parameter|unrecognized|not available|not permitted|must be verified/i;

class OpenAiResponses implements Model {
  readonly ref;
  readonly facts;
  readonly #known: boolean;
  readonly #client: OpenAiClient;
  readonly #lacks = new Set<ResponsesLack>();
  readonly #deadReasoning = new Set<string>();

  constructor(connection: WireConnection) {
    this.ref = connection.ref;
    this.facts = connection.facts;
    this.#known = connection.facts.efforts.length > 0 || connection.facts.maxOutput !== null;
    this.#client = new OpenAiClient(connection, 'https://api.openai.com/v1');
  }

  stream(request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelEvent, void, undefined> {
    const reply = new ResponsesStream();
    return streamReply({
      reply,
      signal,
      secrets: this.#client.secrets,
      clock: this.#client.clock,
      send: () => this.#send(request, signal),
      requestIdOf: (response) => response.headers.get('x-request-id'),
      take: (data, _name, requestId) => {
        if (data === '[DONE]') return null;
        const event = parsedEvent(data);
        if (event === null || typeof event.type !== 'string') return unreadableEvent(data, requestId);
        const error = reply.take(event as unknown as ResponseStreamEvent);
        return error === null ? null : this.#client.failureOfEvent(error, requestId);
      },
    });
  }

  async #send(request: ModelRequest, signal: AbortSignal): Promise<Response | Failure> {
    const body = responsesRequest(request, {
      ref: this.ref,
      facts: this.facts,
      known: this.#known,
      lacks: this.#lacks,
      deadReasoning: this.#deadReasoning,
    });
    const sent = await this.#client.post('/responses', body, signal);
    return sent instanceof Response ? sent : this.#judge(sent, reasoningIds(body));
  }

  /**
   * A request refused for something that can be left out is tried again without it: reasoning that no longer fits
   * (another account, another key), or a parameter this service does not know.
   */
  #judge({ failure, said }: RefusedRequest, sentReasoning: readonly string[]): Failure {
    if (failure.category !== 'request-rejected') return failure;
    const again = (message: string): Failure => ({ ...failure, message, retryable: true, retryAfterMs: 0 });
    const fresh = sentReasoning.filter((id) => !this.#deadReasoning.has(id));
    if (
      fresh.length > 0 &&
      /invalid_encrypted_content|could not be (?:verified|decrypted)|type 'reasoning'|rs_/i.test(said)
    ) {
      for (const id of fresh) this.#deadReasoning.add(id);
      return again('The service no longer accepts earlier reasoning; it is left out');
    }
    const lack = NOT_TAKEN.test(said) ? LACKS.find(([words]) => words.test(said))?.[1] : undefined;
    if (lack === undefined || this.#lacks.has(lack)) return failure;
    this.#lacks.add(lack);
    return again('The service does not take part of the request; it is left out');
  }
}
