import type { Json, JsonObject } from '../../../base/json.ts';
import type { AssistantPart, Usage } from '../../../protocol/message.ts';
import type { ModelEvent } from '../model.ts';
import { NO_USAGE } from '../usage.ts';
import { type GrowingPart, GrowingParts } from './growing-parts.ts';
import type { GrowingReply } from './stream-reply.ts';
import { ThinkTags } from './think-tags.ts';

/** As loose as servers are: any field may be missing, empty or repeated. */
interface Chunk {
  readonly choices?: readonly {
    readonly delta?: Delta | null;
    /** Some servers send the whole message, not a delta, when they do not stream. */
    readonly message?: Delta | null;
    readonly finish_reason?: string | null;
    readonly usage?: Counts | null;
  }[];
  readonly usage?: Counts | null;
  readonly error?: unknown;
}

interface Delta {
  readonly content?: string | readonly { readonly text?: string }[] | null;
  readonly refusal?: string | null;
  readonly reasoning_content?: string | null;
  readonly reasoning?: string | null;
  readonly thinking?: string | null;
  readonly reasoning_details?: readonly JsonObject[] | null;
  readonly tool_calls?: readonly CallDelta[] | null;
}

/** Names of one thing, by who serves it. */
const THINKING_FIELDS = ['reasoning_content', 'reasoning', 'thinking'] as const;

/** What is kept with thinking: its details as received, or the field its text came in. */
export interface KeptThinking {
  readonly details?: readonly JsonObject[];
  readonly field?: string;
}

interface CallDelta {
  readonly index?: number | null;
  readonly id?: string | null;
  readonly function?: { readonly name?: string | null; readonly arguments?: unknown } | null;
}

interface Counts {
  readonly prompt_tokens?: number | null;
  readonly completion_tokens?: number | null;
  readonly prompt_tokens_details?: {
    readonly cached_tokens?: number | null;
    readonly cache_write_tokens?: number | null;
  } | null;
  readonly completion_tokens_details?: { readonly reasoning_tokens?: number | null } | null;
  readonly cached_tokens?: number | null;
  readonly prompt_cache_hit_tokens?: number | null;
}

/** Builds one reply from the chunks of Chat Completions. */
export class ChatStream implements GrowingReply {
  began = false;
  ended = false;
  usage: Usage = NO_USAGE;
  readonly #parts = new GrowingParts();
  readonly #tags: ThinkTags | null;
  readonly #calls: { readonly index: number | null; readonly part: GrowingPart }[] = [];
  readonly #details: Record<string, Json>[] = [];
  #thinking: GrowingPart | null = null;
  #finish: string | null = null;
  #refused = false;

  constructor(thinkTags: boolean) {
    this.#tags = thinkTags ? new ThinkTags() : null;
  }

  /** Gives back the error a chunk holds; null for everything else. */
  take(chunk: Chunk): unknown {
    if (chunk.error) return chunk.error;
    this.began = true;
    const choice = chunk.choices?.[0];
    const delta = choice?.delta ?? choice?.message;
    if (delta) this.#takeDelta(delta);
    if (choice?.finish_reason) this.#finishWith(choice.finish_reason);
    const counts = chunk.usage ?? choice?.usage;
    if (counts) this.#count(counts);
    return choice?.finish_reason === 'error' ? { code: 'server_error' } : null;
  }

  /** The service's own mark that all was said. */
  done(): void {
    if (this.#finish === null) this.#finishWith('stop');
    this.ended = true;
  }

  /** The body ended: that is an end too, where it was said why. */
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
    if (this.#finish === 'length') return 'length';
    if (this.#finish === 'content_filter' || this.#refused) return 'refusal';
    return this.#parts.hasCalls ? 'calls' : 'end';
  }

  #takeDelta(delta: Delta): void {
    const field = THINKING_FIELDS.find((name) => delta[name]);
    const thinking = field === undefined ? undefined : delta[field];
    if (field !== undefined && thinking) {
      const part = this.#openThinking();
      this.#parts.grow(part, thinking);
      part.opaque ??= { field };
    }
    for (const detail of delta.reasoning_details ?? []) this.#addDetail(detail, !thinking);
    const { content } = delta;
    const text = typeof content === 'string' ? content : (content ?? []).map((part) => part.text ?? '').join('');
    if (text !== '') this.#addText(text);
    if (delta.refusal) {
      this.#refused = true;
      this.#grow('text', delta.refusal);
    }
    for (const call of delta.tool_calls ?? []) this.#addCall(call);
  }

  #addText(text: string): void {
    const pieces = this.#tags?.push(text) ?? [{ kind: 'text' as const, text }];
    for (const piece of pieces) this.#grow(piece.kind, piece.text);
  }

