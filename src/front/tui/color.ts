import { contrast, mix } from './frame/color.ts';

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
