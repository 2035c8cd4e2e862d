import type { Json } from '../../../base/json.ts';
import type { Failure } from '../../../protocol/failure.ts';
import type { AssistantPart, Usage } from '../../../protocol/message.ts';
import { unreadableCall } from '../failures.ts';
import type { ModelEvent } from '../model.ts';
import { NO_USAGE } from '../usage.ts';
import type { GeminiChunk, GeminiPart, GeminiUsage, SignedCall, SignedText } from './google-types.ts';
import { type GrowingPart, GrowingParts } from './growing-parts.ts';
import type { GrowingReply } from './stream-reply.ts';

const OUT_OF_ROOM = ['MAX_TOKENS'];
const DECLINED = ['SAFETY', 'RECITATION', 'BLOCKLIST', 'PROHIBITED_CONTENT', 'SPII', 'LANGUAGE', 'IMAGE_SAFETY'];
const UNREADABLE = ['MALFORMED_FUNCTION_CALL', 'UNEXPECTED_TOOL_CALL', 'MALFORMED_RESPONSE'];

/** Builds one reply from Gemini's chunks. */
export class GeminiStream implements GrowingReply {
  began = false;
  ended = false;
  usage: Usage = NO_USAGE;
  id: string | null = null;
  readonly #parts = new GrowingParts();
  #finish: string | null = null;
  #blocked = false;

  /** Gives back why the reply cannot be used; null for everything else. */
  take(chunk: GeminiChunk): Failure | null {
    this.began = true;
    this.id ??= chunk.responseId ?? null;
    const candidate = chunk.candidates?.[0];
    for (const part of candidate?.content?.parts ?? []) this.#takePart(part);
    if (chunk.usageMetadata) this.#count(chunk.usageMetadata);
    if (chunk.promptFeedback?.blockReason) {
      this.#blocked = true;
      this.ended = true;
    }
    if (candidate?.finishReason && candidate.finishReason !== 'FINISH_REASON_UNSPECIFIED') {
      this.#finish = candidate.finishReason;
      if (UNREADABLE.includes(this.#finish)) return unreadableCall(candidate.finishMessage ?? this.#finish, this.id);
      // The counts come with the reason; a server that sends them later ends by closing.
      if (chunk.usageMetadata) this.ended = true;
    }
    return null;
  }

  close(): void {
    if (this.#finish !== null) this.ended = true;
  }

  drain(): Iterable<ModelEvent> {
    return this.#parts.drain();
  }

  parts(): AssistantPart[] {
    return this.#parts.parts();
  }

  stop(): 'end' | 'calls' | 'length' | 'refusal' {
    if (this.#blocked || DECLINED.includes(this.#finish ?? '')) return 'refusal';
    if (OUT_OF_ROOM.includes(this.#finish ?? '')) return 'length';
    return this.#parts.hasCalls ? 'calls' : 'end';
  }

  #takePart(part: GeminiPart): void {
    const { functionCall: call, thoughtSignature: signature } = part;
    if (call !== undefined) {
      const made = this.#parts.open('call', call.id ?? '', call.name);
      this.#parts.grow(made, JSON.stringify(call.args ?? {}));
      made.closed = true;
      const kept: SignedCall = {
        ...(call.id === undefined ? {} : { id: call.id }),
        ...(signature === undefined ? {} : { signature }),
      };
      if (Object.keys(kept).length > 0) made.opaque = kept as unknown as Json;
    } else if (part.thought) this.#parts.grow(this.#partOf('thinking'), part.text ?? '');
    else if (part.text !== undefined && (part.text !== '' || signature !== undefined)) {
      const text = this.#partOf('text');
      const from = text.text.length;
      this.#parts.grow(text, part.text);
      if (signature !== undefined) sign(text, from, signature);
    }
  }

  #partOf(kind: 'text' | 'thinking'): GrowingPart {
    const { last } = this.#parts;
    return last?.kind === kind ? last : this.#parts.open(kind);
  }

  /** Counts are running totals. Thoughts are billed as output and counted beside it. */
  #count(usage: GeminiUsage): void {
    const { promptTokenCount: prompt, cachedContentTokenCount: cacheRead = null } = usage;
    const { candidatesTokenCount: said, thoughtsTokenCount: thought } = usage;
    const output = said === undefined && thought === undefined ? null : (said ?? 0) + (thought ?? 0);
    this.usage = {
      input:
        prompt === undefined
          ? this.usage.input
          : Math.max(0, prompt - (cacheRead ?? 0)) + (usage.toolUsePromptTokenCount ?? 0),
      output: output ?? this.usage.output,
      cacheRead: cacheRead ?? this.usage.cacheRead,
      cacheWrite: null,
      reasoning: thought ?? this.usage.reasoning,
    };
  }
}

function sign(part: GrowingPart, from: number, signature: string): void {
  const before = (part.opaque as unknown as SignedText | undefined)?.signed ?? [];
  const kept: SignedText = { signed: [...before, { from, to: part.text.length, signature }] };
  part.opaque = kept as unknown as Json;
}
