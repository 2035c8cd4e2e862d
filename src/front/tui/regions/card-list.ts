import type { CodeBlock } from '../../../base/code-block.ts';
import type { DelegateRow } from '../../../protocol/delegate.ts';
import type { Change } from '../../../protocol/update.ts';
import type { Item, LivePart, View } from '../../../protocol/view.ts';
import { blockOf, gapBefore, liveBlockOf } from '../blocks/block-of.ts';
import { LiveProse } from '../blocks/live-prose.ts';
import { type BlockOptions, type HooksShown, INDENT, type Row } from '../blocks/row.ts';
import { piece } from '../piece.ts';
import { Pages } from './pages.ts';
import { RowCounts } from './row-counts.ts';

/** A row of the whole transcript: card number, and row within the card (its gap rows included, first). */
export interface Place {
  readonly index: number;
  readonly row: number;
}

export interface ListOptions {
  readonly width: number;
  readonly openKey: string;
  /** Whether thinking and long output are unfolded, and for which cards that is the other way round. */
  readonly expandAll: boolean;
  readonly toggled: ReadonlySet<string>;
  /** Whether cards of thinking take no room at all. */
  readonly hidesThinking?: boolean;
  /** What is shown of hooks; missing: nothing. */
  readonly hooks?: HooksShown;
  readonly onCode?: (block: CodeBlock) => void;
  /** Which delegate each card of a batch shows, by its call, and rows of what that one did last. */
  readonly chosenDelegates?: ReadonlyMap<string, string>;
  readonly delegateRows?: number;
}

export interface PlacedRow {
  readonly place: Place;
  /** Null for a gap row. */
  readonly row: Row | null;
  /** Item id; empty for what is not an item yet. */
  readonly id: string;
}

interface Kept {
  readonly revision: number;
  readonly expanded: boolean;
  readonly chosen: string | undefined;
  readonly rows: Row[];
}

/** Rows a card that is not here yet is taken for. */
const UNKNOWN_ROWS = 3;
const KEPT_CARDS = 600;

/**
 * The transcript as a list of cards with known or guessed heights. Only cards that are looked at are laid out; each is
 * laid out once for its revision and width. Deterministic: a memo over the View, never a second truth.
 */
export class CardList {
  readonly pages = new Pages();
  private options: ListOptions = { width: 80, openKey: '', expandAll: false, toggled: new Set() };
  private kept = new Map<string, Kept>();
  /** Heights of cards laid out so far, for the scrollbar, and what each was laid out from. */
  private readonly heights = new RowCounts();
  private readonly measured = new Map<number, string>();
  private prose: LiveProse | null = null;
  private delegates: readonly DelegateRow[] = [];
  private generation = -1;
  /** False once every card that is here has been counted as it is. */
  private uncounted = true;

  configure(options: ListOptions): void {
    const { width, expandAll, toggled, hidesThinking = false, hooks } = this.options;
    if (
      options.width !== width ||
      options.expandAll !== expandAll ||
      options.toggled !== toggled ||
      (options.hidesThinking ?? false) !== hidesThinking ||
      options.hooks !== hooks
    ) {
      this.forgetHeights();
    }
    if (options.width !== width || options.hooks !== hooks) this.kept.clear();
    this.options = options;
  }

  /** Told of each change of the View, in order, so that what streams need not be looked for in the whole text. */
  follow(change: Change): void {
    if (change.type !== 'delta' && change.type !== 'activity') this.uncounted = true;
    // Another host may have begun to count the changes of each item anew.
    if (change.type === 'snapshot') this.forgetAll();
    if (change.type === 'delta') {
      if (change.part === this.prose?.part) this.prose.append(change.text);
    } else if (change.type !== 'entry' && change.type !== 'activity') this.prose?.doubt();
  }

  /** How many cards there are: items, then parts of the message being streamed. */
  count(view: View): number {
    return view.transcript.total + (view.live?.parts.length ?? 0);
  }

  itemAt(view: View, index: number): Item | null {
    return index < view.transcript.total ? this.pages.at(view, index) : null;
  }

  /** Rows of a card with the gap before it as nulls. */
  rowsAt(view: View, index: number): (Row | null)[] {
    const { rows, gap } = this.laid(view, index);
    return gap === 0 ? rows : [null, ...rows];
  }

  heightAt(view: View, index: number): number {
    const { rows, gap } = this.laid(view, index);
    return gap + rows.length;
  }

  /** A card's rows, not to be changed, and the empty ones before them. */
  private laid(view: View, index: number): { readonly rows: Row[]; readonly gap: number } {
    this.settle(view);
    const rows = this.layOut(view, index);
    const gap = rows.length === 0 ? 0 : this.gapAt(view, index);
    this.note(view, index, gap + rows.length);
    return { rows, gap };
  }

  idAt(view: View, index: number): string {
    return this.itemAt(view, index)?.id ?? '';
  }

