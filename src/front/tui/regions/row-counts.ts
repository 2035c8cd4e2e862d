/** In place of a height. */
const UNKNOWN = -1;

/**
 * How many rows each card of a list has, where that is known: sums over the first of them cost the same in a short list
 * and in a long one (a Fenwick tree over heights, one over what is known).
 */
export class RowCounts {
  #heights = new Int32Array(64).fill(UNKNOWN);
  #rows = new Float64Array(65);
  #known = new Int32Array(65);

  /** Rows of card `index`; null while they are unknown. */
  at(index: number): number | null {
    const height = this.#heights[index] ?? UNKNOWN;
    return height === UNKNOWN ? null : height;
  }

  set(index: number, height: number): void {
    if (index >= this.#heights.length) this.#grow(index + 1);
    const before = this.#heights[index]!;
    if (before === height) return;
    this.#heights[index] = height;
    this.#add(index, height - (before === UNKNOWN ? 0 : before), before === UNKNOWN ? 1 : 0);
  }

  /** Rows and number of the known ones among the first `count` cards. */
  before(count: number): { readonly rows: number; readonly known: number } {
    let rows = 0;
    let known = 0;
    for (let at = Math.min(count, this.#heights.length); at > 0; at -= at & -at) {
      rows += this.#rows[at]!;
      known += this.#known[at]!;
    }
    return { rows, known };
  }

  clear(): void {
    this.#heights.fill(UNKNOWN);
    this.#rows.fill(0);
    this.#known.fill(0);
  }

  #add(index: number, rows: number, known: number): void {
    for (let at = index + 1; at < this.#rows.length; at += at & -at) {
      this.#rows[at]! += rows;
      this.#known[at]! += known;
    }
  }

  #grow(least: number): void {
    const old = this.#heights;
    const size = Math.max(least, old.length * 2);
    this.#heights = new Int32Array(size).fill(UNKNOWN);
    this.#rows = new Float64Array(size + 1);
    this.#known = new Int32Array(size + 1);
    for (const [index, height] of old.entries()) if (height !== UNKNOWN) this.set(index, height);
  }
}
