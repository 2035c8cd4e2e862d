import type { RawMessageStreamEvent } from '@anthropic-ai/sdk/resources/messages/messages';
import type { AssistantPart, Usage } from '../../../protocol/message.ts';
import type { ModelEvent } from '../model.ts';
import { NO_USAGE } from '../usage.ts';
import { argumentsOf } from './growing-parts.ts';
import type { GrowingReply } from './stream-reply.ts';

type Writable<T> = { -readonly [K in keyof T]: T[K] };

interface OpenBlock {
  readonly kind: 'text' | 'thinking' | 'redacted' | 'call';
  /** Text, thinking, or the arguments as JSON. */
  text: string;
  /** Signature of thinking, or the sealed data of redacted thinking. */
  signature: string;
  readonly call: string;
  readonly tool: string;
  /** Not yet told to whoever listens. */
  fresh: string;
  changed: boolean;
  closed: boolean;
}

/**
 * Builds one message from the service's events. Feeding is synchronous and cheap; `drain` then gives what is new since
 * the last time, folded to one event a block, so that a burst of small pieces costs one update.
 */
export class AnthropicStream implements GrowingReply {
  /** Numbers of blocks are the service's; blocks of a kind we never asked for leave a hole. */
  readonly #blocks: (OpenBlock | undefined)[] = [];
  #usage: Writable<Usage> = { ...NO_USAGE };
  #stop: string | null = null;
  #began = false;
  #ended = false;

  /** True once the service said that the message is complete. */
  get ended(): boolean {
    return this.#ended;
  }

  get began(): boolean {
    return this.#began;
  }

  get usage(): Usage {
    return this.#usage;
  }

  take(event: RawMessageStreamEvent): void {
    switch (event.type) {
      case 'content_block_delta': {
        const block = this.#blocks[event.index];
        if (block === undefined) return;
        const { delta } = event;
        if (delta.type === 'text_delta') this.#grow(block, delta.text);
        else if (delta.type === 'thinking_delta') this.#grow(block, delta.thinking);
        else if (delta.type === 'input_json_delta') this.#grow(block, delta.partial_json);
        else if (delta.type === 'signature_delta') block.signature += delta.signature;
        return;
      }
      case 'content_block_start': {
        const block = openBlock(event.content_block);
        if (block) this.#blocks[event.index] = block;
        return;
      }
      case 'content_block_stop': {
        const block = this.#blocks[event.index];
        if (block) block.closed = true;
        return;
      }
      case 'message_start':
        this.#began = true;
        this.#count(event.message.usage);
        return;
      case 'message_delta':
        this.#stop = event.delta.stop_reason ?? this.#stop;
        this.#count(event.usage);
        return;
      case 'message_stop':
        this.#ended = true;
    }
  }

  /** What came since the last time, for the screen. */
  *drain(): Generator<ModelEvent, void, undefined> {
    for (const [index, block] of this.#blocks.entries()) {
      if (block === undefined || !block.changed) continue;
      block.changed = false;
      const part = this.#partNumber(index);
      if (block.kind === 'call') {
        yield { type: 'call', part, call: block.call, tool: block.tool, inputBytes: block.text.length };
      } else if (block.kind !== 'redacted') {
        const text = block.fresh;
        block.fresh = '';
        if (text !== '') yield { type: block.kind, part, text };
      }
    }
  }

  parts(): AssistantPart[] {
    return this.#blocks.filter((block) => block !== undefined).map(partOf);
  }

  stop(): 'end' | 'calls' | 'length' | 'refusal' {
    const calls = this.#blocks.some((block) => block?.kind === 'call');
    switch (this.#stop) {
      case 'refusal':
        return 'refusal';
      case 'max_tokens':
      case 'model_context_window_exceeded':
        return 'length';
      default:
        return calls ? 'calls' : 'end';
    }
  }

  #grow(block: OpenBlock, text: string): void {
    block.text += text;
    if (block.kind !== 'call') block.fresh += text;
    block.changed = true;
  }

  /** Counts are running totals: a later one replaces an earlier one, a missing one leaves it. */
  #count(
    usage:
      | {
          input_tokens?: number | null;
          output_tokens?: number | null;
          cache_read_input_tokens?: number | null;
          cache_creation_input_tokens?: number | null;
          output_tokens_details?: { thinking_tokens?: number | null } | null;
        }
      | null
      | undefined,
  ): void {
    if (!usage) return;
    const counts = this.#usage;
    counts.input = usage.input_tokens ?? counts.input;
    counts.output = usage.output_tokens ?? counts.output;
    counts.cacheRead = usage.cache_read_input_tokens ?? counts.cacheRead;
    counts.cacheWrite = usage.cache_creation_input_tokens ?? counts.cacheWrite;
    counts.reasoning = usage.output_tokens_details?.thinking_tokens ?? counts.reasoning;
  }

  #partNumber(index: number): number {
    let number = 0;
    for (let earlier = 0; earlier < index; earlier++) if (this.#blocks[earlier] !== undefined) number++;
    return number;
  }
}

function openBlock(content: { readonly type: string }): OpenBlock | null {
  const block = { text: '', signature: '', call: '', tool: '', fresh: '', changed: false, closed: false };
  switch (content.type) {
    case 'text': {
      const { text = '' } = content as { text?: string };
      return { ...block, kind: 'text', text, fresh: text, changed: text !== '' };
    }
    case 'thinking': {
      const { thinking = '', signature = '' } = content as { thinking?: string; signature?: string };
      return { ...block, kind: 'thinking', text: thinking, fresh: thinking, changed: thinking !== '', signature };
    }
    case 'redacted_thinking': {
      const { data = '' } = content as { data?: string };
      return { ...block, kind: 'redacted', signature: data };
    }
    case 'tool_use': {
      const { id = '', name = '', input } = content as { id?: string; name?: string; input?: unknown };
      // Arguments stream; a server that does not stream sends them here, whole.
      const whole = typeof input === 'object' && input !== null && Object.keys(input).length > 0;
      return {
        ...block,
        kind: 'call',
        call: id,
        tool: name,
        text: whole ? JSON.stringify(input) : '',
        changed: true,
      };
    }
    default:
      return null;
  }
}

function partOf(block: OpenBlock): AssistantPart {
  switch (block.kind) {
    case 'text':
      return { type: 'text', text: block.text };
    case 'thinking':
      return {
        type: 'thinking',
        text: block.text,
        ...(block.signature === '' ? {} : { opaque: { signature: block.signature } }),
      };
    case 'redacted':
      return { type: 'thinking', text: '', opaque: { redacted: block.signature } };
    case 'call': {
      const input = block.closed ? argumentsOf(block.text) : null;
      const base = { type: 'call', call: block.call, tool: block.tool, title: '', why: null } as const;
      return input === null ? { ...base, input, raw: block.text } : { ...base, input };
    }
  }
}
