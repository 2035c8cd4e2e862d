import type { Json, JsonObject } from '../../base/json.ts';
import type { Failure } from '../../protocol/failure.ts';
import type { AssistantPart, Effort, ModelRef, Usage } from '../../protocol/message.ts';

/**
 * Messages and tools in, a stream out that always ends in a value and never throws. Retrying lies above (`retry.ts`); a
 * model makes exactly one request.
 */
export interface Model {
  readonly ref: ModelRef;
  readonly facts: ModelFacts;
  stream(request: ModelRequest, signal: AbortSignal): AsyncIterable<ModelEvent>;
}

/** What is known of a model; null is "unknown" and is never replaced by a guess. Prices are US dollars a million tokens. */
export interface ModelFacts {
  readonly contextWindow: number | null;
  readonly maxOutput: number | null;
  readonly images: boolean;
  readonly thinking: boolean;
  readonly efforts: readonly Effort[];
  readonly price: { readonly input: number; readonly output: number; readonly cacheRead: number; readonly cacheWrite: number } | null;
}

export interface ModelRequest {
  /** In a stable order so that the prefix stays cached; the first `stable` blocks never change within a session. */
  readonly system: readonly string[];
  readonly messages: readonly Message[];
  readonly tools: readonly ToolSchema[];
  readonly effort: Effort;
  readonly maxOutput: number | null;
  /** Positions in `messages` after which a cache mark is worth setting (a wire may set fewer). */
  readonly cacheMarks: readonly number[];
  readonly session: string;
}

export type Message =
  | { readonly role: 'user'; readonly parts: readonly UserPart[] }
  /** `from` says which model made it: its opaque parts go back to that model only. */
  | { readonly role: 'assistant'; readonly parts: readonly AssistantPart[]; readonly from: ModelRef }
  /** One result for each call of the assistant message before it, in call order. */
  | { readonly role: 'results'; readonly results: readonly CallResult[] };

export type UserPart =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'image'; readonly mediaType: string; readonly base64: string; readonly name: string };

export interface CallResult {
  readonly call: string;
  readonly tool: string;
  readonly text: string;
  readonly error: boolean;
  readonly images: readonly Extract<UserPart, { type: 'image' }>[];
}

export interface ToolSchema {
  readonly name: string;
  readonly description: string;
  readonly input: JsonObject;
}

export type ModelEvent =
  /** The service accepted the request and began to answer. */
  | { readonly type: 'begin'; readonly requestId: string | null }
  | { readonly type: 'text'; readonly part: number; readonly text: string }
  | { readonly type: 'thinking'; readonly part: number; readonly text: string }
  | { readonly type: 'call'; readonly part: number; readonly call: string; readonly tool: string; readonly inputBytes: number }
  /** Always the last one. */
  | ModelEnd;

export interface ModelEnd {
  readonly type: 'end';
  readonly result:
    | { readonly outcome: 'complete'; readonly stop: 'end' | 'calls' | 'length' | 'refusal' }
    | { readonly outcome: 'failed'; readonly failure: Failure }
    | { readonly outcome: 'aborted' };
  /** Whole parts, or as far as they came. `title` and `why` of calls are left empty here: the turn fills them in. */
  readonly parts: readonly AssistantPart[];
  readonly usage: Usage;
  readonly requestId: string | null;
}

/** Makes models; one a provider. A new provider is one file and one line in `catalog.ts`. */
export interface Provider {
  readonly id: string;
  /** Refusals: `no-credential`, `unknown-model`. */
  open(model: string): Promise<Model>;
}

export type { Json };
