import { type EntryId, entryClass } from '../../protocol/entry.ts';
import { createIdTable, type SavedIds } from './id-table.ts';

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
  branch(leaf: Row): readonly EntryId[];
  ofKind(kinds: readonly string[]): EntryId[];
  lastOfKind(kinds: readonly string[]): EntryId | null;
  /** Everything, to make the same index of; null where rows were withdrawn, which only a running session has. */
  save(): SavedIndex | null;
  /** Takes rows back as if they had never been: what stood on them stands on what is left, and the leaf is found again. */
  withdraw(rows: readonly Row[], leafBefore: Row): void;
}

/** An index as data. */
export interface SavedIndex extends SavedIds {
  readonly kinds: Uint8Array;
  readonly parents: Int32Array;
  readonly froms: Float64Array;
  readonly lengths: Uint32Array;
  readonly rest: {
    readonly kinds: readonly string[];
    readonly kindNumbers: readonly (readonly [string, number])[];
    readonly stoodIn: readonly (readonly [EntryId, Row])[];
    readonly targets: readonly (readonly [Row, Row])[];
    readonly leaf: Row;
    readonly lastBranchRow: Row;
  };
}

/** `saved` must be what `save` gave: it is not looked at closely. */
export function createJournalIndex(saved?: SavedIndex): JournalIndex {
  const ids = createIdTable(saved);
  /** Parents that were named but not found, and what took their place: every child of one lost entry goes to one place. */
  const stoodIn = new Map<EntryId, Row>();
  /** Where `position` entries moved the leaf. */
  const targets = new Map<Row, Row>();
  const kinds: string[] = [];
  const onBranch: boolean[] = [];
  const kindNumbers = new Map<string, number>();
  let capacity = saved === undefined ? 1024 : saved.kinds.length + 1024;
  let kindColumn = new Uint8Array(capacity);
  let parentColumn = new Int32Array(capacity);
  let fromColumn = new Float64Array(capacity);
  let lengthColumn = new Uint32Array(capacity);
  let gone = 0;
  let leaf: Row = NONE;
  let lastBranchRow: Row = NONE;
  /** The branch that was asked for last, by its leaf: the next one nearly always grows out of it. */
  let lastBranch: { readonly leaf: Row; readonly ids: readonly EntryId[] } = { leaf: NONE, ids: [] };

  if (saved !== undefined) restore(saved);

  function restore({ kinds: kindNumber, parents, froms, lengths, rest }: SavedIndex): void {
    kindColumn.set(kindNumber);
    parentColumn.set(parents);
    fromColumn.set(froms);
    lengthColumn.set(lengths);
    for (const kind of rest.kinds) addKind(kind);
    for (const [kind, number] of rest.kindNumbers) kindNumbers.set(kind, number);
    for (const [id, row] of rest.stoodIn) stoodIn.set(id, row);
    for (const [row, target] of rest.targets) targets.set(row, target);
    leaf = rest.leaf;
    lastBranchRow = rest.lastBranchRow;
  }

  function addKind(kind: string): void {
    kinds.push(kind);
    onBranch.push(entryClass(kind).place === 'branch');
  }

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
      if (number === kinds.length) addKind(kind);
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
    const known = ids.rowOf(id) ?? stoodIn.get(id);
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
      return ids.rows - gone;
    },
    get rows() {
      return ids.rows;
    },
    get leaf() {
      return leaf;
    },
    add(id, parent, kind, target) {
      if (ids.rowOf(id) !== null) return null;
      if (ids.rows === capacity) grow();
      const above = resolve(parent);
      const row = ids.push(id);
      kindColumn[row] = kindNumber(kind);
      parentColumn[row] = above;
      fromColumn[row] = NONE;
      if (target !== null) {
        const found = ids.rowOf(target) ?? stoodIn.get(target);
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
    rowOf: ids.rowOf,
    idOf: ids.at,
    kindOf: (row) => (kindColumn[row] === GONE ? null : kinds[kindColumn[row]!]!),
    parentOf(row) {
      const parent = parentColumn[row]!;
      return parent === NONE ? null : ids.at(parent);
    },
    branch(from) {
      const leaf = branchRow(from);
      const grown: EntryId[] = [];
      let row = leaf;
      for (; row !== NONE && row !== lastBranch.leaf; row = parentColumn[row]!) grown.push(ids.at(row));
      if (row === leaf && leaf !== NONE) return lastBranch.ids;
      lastBranch = { leaf, ids: [...(row === NONE ? [] : lastBranch.ids), ...grown.reverse()] };
      return lastBranch.ids;
    },
    ofKind(wanted) {
      const numbers = new Set(wanted.map((kind) => kindNumbers.get(kind)));
      const found: EntryId[] = [];
      for (let row = 0; row < ids.rows; row++) if (numbers.has(kindColumn[row])) found.push(ids.at(row));
      return found;
    },
    lastOfKind(wanted) {
      const numbers = new Set(wanted.map((kind) => kindNumbers.get(kind)));
      for (let row = ids.rows - 1; row >= 0; row--) if (numbers.has(kindColumn[row])) return ids.at(row);
      return null;
    },
    save() {
      const savedIds = gone > 0 ? null : ids.save();
      if (savedIds === null) return null;
      const rows = ids.rows;
      return {
        ...savedIds,
        kinds: kindColumn.slice(0, rows),
        parents: parentColumn.slice(0, rows),
        froms: fromColumn.slice(0, rows),
        lengths: lengthColumn.slice(0, rows),
        rest: {
          kinds,
          kindNumbers: [...kindNumbers],
          stoodIn: [...stoodIn],
          targets: [...targets],
          leaf,
          lastBranchRow,
        },
      };
    },
    withdraw(withdrawn, leafBefore) {
      lastBranch = { leaf: NONE, ids: [] };
      for (const row of withdrawn) {
        kindColumn[row] = GONE;
        ids.remove(row);
        targets.delete(row);
      }
      gone += withdrawn.length;
      const first = Math.min(...withdrawn);
      leaf = leafBefore;
      for (let row = first; row < ids.rows; row++) {
        if (kindColumn[row] === GONE) continue;
        parentColumn[row] = branchRow(parentColumn[row]!);
        moveLeaf(row);
      }
      lastBranchRow = NONE;
      for (let row = ids.rows - 1; row >= 0 && lastBranchRow === NONE; row--) if (isBranch(row)) lastBranchRow = row;
    },
  };
}
