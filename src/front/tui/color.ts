/** Colour arithmetic after WCAG 2: luminance, contrast, and moving a colour until it can be read. Colours are 0xRRGGBB. */

function channel(value: number): number {
  const share = value / 255;
  return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
}

/** Relative luminance, 0 (black) to 1 (white). */
export function luminance(color: number): number {
  return (
    0.2126 * channel((color >> 16) & 0xff) + 0.7152 * channel((color >> 8) & 0xff) + 0.0722 * channel(color & 0xff)
  );
}

/** Contrast ratio, 1 to 21. */
export function contrast(a: number, b: number): number {
  const first = luminance(a);
  const second = luminance(b);
  return (Math.max(first, second) + 0.05) / (Math.min(first, second) + 0.05);
}

/** `share` of `b` in `a`, 0-1, a channel at a time. */
export function mix(a: number, b: number, share: number): number {
  const blend = (shift: number) => {
    const from = (a >> shift) & 0xff;
    const to = (b >> shift) & 0xff;
    return Math.round(from + (to - from) * share) << shift;
  };
  return blend(16) | blend(8) | blend(0);
}

/** Black or white, whichever stands out more; it always has more than 4.5:1. */
function farthest(ground: number): number {
  return contrast(0xffffff, ground) >= contrast(0x000000, ground) ? 0xffffff : 0x000000;
}

/** `ground` with at most `share` of `color` in it, and no more than leaves room for text of 4.5:1 on it. */
export function tint(ground: number, color: number, share: number): number {
  for (let part = share; part > 0.01; part -= share / 8) {
    const candidate = mix(ground, color, part);
    if (contrast(farthest(ground), candidate) >= 4.5) return candidate;
  }
  return ground;
}

/**
 * `color`, moved no further than needed towards white or black until it has `ratio` against every one of `grounds`.
 * The direction is the one that can reach further from the first ground.
 */
export function readable(color: number, grounds: readonly number[], ratio: number): number {
  const goal = farthest(grounds[0] ?? 0);
  const holds = (candidate: number) => grounds.every((each) => contrast(candidate, each) >= ratio);
  for (let step = 0; step <= 20; step++) {
    const candidate = mix(color, goal, step / 20);
    if (holds(candidate)) return candidate;
  }
  return goal;
}
