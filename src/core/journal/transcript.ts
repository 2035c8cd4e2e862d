import type { Entry, EntryId, EntryOf } from '../../protocol/entry.ts';
import { amendItems, itemOfOwnCall, itemsOf } from '../../protocol/fold.ts';
import type { Item } from '../../protocol/view.ts';
import { sharedLength } from './branch.ts';
import type { Journal } from './journal.ts';
import { loadSaid } from './said.ts';

/** Numbers the transcript items of the current branch and reads pages of them; holds numbers, never entries. */
export interface TranscriptIndex {
  /** Items `from`..`from+count-1` (from 0) as the View would hold them, fewer at either end. */
  page(from: number, count: number): Promise<TranscriptPage>;
  /** The last `count` items. */
  tail(count: number): Promise<TranscriptPage>;
  total(): Promise<number>;
}

export interface TranscriptPage {
  readonly from: number;
  readonly items: Item[];
  readonly total: number;
}

const BATCH = 256;
/** Kinds that begin items or change earlier ones. */
const FOLDED = new Set<string>(['taken', 'assistant', 'note', 'turn-end', 'compaction', 'call', 'result']);

/** Reads nothing yet: the branch is looked at when first asked, and afterwards only what was appended since. */
export function createTranscriptIndex(journal: Journal): TranscriptIndex {
  let branch: readonly EntryId[] = [];
  /** For each place on the branch: how many items stand before it. One more at the end: the total. */
  let before: number[] = [0];
  /** For each place: the later places whose entries change its items. */
  let amenders = new Map<number, number[]>();
  /** Places of the entries that began a call's item, the one that counts last. */
  let calls = new Map<string, number[]>();
  /** Prompts of the turn at the end, which a stop would mark: place and turn, newest last. */
  let prompts: { place: number; turn: number }[] = [];
  let working: Promise<void> = Promise.resolve();

  function take(place: number, entry: Entry | null): void {
    let begun = 0;
    if (entry !== null) {
      // Only the number counts here, so what the input says need not be known.
      begun = itemsOf(entry, () => null).length;
      if (entry.kind === 'assistant') {
        for (const part of entry.parts) if (part.type === 'call') addTo(calls, part.call, place);
      } else if (entry.kind === 'taken') prompts.push({ place, turn: entry.turn });
      else if (entry.kind === 'call' || entry.kind === 'result') {
        const target = calls.get(entry.call)?.at(-1);
        if (target !== undefined) addTo(amenders, target, place);
        else if (isOwnCall(entry)) {
          addTo(calls, entry.call, place);
          begun = 1;
        }
      } else if (entry.kind === 'turn-end' && entry.reason === 'stopped') {
        for (const prompt of prompts.toReversed()) {
          if (prompt.turn !== entry.turn) break;
          addTo(amenders, prompt.place, place);
        }
      }
    }
    before[place + 1] = before[place]! + begun;
  }

  /** Forgets what stood behind the first `length` places. */
  function cutTo(length: number): void {
    before = before.slice(0, length + 1);
    calls = new Map([...calls].map(([call, places]) => [call, places.filter((place) => place < length)]));
    prompts = prompts.filter((prompt) => prompt.place < length);
    const kept = [...amenders].filter(([place]) => place < length);
    amenders = new Map(kept.map(([place, by]) => [place, by.filter((later) => later < length)]));
  }

  async function sync(): Promise<void> {
    const now = journal.branch();
    const shared = sharedLength(branch, now);
    if (shared < branch.length) cutTo(shared);
    branch = now.slice(0, shared);
    for (let at = shared; at < now.length; at += BATCH) {
      const ids = now.slice(at, at + BATCH);
      const entries = new Map((await journal.load(ids.filter(isFolded))).map((entry) => [entry.id, entry]));
      for (const [offset, id] of ids.entries()) take(at + offset, entries.get(id) ?? null);
      branch = now.slice(0, at + ids.length);
    }
  }

  function isFolded(id: EntryId): boolean {
    return FOLDED.has(journal.kindOf(id) ?? '');
  }

  /** The last place with at most `item` items before it: where that item begins. */
  function placeOf(item: number): number {
    let low = 0;
    let high = branch.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (before[middle]! <= item) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  function beginsItem(place: number): boolean {
    return before[place + 1]! > before[place]!;
  }

  async function read(from: number, to: number): Promise<Item[]> {
    const first = placeOf(from);
    const last = placeOf(to - 1);
    const places = new Set<number>();
    for (let place = first; place <= last; place++) {
      if (!beginsItem(place)) continue;
      places.add(place);
      for (const later of amenders.get(place) ?? []) places.add(later);
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
      if (isOwnCall(entry) && beginsItem(placeById.get(entry.id)!)) {
        begun.push(itemOfOwnCall(entry));
        amendItems(begun, entry);
      }
      items.push(...begun);
    }
    return items.slice(from - before[first]!, to - before[first]!);
  }

  /** One at a time: a sync that waits for the disk must not be overtaken by another. */
  function inTurn<T>(work: () => Promise<T>): Promise<T> {
    const result = working.then(sync).then(work);
    working = result.then(
      () => {},
      () => {},
    );
    return result;
  }

  async function page(from: number, count: number): Promise<TranscriptPage> {
    const total = before[branch.length]!;
    const first = Math.min(Math.max(0, from), total);
    const end = Math.min(first + Math.max(0, count), total);
    return { from: first, items: end > first ? await read(first, end) : [], total };
  }

  return {
    page: (from, count) => inTurn(() => page(from, count)),
    tail: (count) => inTurn(() => page(before[branch.length]! - count, count)),
    total: () => inTurn(async () => before[branch.length]!),
  };
}

function addTo<K>(lists: Map<K, number[]>, key: K, place: number): void {
  const known = lists.get(key);
  if (known === undefined) lists.set(key, [place]);
  else known.push(place);
}

function isOwnCall(entry: Entry): entry is EntryOf<'call'> {
  return entry.kind === 'call' && entry.tool === '!';
}
