import type { Entry, EntryId } from '../../protocol/entry.ts';
import { amendItems, itemOfOwnCall, itemsOf } from '../../protocol/fold.ts';
import type { Item } from '../../protocol/view.ts';
import { sharedLength } from './branch.ts';
import { createItemNumbers, FOLDED, type ItemNumbers, isOwnCallEntry, type SavedNumbers } from './item-numbers.ts';
import type { Journal } from './journal.ts';
import { loadSaid } from './said.ts';

/** Numbers the transcript items of the current branch and reads pages of them; holds numbers, never entries. */
export interface TranscriptIndex {
  /** Items `from`..`from+count-1` (from 0) as the View would hold them, fewer at either end. */
  page(from: number, count: number): Promise<TranscriptPage>;
  /** The last `count` items. */
  tail(count: number): Promise<TranscriptPage>;
  total(): Promise<number>;
  /** The numbers of everything on the branch, for `COVERED_NUMBERS`. */
  save(): Promise<string>;
  /** Tells of the entries of the branch in order, by one who reads them all anyway, before anything is asked. */
  see(entry: Entry): void;
}

/** The name under which the numbers stand in what an earlier run left. */
export const COVERED_NUMBERS = 'items';

export interface TranscriptPage {
  readonly from: number;
  readonly items: Item[];
  readonly total: number;
}

const BATCH = 256;

/**
 * Reads nothing yet: the branch is looked at when first asked, from where an earlier run left it, and afterwards only what
 * was appended since.
 */
export function createTranscriptIndex(journal: Journal): TranscriptIndex {
  let branch: readonly EntryId[] = [];
  let numbers: ItemNumbers | null = null;
  /** The branch while entries of it are told of. */
  let told: readonly EntryId[] | null = null;
  let working: Promise<void> = Promise.resolve();

  function begin(): ItemNumbers {
    const { covered } = journal;
    const saved = covered?.notes.get(COVERED_NUMBERS);
    if (covered === null || saved === undefined) return createItemNumbers();
    covered.notes.delete(COVERED_NUMBERS);
    branch = covered.leaf === null ? [] : journal.branch(covered.leaf);
    return createItemNumbers(JSON.parse(saved) as SavedNumbers);
  }

  async function sync(): Promise<ItemNumbers> {
    numbers ??= begin();
    if (told !== null) branch = told.slice(0, numbers.places);
    told = null;
    const now = journal.branch();
    const shared = sharedLength(branch, now);
    if (shared < branch.length) numbers.cutTo(shared);
    branch = now.slice(0, shared);
    for (let at = shared; at < now.length; at += BATCH) {
      const ids = now.slice(at, at + BATCH);
      const entries = new Map((await journal.load(ids.filter(isFolded))).map((entry) => [entry.id, entry]));
      for (const id of ids) numbers.take(entries.get(id) ?? null);
      branch = now.slice(0, at + ids.length);
    }
    return numbers;
  }

  function isFolded(id: EntryId): boolean {
    return FOLDED.has(journal.kindOf(id) ?? '');
  }

  /** The last place with at most `item` items before it: where that item begins. */
  function placeOf({ before }: ItemNumbers, item: number): number {
    let low = 0;
    let high = branch.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (before(middle) <= item) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  function beginsItem({ before }: ItemNumbers, place: number): boolean {
    return before(place + 1) > before(place);
  }

  async function read(known: ItemNumbers, from: number, to: number): Promise<Item[]> {
    const first = placeOf(known, from);
    const last = placeOf(known, to - 1);
    const places = new Set<number>();
    for (let place = first; place <= last; place++) {
      if (!beginsItem(known, place)) continue;
      places.add(place);
      for (const later of known.amendersOf(place)) places.add(later);
    }
    const ordered = [...places].sort((a, b) => a - b);
    const entries = await journal.load(ordered.map((place) => branch[place]!));
    const said = await loadSaid(journal, entries);
    const placeById = new Map(ordered.map((place) => [branch[place]!, place]));
    const items: Item[] = [];
    for (const entry of entries) {
      amendItems(items, entry);
      if (placeById.get(entry.id)! > last) continue;
      const begun = itemsOf(entry, () => said.get(entry.id) ?? null);
      if (isOwnCallEntry(entry) && beginsItem(known, placeById.get(entry.id)!)) {
        begun.push(itemOfOwnCall(entry));
        amendItems(begun, entry);
      }
      items.push(...begun);
    }
    return items.slice(from - known.before(first), to - known.before(first));
  }

  /** One at a time: a sync that waits for the disk must not be overtaken by another. */
  function inTurn<T>(work: (known: ItemNumbers) => Promise<T>): Promise<T> {
    const result = working.then(sync).then(work);
    working = result.then(
      () => {},
      () => {},
    );
    return result;
  }

  async function page(known: ItemNumbers, from: number, count: number): Promise<TranscriptPage> {
    const { total } = known;
    const first = Math.min(Math.max(0, from), total);
    const end = Math.min(first + Math.max(0, count), total);
    return { from: first, items: end > first ? await read(known, first, end) : [], total };
  }

  return {
    page: (from, count) => inTurn((known) => page(known, from, count)),
    tail: (count) => inTurn((known) => page(known, known.total - count, count)),
    total: () => inTurn(async (known) => known.total),
    save: () => inTurn(async (known) => JSON.stringify(known.save())),
    see(entry) {
      told ??= journal.branch();
      numbers ??= createItemNumbers();
      // What is missing between two entries was lost with its line.
      while (numbers.places < told.length && told[numbers.places] !== entry.id) numbers.take(null);
      if (numbers.places < told.length) numbers.take(entry);
    },
  };
}
