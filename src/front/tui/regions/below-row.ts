import type { Line } from '../piece.ts';

/** One row under the prompt. */
export interface BelowRow {
  readonly line: Line;
  readonly right: Line;
  readonly chosen?: boolean;
  /** What a click on it does. */
  readonly item?: string;
}
