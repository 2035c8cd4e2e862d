import type { Target } from './painter.ts';
import { contains, type Rect } from './rect.ts';

/** What lies where, in the order it was drawn: the topmost is the last. */
export class HitMap {
  #areas: Rect[] = [];
  #targets: Target[] = [];

  clear(): void {
    this.#areas.length = 0;
    this.#targets.length = 0;
  }

  add(area: Rect, target: Target): void {
    if (area.width === 0 || area.height === 0) return;
    this.#areas.push(area);
    this.#targets.push(target);
  }

  /** Takes over what lies wholly in `area`. */
  take(from: HitMap, area: Rect): void {
    const right = area.x + area.width;
    const foot = area.y + area.height;
    for (let i = 0; i < from.#areas.length; i++) {
      const { x, y, width, height } = from.#areas[i]!;
      if (y >= area.y && y + height <= foot && x >= area.x && x + width <= right)
        this.add(from.#areas[i]!, from.#targets[i]!);
    }
  }

  at(x: number, y: number): Target | null {
    for (let i = this.#areas.length - 1; i >= 0; i--) if (contains(this.#areas[i]!, x, y)) return this.#targets[i]!;
    return null;
  }

  /** The area that `at` would answer for; null where nothing lies. */
  areaAt(x: number, y: number): Rect | null {
    for (let i = this.#areas.length - 1; i >= 0; i--) if (contains(this.#areas[i]!, x, y)) return this.#areas[i]!;
    return null;
  }
}
