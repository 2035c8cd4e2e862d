import { join } from 'node:path';
import { type Files, SystemError } from '../../system/files.ts';
import { hashBytes } from './hash.ts';

export const MOST_IMAGE_BYTES = 64 * 1024 * 1024;
export const MOST_POINTS = 20;

/**
 * What files held before they were changed, named by content, so that changes can be taken back. Byte-exact, readable by
 * the owner only, never sent anywhere.
 */
export interface BeforeImages {
  /** Begins a point to go back to; the oldest beyond the limit are forgotten with what only they needed. */
  beginPoint(): Promise<void>;
  /** Resolves to the hash once the image is on the disk; null when it cannot be kept (nothing is saved, or too large). */
  keep(bytes: Uint8Array): Promise<string | null>;
  read(hash: string): Promise<Uint8Array | null>;
}

/** `folder` is the session's `before-images/`; null keeps nothing. */
export function createBeforeImages(
  files: Pick<Files, 'makeFolder' | 'list' | 'stat' | 'read' | 'writeAtomic' | 'remove'>,
  folder: string | null,
): BeforeImages {
  const sizes = new Map<string, number>();
  /** Hashes each point needs, oldest first. What was there before this process is one point, the oldest. */
  let points: Set<string>[] = [new Set()];
  let opened: Promise<void> | null = null;

  async function open(place: string): Promise<void> {
    await files.makeFolder(place, 0o700);
    for (const { name, kind } of await files.list(place)) {
      if (kind !== 'file' || !/^[0-9a-f]{64}$/.test(name)) continue;
      sizes.set(name, (await files.stat(join(place, name)))?.size ?? 0);
      points[0]?.add(name);
    }
  }

  async function forgetOldest(place: string): Promise<void> {
    const [oldest, ...rest] = points;
    points = rest;
    for (const hash of oldest ?? []) {
      if (points.some((point) => point.has(hash))) continue;
      sizes.delete(hash);
      await files.remove(join(place, hash));
    }
  }

  return {
    async beginPoint() {
      if (folder === null) return;
      await (opened ??= open(folder));
      if (points.at(-1)?.size !== 0) points.push(new Set());
      while (points.length > MOST_POINTS) await forgetOldest(folder);
    },
    async keep(bytes) {
      if (folder === null || bytes.length > MOST_IMAGE_BYTES) return null;
      await (opened ??= open(folder));
      const hash = hashBytes(bytes);
      points.at(-1)?.add(hash);
      if (sizes.has(hash)) return hash;
      await files.writeAtomic(join(folder, hash), bytes, { mode: 0o600, flush: true });
      sizes.set(hash, bytes.length);
      while (points.length > 1 && total(sizes) > MOST_IMAGE_BYTES) await forgetOldest(folder);
      return hash;
    },
    async read(hash) {
      if (folder === null) return null;
      try {
        return await files.read(join(folder, hash));
      } catch (error) {
        if (error instanceof SystemError && error.code === 'ENOENT') return null;
        throw error;
      }
    },
  };
}

function total(sizes: ReadonlyMap<string, number>): number {
  let sum = 0;
  for (const size of sizes.values()) sum += size;
  return sum;
}
