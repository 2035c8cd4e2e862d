import { dirname } from 'node:path';
import type { FileLeft, FileStep } from '../../protocol/entry.ts';
import { type FileStat, type Files, SystemError } from '../../system/files.ts';
import { type BeforeImages, MOST_IMAGE_BYTES } from './before-images.ts';
import { hashBytes } from './hash.ts';
import type { FileChange } from './ledger.ts';

/** One file's way back over any number of changes. */
export interface WayBack {
  readonly step: FileStep;
  /** Whether each change began with what the one before it left: else another hand wrote in between. */
  readonly whole: boolean;
}

/** From what our last change left to what the first one found, a file each; `changes` oldest first. */
export function waysBack(changes: readonly FileChange[]): WayBack[] {
  const ways = new Map<string, WayBack>();
  for (const { path, before, after } of changes) {
    const known = ways.get(path);
    ways.set(path, {
      step: { path, from: after, to: known === undefined ? before : known.step.to },
      whole: known === undefined || (known.whole && known.step.from === before),
    });
  }
  return [...ways.values()];
}

export interface PutBackParts {
  readonly files: Pick<
    Files,
    'read' | 'linkStat' | 'stat' | 'realPath' | 'writeAtomic' | 'createNew' | 'makeFolder' | 'remove'
  >;
  readonly images: Pick<BeforeImages, 'keep' | 'read'>;
}

/** What a step would come to now; nothing is changed. Never throws for what lies on the disk. */
export type Outlook = 'restored' | 'removed' | 'made' | 'already' | FileLeft;

const FOLDER_MODE = 0o755;
const FILE_MODE = 0o644;

interface Found {
  /** Links resolved. */
  readonly real: string;
  readonly stat: FileStat | null;
  readonly bytes: Uint8Array | null;
  readonly hash: string | null;
}

export async function lookAhead(parts: PutBackParts, { step, whole }: WayBack): Promise<Outlook> {
  const found = await find(parts.files, step.path);
  if (found === null) return 'unsafe';
  const { hash } = found;
  if (hash === step.to) return 'already';
  if (!whole || hash !== step.from) return 'changed';
  if (step.to === null) return 'removed';
  if ((await imageOf(parts, step.to)) === null) return 'not-kept';
  return step.from === null ? 'made' : 'restored';
}

/**
 * Carries one step out, all or nothing: the file holds the one content or the other, also after a crash. What it holds now
 * is kept first where `keeps`, so that the step can be taken back. Null when done.
 */
export async function putBack(parts: PutBackParts, step: FileStep, keeps: boolean): Promise<FileLeft | null> {
  const { files, images } = parts;
  try {
    const found = await find(files, step.path);
    if (found === null) return 'unsafe';
    if (found.hash === step.to) return null;
    if (found.hash !== step.from) return 'changed';
    // Read before anything is kept: keeping may push the oldest out.
    const bytes = step.to === null ? null : await imageOf(parts, step.to);
    if (step.to !== null && bytes === null) return 'not-kept';
    if (keeps && found.bytes !== null) await images.keep(found.bytes);
    if (bytes === null) await files.remove(found.real);
    else if (found.stat === null) {
      const parent = dirname(found.real);
      await files.makeFolder(parent, FOLDER_MODE);
      if ((await files.realPath(parent)) !== parent) return 'unsafe';
      await files.createNew(found.real, bytes, FILE_MODE);
    } else await files.writeAtomic(found.real, bytes, { mode: found.stat.mode & 0o7777, flush: true });
    return null;
  } catch (error) {
    if (error instanceof SystemError) return 'failed';
    throw error;
  }
}

/** What a file holds now, as a hash; null for one that is not there, `unsafe` for what is no ordinary file. */
export async function hashNow(files: PutBackParts['files'], path: string): Promise<string | null | 'unsafe'> {
  const found = await find(files, path);
  return found === null ? 'unsafe' : found.hash;
}

/** Null for what is no ordinary file, too large or cannot be read. */
async function find(files: PutBackParts['files'], path: string): Promise<Found | null> {
  try {
    const real = (await files.realPath(path)) ?? path;
    const stat = await files.linkStat(real);
    if (stat === null) return { real, stat, bytes: null, hash: null };
    if (stat.kind !== 'file' || stat.size > MOST_IMAGE_BYTES) return null;
    const bytes = await files.read(real);
    return { real, stat, bytes, hash: hashBytes(bytes) };
  } catch (error) {
    if (error instanceof SystemError) return null;
    throw error;
  }
}

/** An image damaged on the disk is none. */
async function imageOf({ images }: PutBackParts, hash: string): Promise<Uint8Array | null> {
  const bytes = await images.read(hash).catch(() => null);
  return bytes !== null && hashBytes(bytes) === hash ? bytes : null;
}
