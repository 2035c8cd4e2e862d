import {
  chmodSync,
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  readSync,
  statSync,
} from 'node:fs';
import { joinBytes } from '../../base/json-lines.ts';
import type { Files } from '../files.ts';
import { checkFile, statOf } from './descriptors.ts';
import { failure, mapped, nullWhenMissing } from './errors.ts';

const { O_NOCTTY, O_NONBLOCK, O_RDONLY } = constants;

/**
 * The files for the moments before the first frame: the few that are looked at then are asked for on the spot, since the
 * library that does it in the background takes longer to load than they take to read. All else is done by `files`.
 */
export function createStartFiles(files: Files): Files {
  return {
    ...files,
    stat: (path) => nullWhenMissing(path, async () => statOf(statSync(path))),
    linkStat: (path) => nullWhenMissing(path, async () => statOf(lstatSync(path))),
    read: (path, maxBytes = Number.POSITIVE_INFINITY) => mapped(path, async () => readNow(path, maxBytes)),
    makeFolder: (path, mode) => mapped(path, async () => void mkdirSync(path, { recursive: true, mode })),
    changeMode: (path, mode) => mapped(path, async () => chmodSync(path, mode)),
  };
}

/** As `readHandle` does it: without waiting for anybody, and whatever size the system names. */
function readNow(path: string, maxBytes: number): Uint8Array {
  const descriptor = openSync(path, O_RDONLY | O_NONBLOCK | O_NOCTTY);
  try {
    const stats = fstatSync(descriptor);
    checkFile(stats, path);
    const parts: Uint8Array[] = [];
    for (let total = stats.size; total <= maxBytes; ) {
      const piece = new Uint8Array(Math.max(stats.size + 1, 4096));
      const size = readSync(descriptor, piece);
      if (size === 0) return joinBytes(parts);
      parts.push(piece.subarray(0, size));
      total = parts.reduce((sum, part) => sum + part.length, 0);
    }
    throw failure('EFBIG', 'file too large', path);
  } finally {
    closeSync(descriptor);
  }
}
