import type { Entry } from '../../protocol/entry.ts';
import type { ModelRef, Usage } from '../../protocol/message.ts';
import { addToSum, joinSums, NO_USAGE_SUM, type UsageRow, type UsageSum } from '../../protocol/usage.ts';
import { modelRefText } from '../models/model-ref.ts';

/** One request that was paid for. */
export interface Spent {
  /** Of its entry: a copy of a session holds the same ones, and they were paid for once. */
  readonly id: string;
  readonly time: number;
  readonly model: ModelRef;
  readonly purpose: string;
  readonly usage: Usage;
  readonly cost: number | null;
}

/** What a session used, by model and purpose. Told of every entry, in order. */
export interface UsageTally {
  /** What this entry says was spent; null for one that says nothing of it. */
  see(entry: Entry): Spent | null;
  /** The dearest first. */
  rows(): UsageRow[];
  sum(): UsageSum;
  save(): SavedTally;
}

/** What is known, as data. */
export interface SavedTally {
  readonly rows: readonly UsageRow[];
  readonly last: ModelRef | null;
}

export function createUsageTally(saved?: SavedTally): UsageTally {
  const rows = new Map((saved?.rows ?? []).map((row) => [rowKey(row), row]));
  let last = saved?.last ?? null;
  return {
    see: (entry) => {
      if (entry.kind === 'turn-start' || entry.kind === 'model') last = entry.model;
      const spent = spentBy(entry, last);
      if (spent !== null) addRow(rows, spent);
      return spent;
    },
    rows: () => sorted(rows.values()),
    sum: () => [...rows.values()].reduce(joinSums, NO_USAGE_SUM),
    save: () => ({ rows: [...rows.values()], last }),
  };
}

function spentBy(entry: Entry, last: ModelRef | null): Spent | null {
  switch (entry.kind) {
    case 'assistant':
      return { ...paid(entry), model: entry.model, purpose: 'turn' };
    case 'usage':
      return { ...paid(entry), model: entry.model, purpose: entry.purpose };
    case 'compaction':
      return { ...paid(entry), model: entry.model ?? last ?? UNKNOWN, purpose: 'compaction' };
    default:
      return null;
  }
}

const UNKNOWN: ModelRef = { provider: 'unknown', model: 'unknown' };

function paid({ id, time, usage, cost }: Pick<Spent, 'id' | 'time' | 'usage' | 'cost'>) {
  return { id, time, usage, cost };
}

export function addRow(rows: Map<string, UsageRow>, { model, purpose, usage, cost }: Omit<Spent, 'id' | 'time'>): void {
  const key = rowKey({ model, purpose });
  const before = rows.get(key) ?? { model, purpose, ...NO_USAGE_SUM };
  rows.set(key, { model, purpose, ...addToSum(before, usage, cost) });
}

function rowKey({ model, purpose }: Pick<UsageRow, 'model' | 'purpose'>): string {
  return `${modelRefText(model)}\n${purpose}`;
}

export function sorted(rows: Iterable<UsageRow>): UsageRow[] {
  return [...rows].sort((a, b) => b.cost - a.cost || b.requests - a.requests);
}
