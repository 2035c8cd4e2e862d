import { eachCluster } from '../../../base/graphemes.ts';
import { clusterWidth, isPlain, visible } from '../../../base/text-width.ts';
import { BLANK, type ClusterTable, CONTINUATION, type Grid, INVERSE, packAttributes, packColor } from './cell.ts';
import type { HitMap } from './hit-map.ts';
import type { CursorShape, Painter, Style, Target } from './painter.ts';
import { intersect, type Rect } from './rect.ts';

export interface Cursor {
  readonly x: number;
  readonly y: number;
  readonly shape: CursorShape;
}

/** What one drawing writes into. */
export interface Canvas {
  readonly grid: Grid;
  readonly clusters: ClusterTable;
  readonly hits: HitMap;
  cursor: Cursor | null;
}

export class GridPainter implements Painter {
  readonly clip: Rect;
  readonly #canvas: Canvas;

  constructor(canvas: Canvas, clip: Rect) {
    this.#canvas = canvas;
    this.clip = clip;
  }

  text(x: number, y: number, text: string, style: Style, maxWidth = Number.POSITIVE_INFINITY): number {
    const { clip } = this;
    const right = Math.min(clip.x + clip.width, x + maxWidth);
    const hidden = y < clip.y || y >= clip.y + clip.height;
    const pen = penOf(style);
    let column = x;
    if (isPlain(text)) {
      const end = Math.min(right, x + text.length);
      if (!hidden) this.#putPlain(x, y, text, Math.max(x, clip.x), end, pen);
      return Math.max(0, end - x);
    }
    eachCluster(visible(text), (cluster) => {
      const size = clusterWidth(cluster);
      if (column + size > right) {
        // Half a cluster cannot be drawn: what is left of the room is blank.
        if (column < right && column >= clip.x && !hidden) this.#put(column, y, BLANK, 1, pen);
        return false;
      }
      if (!hidden) {
        if (column >= clip.x) this.#put(column, y, this.#canvas.clusters.code(cluster), size, pen);
        else if (column + size > clip.x) this.#put(column + 1, y, BLANK, 1, pen);
      }
      column += size;
      return undefined;
    });
    return Math.max(0, column - x);
  }

  fill(area: Rect, style: Style, glyph = ' '): void {
    const { grid } = this.#canvas;
    const { x, y, width, height } = intersect(area, this.clip);
    const pen = { ...penOf(style), keepsBackground: false };
    const shown = visible(glyph);
    const code = this.#canvas.clusters.code(shown);
    const size = clusterWidth(shown);
    for (let row = y; row < y + height; row++) {
      if (size === 2) {
        for (let column = x; column + 1 < x + width; column += 2) this.#put(column, row, code, 2, pen);
        if (width % 2 === 1) this.#put(x + width - 1, row, BLANK, 1, pen);
      } else if (width > 0) {
        grid.kept[row] = 0;
        this.#split(x, row);
        this.#split(x + width, row);
        const from = row * grid.width + x;
        grid.ch.fill(code, from, from + width);
        grid.fg.fill(pen.fg, from, from + width);
        grid.bg.fill(pen.bg, from, from + width);
        grid.attributes.fill(pen.attributes, from, from + width);
      }
    }
  }

  restyle(area: Rect, style: Style): void {
    const { grid } = this.#canvas;
    const { x, y, width, height } = intersect(area, this.clip);
    const on = packAttributes(style);
    const named = packAttributes({
      bold: style.bold !== undefined,
      dim: style.dim !== undefined,
      italic: style.italic !== undefined,
      underline: style.underline !== undefined,
      inverse: style.inverse !== undefined,
      strike: style.strike !== undefined,
    });
    for (let row = y; row < y + height; row++) {
      grid.kept[row] = 0;
      for (let column = x; column < x + width; column++) {
        // Both halves of a wide cluster are one thing: the area takes it whole when it holds its left half, the clip never half.
        let at = row * grid.width + column;
        if (grid.ch[at] === CONTINUATION && column === x) continue;
        const cells = column + 1 < grid.width && grid.ch[at + 1] === CONTINUATION ? 2 : 1;
        if (column + cells > this.clip.x + this.clip.width) continue;
        for (const end = at + cells; at < end; at++) {
          if (style.fg !== undefined) grid.fg[at] = packColor(style.fg);
          if (style.bg !== undefined) grid.bg[at] = packColor(style.bg);
          grid.attributes[at] = (grid.attributes[at]! & ~named) | on;
        }
        column += cells - 1;
      }
    }
  }

  hit(area: Rect, target: Target): void {
    this.#canvas.hits.add(intersect(area, this.clip), target);
  }

  cursor(x: number, y: number, shape: CursorShape = 'bar'): void {
    const { clip } = this;
    const inside = x >= clip.x && y >= clip.y && x < clip.x + clip.width && y < clip.y + clip.height;
    this.#canvas.cursor = inside ? { x, y, shape } : null;
  }

  within(area: Rect): Painter {
    return new GridPainter(this.#canvas, intersect(area, this.clip));
  }

  /** Columns `from`..`end` of text that stands at `x` and takes one cell a unit. */
  #putPlain(x: number, y: number, text: string, from: number, end: number, pen: Pen): void {
    if (from >= end) return;
    const { grid } = this.#canvas;
    grid.kept[y] = 0;
    this.#split(from, y);
    this.#split(end, y);
    const row = y * grid.width;
    for (let column = from; column < end; column++) grid.ch[row + column] = text.charCodeAt(column - x);
    grid.fg.fill(pen.fg, row + from, row + end);
    if (!pen.keepsBackground) grid.bg.fill(pen.bg, row + from, row + end);
    grid.attributes.fill(this.#attributesAt(row + from, pen), row + from, row + end);
  }

  #put(x: number, y: number, code: number, size: number, pen: Pen): void {
    const { grid } = this.#canvas;
    grid.kept[y] = 0;
    this.#split(x, y);
    this.#split(x + size, y);
    const at = y * grid.width + x;
    const bg = pen.keepsBackground ? grid.bg[at]! : pen.bg;
    const attributes = this.#attributesAt(at, pen);
    for (let i = 0; i < size; i++) {
      grid.ch[at + i] = i === 0 ? code : CONTINUATION;
      grid.fg[at + i] = pen.fg;
      grid.bg[at + i] = bg;
      grid.attributes[at + i] = attributes;
    }
  }

  /** Without colours a row is filled by turning it over: that is its background, and stays like one. */
  #attributesAt(at: number, pen: Pen): number {
    return pen.keepsBackground ? pen.attributes | (this.#canvas.grid.attributes[at]! & INVERSE) : pen.attributes;
  }

  /** Makes sure that no wide cluster lies across the left edge of column `x`: one that does becomes two blanks. */
  #split(x: number, y: number): void {
    const { grid } = this.#canvas;
    if (x <= 0 || x >= grid.width) return;
    const at = y * grid.width + x;
    if (grid.ch[at] !== CONTINUATION) return;
    grid.ch[at - 1] = BLANK;
    grid.ch[at] = BLANK;
  }
}

interface Pen {
  readonly fg: number;
  readonly bg: number;
  readonly attributes: number;
  readonly keepsBackground: boolean;
}

function penOf(style: Style): Pen {
  return {
    fg: packColor(style.fg),
    bg: packColor(style.bg),
    attributes: packAttributes(style),
    keepsBackground: style.bg === undefined,
  };
}
