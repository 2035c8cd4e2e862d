import type { Json } from '../base/json.ts';

/** `provider:model`, split at the first colon. */
export interface ModelRef {
  readonly provider: string;
  readonly model: string;
}

export function isSameModel(one: ModelRef, other: ModelRef): boolean {
  return one.provider === other.provider && one.model === other.model;
}

export type Effort = 'low' | 'medium' | 'high' | 'xhigh' | 'max' | 'default';
export type PermissionMode = 'ask' | 'edits' | 'plan' | 'bypass';
/** Where a person reads the model's thinking: nowhere, its newest line while it streams, or as cards. */
export type ThinkingShown = 'off' | 'status' | 'transcript';

/**
 * One part of an assistant message, in order. `opaque` is what its wire must be given back exactly (a thinking
 * signature, an encrypted block); it is only ever sent to the provider and model that made it.
 */
export type AssistantPart =
  | { readonly type: 'text'; readonly text: string; readonly opaque?: Json }
  | { readonly type: 'thinking'; readonly text: string; readonly opaque?: Json }
  | {
      readonly type: 'call';
      /** Unique within the session; the id the provider gave, made unique where it repeats one. */
      readonly call: string;
      readonly tool: string;
      /** One line for people, such as `Read src/a.ts`; and the model's own reason for calling, when it gave one. */
      readonly title: string;
      readonly why: string | null;
      /** Parsed arguments; null when `raw` could not be parsed (the call is then answered with an error). */
      readonly input: Json;
      readonly raw?: string;
      readonly opaque?: Json;
    };

/** Which model, and how hard it thinks, where one turn has its own; null leaves the conversation's. */
export interface Target {
  readonly model: ModelRef | null;
  readonly effort: Effort | null;
}

/** Something a person attached. Bytes lie in the session's `attachments/`, named by their SHA-256 (hex). */
export interface Attachment {
  readonly kind: 'image' | 'file';
  readonly name: string;
  readonly mediaType: string;
  readonly bytes: number;
  readonly hash: string;
}

/** Token counts of one request; absent figures are null, never guessed. `input` excludes both cache figures. */
export interface Usage {
  readonly input: number | null;
  readonly output: number | null;
  readonly cacheRead: number | null;
  readonly cacheWrite: number | null;
  readonly reasoning: number | null;
}

export type StopReason = 'end' | 'calls' | 'length' | 'refusal' | 'aborted' | 'failed';

/** Sums over requests. `cost` is US dollars, null as soon as one price is unknown. */
export interface Totals {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  readonly cost: number | null;
  readonly requests: number;
}

export const NO_TOTALS: Totals = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, cost: 0, requests: 0 };

export function addUsage(totals: Totals, usage: Usage, cost: number | null): Totals {
  return {
    input: totals.input + (usage.input ?? 0),
    output: totals.output + (usage.output ?? 0),
    cacheRead: totals.cacheRead + (usage.cacheRead ?? 0),
    cacheWrite: totals.cacheWrite + (usage.cacheWrite ?? 0),
    cost: totals.cost === null || cost === null ? null : totals.cost + cost,
    // What was had elsewhere and is written here cost nothing here and was no request here.
    requests: totals.requests + (cost === 0 && contextTokens(usage) === null && usage.output === null ? 0 : 1),
  };
}

/** Input tokens of one request, cached ones included; null when the service reported none. */
export function contextTokens(usage: Usage): number | null {
  if (usage.input === null && usage.cacheRead === null && usage.cacheWrite === null) return null;
  return (usage.input ?? 0) + (usage.cacheRead ?? 0) + (usage.cacheWrite ?? 0);
}
