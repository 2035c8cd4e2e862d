import type { CursorShape, Painter, Style, Target } from './painter.ts';
import { type Rect, rect } from './rect.ts';

/** Draws as if the upper left corner of `area` were that of the whole screen, and nothing outside of it. */
export function shiftedPainter(painter: Painter, area: Rect): Painter {
  return new ShiftedPainter(painter.within(area), area.x, area.y);
}

class ShiftedPainter implements Painter {
  readonly clip: Rect;
  readonly #inner: Painter;
  readonly #x: number;
  readonly #y: number;

  constructor(inner: Painter, x: number, y: number) {
    this.#inner = inner;
    this.#x = x;
    this.#y = y;
    this.clip = rect(inner.clip.x - x, inner.clip.y - y, inner.clip.width, inner.clip.height);
  }

  text(x: number, y: number, text: string, style: Style, maxWidth?: number): number {
    return this.#inner.text(x + this.#x, y + this.#y, text, style, maxWidth);
  }

  fill(area: Rect, style: Style, glyph?: string): void {
    this.#inner.fill(this.#moved(area), style, glyph);
  }

  restyle(area: Rect, style: Style): void {
    this.#inner.restyle(this.#moved(area), style);
  }

  hit(area: Rect, target: Target): void {
    this.#inner.hit(this.#moved(area), target);
  }

  cursor(x: number, y: number, shape?: CursorShape): void {
    this.#inner.cursor(x + this.#x, y + this.#y, shape);
  }

  within(area: Rect): Painter {
    return new ShiftedPainter(this.#inner.within(this.#moved(area)), this.#x, this.#y);
  }

  #moved(area: Rect): Rect {
    return rect(area.x + this.#x, area.y + this.#y, area.width, area.height);
  }
}
