import type { Json } from '../base/json.ts';
import type { Refusal } from '../base/refusal.ts';
import type { DelegateAct } from './delegate.ts';
import type { FileDiff } from './display.ts';
import type { Entry, EntryId, FileLeft } from './entry.ts';
import type { Label } from './label.ts';
import type { ProviderRow } from './provider.ts';
import type { UsageReport } from './usage.ts';
import type { Item } from './view.ts';

/** What is too large or too rare for the View. A query never changes anything. */
export interface Queries {
  /** Transcript items numbered from `from`, `count` of them (fewer at the end). */
  page: { ask: { from: number; count: number }; answer: { generation: number; from: number; items: Item[] } };
  /** Whole output of a call: lines `from`..`from+count-1` (from 0). */
  output: {
    ask: { call: string; from: number; count: number };
    answer: { lines: string[]; totalLines: number; totalBytes: number; label: Label };
  };
  entry: { ask: { id: EntryId }; answer: { entry: Entry | null } };
  /** Workspace paths matching what was typed after `@`; folders end with `/`. */
  'complete-path': { ask: { typed: string; limit: number }; answer: { paths: string[]; complete: boolean } };
  'complete-argument': {
    ask: { command: string; typed: string };
    answer: { choices: { value: string; description: string }[] };
  };
  /** What the files changed by this session look like now. */
  changes: { ask: { path: string | null }; answer: { files: FileDiff[] } };
  /** Files that calls of this session read or changed, in the order they were first met. */
  'session-files': { ask: Record<never, never>; answer: { files: SessionFile[] } };
  /** What was used and what it cost, and how much of an account's allowance is left; `fresh` asks its service anew. */
  usage: { ask: { fresh: boolean }; answer: UsageReport };
  status: { ask: Record<never, never>; answer: { rows: { name: string; value: string }[] } };
  /** Items whose text holds all words. */
  find: { ask: { words: string; limit: number }; answer: { hits: { item: number; excerpt: string }[] } };
  tree: { ask: Record<never, never>; answer: { nodes: TreeNode[]; leaf: EntryId | null; here: EntryId | null } };
  /** Where the conversation and its files can go back to, newest first. */
  rewind: { ask: Record<never, never>; answer: { points: RewindPoint[]; redo: boolean } };
  /** The trail of decisions, oldest first, `count` rows from `from` on; a `from` of null: the last `count`. */
  trail: { ask: { from: number | null; count: number }; answer: { total: number; from: number; rows: TrailRow[] } };
  /** What is still known of the work of one delegate, oldest first; `total`: acts there were in all. */
  delegate: { ask: { name: string }; answer: { total: number; acts: DelegateAct[] } };
  /** Ways to connect providers and how each stands; `look` also asks programs that know, which takes a moment. */
  providers: { ask: { look: boolean }; answer: { providers: ProviderRow[] } };
  /** Every model known by name, also those that are not offered; `refresh` first asks the public catalogue, which takes a moment. */
  models: {
    ask: { refresh: boolean };
    answer: { models: { value: string; description: string }[]; reached: boolean };
  };
  /** Asked of the side conversation. */
  side: { ask: { query: Query }; answer: { answered: Answered<QueryType> } };
  custom: { ask: { name: string; data: Json }; answer: { data: Json } };
}

export interface SessionFile {
  /** Absolute. */
  readonly path: string;
  /** By our tools; what commands did is not known. */
  readonly changed: boolean;
}

export interface TrailRow {
  readonly time: number;
  readonly event: string;
  /** In words; names in it may hold anything, as names do. */
  readonly text: string;
  /** Whether something was kept from happening. */
  readonly refused: boolean;
  readonly call: string | null;
  /** `d1.2` for a delegate's; null for the session's own. */
  readonly delegate: string | null;
}

export interface TreeNode {
  readonly id: EntryId;
  readonly parent: EntryId | null;
  readonly kind: string;
  readonly text: string;
  readonly time: number;
  /** What the person calls this place. */
  readonly label?: string;
}

/** Before one prompt of the branch: what going back there would do to the files our tools wrote since. */
export interface RewindPoint {
  /** The prompt's entry. */
  readonly entry: EntryId;
  readonly turn: number;
  readonly time: number;
  readonly text: string;
  readonly files: readonly RewindFile[];
  /** Whether commands or the like ran since: what they did stays. */
  readonly ranCommands: boolean;
}

export interface RewindFile {
  readonly path: string;
  /** What would become of it; `already` for one that is as it was. */
  readonly becomes: 'restored' | 'removed' | 'made' | 'already' | FileLeft;
}

export type QueryType = keyof Queries;
export type Query = { [K in QueryType]: { readonly type: K } & Readonly<Queries[K]['ask']> }[QueryType];
export type AnswerTo<K extends QueryType> = Queries[K]['answer'];
export type Answered<K extends QueryType> =
  | { readonly ok: true; readonly value: AnswerTo<K> }
  | { readonly ok: false; readonly refusal: Refusal };
