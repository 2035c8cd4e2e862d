import { BLANK, ClusterTable, CONTINUATION, Grid, unpackColor } from './cell.ts';
import { type Canvas, type Cursor, GridPainter } from './grid-painter.ts';
import { HitMap } from './hit-map.ts';
import { Output, type OutputOptions } from './output.ts';
import type { Color, Painter, Target } from './painter.ts';
import { contains, intersect, type Rect, rect } from './rect.ts';

/**
 * The screen as it is shown and as it is being drawn. Each drawing starts from blank cells with `painter()`; `flush()`
 * answers the bytes that bring the terminal up to date and makes the drawn screen the shown one.
 */
export class Frame {
  #shown: Grid;
  #next: Grid;
  readonly #clusters = new ClusterTable();
  #hits = new HitMap();
  #hitsShown = new HitMap();
  readonly #output = new Output();
  #shownCursor: Cursor | null = null;
  #canvas: Canvas;
  #drawn = false;
  /** Whether the shown grid is what was drawn last, so that parts of it can be kept. */
  #known = false;

  constructor(width: number, height: number) {
    this.#shown = new Grid(width, height);
    this.#next = new Grid(width, height);
    this.#shown.forget();
    this.#canvas = this.#newCanvas();
  }

  get width(): number {
    return this.#next.width;
  }

  get height(): number {
    return this.#next.height;
  }

  /** Starts a new drawing; the painter covers the whole screen. */
  painter(): Painter {
    this.#clusters.trim(this.#shown);
    this.#next.clear();
    [this.#hits, this.#hitsShown] = [this.#hitsShown, this.#hits];
    this.#hits.clear();
    this.#canvas = this.#newCanvas();
    this.#drawn = true;
    return new GridPainter(this.#canvas, rect(0, 0, this.width, this.height));
  }

  /** Leaves `area` as it was drawn last, with what a click on it means. False where that is not known any more. */
  keep(area: Rect): boolean {
    if (!this.#known) return false;
    this.#next.copy(this.#shown, intersect(area, rect(0, 0, this.width, this.height)));
    this.#hits.take(this.#hitsShown, area);
    const cursor = this.#shownCursor;
    if (cursor !== null && contains(area, cursor.x, cursor.y)) this.#canvas.cursor = cursor;
    return true;
  }

  /** Empty when nothing changed, and when nothing was drawn since the last flush. */
  flush(options: OutputOptions): string {
    if (!this.#drawn) return '';
    this.#drawn = false;
    const { cursor } = this.#canvas;
    const bytes = this.#output.difference(this.#shown, this.#next, this.#clusters, this.#shownCursor, cursor, options);
    [this.#shown, this.#next] = [this.#next, this.#shown];
    this.#shownCursor = cursor;
    this.#known = true;
    return bytes;
  }

  /** A new size: what the terminal shows from now on is unknown, so the next flush writes every cell. */
  resize(width: number, height: number): void {
    this.#shown = new Grid(width, height);
    this.#next = new Grid(width, height);
    this.invalidate();
  }

  /** After another program had the terminal: the next flush writes everything. */
  invalidate(): void {
    this.#shown.forget();
    this.#next.kept.fill(0);
    this.#known = false;
    this.#shownCursor = null;
  }

  /** The terminal was cleared a moment ago, so blank cells need not be written. */
  cleared(): void {
    this.#shown.clear();
    this.#next.kept.fill(0);
    this.#known = false;
    this.#shownCursor = null;
  }

  /** What a click on a cell means, as drawn last. */
  hitAt(x: number, y: number): Target | null {
    return this.#hits.at(x, y);
  }

  get hits(): HitMap {
    return this.#hits;
  }

  /** How many clusters of several code points are known: bounded. */
  get clusterCount(): number {
    return this.#clusters.size;
  }

  /** Of the screen flushed last: null when the cursor is hidden. */
  get cursor(): Cursor | null {
    return this.#shownCursor;
  }

  /** The screen flushed last as text, one string a row, without trailing blanks. */
  rows(): string[] {
    const rows: string[] = [];
    for (let y = 0; y < this.height; y++) {
      let row = '';
      for (let x = 0; x < this.width; x++) row += this.cell(x, y).text;
      rows.push(row.trimEnd());
    }
    return rows;
  }

  /** One cell of the screen flushed last; the right half of a wide cluster has an empty text. */
  cell(x: number, y: number): Cell {
    const grid = this.#shown;
    const at = y * grid.width + x;
    return {
      text: grid.ch[at] === CONTINUATION ? '' : this.#clusters.text(grid.ch[at] ?? BLANK),
      fg: unpackColor(grid.fg[at] ?? 0),
      bg: unpackColor(grid.bg[at] ?? 0),
      attributes: grid.attributes[at] ?? 0,
    };
  }

  /** The first cell that is shown otherwise than in `other`, a frame of the same size; null when there is none. */
  differsFrom(other: Frame): { readonly x: number; readonly y: number } | null {
    const [mine, its] = [this.#shown, other.#shown];
    for (let at = 0; at < mine.ch.length; at++) {
      const style =
        mine.fg[at] === its.fg[at] && mine.bg[at] === its.bg[at] && mine.attributes[at] === its.attributes[at];
      // Numbers of interned clusters are a frame's own.
      const text = mine.ch[at] === its.ch[at] && mine.ch[at]! < 0x80000000;
      if (!style || !(text || this.#clusters.text(mine.ch[at]!) === other.#clusters.text(its.ch[at]!)))
        return { x: at % mine.width, y: Math.floor(at / mine.width) };
    }
    return null;
  }

  #newCanvas(): Canvas {
    return { grid: this.#next, clusters: this.#clusters, hits: this.#hits, cursor: null };
  }
}

export interface Cell {
  readonly text: string;
  readonly fg: Color;
  readonly bg: Color;
  /** Bits of cell.ts (`BOLD`, `INVERSE`, ...). */
  readonly attributes: number;
}
