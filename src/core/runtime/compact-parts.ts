import type { Runtime, TurnTerms } from './runtime.ts';
import type { TurnProgress } from './turn-progress.ts';

/** How a compaction is wanted. */
export interface CompactionOrder {
  /** What the summary should look after; told to nobody else. */
  readonly focus: string;
  /** Tokens that stay word for word, at most. */
  readonly keep: number;
  /** Tokens the conversation may grow to; null for no limit. */
  readonly budget: number | null;
  /** The round it is made for; 0 when the person asked for it. */
  readonly round: number;
  /** The service refused the conversation as it is: it is summarised with less detail. */
  readonly refused: boolean;
}

/** What a compaction is given. */
export interface CompactionParts {
  readonly runtime: Runtime;
  readonly terms: Pick<TurnTerms, 'model' | 'effort' | 'signal'>;
  readonly progress: Pick<TurnProgress, 'spend' | 'phase'>;
}

/** What is shown beside the clock: the phase alone, or what the summary is to look after. */
export function compactingDetail(focus: string): string {
  return focus === '' ? '' : `Compacting: ${focus}`;
}
