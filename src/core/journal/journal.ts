import type { Entry, EntryBody, EntryId, EntryKind, EntryOf } from '../../protocol/entry.ts';

/** What `append` made: the entries are known at once, `durable` settles as their classes ask. */
export interface Appended {
  readonly entries: readonly Entry[];
  /**
   * Resolves once the batch is in the file and, if any entry's class is `flushed`, on the disk (fdatasync).
   * Rejects with a `SystemError` when it could not be written; see `onFailure`. A kept batch stays unsettled meanwhile.
   */
  readonly durable: Promise<void>;
}

export interface AppendOptions {
  /**
   * `withdraw` (default): a batch that could not be written is as if it never was (the file is cut back to its last whole
   * line, the leaf moves back), and so are those that were waiting behind it, since they stand on it. `keep`: the batch stays in memory, in order, and is tried again before any later one;
   * `trouble` says so meanwhile. For what has already happened (a tool's result) and must not be forgotten.
   */
  readonly onFailure?: 'withdraw' | 'keep';
}

/** What an earlier run made of the first entries, and left to be gone on with. */
export interface Covered {
  /** How many, in file order. */
  readonly rows: number;
  /** Where the leaf stood behind them. */
  readonly leaf: EntryId | null;
  /** What was made of them, by name; whoever uses one takes it out, since it may be large. */
  readonly notes: Map<string, string>;
}

/**
 * One session's entries, append only. Owns ids, parents, times and the leaf. Only the index (id, parent, kind, place in
 * the file) need be in memory; entries are read back by id.
 */
export interface Journal {
  readonly session: string;
  /** The session's own folder (`outputs/`, `attachments/`, ... lie beside the journal); null when nothing is saved. */
  readonly folder: string | null;
  /** Newest branch entry: where the next one will stand. */
  readonly leaf: EntryId | null;
  readonly size: number;
  /** Lines that could not be read, at opening or since: each cost itself only (UP-32). */
  readonly damaged: readonly { readonly line: number; readonly bytes: number }[];
  /** Why the newest batches are not on disk, null when all is well. */
  readonly trouble: string | null;
  onTrouble(listener: (trouble: string | null) => void): void;
  /** Tries at once what `trouble` keeps from the disk, instead of when its time comes. */
  retry(): void;

  /** Order of calls is order in the file. A branch entry's parent is the leaf at the time of the call. */
  append(bodies: readonly EntryBody[], options?: AppendOptions): Appended;
  /** Ids from the root to `leaf` (default: the current one), branch entries only. */
  branch(leaf?: EntryId): readonly EntryId[];
  kindOf(id: EntryId): EntryKind | string | null;
  parentOf(id: EntryId): EntryId | null;
  /** In the order asked; unknown ids are left out. Throws `SystemError` when the file cannot be read. */
  load(ids: readonly EntryId[]): Promise<Entry[]>;
  /** Every entry in file order, side entries too; with `covered`, only those it does not cover. */
  all(after?: Covered): AsyncIterable<Entry>;
  /** Null when nothing of it may be relied on. */
  readonly covered: Covered | null;
  covers(id: EntryId, by: Covered): boolean;
  /** Names the code that may go on with what is left for it; null: nothing is left. */
  readonly build: string | null;
  /** Ids of all entries of these kinds, in file order. */
  ofKind(...kinds: readonly EntryKind[]): readonly EntryId[];
  lastOfKind(...kinds: readonly EntryKind[]): EntryId | null;
  flush(): Promise<void>;
  close(): Promise<void>;
}

export function isKind<K extends EntryKind>(entry: Entry, kind: K): entry is EntryOf<K> {
  return entry.kind === kind;
}
