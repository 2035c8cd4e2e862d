import type { Json, JsonObject } from '../../base/json.ts';
import type { Failure } from '../../protocol/failure.ts';
import type { AssistantPart, Effort, ModelRef, Usage } from '../../protocol/message.ts';
import type { Clock } from '../../system/clock.ts';

/**
 * Messages and tools in, a stream out that always ends in a value and never throws. Retrying lies above (`retry.ts`); a
 * model makes exactly one request.
 */
export interface Model {
  readonly ref: ModelRef;
  readonly facts: ModelFacts;
  stream(request: ModelRequest, signal: AbortSignal): AsyncIterable<ModelEvent>;
  /** Makes beforehand what a request like this one will be sent as, and sends nothing. Missing: there is nothing to make. */
  ready?(request: ModelRequest): void;
  /** Asked before every request (`retry.ts` does): null when it may be made, else why not. Missing: it always may. */
  admits?(signal: AbortSignal): Promise<Failure | null>;
}

/** What is known of a model; null is "unknown" and is never replaced by a guess. Prices are US dollars a million tokens. */
export interface ModelFacts {
  readonly contextWindow: number | null;
  readonly maxOutput: number | null;
  readonly images: boolean;
  readonly thinking: boolean;
  readonly efforts: readonly Effort[];
  readonly price: Price | null;
  /** Whether its service answers faster for more money (`ModelRequest.tier`); missing: it does not, or nobody knows. */
  readonly fast?: boolean;
  /** Paid for by a subscription: it has no price a token. Missing: it is not, or nobody knows. */
  readonly included?: boolean;
}

export interface Price {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  /** Prices of the faster service; missing: not known. */
  readonly fast?: Price;
  /** Prices of a request whose prompt (cached tokens included) is longer than `tokens`; they hold for all of it. */
  readonly long?: { readonly tokens: number; readonly price: Price };
}

export interface ModelRequest {
  /** In a stable order so that the prefix stays cached; the first `stable` blocks never change within a session. */
  readonly system: readonly string[];
  readonly messages: readonly Message[];
  readonly tools: readonly ToolSchema[];
  /**
   * `forbidden`: the tools stay declared, since the conversation holds calls to them and the prefix stays cached, but
   * none may be called (TURN-2).
   */
  readonly calls?: 'allowed' | 'forbidden';
  readonly effort: Effort;
  readonly maxOutput: number | null;
  /** Positions in `messages` after which a cache mark is worth setting (a wire may set fewer). */
  readonly cacheMarks: readonly number[];
  readonly session: string;
  /** Faster for more money, or slower for less, where the service offers it; missing: its usual way. */
  readonly tier?: 'priority' | 'flex';
  /** False: nobody reads the thinking, so words for people are not asked for where a wire can leave them out. */
  readonly readableThinking?: false;
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
  | {
      readonly type: 'call';
      readonly part: number;
      readonly call: string;
      readonly tool: string;
      readonly inputBytes: number;
    }
  /** Something the person should know, such as a picture that was sent smaller; each is said once. */
  | { readonly type: 'notice'; readonly identifier: string; readonly text: string }
  /** Bytes came that carry nothing to show: the stream is not stalled. `retry.ts` keeps it to itself. */
  | { readonly type: 'alive' }
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
  /** How it was served, where the service says so: a wish for a faster answer is not always granted. */
  readonly tier?: string;
}

/**
 * One way to speak to a service, such as Anthropic Messages; many providers may share it. A new wire is one file in
 * `providers/` and one line in `catalog.ts`.
 */
export interface Wire {
  /** Loads what the first request would load: call it in idle time, after the first frame. */
  warm(): Promise<void>;
  /** What is known of a model of this wire's own vendor; null when it is not known. */
  facts(model: string): ModelFacts | null;
  /** Names of the known models, best first. */
  readonly known: readonly string[];
  readonly images: ImageLimits;
  open(connection: WireConnection): Model;
  /** Names of the models a server has, where it can be asked; empty when it does not say. Never rejects. */
  names?(connection: WireConnection, signal: AbortSignal): Promise<readonly string[]>;
}

/** What a service takes of pictures; larger ones are made smaller before they are sent. */
export interface ImageLimits {
  /** Pixels a side. */
  readonly side: number;
  /** Characters of base64. */
  readonly base64: number;
  /** Media types. */
  readonly types: readonly string[];
  /** Pixels a side of a picture that has to be made smaller: more are not looked at anyway. */
  readonly shrinkTo: number;
  /** A stricter side where a request holds more than `over` pictures; null: none. */
  readonly many: { readonly over: number; readonly side: number } | null;
}

export interface WireConnection {
  readonly ref: ModelRef;
  readonly facts: ModelFacts;
  /** Null: the vendor's own address. */
  readonly baseUrl: string | null;
  /** Null: the service asks for none (a local server). */
  readonly key: string | null;
  readonly headers: Readonly<Record<string, string>>;
  /** Which habits of a shared wire this service has; null: found out by its address. */
  readonly dialect?: string | null;
  readonly fetch: typeof globalThis.fetch;
  readonly clock: Clock;
  /** What else must not appear in any account of a failure: tokens come and go. */
  readonly secrets?: () => readonly string[];
}

export type { Json };