  #grow(kind: 'text' | 'thinking', text: string): void {
    const { last } = this.#parts;
    const part = kind === 'thinking' ? this.#openThinking() : last?.kind === 'text' ? last : this.#parts.open('text');
    this.#parts.grow(part, text);
  }

  #openThinking(): GrowingPart {
    const { last } = this.#parts;
    if (last?.kind !== 'thinking') this.#thinking = this.#parts.open('thinking');
    return this.#thinking as GrowingPart;
  }

  /** Pieces of one detail have its number; texts grow, everything else is said once. */
  #addDetail(piece: JsonObject, show: boolean): void {
    this.#thinking ??= this.#openThinking();
    const shown = piece.text ?? piece.summary;
    if (show && typeof shown === 'string') this.#parts.grow(this.#openThinking(), shown);
    const known = this.#details.find(({ index, type }) => index === piece.index && type === piece.type);
    if (known === undefined || piece.index === undefined) this.#details.push({ ...piece });
    else {
      for (const [name, value] of Object.entries(piece)) {
        const grows = ['text', 'summary', 'data'].includes(name) && typeof known[name] === 'string';
        known[name] =
          grows && typeof value === 'string' ? `${known[name] as string}${value}` : (value ?? known[name] ?? null);
      }
    }
    this.#thinking.opaque = { details: this.#details };
  }

  /**
   * Finds the call a piece belongs to. The number counts, except where a server numbers all calls alike and tells them
   * apart by id; without a number an id or a name begins a call, and bare arguments go on with the last one.
   */
  #addCall(piece: CallDelta): void {
    const index = piece.index ?? null;
    const id = piece.id ?? '';
    const name = piece.function?.name ?? '';
    const same =
      index !== null
        ? this.#calls.findLast((call) => call.index === index)
        : id !== ''
          ? this.#calls.findLast((call) => call.part.call === id)
          : name === ''
            ? this.#calls.at(-1)
            : undefined;
    const other = same !== undefined && id !== '' && same.part.call !== '' && same.part.call !== id;
    let part = other ? undefined : same?.part;
    if (part === undefined) {
      part = this.#parts.open('call');
      this.#calls.push({ index, part });
    }
    if (id !== '') part.call = id;
    // Said once, or again with each piece: never put together from pieces.
    if (name !== '') part.tool = name;
    const given = piece.function?.arguments;
    if (typeof given === 'string') this.#parts.grow(part, given);
    else if (typeof given === 'object' && given !== null) this.#parts.grow(part, JSON.stringify(given));
  }

  #finishWith(reason: string): void {
    this.#finish = reason;
    for (const piece of this.#tags?.flush() ?? []) this.#grow(piece.kind, piece.text);
    for (const { part } of this.#calls) part.closed = true;
  }

  /** `prompt_tokens` holds all of the prompt; the name of its cached part differs. */
  #count(counts: Counts): void {
    const details = counts.prompt_tokens_details;
    const cacheRead = details?.cached_tokens ?? counts.cached_tokens ?? counts.prompt_cache_hit_tokens ?? null;
    const cacheWrite = details?.cache_write_tokens ?? null;
    const prompt = counts.prompt_tokens ?? null;
    this.usage = {
      input: prompt === null ? null : Math.max(0, prompt - (cacheRead ?? 0) - (cacheWrite ?? 0)),
      output: counts.completion_tokens ?? null,
      cacheRead,
      cacheWrite,
      reasoning: counts.completion_tokens_details?.reasoning_tokens ?? null,
    };
  }
}
