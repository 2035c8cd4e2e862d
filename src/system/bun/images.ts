import type { Images } from '../images.ts';

/** What is tried in turn until the bytes fit: detail goes before size does. */
const STEPS = [
  { scale: 1, quality: 85 },
  { scale: 1, quality: 60 },
  { scale: 0.5, quality: 60 },
  { scale: 0.25, quality: 50 },
] as const;

export function createBunImages(): Images {
  return {
    async fit(picture, { side, bytes }) {
      try {
        const inside = (scale: number) => {
          const length = Math.max(1, Math.floor(side * scale));
          return new Bun.Image(picture).resize(length, length, { fit: 'inside', withoutEnlargement: true });
        };
        // Screenshots stay sharp as PNG where that is small enough.
        const sharp = await inside(1).png().bytes();
        if (sharp.length <= bytes) return { mediaType: 'image/png', bytes: sharp };
        for (const { scale, quality } of STEPS) {
          const made = await inside(scale).jpeg({ quality }).bytes();
          if (made.length <= bytes) return { mediaType: 'image/jpeg', bytes: made };
        }
        return null;
      } catch {
        return null;
      }
    },
  };
}