  /** Rows from `place` on, at most `height`. */
  from(view: View, place: Place, height: number): PlacedRow[] {
    const placed: PlacedRow[] = [];
    const count = this.count(view);
    for (let index = place.index; index < count && placed.length < height; index++) {
      const { rows, gap } = this.laid(view, index);
      const id = this.idAt(view, index);
      const end = gap + rows.length;
      for (let row = index === place.index ? Math.min(place.row, end) : 0; row < end && placed.length < height; row++) {
        placed.push({ place: { index, row }, row: row < gap ? null : rows[row - gap]!, id });
      }
    }
    return placed;
  }

  /** The place whose row is the top one when the newest row stands at the bottom of `height` rows. */
  tail(view: View, height: number): Place {
    return this.back(view, { index: this.count(view), row: 0 }, height);
  }

  /** `rows` up from `place`, at most to the first row. */
  back(view: View, place: Place, rows: number): Place {
    let { index, row } = place;
    let left = rows;
    while (left > row) {
      if (index === 0) return { index: 0, row: 0 };
      left -= row;
      index--;
      row = this.heightAt(view, index);
    }
    return { index, row: row - left };
  }

  /** `rows` down from `place`; null when the newest row would then stand above the foot of `height` rows. */
  forward(view: View, place: Place, rows: number, height: number): Place | null {
    const count = this.count(view);
    let { index, row } = place;
    let left = rows;
    while (index < count && left >= this.heightAt(view, index) - row) {
      left -= this.heightAt(view, index) - row;
      index++;
      row = 0;
    }
    const target: Place = { index, row: row + (index < count ? left : 0) };
    return this.isAtTail(view, target, height) ? null : target;
  }

  /** Whether everything from `place` on fits `height` rows. */
  isAtTail(view: View, place: Place, height: number): boolean {
    const count = this.count(view);
    let rows = -place.row;
    for (let index = place.index; index < count; index++) {
      rows += this.heightAt(view, index);
      if (rows > height) return false;
    }
    return true;
  }

  /** A place that still exists: the card may have shrunk, the branch may be another. */
  clamp(view: View, place: Place): Place {
    const index = Math.max(0, Math.min(place.index, this.count(view) - 1));
    if (index !== place.index) return { index, row: 0 };
    return { index, row: Math.min(place.row, Math.max(0, this.heightAt(view, index) - 1)) };
  }

  /** Rows above `place`, and rows in all; cards that are not here yet count as the average of those that were measured. */
  position(view: View, place: Place): { readonly above: number; readonly total: number } {
    this.settle(view);
    const count = this.count(view);
    const before = this.heights.before(Math.min(place.index, count));
    const all = this.heights.before(count);
    const average = all.known === 0 ? UNKNOWN_ROWS : all.rows / all.known;
    return {
      above: Math.round(before.rows + (place.index - before.known) * average + place.row),
      total: Math.max(1, Math.round(all.rows + (count - all.known) * average)),
    };
  }

  /**
   * Measures cards that are here and that nobody looked at as they are now, newest first, until about `rows` rows were laid
   * out: a slice of work for a moment in which nothing else is to be done. False once there is nothing left.
   */
  measure(view: View, rows: number): boolean {
    this.settle(view);
    const { first, items } = view.transcript;
    let left = rows;
    for (let index = first + items.length - 1; index >= first; index--) {
      const item = items[index - first]!;
      if (this.measured.get(index) === this.stateOf(view, index, item)) continue;
      if (left <= 0) return true;
      // Laid out only to be counted: what is on the screen keeps its place in the cache.
      const kept = this.keptRows(item);
      const laid = kept ?? this.rowsOf(item);
      this.note(view, index, laid.length + (laid.length === 0 ? 0 : this.gapAt(view, index)));
      left -= 1 + (kept === null ? laid.length : 0);
    }
    this.uncounted = false;
    return left < rows;
  }

  /** Whether `measure` may find something to do. */
  get wantsMeasuring(): boolean {
    return this.uncounted;
  }

  private note(view: View, index: number, height: number): void {
    const item = this.itemAt(view, index);
    if (item !== null) this.measured.set(index, this.stateOf(view, index, item));
    else if (index < view.transcript.total) return;
    this.heights.set(index, height);
  }

  /** What the height of a card rests on, at one width. */
  private stateOf(view: View, index: number, item: Item): string {
    return `${item.id} ${item.revision} ${this.isExpanded(item.id)} ${this.chosenIn(item) ?? ''} ${this.kindBefore(view, index)}`;
  }

  isExpanded(id: string): boolean {
    return this.options.expandAll !== this.options.toggled.has(id);
  }

  private layOut(view: View, index: number): Row[] {
    const { total } = view.transcript;
    if (index >= total) return this.layOutLive(view, index - total);
    const item = this.pages.at(view, index);
    if (item === null) return PLACEHOLDER;
    const expanded = this.isExpanded(item.id);
    const kept = this.keptRows(item);
    if (kept !== null) return kept;
    const rows = this.handedOver(item) ?? this.rowsOf(item);
    if (this.kept.size >= KEPT_CARDS) this.forget();
    this.kept.set(item.id, { revision: item.revision, expanded, chosen: this.chosenIn(item), rows });
    return rows;
  }

