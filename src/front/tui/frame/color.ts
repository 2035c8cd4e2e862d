/** Colours are 0xRRGGBB. Contrast is WCAG 2: 1 (none) to 21 (black on white). */

export type ColorDepth = 'none' | '16' | '256' | 'truecolor';

export interface ColorEnvironment {
  readonly TERM?: string | undefined;
  readonly NO_COLOR?: string | undefined;
  readonly COLORTERM?: string | undefined;
}

/** AP-3: any NO_COLOR (even empty), a dumb terminal or no terminal means no colour at all. */
export function colorDepthOf(
  environment: Readonly<Record<string, string | undefined>>,
  isTerminal: boolean,
): ColorDepth {
  const term = environment.TERM ?? '';
  if (!isTerminal || environment.NO_COLOR !== undefined || term === 'dumb') return 'none';
  if (environment.COLORTERM === 'truecolor' || environment.COLORTERM === '24bit') return 'truecolor';
  return term.includes('256color') ? '256' : '16';
}

export function luminance(color: number): number {
  return 0.2126 * linear((color >> 16) & 0xff) + 0.7152 * linear((color >> 8) & 0xff) + 0.0722 * linear(color & 0xff);
}

function linear(channel: number): number {
  const share = channel / 255;
  return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
}

export function contrast(a: number, b: number): number {
  const first = luminance(a);
  const second = luminance(b);
  return (Math.max(first, second) + 0.05) / (Math.min(first, second) + 0.05);
}

export function isLight(color: number): boolean {
  return contrast(color, 0x000000) > contrast(color, 0xffffff);
}

/** `share` of `b` in `a`: 0 gives `a`, 1 gives `b`. */
export function mix(a: number, b: number, share: number): number {
  const channel = (shift: number): number => {
    const from = (a >> shift) & 0xff;
    return Math.round(from + (((b >> shift) & 0xff) - from) * share) << shift;
  };
  return channel(16) | channel(8) | channel(0);
}

/**
 * `color` moved as little as needed towards white or black until it stands out from `background` by at least `ratio`
 * (4.5 for text, 3 for borders). Where even black or white cannot reach it, the better of the two.
 */
export function withContrast(color: number, background: number, ratio = 4.5): number {
  if (contrast(color, background) >= ratio) return color;
  const goal = isLight(background) ? 0x000000 : 0xffffff;
  if (contrast(goal, background) < ratio) return goal;
  let low = 0;
  let high = 1;
  for (let step = 0; step < 12; step++) {
    const middle = (low + high) / 2;
    if (contrast(mix(color, goal, middle), background) >= ratio) high = middle;
    else low = middle;
  }
  return mix(color, goal, high);
}

const CUBE = [0, 95, 135, 175, 215, 255];
/** The usual look of the sixteen colours; terminals differ, hence only for finding the nearest one. */
const SIXTEEN = [
  0x000000, 0xcd0000, 0x00cd00, 0xcdcd00, 0x0000ee, 0xcd00cd, 0x00cdcd, 0xe5e5e5, 0x7f7f7f, 0xff0000, 0x00ff00,
  0xffff00, 0x5c5cff, 0xff00ff, 0x00ffff, 0xffffff,
];

/** Index of the nearest colour of the 256-colour palette (never one of the first 16, which people redefine). */
export function nearest256(color: number): number {
  const level = (value: number): number => nearestOf(CUBE.length, (i) => Math.abs(CUBE[i]! - value));
  const [r, g, b] = [level((color >> 16) & 0xff), level((color >> 8) & 0xff), level(color & 0xff)];
  const cube = (CUBE[r]! << 16) | (CUBE[g]! << 8) | CUBE[b]!;
  const gray = nearestOf(24, (i) => distance((8 + 10 * i) * 0x010101, color));
  return distance(cube, color) <= distance((8 + 10 * gray) * 0x010101, color) ? 16 + 36 * r + 6 * g + b : 232 + gray;
}

/** What entry `index` (16 to 255) of the 256-colour palette looks like. */
export function color256(index: number): number {
  if (index >= 232) return (8 + 10 * (index - 232)) * 0x010101;
  const place = index - 16;
  return (CUBE[Math.floor(place / 36)]! << 16) | (CUBE[Math.floor(place / 6) % 6]! << 8) | CUBE[place % 6]!;
}

/**
 * The nearest palette entry for text on a shown background that stands out as much as the wanted colour does: what was
 * readable stays readable (4.5), what was seen stays seen (3). `wanted` is the contrast that was meant, where the shown
 * background is itself only near the one it was meant for.
 */
export function readable256(color: number, ground: number, wanted = contrast(color, ground)): number {
  const nearest = nearest256(color);
  const goal = wanted >= 4.5 ? 4.5 : wanted >= 3 ? 3 : 1;
  if (contrast(color256(nearest), ground) >= goal) return nearest;
  let best = nearest;
  let bestDistance = Number.POSITIVE_INFINITY;
  for (let index = 16; index < 256; index++) {
    const candidate = color256(index);
    const away = distance(candidate, color);
    if (away < bestDistance && contrast(candidate, ground) >= goal) {
      best = index;
      bestDistance = away;
    }
  }
  return best;
}

export function nearest16(color: number): number {
  return nearestOf(16, (i) => distance(SIXTEEN[i]!, color));
}

function nearestOf(count: number, distanceTo: (index: number) => number): number {
  let best = 0;
  for (let i = 1; i < count; i++) if (distanceTo(i) < distanceTo(best)) best = i;
  return best;
}

function distance(a: number, b: number): number {
  const square = (shift: number): number => (((a >> shift) & 0xff) - ((b >> shift) & 0xff)) ** 2;
  return 2 * square(16) + 4 * square(8) + 3 * square(0);
}
