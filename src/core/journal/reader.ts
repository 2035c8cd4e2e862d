import type { Entry, EntryId } from '../../protocol/entry.ts';
import type { Files } from '../../system/files.ts';
import type { JournalIndex, Place, Row } from './journal-index.ts';
import { parseLine } from './line.ts';

export interface JournalReader {
  /** Entries of these rows, in the order asked; a line that turns out damaged is left out. Throws `SystemError`. */
  load(rows: readonly Row[]): Promise<Entry[]>;
  /** Not in the file yet, or not soundly: answered from memory until `release`. */
  hold(row: Row, entry: Entry): void;
  release(row: Row): void;
  forget(row: Row): void;
  all(fromRow: Row): AsyncGenerator<Entry>;
}

/** Parsed entries kept, newest use first, counted by the length of their lines. */
const CACHE_BYTES = 2 * 1024 * 1024;
const CACHE_ENTRIES = 1_024;
/** Lines with at most this much between them are read with one read. */
const READ_GAP = 16 * 1024;
const READ_MOST = 2 * 1024 * 1024;

export function createJournalReader(
  files: Files,
  path: string,
  index: JournalIndex,
  onDamage: (row: Row, bytes: number) => void,
): JournalReader {
  const held = new Map<Row, Entry>();
  const cache = new Map<Row, Entry>();
  let cachedBytes = 0;

  function remember(row: Row, entry: Entry): void {
    const { length } = index.placeOf(row);
    if (length > CACHE_BYTES / 4 || cache.has(row)) return;
    cache.set(row, entry);
    cachedBytes += length;
    for (const oldest of cache.keys()) {
      if (cachedBytes <= CACHE_BYTES && cache.size <= CACHE_ENTRIES) break;
      drop(oldest);
    }
  }

  function drop(row: Row): void {
    if (cache.delete(row)) cachedBytes -= index.placeOf(row).length;
  }

  function known(row: Row): Entry | undefined {
    const inHand = held.get(row);
    if (inHand !== undefined) return inHand;
    const cached = cache.get(row);
    if (cached !== undefined) {
      cache.delete(row);
      cache.set(row, cached);
    }
    return cached;
  }

  /** As the index knows it: a parent lost with its line is replaced by what took its place. */
  function placed(row: Row, entry: Entry): Entry {
    const parent: EntryId | null = index.parentOf(row);
    return entry.parent === parent ? entry : { ...entry, parent };
  }

  async function readRun(run: readonly { row: Row; place: Place }[], into: Map<Row, Entry>): Promise<void> {
    const first = run[0]!.place;
    const last = run[run.length - 1]!.place;
    const bytes = await files.readRange(path, first.from, last.from + last.length - first.from);
    for (const { row, place } of run) {
      const from = place.from - first.from;
      const entry = parseLine(bytes.subarray(from, from + place.length));
      if (entry === null || entry.id !== index.idOf(row)) onDamage(row, place.length);
      else into.set(row, placed(row, entry));
    }
  }

  async function readRows(rows: readonly Row[]): Promise<Map<Row, Entry>> {
    const places = rows.map((row) => ({ row, place: index.placeOf(row) })).filter(({ place }) => place.from >= 0);
    places.sort((a, b) => a.place.from - b.place.from);
    const found = new Map<Row, Entry>();
    let run: { row: Row; place: Place }[] = [];
    for (const next of places) {
      const previous = run[run.length - 1]?.place;
      const start = run[0]?.place.from ?? 0;
      const tooFar =
        previous !== undefined &&
        (next.place.from - previous.from - previous.length > READ_GAP ||
          next.place.from + next.place.length - start > READ_MOST);
      if (tooFar) {
        await readRun(run, found);
        run = [];
      }
      run.push(next);
    }
    if (run.length > 0) await readRun(run, found);
    return found;
  }

  async function load(rows: readonly Row[], keep: boolean): Promise<Entry[]> {
    const inHand = new Map<Row, Entry>();
    for (const row of rows) {
      const entry = known(row);
      if (entry !== undefined) inHand.set(row, entry);
    }
    const read = await readRows([...new Set(rows)].filter((row) => !inHand.has(row)));
    if (keep) for (const [row, entry] of read) remember(row, entry);
    return rows.flatMap((row) => inHand.get(row) ?? read.get(row) ?? []);
  }

  return {
    load: (rows) => load(rows, true),
    hold(row, entry) {
      drop(row);
      held.set(row, entry);
    },
    release(row) {
      const entry = held.get(row);
      if (entry === undefined) return;
      held.delete(row);
      remember(row, entry);
    },
    forget(row) {
      held.delete(row);
      drop(row);
    },
    async *all(fromRow) {
      const end = index.rows;
      // Bounded by bytes as well as by count: one stretch of large lines must not fill memory.
      for (let row = fromRow; row < end; ) {
        const batch: Row[] = [];
        let bytes = 0;
        for (; row < end && batch.length < 512 && bytes < READ_MOST; row++) {
          if (index.kindOf(row) === null) continue;
          batch.push(row);
          bytes += index.placeOf(row).length;
        }
        yield* await load(batch, false);
      }
    },
  };
}