  private rowsOf(item: Item): Row[] {
    const options = this.blockOptions(this.isExpanded(item.id));
    if (item.kind !== 'call' || this.delegates.length === 0) return blockOf(item, options);
    const rows = this.delegates.filter(({ call }) => call === item.call);
    if (rows.length === 0) return blockOf(item, options);
    const batch = { rows, chosen: this.chosenIn(item) ?? null, limit: this.options.delegateRows ?? 16 };
    return blockOf(item, { ...options, batch });
  }

  private chosenIn(item: Item): string | undefined {
    return item.kind === 'call' ? this.options.chosenDelegates?.get(item.call) : undefined;
  }

  private keptRows(item: Item): Row[] | null {
    if (this.isHidden(item.kind)) return NO_ROWS;
    const kept = this.kept.get(item.id);
    const holds =
      kept?.revision === item.revision &&
      kept.expanded === this.isExpanded(item.id) &&
      kept.chosen === this.chosenIn(item);
    return holds ? kept.rows : null;
  }

  private layOutLive(view: View, part: number): Row[] {
    const live = view.live;
    const shown = live?.parts[part];
    if (live === null || shown === undefined || this.isHidden(shown.type)) return NO_ROWS;
    const id = `live ${live.turn} ${live.round} ${part}`;
    if (shown.type === 'text') {
      if (this.prose === null || this.prose.id !== id || this.prose.width !== this.options.width) {
        this.prose = new LiveProse(id, part, this.blockOptions(false));
      }
      return this.prose.rows(shown.text);
    }
    const revision = shown.type === 'call' ? shown.inputBytes : shown.text.length;
    const expanded = this.options.expandAll;
    const kept = this.kept.get(id);
    if (kept !== undefined && kept.revision === revision && kept.expanded === expanded) return kept.rows;
    const rows = liveBlockOf(shown, this.blockOptions(expanded));
    this.kept.set(id, { revision, expanded, chosen: undefined, rows });
    return rows;
  }

  /** The reply that just streamed is laid out already. */
  private handedOver(item: Item): Row[] | null {
    const { prose } = this;
    if (item.kind !== 'assistant' || prose === null || prose.width !== this.options.width) return null;
    return prose.text !== '' && prose.text === item.text.trimEnd() ? prose.rows(item.text) : null;
  }

  private gapAt(view: View, index: number): number {
    const kind = this.kindAt(view, index);
    if (kind === null || index === 0) return 0;
    return gapBefore(this.kindBefore(view, index), kind);
  }

  /** Of the nearest card before this one that takes room. */
  private kindBefore(view: View, index: number): Item['kind'] | null {
    let at = index - 1;
    while (at >= 0 && this.isHidden(this.kindAt(view, at))) at--;
    return this.kindAt(view, at);
  }

  private isHidden(kind: Item['kind'] | LivePart['type'] | null): boolean {
    if (kind === 'hook') return (this.options.hooks?.injected ?? 'hidden') === 'hidden';
    return kind === 'thinking' && this.options.hidesThinking === true;
  }

  private kindAt(view: View, index: number): Item['kind'] | null {
    if (index < 0) return null;
    if (index < view.transcript.total) return this.pages.at(view, index)?.kind ?? null;
    const part = view.live?.parts[index - view.transcript.total];
    if (part === undefined) return null;
    return part.type === 'text' ? 'assistant' : part.type;
  }

  private blockOptions(expanded: boolean): BlockOptions {
    const { width, openKey, onCode, hooks } = this.options;
    return { width, expanded, openKey, ...(hooks ? { hooks } : {}), ...(onCode ? { onCode } : {}) };
  }

  /** The older half goes; what is on the screen is laid out again at the next look. */
  private forget(): void {
    for (const id of [...this.kept.keys()].slice(0, KEPT_CARDS / 2)) this.kept.delete(id);
  }

  private settle(view: View): void {
    this.delegates = view.delegates ?? NO_DELEGATES;
    if (this.generation === view.transcript.generation) return;
    this.generation = view.transcript.generation;
    this.pages.follow(view);
    this.kept.clear();
    this.forgetHeights();
  }

  private forgetAll(): void {
    this.pages.forget();
    this.kept.clear();
    this.forgetHeights();
  }

  private forgetHeights(): void {
    this.uncounted = true;
    this.heights.clear();
    this.measured.clear();
  }
}

const NO_ROWS: Row[] = [];
const NO_DELEGATES: readonly DelegateRow[] = [];
const PLACEHOLDER: Row[] = [
  { margin: [INDENT], line: [piece('…', 'quiet')], join: '\n', furniture: true },
  { margin: [INDENT], line: [], join: '\n', furniture: true },
];
