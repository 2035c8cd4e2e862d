import type { Delivery, EntryId, QueuePause } from '../../protocol/entry.ts';
import type { Queue, QueueRow } from '../../protocol/view.ts';

/** One input that waits: on disk already, not yet on the branch. */
export type Waiting = QueueRow & {
  /** Stopped before its turn came: it is taken, but its turn makes no request. */
  stillborn: boolean;
};

/**
 * What waits, in order. Every step here is synchronous: whoever takes a row out has it alone, so that a clear, a recall
 * and a turn's start can never both have the same one (INV-1). The journal is written by the caller.
 */
export interface Inbox {
  readonly rows: readonly Waiting[];
  readonly paused: QueuePause | null;
  find(id: EntryId): Waiting | null;
  /** In front of `before`, or at the end. */
  add(row: QueueRow, before?: EntryId | null): Waiting;
  /** Takes these out, in queue order; ids that no longer wait are left out. */
  remove(ids: readonly EntryId[] | 'all'): Waiting[];
  /** The next one to run as a turn or a shell line; null when nothing may start. */
  next(): Waiting | null;
  /** What the running turn takes along at a round boundary, in order, taken out: none past a waiting command or shell line (QUE-20). */
  takeSteering(): Waiting[];
  /** Puts rows back at the head, where they came from. */
  putBack(rows: readonly Waiting[]): void;
  edit(id: EntryId, text: string, delivery: Delivery): void;
  /** Moves one in front of another, or to the end. */
  move(id: EntryId, before: EntryId | null): void;
  /** Holds what waits now; what is said later is not held. */
  pause(pause: QueuePause): void;
  resume(): void;
}

/** `held`: the rows a pause concerns, when it was read back from the journal. */
export function createInbox(queue: Queue, held: readonly EntryId[]): Inbox {
  let rows: Waiting[] = queue.rows.map((row) => ({ ...row, stillborn: false }));
  let paused = queue.paused;
  let holds = new Set(paused === null ? [] : held);

  const take = (taken: readonly Waiting[]): void => {
    rows = rows.filter((row) => !taken.includes(row));
    for (const row of taken) holds.delete(row.id);
    // A pause that holds nothing any more has nothing to say.
    if (holds.size === 0) paused = null;
  };
  const steering = (): Waiting[] => {
    const found: Waiting[] = [];
    for (const row of rows) {
      if (holds.has(row.id)) continue;
      if (row.delivery === 'command' || row.delivery === 'shell') break;
      if (row.delivery === 'steering') found.push(row);
    }
    return found;
  };

  return {
    get rows() {
      return rows;
    },
    get paused() {
      return paused;
    },
    find: (id) => rows.find((row) => row.id === id) ?? null,
    add: (row, before = null) => {
      const waiting: Waiting = { ...row, stillborn: false };
      const at = before === null ? -1 : rows.findIndex((other) => other.id === before);
      rows = at < 0 ? [...rows, waiting] : [...rows.slice(0, at), waiting, ...rows.slice(at)];
      return waiting;
    },
    remove: (ids) => {
      const gone = rows.filter((row) => ids === 'all' || ids.includes(row.id));
      take(gone);
      return gone;
    },
    next: () => rows.find((row) => !holds.has(row.id)) ?? null,
    takeSteering: () => {
      const found = steering();
      take(found);
      return found;
    },
    putBack: (back) => {
      rows = [...back, ...rows];
    },
    edit: (id, text, delivery) => {
      rows = rows.map((row) => (row.id === id ? { ...row, text, delivery } : row));
    },
    move: (id, before) => {
      const moved = rows.find((row) => row.id === id);
      if (moved === undefined) return;
      const others = rows.filter((row) => row !== moved);
      const at = before === null ? -1 : others.findIndex((row) => row.id === before);
      others.splice(at < 0 ? others.length : at, 0, moved);
      rows = others;
    },
    pause: (reason) => {
      paused = reason;
      holds = new Set(rows.map((row) => row.id));
    },
    resume: () => {
      paused = null;
      holds = new Set();
    },
  };
}
