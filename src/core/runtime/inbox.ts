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
  /** Rows the pause concerns; what was said since is not among them. */
  readonly held: readonly EntryId[];
  find(id: EntryId): Waiting | null;
  /** In front of `before`, or at the end. */
  add(row: QueueRow, before?: EntryId | null): Waiting;
  /** Takes these out, in queue order; ids that no longer wait are left out. */
  remove(ids: readonly EntryId[] | 'all'): Waiting[];
  /** Takes these out to be started. Until that is written down (`started`) they count among what stands in line. */
  start(rows: readonly Waiting[]): void;
  /** Ids in line order, first what is being started. */
  readonly line: readonly EntryId[];
  /** What was to start has begun, or has ended otherwise. */
  started(): void;
  /** The next one to run as a turn or a shell line; null when nothing may start. */
  next(): Waiting | null;
  /**
   * What the running turn takes along at a round boundary, in order, taken out: none past a waiting command or shell line
   * (QUE-20), nor past one that was stopped before its turn came.
   */
  takeSteering(): Waiting[];
  /** Of what steers, only what waits now is still taken along; what is said from here on waits for `letSteer` (SC-9.1). */
  holdSteering(): void;
  letSteer(): void;
  readonly holdsSteering: boolean;
  /**
   * What may go out together as one turn, in order: everything that is not held, up to the first command, shell line
   * (QUE-13) or prompt that was stopped before its turn came. Still waiting.
   */
  batch(): Waiting[];
  /** Puts back at the head what was to start and could not. */
  putBack(rows: readonly Waiting[]): void;
  /** Puts rows back where they stood among the others; held with the rest, where those were paused meanwhile. */
  restore(rows: readonly Waiting[]): void;
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
  let starting: readonly EntryId[] = [];
  /** What may still steer; null: all of it. */
  let mayStill: ReadonlySet<EntryId> | null = null;
  /** Where rows stand that were taken out and may come back: the order of all, those included. */
  let places = rows.map((row) => row.id);

  const take = (taken: readonly Waiting[]): void => {
    rows = rows.filter((row) => !taken.includes(row));
    for (const row of taken) holds.delete(row.id);
    // A pause that holds nothing any more has nothing to say.
    if (holds.size === 0) paused = null;
    if (rows.length === 0) places = taken.map((row) => row.id);
  };
  const free = (row: Waiting): boolean => !holds.has(row.id);
  const steering = (): Waiting[] => {
    const found: Waiting[] = [];
    for (const row of rows) {
      if (!free(row)) continue;
      if (endsBatch(row) || row.stillborn) break;
      if (row.delivery === 'steering' && (mayStill?.has(row.id) ?? true)) found.push(row);
    }
    return found;
  };
  const place = (id: EntryId, before: EntryId | null): void => {
    places = places.filter((other) => other !== id);
    const at = before === null ? -1 : places.indexOf(before);
    places.splice(at < 0 ? places.length : at, 0, id);
  };
  const sort = (all: readonly Waiting[]): Waiting[] => {
    const order = new Map(places.map((id, index) => [id, index]));
    return [...all].sort((a, b) => (order.get(a.id) ?? -1) - (order.get(b.id) ?? -1));
  };

  return {
    get rows() {
      return rows;
    },
    get paused() {
      return paused;
    },
    get held() {
      return rows.flatMap((row) => (holds.has(row.id) ? [row.id] : []));
    },
    find: (id) => rows.find((row) => row.id === id) ?? null,
    add: (row, before = null) => {
      const waiting: Waiting = { ...row, stillborn: false };
      place(row.id, before);
      rows = sort([...rows, waiting]);
      return waiting;
    },
    remove: (ids) => {
      const gone = rows.filter((row) => ids === 'all' || ids.includes(row.id));
      take(gone);
      return gone;
    },
    start: (taken) => {
      take(taken);
      starting = taken.map((row) => row.id);
    },
    get line() {
      return [...starting, ...rows.map((row) => row.id)];
    },
    started: () => {
      starting = [];
    },
    next: () => rows.find(free) ?? null,
    takeSteering: () => {
      const found = steering();
      take(found);
      return found;
    },
    holdSteering: () => {
      mayStill ??= new Set(rows.flatMap((row) => (row.delivery === 'steering' ? [row.id] : [])));
    },
    letSteer: () => {
      mayStill = null;
    },
    get holdsSteering() {
      return mayStill !== null;
    },
    batch: () => {
      const begin = rows.findIndex((row) => free(row) && !row.stillborn);
      const waiting = begin < 0 ? [] : rows.slice(begin).filter(free);
      // What has a model or an effort of its own has a turn of its own.
      const alone = waiting.findIndex(({ target }) => target != null);
      if (alone === 0) return waiting.slice(0, 1);
      const end = waiting.findIndex((row, at) => endsBatch(row) || row.stillborn || at === alone);
      return end < 0 ? waiting : waiting.slice(0, end);
    },
    putBack: (back) => {
      starting = [];
      const ids = back.map((row) => row.id);
      places = [...ids, ...places.filter((id) => !ids.includes(id))];
      rows = sort([...rows, ...back]);
    },
    restore: (back) => {
      if (paused !== null) for (const row of back) holds.add(row.id);
      rows = sort([...rows, ...back]);
    },
    edit: (id, text, delivery) => {
      rows = rows.map((row) => (row.id === id ? { ...row, text, delivery } : row));
    },
    move: (id, before) => {
      if (!rows.some((row) => row.id === id)) return;
      place(id, before === id ? null : before);
      rows = sort(rows);
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

function endsBatch({ delivery }: Waiting): boolean {
  return delivery === 'command' || delivery === 'shell';
}
