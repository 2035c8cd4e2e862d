import type { Label } from './label.ts';
import type { Effort, ModelRef } from './message.ts';

/** A second agent at work under one call of the session's own turn, for people to see; the models never do. */
export interface DelegateRow {
  /** `d1`, and `d1.2` for the second one that `d1` started. */
  readonly name: string;
  /** The call of the session's own turn that all of this goes back to. */
  readonly call: string;
  readonly kind: string;
  /** Of the definition it was started as; null for a bare kind. */
  readonly agent: string | null;
  /** The whole of what it was told. */
  readonly task: string;
  readonly model: ModelRef | null;
  readonly effort: Effort;
  readonly state: DelegateState;
  /** Milliseconds since the epoch. */
  readonly started: number;
  readonly ended: number | null;
  /** How the turn was told it ended; empty while it runs. */
  readonly ending: string;
  /** How many acts there were in all, and the newest of them, oldest first. */
  readonly count: number;
  readonly acts: readonly DelegateAct[];
  /** What was said to it and that it has not read. */
  readonly unread: readonly DelegateWord[];
}

export type DelegateState = 'running' | 'reported' | 'failed' | 'stopped';

/** One thing it did, said, or was told. `label`: of text that came out of its model; what nobody vouched for stands in fog. */
export interface DelegateAct {
  readonly kind: 'call' | 'refused' | 'said' | 'told' | 'sleep';
  readonly text: string;
  readonly label: Label | null;
}

/** `ref`: as its client chose it. */
export interface DelegateWord {
  readonly client: string;
  readonly ref: string;
  readonly text: string;
}

/** Acts that stand in the View; several hundred more are read by query. */
export const ACTS_SHOWN = 50;
/** Acts kept of one delegate (VIEW-7), and delegates whose work is kept. */
export const ACTS_KEPT = 500;
export const DELEGATES_KEPT = 64;

/** It was cut short with words in hand; one that came to its end by itself simply did not need them. */
export const isLost = ({ state, unread }: Pick<DelegateRow, 'state' | 'unread'>): boolean =>
  unread.length > 0 && (state === 'failed' || state === 'stopped');

export const isAtWork = (row: Pick<DelegateRow, 'state'>): boolean => row.state === 'running';
