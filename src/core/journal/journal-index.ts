import { type EntryId, entryClass } from '../../protocol/entry.ts';

/** Number of an entry in file order. Entries that were withdrawn keep their number and are gone. */
export type Row = number;
const NONE = -1;
const GONE = 255;

/** Where a line lies in the file, in bytes, its newline not counted. `from` is -1 while it is not there yet. */
export interface Place {
  readonly from: number;
  readonly length: number;
}

/**
 * What a journal keeps in memory: id, parent, kind and place of every entry, in columns, and the leaf. Entries are added
 * in file order, both when a file is read and when new ones are appended.
 */
export interface JournalIndex {
  readonly size: number;
  /** One past the last row, gone ones included. */
  readonly rows: number;
  readonly leaf: Row;
  /**
   * `target`: for a `position`, the id the leaf moves to. Null when the id is there already (then the line counts for
   * nothing). A parent that is not there was lost with its line: the entry then stands on the nearest earlier branch entry.
   */
  add(id: EntryId, parent: EntryId | null, kind: string, target: EntryId | null): Row | null;
  place(row: Row, from: number, length: number): void;
  placeOf(row: Row): Place;
  rowOf(id: EntryId): Row | null;
  idOf(row: Row): EntryId;
  /** Null for a row that is gone. */
  kindOf(row: Row): string | null;
  parentOf(row: Row): EntryId | null;
  /** Ids from the root to the entry; starts at the branch entry below a side entry. */
  branch(leaf: Row): EntryId[];
  ofKind(kinds: readonly string[]): EntryId[];
  /** Takes rows back as if they had never been: what stood on them stands on what is left, and the leaf is found again. */
  withdraw(rows: readonly Row[], leafBefore: Row): void;
}

export function createJournalIndex(): JournalIndex {
  const ids: EntryId[] = [];
  const rowById = new Map<EntryId, Row>();
  /** Parents that were named but not found, and what took their place: every child of one lost entry goes to one place. */
  const stoodIn = new Map<EntryId, Row>();
  /** Where `position` entries moved the leaf. */
  const targets = new Map<Row, Row>();
  const kinds: string[] = [];
  const onBranch: boolean[] = [];
  const kindNumbers = new Map<string, number>();
  let capacity = 1024;
  let kindColumn = new Uint8Array(capacity);
  let parentColumn = new Int32Array(capacity);
  let fromColumn = new Float64Array(capacity);
  let lengthColumn = new Uint32Array(capacity);
  let rows = 0;
  let gone = 0;
  let leaf: Row = NONE;
  let lastBranchRow: Row = NONE;

  function grow(): void {
    capacity *= 2;
    const grown = [
      new Uint8Array(capacity),
      new Int32Array(capacity),
      new Float64Array(capacity),
      new Uint32Array(capacity),
    ] as const;
    grown[0].set(kindColumn);
    grown[1].set(parentColumn);
    grown[2].set(fromColumn);
    grown[3].set(lengthColumn);
    [kindColumn, parentColumn, fromColumn, lengthColumn] = grown;
  }

  /** Kinds past the 254th distinct one share a number: only names no build knows can get there. */
  function kindNumber(kind: string): number {
    let number = kindNumbers.get(kind);
    if (number === undefined) {
      number = Math.min(kinds.length, GONE - 1);
      if (number === kinds.length) {
        kinds.push(kind);
        onBranch.push(entryClass(kind).place === 'branch');
      }
      kindNumbers.set(kind, number);
    }
    return number;
  }

  function isBranch(row: Row): boolean {
    return onBranch[kindColumn[row]!] === true;
  }

  /** The row itself or the nearest one below it that is on a branch and not gone. */
  function branchRow(row: Row): Row {
    let at = row;
    while (at !== NONE && !isBranch(at)) at = parentColumn[at]!;
    return at;
  }

  function resolve(id: EntryId | null): Row {
    if (id === null) return NONE;
    const known = rowById.get(id) ?? stoodIn.get(id);
    if (known !== undefined) return branchRow(known);
    stoodIn.set(id, lastBranchRow);
    return lastBranchRow;
  }

  /** Moves the leaf as the entry at `row` asks. */
  function moveLeaf(row: Row): void {
    if (isBranch(row)) leaf = row;
    else {
      const target = targets.get(row);
      if (target !== undefined) leaf = branchRow(target);
    }
  }

  return {
    get size() {
      return rows - gone;
    },
    get rows() {
      return rows;
    },
    get leaf() {
      return leaf;
    },
    add(id, parent, kind, target) {
      if (rowById.has(id)) return null;
      if (rows === capacity) grow();
      const row = rows++;
      ids.push(id);
      kindColumn[row] = kindNumber(kind);
      parentColumn[row] = resolve(parent);
      fromColumn[row] = NONE;
      rowById.set(id, row);
      if (target !== null) {
        const found = rowById.get(target) ?? stoodIn.get(target);
        if (found !== undefined && found !== NONE) targets.set(row, found);
      }
      moveLeaf(row);
      if (isBranch(row)) lastBranchRow = row;
      return row;
    },
    place(row, from, length) {
      fromColumn[row] = from;
      lengthColumn[row] = length;
    },
    placeOf: (row) => ({ from: fromColumn[row]!, length: lengthColumn[row]! }),
    rowOf: (id) => rowById.get(id) ?? null,
    idOf: (row) => ids[row]!,
    kindOf: (row) => (kindColumn[row] === GONE ? null : kinds[kindColumn[row]!]!),
    parentOf(row) {
      const parent = parentColumn[row]!;
      return parent === NONE ? null : ids[parent]!;
    },
    branch(from) {
      const found: EntryId[] = [];
      for (let row = branchRow(from); row !== NONE; row = parentColumn[row]!) found.push(ids[row]!);
      return found.reverse();
    },
    ofKind(wanted) {
      const numbers = new Set(wanted.map((kind) => kindNumbers.get(kind)));
      const found: EntryId[] = [];
      for (let row = 0; row < rows; row++) if (numbers.has(kindColumn[row])) found.push(ids[row]!);
      return found;
    },
    withdraw(withdrawn, leafBefore) {
      for (const row of withdrawn) {
        kindColumn[row] = GONE;
        rowById.delete(ids[row]!);
        targets.delete(row);
        ids[row] = '';
      }
      gone += withdrawn.length;
      const first = Math.min(...withdrawn);
      leaf = leafBefore;
      for (let row = first; row < rows; row++) {
        if (kindColumn[row] === GONE) continue;
        parentColumn[row] = branchRow(parentColumn[row]!);
        moveLeaf(row);
      }
      lastBranchRow = NONE;
      for (let row = rows - 1; row >= 0 && lastBranchRow === NONE; row--) if (isBranch(row)) lastBranchRow = row;
    },
  };
}
