import type {
  ResponseOutputItem,
  ResponseReasoningItem,
  ResponseStreamEvent,
  ResponseUsage,
} from 'openai/resources/responses/responses';
import type { Json } from '../../../base/json.ts';
import type { AssistantPart, Usage } from '../../../protocol/message.ts';
import type { ModelEvent } from '../model.ts';
import { NO_USAGE } from '../usage.ts';
import { type GrowingPart, GrowingParts } from './growing-parts.ts';
import type { GrowingReply } from './stream-reply.ts';

/** Builds one reply from the events of the Responses API. */
export class ResponsesStream implements GrowingReply {
  began = false;
  ended = false;
  usage: Usage = NO_USAGE;
  tier: string | null = null;
  readonly #parts = new GrowingParts();
  /** By the service's number of the output item. */
  readonly #items = new Map<number, GrowingPart>();
  #refused = false;
  #cutShort: 'length' | 'refusal' | null = null;

  /** Gives back the error of a response that failed; null for everything else. */
  take(event: ResponseStreamEvent): unknown {
    switch (event.type) {
      case 'response.created':
      case 'response.in_progress':
      case 'response.queued':
        this.began = true;
        return null;
      case 'response.output_item.added':
        this.#open(event.output_index, event.item);
        return null;
      case 'response.output_text.delta':
      case 'response.function_call_arguments.delta':
        this.#grow(event.output_index, event.delta);
        return null;
      case 'response.refusal.delta':
        this.#refused = true;
        this.#grow(event.output_index, event.delta);
        return null;
      case 'response.reasoning_summary_part.added':
        // Parts of a summary are paragraphs.
        if (event.summary_index > 0) this.#grow(event.output_index, '\n\n');
        return null;
      case 'response.reasoning_summary_text.delta':
      case 'response.reasoning_text.delta':
        this.#grow(event.output_index, event.delta);
        return null;
      case 'response.output_item.done':
        this.#close(event.output_index, event.item);
        return null;
      case 'response.completed':
        this.tier = event.response.service_tier ?? null;
        this.#count(event.response.usage);
        this.ended = true;
        return null;
      case 'response.incomplete':
        this.tier = event.response.service_tier ?? null;
        this.#count(event.response.usage);
        this.#cutShort = event.response.incomplete_details?.reason === 'content_filter' ? 'refusal' : 'length';
        this.ended = true;
        return null;
      case 'response.failed':
        this.#count(event.response.usage);
        return event.response.error ?? { code: 'server_error' };
      case 'error':
        return event;
      default:
        return null;
    }
  }

  drain(): Iterable<ModelEvent> {
    return this.#parts.drain();
  }

  parts(): AssistantPart[] {
    return this.#parts.parts();
  }

  stop(): 'end' | 'calls' | 'length' | 'refusal' {
    if (this.#cutShort !== null) return this.#cutShort;
    if (this.#refused) return 'refusal';
    return this.#parts.hasCalls ? 'calls' : 'end';
  }

  #open(index: number, item: ResponseOutputItem): GrowingPart | null {
    const part =
      item.type === 'message'
        ? this.#parts.open('text')
        : item.type === 'reasoning'
          ? this.#parts.open('thinking')
          : item.type === 'function_call'
            ? this.#parts.open('call', item.call_id, item.name)
            : null;
    if (part !== null) this.#items.set(index, part);
    return part;
  }

  #grow(index: number, text: string): void {
    const part = this.#items.get(index);
    if (part !== undefined) this.#parts.grow(part, text);
  }

  /** The whole item: what it holds counts; servers that do not stream a kind of item send it here only. */
  #close(index: number, item: ResponseOutputItem): void {
    const part = this.#items.get(index) ?? this.#open(index, item);
    if (part === null) return;
    part.closed = true;
    switch (item.type) {
      case 'message':
        if (part.text === '') this.#parts.grow(part, textOf(item));
        this.#refused ||= item.content.some((content) => content.type === 'refusal');
        if (item.phase) part.opaque = { phase: item.phase };
        return;
      case 'reasoning':
        if (part.text === '') this.#parts.grow(part, item.summary.map((one) => one.text).join('\n\n'));
        if (item.encrypted_content) part.opaque = { reasoning: replayable(item) };
        return;
      case 'function_call':
        if (part.text === '') this.#parts.grow(part, item.arguments);
        part.call = item.call_id;
        part.tool = item.name;
    }
  }

  /** `input_tokens` holds all of the prompt: what was read from the cache or written to it is taken out. */
  #count(usage: ResponseUsage | undefined | null): void {
    if (!usage) return;
    const { cached_tokens: cacheRead = null, cache_write_tokens: cacheWrite = null } = (usage.input_tokens_details ??
      {}) as { cached_tokens?: number | null; cache_write_tokens?: number | null };
    this.usage = {
      input: Math.max(0, usage.input_tokens - (cacheRead ?? 0) - (cacheWrite ?? 0)),
      output: usage.output_tokens,
      cacheRead,
      cacheWrite,
      reasoning: usage.output_tokens_details?.reasoning_tokens ?? null,
    };
  }
}

function textOf({ content }: Extract<ResponseOutputItem, { type: 'message' }>): string {
  return content.map((one) => (one.type === 'refusal' ? one.refusal : one.text)).join('');
}

/** As received, without the state it had in that reply. */
function replayable({ status: _, ...item }: ResponseReasoningItem): Json {
  return item as unknown as Json;
}
