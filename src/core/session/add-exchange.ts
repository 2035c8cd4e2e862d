import type { EntryBody } from '../../protocol/entry.ts';
import { type ModelRef, NO_TOTALS } from '../../protocol/message.ts';
import type { SessionParts } from './parts.ts';

/** A question and its answer that were had elsewhere, as they come to stand in the conversation. */
export interface Exchange {
  readonly asked: string;
  readonly answered: string;
  readonly model: ModelRef;
}

const NO_USAGE = { input: null, output: null, cacheRead: null, cacheWrite: null, reasoning: null };

/** Entries that put an exchange behind the leaf, as a turn of its own. It was paid for where it was had. */
export function exchangeEntries(
  { system, loop }: Pick<SessionParts, 'system' | 'loop'>,
  { asked, answered, model }: Exchange,
): EntryBody[] {
  const turn = loop.nextTurn();
  return [
    { kind: 'taken', input: system.ids.uuid(), turn, as: 'wake', words: asked },
    {
      kind: 'assistant',
      turn,
      round: 1,
      model,
      parts: [{ type: 'text', text: answered }],
      stop: 'end',
      usage: NO_USAGE,
      cost: 0,
      requestId: null,
      duration: 0,
    },
    { kind: 'turn-end', turn, reason: 'done', failure: null, message: null, duration: 0, usage: NO_TOTALS },
  ];
}

/** Puts it behind the leaf, whole or not at all. */
export async function addExchange(
  parts: Pick<SessionParts, 'recorder' | 'system' | 'loop'>,
  exchange: Exchange,
): Promise<void> {
  await parts.recorder.write(exchangeEntries(parts, exchange));
}
