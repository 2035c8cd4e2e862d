/** One change to one file, as it goes to the journal. Hashes are SHA-256 (hex); null for "was not there". */
export interface FileChange {
  readonly call: string;
  readonly path: string;
  readonly before: string | null;
  readonly after: string | null;
}

/** What this session changed and what it last saw of each file. */
export interface Ledger {
  /** Every change, oldest first. */
  readonly changes: readonly FileChange[];
  /** Tells the listener before it resolves, so that the record is as safe as the change. */
  record(change: FileChange): Promise<void>;
  saw(path: string, hash: string): void;
  lastSeen(path: string): string | null;
}

/** `earlier` are the changes a resumed journal holds. */
export function createLedger(
  onChange: (change: FileChange) => Promise<void>,
  earlier: readonly FileChange[] = [],
): Ledger {
  const changes: FileChange[] = [...earlier];
  const seen = new Map<string, string>();
  return {
    changes,
    async record(change) {
      changes.push(change);
      if (change.after === null) seen.delete(change.path);
      else seen.set(change.path, change.after);
      await onChange(change);
    },
    saw: (path, hash) => void seen.set(path, hash),
    lastSeen: (path) => seen.get(path) ?? null,
  };
}
