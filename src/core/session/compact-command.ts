import type { Refusal } from '../../base/refusal.ts';
import { compact } from '../runtime/compact.ts';
import { compactionBudget } from '../runtime/compact-budget.ts';
import { compactingDetail } from '../runtime/compact-parts.ts';
import { KEEP_TOKENS } from '../runtime/compact-turn.ts';
import { createTurnProgress } from '../runtime/turn-progress.ts';
import type { SessionParts } from './parts.ts';
import type { CommandEnd } from './turn-loop.ts';

export function refusesCompaction({ model, publisher }: SessionParts): Refusal | null {
  // Before the session is ready nobody knows yet; it waits.
  if (model.model !== null || !publisher.view.head.ready) return null;
  return { identifier: 'no-model', message: 'There is no model to summarise with: choose one with /model.' };
}

/** `/compact [FOCUS]`: summarises now, at any size. What it costs and how long it takes count for the session (CX-8). */
export async function compactNow(parts: SessionParts, focus: string, signal: AbortSignal): Promise<CommandEnd> {
  const { recorder, publisher, system, autocompact } = parts;
  const runtime = parts.runtime();
  const { model, effort } = parts.model;
  if (runtime === null || model === null) return refusedEnd('no-model', 'There is no model to summarise with.');
  const began = system.clock.ticks();
  const progress = createTurnProgress(null, system.clock.now(), publisher.publish);
  progress.phase('compacting', compactingDetail(focus));
  const { facts } = model;
  const compacted = await compact(
    { runtime, terms: { model, effort, signal }, progress },
    {
      focus,
      keep: KEEP_TOKENS,
      budget: compactionBudget(facts, autocompact.wish) ?? facts.contextWindow,
      round: 0,
      refused: false,
    },
  );
  const duration = Math.round(system.clock.ticks() - began);
  await recorder.write([{ kind: 'active-time', duration }], { onFailure: 'keep' });
  switch (compacted.outcome) {
    case 'done':
      return { state: 'done', messages: [] };
    case 'aborted':
      return { state: 'stopped', messages: [] };
    case 'nothing':
      return refusedEnd('nothing-to-compact', 'There is nothing to summarise yet.');
    case 'failed': {
      const text = `Compaction failed: ${compacted.message}. The conversation is as it was.`;
      await recorder.write([{ kind: 'note', level: 'error', identifier: 'not-compacted', text }], {
        onFailure: 'keep',
      });
      return { state: 'failed', messages: [{ level: 'error', identifier: 'not-compacted', text }] };
    }
  }
}

function refusedEnd(identifier: string, text: string): CommandEnd {
  return { state: 'refused', messages: [{ level: 'warning', identifier, text }] };
}
