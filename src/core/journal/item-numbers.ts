import type { Entry, EntryOf } from '../../protocol/entry.ts';
import { itemsOf } from '../../protocol/fold.ts';
import { isOwnCall } from '../../protocol/own-call.ts';

/** Kinds that begin items or change earlier ones. */
export const FOLDED = new Set<string>([
  'taken',
  'assistant',
  'note',
  'turn-end',
  'compaction',
  'call',
  'result',
  'hook',
]);

/** Which places of a branch begin how many transcript items, and which later ones change them; holds no entries. */
export interface ItemNumbers {
  /** Places taken so far. */
  readonly places: number;
  readonly total: number;
  /** Items that stand before a place; `places` itself may be asked for. */
  before(place: number): number;
  /** Later places whose entries change the items of this one. */
  amendersOf(place: number): readonly number[];
  /** The next place; null for an entry that is not folded, or lost. */
  take(entry: Entry | null): void;
  /** Forgets what stood behind the first `length` places. */
  cutTo(length: number): void;
  save(): SavedNumbers;
}

export interface SavedNumbers {
  /** Items begun, place by place. */
  readonly begun: readonly number[];
  readonly amenders: readonly (readonly [number, readonly number[]])[];
  readonly calls: readonly (readonly [string, readonly number[]])[];
  readonly prompts: readonly { readonly place: number; readonly turn: number }[];
}

export function createItemNumbers(saved?: SavedNumbers): ItemNumbers {
  /** For each place: how many items stand before it. One more at the end: the total. */
  let before: number[] = [0];
  let amenders = new Map((saved?.amenders ?? []).map(([place, by]) => [place, [...by]]));
  /** Places of the entries that began a call's item, the one that counts last. */
  let calls = new Map((saved?.calls ?? []).map(([call, places]) => [call, [...places]]));
  /** Prompts of the turn at the end, which a stop would mark: place and turn, newest last. */
  let prompts = [...(saved?.prompts ?? [])];
  for (const begun of saved?.begun ?? []) before.push(before[before.length - 1]! + begun);

  return {
    get places() {
      return before.length - 1;
    },
    get total() {
      return before[before.length - 1]!;
    },
    before: (place) => before[place]!,
    amendersOf: (place) => amenders.get(place) ?? [],
    take(entry) {
      const place = before.length - 1;
      let begun = 0;
      if (entry !== null) {
        // Only the number counts here, so what the input says need not be known.
        begun = itemsOf(entry, () => null).length;
        if (entry.kind === 'assistant') {
          for (const part of entry.parts) if (part.type === 'call') addTo(calls, part.call, place);
        } else if (entry.kind === 'taken') prompts.push({ place, turn: entry.turn });
        else if (entry.kind === 'hook') {
          const target = entry.call === null ? undefined : calls.get(entry.call)?.at(-1);
          if (target !== undefined) addTo(amenders, target, place);
        } else if (entry.kind === 'call' || entry.kind === 'result') {
          const target = calls.get(entry.call)?.at(-1);
          if (target !== undefined) addTo(amenders, target, place);
          else if (isOwnCallEntry(entry)) {
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
      before.push(before[place]! + begun);
    },
    cutTo(length) {
      before = before.slice(0, length + 1);
      calls = new Map([...calls].map(([call, places]) => [call, places.filter((place) => place < length)]));
      prompts = prompts.filter((prompt) => prompt.place < length);
      const kept = [...amenders].filter(([place]) => place < length);
      amenders = new Map(kept.map(([place, by]) => [place, by.filter((later) => later < length)]));
    },
    save: () => ({
      begun: before.slice(1).map((after, place) => after - before[place]!),
      amenders: [...amenders],
      calls: [...calls],
      prompts,
    }),
  };
}

export function isOwnCallEntry(entry: Entry): entry is EntryOf<'call'> {
  return entry.kind === 'call' && isOwnCall(entry.tool);
}

function addTo<K>(lists: Map<K, number[]>, key: K, place: number): void {
  const known = lists.get(key);
  if (known === undefined) lists.set(key, [place]);
  else known.push(place);
}
