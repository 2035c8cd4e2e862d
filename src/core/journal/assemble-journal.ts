import type { Entry, EntryId } from '../../protocol/entry.ts';
import type { Clock } from '../../system/clock.ts';
import type { Ids } from '../../system/environment.ts';
import type { Covered, Journal } from './journal.ts';
import type { JournalIndex, Row } from './journal-index.ts';
import { makeEntry } from './line.ts';
import type { Batch } from './writer.ts';

/** Where a journal's entries lie: in a file, or in memory. */
export interface EntryStore {
  readonly damaged: Journal['damaged'];
  trouble(): string | null;
  onTrouble: Journal['onTrouble'];
  retry: Journal['retry'];
  /** Makes a new entry readable at once. */
  hold(row: Row, entry: Entry): void;
  write(batch: Batch): Promise<void>;
  load(rows: readonly Row[]): Promise<Entry[]>;
  all(fromRow: Row): AsyncIterable<Entry>;
  flush(): Promise<void>;
  close(): Promise<void>;
}

export function assembleJournal(parts: {
  readonly session: string;
  readonly folder: string | null;
  readonly index: JournalIndex;
  readonly clock: Pick<Clock, 'now'>;
  readonly ids: Pick<Ids, 'uuid'>;
  readonly store: EntryStore;
  readonly covered?: Covered | null;
  readonly build?: string | null;
}): Journal {
  const { session, folder, index, clock, ids, store, covered = null, build = null } = parts;
  let closed = false;

  function leaf(): EntryId | null {
    return index.leaf < 0 ? null : index.idOf(index.leaf);
  }

  return {
    session,
    folder,
    get leaf() {
      return leaf();
    },
    get size() {
      return index.size;
    },
    damaged: store.damaged,
    get trouble() {
      return store.trouble();
    },
    onTrouble: store.onTrouble,
    retry: store.retry,
    append(bodies, options) {
      if (closed) throw new Error('the journal is closed');
      if (bodies.length === 0) return { entries: [], durable: Promise.resolve() };
      const leafBefore = index.leaf;
      const entries: Entry[] = [];
      const rows: Row[] = [];
      for (const body of bodies) {
        const entry = makeEntry(ids.uuid(), leaf(), clock.now(), body);
        const row = index.add(entry.id, entry.parent, entry.kind, entry.kind === 'position' ? entry.leaf : null);
        if (row === null) throw new Error(`the id ${entry.id} was given out twice`);
        entries.push(entry);
        rows.push(row);
        store.hold(row, entry);
      }
      return { entries, durable: store.write({ entries, rows, leafBefore, keep: options?.onFailure === 'keep' }) };
    },
    branch(from) {
      const row = from === undefined ? index.leaf : index.rowOf(from);
      return row === null ? [] : index.branch(row);
    },
    kindOf(id) {
      const row = index.rowOf(id);
      return row === null ? null : index.kindOf(row);
    },
    parentOf(id) {
      const row = index.rowOf(id);
      return row === null ? null : index.parentOf(row);
    },
    load: (wanted) => store.load(wanted.flatMap((id) => index.rowOf(id) ?? [])),
    all: (after) => store.all(after?.rows ?? 0),
    covered,
    build,
    covers(id, { rows }) {
      const row = index.rowOf(id);
      return row !== null && row < rows;
    },
    ofKind: (...kinds) => index.ofKind(kinds),
    lastOfKind: (...kinds) => index.lastOfKind(kinds),
    flush: () => store.flush(),
    close() {
      closed = true;
      return store.close();
    },
  };
}
