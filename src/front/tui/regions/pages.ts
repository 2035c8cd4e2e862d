import type { Item, View } from '../../../protocol/view.ts';

/** Items a page of older transcript holds. */
export const PAGE_ITEMS = 64;
/** Pages kept: reading back further lets the ones farthest from the reader go. */
const PAGES_KEPT = 12;

/**
 * Older items than the View holds, fetched page by page. Items the View's window let go are kept here too, so that what
 * a person is reading never turns into a placeholder under their eyes.
 */
export class Pages {
  private items = new Map<number, Item>();
  private readonly asked = new Set<number>();
  private generation = -1;

  /** The item numbered `index` on the branch; null while it is not here. */
  at(view: View, index: number): Item | null {
    const { first, items } = view.transcript;
    return index >= first ? (items[index - first] ?? null) : (this.items.get(index) ?? null);
  }

  /** Pages (by first item) that `from`..`to` touches and nobody asked for yet; they count as asked from now on. */
  wanted(view: View, from: number, to: number): number[] {
    this.follow(view);
    const missing: number[] = [];
    const last = Math.min(to, view.transcript.first - 1);
    for (let page = Math.floor(Math.max(0, from) / PAGE_ITEMS) * PAGE_ITEMS; page <= last; page += PAGE_ITEMS) {
      if (this.asked.has(page) || this.holds(page, Math.min(page + PAGE_ITEMS, view.transcript.first))) continue;
      this.asked.add(page);
      missing.push(page);
    }
    return missing;
  }

  /** False when the answer is of another branch by now. */
  add(view: View, generation: number, from: number, items: readonly Item[]): boolean {
    this.follow(view);
    this.asked.delete(from);
    if (generation !== view.transcript.generation) return false;
    for (const [offset, item] of items.entries()) this.items.set(from + offset, item);
    return true;
  }

  /** The page at `from` could not be read: it may be asked for again. */
  failed(from: number): void {
    this.asked.delete(from);
  }

  /** Keeps what the window is about to let go. Called with the items before an update moved the View. */
  keep(first: number, items: readonly Item[]): void {
    for (const [offset, item] of items.entries()) this.items.set(first + offset, item);
  }

  /** Lets go of what lies farthest from `near`. */
  trim(near: number): void {
    const limit = PAGES_KEPT * PAGE_ITEMS;
    if (this.items.size <= limit) return;
    const ordered = [...this.items.keys()].sort((a, b) => Math.abs(a - near) - Math.abs(b - near));
    for (const index of ordered.slice(limit / 2)) this.items.delete(index);
  }

  /** Another branch is shown: nothing kept is of use. */
  follow(view: View): void {
    if (this.generation === view.transcript.generation) return;
    this.generation = view.transcript.generation;
    this.forget();
  }

  /** What is kept may not be what it was. */
  forget(): void {
    this.items = new Map();
    this.asked.clear();
  }

  private holds(from: number, to: number): boolean {
    for (let index = from; index < to; index++) if (!this.items.has(index)) return false;
    return true;
  }
}
