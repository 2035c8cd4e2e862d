import type { RawMessageStreamEvent } from '@anthropic-ai/sdk/resources/messages/messages';
import type { Failure } from '../../../protocol/failure.ts';
import type { AssistantPart, Usage } from '../../../protocol/message.ts';
import { streamCut, unreadableCall } from '../failures.ts';
import type { ModelEvent } from '../model.ts';
import { AnthropicStream } from '../providers/anthropic-stream.ts';
import { NO_USAGE } from '../usage.ts';
import { objectOf } from './cli-message.ts';
import type { ToolNames } from './tool-names.ts';

/**
 * One reply as it grows: the program hands the events of its service on. Where no call may be made it is answered here
 * instead, and the reply goes on over several messages of the service.
 */
export class ClaudeReply {
  readonly #names: ToolNames;
  readonly #callsForbidden: boolean;
  #earlier: readonly AssistantPart[] = [];
  #earlierUsage: Usage = NO_USAGE;
  #message = new AnthropicStream();
  #stop: string | null = null;
  began = false;
  requestId: string | null = null;

  constructor(names: ToolNames, callsForbidden: boolean) {
    this.#names = names;
    this.#callsForbidden = callsForbidden;
  }

  /** Takes an event in; a failure ends the reply, and `whole` says that one message of the service is complete. */
  take(event: Readonly<Record<string, unknown>>): Failure | 'whole' | null {
    switch (event.type) {
      case 'message_start': {
        if (this.#message.ended) this.#startOver();
        else if (this.#message.began) return streamCut('claude began its reply again', this.requestId);
        this.began = true;
        break;
      }
      case 'content_block_start': {
        const block = objectOf(event.content_block);
        if (!String(block.type).endsWith('tool_use')) break;
        const ours = block.type === 'tool_use' ? this.#names.ours(String(block.name)) : null;
        if (ours === null) return unreadableCall(`no such tool: ${String(block.name).slice(0, 100)}`, this.requestId);
        this.#message.take({ ...event, content_block: { ...block, name: ours } } as unknown as RawMessageStreamEvent);
        return null;
      }
      case 'message_delta': {
        const { stop_reason: stop } = objectOf(event.delta);
        if (typeof stop === 'string') this.#stop = stop;
        break;
      }
      case 'message_stop':
        // Without a reason to stop the message was given up, and what follows is another try at it.
        if (this.#stop === null) return streamCut('the message has no end', this.requestId);
    }
    this.#message.take(event as unknown as RawMessageStreamEvent);
    return event.type === 'message_stop' ? 'whole' : null;
  }

  /** Why the service stopped. */
  get stopped(): string | null {
    return this.#stop;
  }

  stop(): 'end' | 'calls' | 'length' | 'refusal' {
    const stop = this.#message.stop();
    return stop === 'calls' && this.#callsForbidden ? 'end' : stop;
  }

  *drain(): Generator<ModelEvent, void, undefined> {
    if (!this.#callsForbidden) {
      yield* this.#message.drain();
      return;
    }
    const parts = this.#message.parts();
    for (const event of this.#message.drain()) {
      if (event.type !== 'text' && event.type !== 'thinking') continue;
      const calls = parts.slice(0, event.part).filter(({ type }) => type === 'call').length;
      yield { ...event, part: this.#earlier.length + event.part - calls };
    }
  }

  /** Calls of the message at hand, also those that may not be made. */
  calls(): readonly string[] {
    return this.#message.parts().flatMap((part) => (part.type === 'call' ? [part.call] : []));
  }

  parts(): readonly AssistantPart[] {
    const parts = this.#message.parts();
    return this.#callsForbidden ? [...this.#earlier, ...parts.filter(({ type }) => type !== 'call')] : parts;
  }

  usage(): Usage {
    return sum(this.#earlierUsage, this.#message.usage);
  }

  #startOver(): void {
    this.#earlier = this.parts();
    this.#earlierUsage = this.usage();
    this.#message = new AnthropicStream();
    this.#stop = null;
  }
}

function sum(one: Usage, other: Usage): Usage {
  const add = (a: number | null, b: number | null) => (a === null ? b : b === null ? a : a + b);
  return {
    input: add(one.input, other.input),
    output: add(one.output, other.output),
    cacheRead: add(one.cacheRead, other.cacheRead),
    cacheWrite: add(one.cacheWrite, other.cacheWrite),
    reasoning: add(one.reasoning, other.reasoning),
  };
}
