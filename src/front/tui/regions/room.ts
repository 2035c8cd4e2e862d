import { type Rect, rect } from '../frame/rect.ts';

/** The inner rectangle without the rows an open question covers: nothing new ever happens behind it. */
export function roomAbove(inner: Rect, dialog: Rect): Rect {
  if (dialog.height === 0) return inner;
  return rect(inner.x, inner.y, inner.width, Math.max(0, Math.min(inner.height, dialog.y - inner.y)));
}
