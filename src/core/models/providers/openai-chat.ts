import type { Failure } from '../../../protocol/failure.ts';
import { knownModels, snapshotFacts } from '../facts/snapshot.ts';
import type { Model, ModelEvent, ModelRequest, Wire, WireConnection } from '../model.ts';
import { type ChatDialect, type ChatLack, chatDialect, chatLack } from './openai-chat-dialects.ts';
import { chatRequest } from './openai-chat-request.ts';
import { ChatStream } from './openai-chat-stream.ts';
import { loadOpenAi, OPENAI_IMAGES, OpenAiClient, type RefusedRequest } from './openai-client.ts';
import { openAiNames } from './openai-names.ts';
import { parsedEvent, streamReply, unreadableEvent } from './stream-reply.ts';

const ADDRESS = 'https://api.openai.com/v1';

/** OpenAI Chat Completions and what speaks like it: routers and servers of one's own. */
export const openaiChatWire: Wire = {
  known: knownModels('openai'),
  facts: (model) => snapshotFacts('openai', model),
  warm: async () => void (await loadOpenAi()),
  names: openAiNames,
  images: OPENAI_IMAGES,
  open: (connection) => new OpenAiChat(connection),
};

class OpenAiChat implements Model {
  readonly ref;
  readonly facts;
  readonly #client: OpenAiClient;
  readonly #dialect: ChatDialect;
  readonly #lacks = new Set<ChatLack>();

  constructor(connection: WireConnection) {
    this.ref = connection.ref;
    this.facts = connection.facts;
    this.#client = new OpenAiClient(connection, ADDRESS);
    this.#dialect = chatDialect(connection.dialect ?? null, connection.baseUrl ?? ADDRESS);
  }

  stream(request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelEvent, void, undefined> {
    const reply = new ChatStream(this.#dialect.thinkTags);
    return streamReply({
      reply,
      signal,
      secrets: this.#client.secrets,
      clock: this.#client.clock,
      send: () => this.#send(request, signal),
      requestIdOf: (response) => response.headers.get('x-request-id'),
      take: (data, _name, requestId) => {
        if (data === '[DONE]') {
          reply.done();
          return null;
        }
        const event = parsedEvent(data);
        if (event === null) return unreadableEvent(data, requestId);
        const error = reply.take(event);
        return error === null ? null : this.#client.failureOfEvent(error, requestId);
      },
      close: () => reply.close(),
    });
  }

  async #send(request: ModelRequest, signal: AbortSignal): Promise<Response | Failure> {
    const { ref, facts } = this;
    const body = chatRequest(request, { ref, facts, dialect: this.#dialect, lacks: this.#lacks });
    const sent = await this.#client.post('/chat/completions', body, signal);
    return sent instanceof Response ? sent : this.#judge(sent);
  }

  /** A request refused for something that can be left out is tried again without it. */
  #judge({ failure, said }: RefusedRequest): Failure {
    const lack = failure.category === 'request-rejected' ? chatLack(said) : null;
    if (lack === null || this.#lacks.has(lack)) return failure;
    this.#lacks.add(lack);
    const message =
      lack === 'tools'
        ? 'This model takes no tools; it is asked without them'
        : 'The service does not take part of the request; it is left out';
    return { ...failure, message, retryable: true, retryAfterMs: 0 };
  }
}
