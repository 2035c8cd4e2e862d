import type { EntryId } from '../../protocol/entry.ts';

type Row = number;

/**
 * Ids by row and rows by id. What was saved is used as it lies: an id becomes text when somebody asks for it, and a
 * search looks at the bytes' own table of hashes, so that a long session opens without touching each of its ids.
 */
export interface IdTable {
  readonly rows: number;
  push(id: EntryId): Row;
  at(row: Row): EntryId;
  rowOf(id: EntryId): Row | null;
  /** Only for rows that were pushed, not for saved ones. The row stays and has no id any more. */
  remove(row: Row): void;
  /** Null when an id is no well-formed text. */
  save(): SavedIds | null;
}

export interface SavedIds {
  /** UTF-8, one behind the other. */
  readonly text: Uint8Array;
  /** Where each ends. */
  readonly ends: Uint32Array;
  /** Row plus one at the id's hash or, where that is taken, behind it; 0 is free. A power of two, half empty or more. */
  readonly slots: Int32Array;
}

const NOTHING: SavedIds = { text: new Uint8Array(0), ends: new Uint32Array(0), slots: new Int32Array(1) };

export function createIdTable(saved: SavedIds = NOTHING): IdTable {
  const { ends, slots } = saved;
  const text = Buffer.from(saved.text.buffer, saved.text.byteOffset, saved.text.byteLength);
  const old = ends.length;
  const known: (EntryId | undefined)[] = [];
  const newer: EntryId[] = [];
  /** As the saved ones, over `newer`: a map of twenty thousand ids takes ten times as much. */
  let newerSlots = new Int32Array(64);

  function at(row: Row): EntryId {
    if (row >= old) return newer[row - old]!;
    return (known[row] ??= text.toString('utf8', row === 0 ? 0 : ends[row - 1]!, ends[row]!));
  }

  function savedRowOf(id: EntryId): Row | null {
    const mask = slots.length - 1;
    for (let slot = hashOf(id) & mask; slots[slot] !== 0; slot = (slot + 1) & mask)
      if (at(slots[slot]! - 1) === id) return slots[slot]! - 1;
    return null;
  }

  function newerRowOf(id: EntryId): Row | null {
    const mask = newerSlots.length - 1;
    for (let slot = hashOf(id) & mask; newerSlots[slot] !== 0; slot = (slot + 1) & mask)
      if (newer[newerSlots[slot]! - 1] === id) return old + newerSlots[slot]! - 1;
    return null;
  }

  function enter(id: EntryId, place: number): void {
    const mask = newerSlots.length - 1;
    let slot = hashOf(id) & mask;
    while (newerSlots[slot] !== 0) slot = (slot + 1) & mask;
    newerSlots[slot] = place + 1;
  }

  function widen(): void {
    newerSlots = new Int32Array(newerSlots.length * 2);
    for (const [place, id] of newer.entries()) if (id !== REMOVED) enter(id, place);
  }

  return {
    get rows() {
      return old + newer.length;
    },
    push(id) {
      newer.push(id);
      if (newer.length * 2 > newerSlots.length) widen();
      else enter(id, newer.length - 1);
      return old + newer.length - 1;
    },
    at,
    rowOf: (id) => newerRowOf(id) ?? (old === 0 ? null : savedRowOf(id)),
    remove(row) {
      newer[row - old] = REMOVED;
    },
    save() {
      const rows = old + newer.length;
      const encoder = new TextEncoder();
      const pieces: Uint8Array[] = [];
      const columns = { ends: new Uint32Array(rows), slots: new Int32Array(slotsFor(rows)) };
      let end = 0;
      for (let row = 0; row < rows; row++) {
        const id = at(row);
        if (!id.isWellFormed()) return null;
        const piece = encoder.encode(id);
        pieces.push(piece);
        end += piece.length;
        columns.ends[row] = end;
        const mask = columns.slots.length - 1;
        let slot = hashOf(id) & mask;
        while (columns.slots[slot] !== 0) slot = (slot + 1) & mask;
        columns.slots[slot] = row + 1;
      }
      return { text: joined(pieces), ...columns };
    },
  };
}

/** In the place of an id that was taken back; no entry has it. */
const REMOVED = '\0';

function slotsFor(rows: number): number {
  let slots = 1;
  while (slots < rows * 2 + 1) slots *= 2;
  return slots;
}

/** FNV-1a over the text's units. */
function hashOf(id: EntryId): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < id.length; at++) hash = Math.imul(hash ^ id.charCodeAt(at), 0x01000193);
  return hash >>> 0;
}

export function joined(pieces: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(pieces.reduce((sum, piece) => sum + piece.length, 0));
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.length;
  }
  return whole;
}
