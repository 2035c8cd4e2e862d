import type { Frame } from './frame/frame.ts';
import type { Rect } from './frame/rect.ts';

/** Draws a region, or leaves it as it stands where nothing it is drawn from has changed. */
export interface Keeper {
  /**
   * `from`: everything the drawing reads that can change, compared by identity. Answers what the drawing answered, now or
   * when what stands there was drawn.
   */
  keep<T>(name: string, area: Rect, from: readonly unknown[], draw: () => T): T;
}

/** Keeps nothing. */
export const DRAWS_ALL: Keeper = { keep: (_name, _area, _from, draw) => draw() };

interface Drawn {
  readonly from: readonly unknown[];
  readonly answer: unknown;
  /** The drawing it stood in last. */
  drawing: number;
}

/** Regions of one frame, from drawing to drawing: a key that changes the box costs the box. */
export class KeptRegions implements Keeper {
  readonly #frame: Frame;
  #drawn = new Map<string, Drawn>();
  #covered = true;
  #drawing = 0;

  constructor(frame: Frame) {
    this.#frame = frame;
  }

  /** Before each drawing. `covered`: something will lie over the regions, so that they do not stand there as drawn. */
  begin(covered: boolean): void {
    if (covered || this.#covered) this.#drawn.clear();
    this.#drawing++;
    this.#covered = covered;
  }

  keep<T>(name: string, area: Rect, from: readonly unknown[], draw: () => T): T {
    const inputs = [area.x, area.y, area.width, area.height, ...from];
    const before = this.#drawn.get(name);
    const same =
      before !== undefined &&
      // One that was left out for a while has something else standing in its place.
      before.drawing === this.#drawing - 1 &&
      before.from.length === inputs.length &&
      before.from.every((one, at) => Object.is(one, inputs[at]));
    if (same && this.#frame.keep(area)) {
      before.drawing = this.#drawing;
      return before.answer as T;
    }
    const answer = draw();
    this.#drawn.set(name, { from: inputs, answer, drawing: this.#drawing });
    return answer;
  }
}
