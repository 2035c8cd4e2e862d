import type { Entry } from '../../protocol/entry.ts';
import { contextTokens, type ModelRef } from '../../protocol/message.ts';
import type { ModelRequest } from '../models/model.ts';
import { type ContextSize, messageTokens, sizeOf } from './context-size.ts';

/**
 * How large the next request is: what the service counted last, and an estimate of what came since. Told of every entry,
 * in order, from the first one on.
 */
export interface ContextGauge {
  see(entry: Entry): void;
  /** Of a request about to be sent. */
  read(request: Pick<ModelRequest, 'system' | 'tools' | 'messages'>): Reading;
  /** One is about to be sent. */
  sent(request: Pick<ModelRequest, 'system' | 'tools'>): void;
  /** What the last one that was sent began with, without its messages; null before any. */
  readonly last: ContextSize | null;
  /** What the next request will be estimated at, before an entry says that it shrank. */
  expect(estimate: number): void;
}

export interface Reading {
  readonly size: ContextSize;
  /** Tokens of input, as good as they are known. */
  readonly projected: number;
  /** Whether it rests on a count of the service. */
  readonly measured: boolean;
}

/** What a later run can know: estimates are of this one. */
export interface SavedGauge {
  readonly tokens: number | null;
  readonly model: ModelRef | null;
}

export function createContextGauge(saved?: SavedGauge): ContextGauge & { save(): SavedGauge } {
  /** What the estimate was when `tokens` were counted; null when that was in an earlier run. */
  let counted: { readonly tokens: number; readonly estimate: number | null } | null =
    saved === undefined || saved.tokens === null ? null : { tokens: saved.tokens, estimate: null };
  let estimate: number | null = null;
  let model = saved?.model ?? null;
  let last: Pick<ModelRequest, 'system' | 'tools'> | null = null;

  return {
    get last() {
      return last === null ? null : sizeOf({ ...last, messages: [] });
    },
    sent: ({ system, tools }) => {
      last = { system, tools };
    },
    see: (entry) => {
      switch (entry.kind) {
        case 'assistant': {
          const tokens = contextTokens(entry.usage);
          if (tokens !== null) counted = { tokens, estimate };
          return;
        }
        case 'compaction':
          counted = entry.tokensAfter === null ? null : { tokens: entry.tokensAfter, estimate };
          return;
        case 'turn-start':
        case 'model':
          // Another model counts otherwise.
          if (model !== null && (model.provider !== entry.model.provider || model.model !== entry.model.model))
            counted = null;
          model = entry.model;
          return;
        default:
          return;
      }
    },
    read: (request) => {
      const size = sizeOf(request);
      estimate = size.total;
      if (counted === null) return { size, projected: size.total, measured: false };
      const before = counted.estimate ?? size.total - sinceLastReply(request);
      // What the estimate says alone is never undercut by what was left out meanwhile.
      return { size, projected: counted.tokens + Math.max(0, size.total - before), measured: true };
    },
    expect: (coming) => {
      estimate = coming;
    },
    save: () => ({ tokens: counted?.tokens ?? null, model }),
  };
}

function sinceLastReply({ messages }: Pick<ModelRequest, 'messages'>): number {
  const last = messages.findLastIndex((message) => message.role === 'assistant');
  return last < 0 ? 0 : messages.slice(last).reduce((sum, message) => sum + messageTokens(message), 0);
}
