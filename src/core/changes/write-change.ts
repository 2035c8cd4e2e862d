import { dirname } from 'node:path';
import { type Files, type OpenFile, SystemError } from '../../system/files.ts';
import type { BeforeImages } from './before-images.ts';
import { hashBytes } from './hash.ts';
import type { Ledger } from './ledger.ts';

export interface Change {
  readonly call: string;
  readonly path: string;
  /** Where it really goes, links resolved. */
  readonly real: string;
  readonly bytes: Uint8Array;
  /** SHA-256 (hex) of what the file must still hold; null when it must not exist yet. */
  readonly expected: string | null;
  /** Whether what the file holds may be kept for undoing; it may where this is absent. */
  readonly keepsImage?: boolean;
}

export interface ChangeParts {
  readonly files: Pick<Files, 'open' | 'createNew' | 'makeFolder' | 'realPath'>;
  readonly images: BeforeImages;
  readonly ledger: Ledger;
}

const FOLDER_MODE = 0o755;
const FILE_MODE = 0o644;

/**
 * Makes exactly one approved change. What is checked is what is written: the file is opened first and judged through its
 * descriptor. Throws `SystemError`: `ESTALE` when the content is no longer what was approved against, `EEXIST` when a new
 * file is already there, `EPERM` when the path leads elsewhere. The file is then as it was.
 */
export async function writeChange({ files, images, ledger }: ChangeParts, change: Change): Promise<void> {
  if (change.expected === null) await create(files, change);
  else await replace(files, images, change, change.expected);
  const after = hashBytes(change.bytes);
  await ledger.record({ call: change.call, path: change.path, before: change.expected, after });
}

async function create(files: ChangeParts['files'], { real, bytes, path }: Change): Promise<void> {
  const parent = dirname(real);
  await files.makeFolder(parent, FOLDER_MODE);
  if ((await files.realPath(parent)) !== parent) throw new SystemError('EPERM', 'the folder now leads elsewhere', path);
  await files.createNew(real, bytes, FILE_MODE);
}

async function replace(
  files: ChangeParts['files'],
  images: BeforeImages,
  change: Change,
  expected: string,
): Promise<void> {
  const file = await files.open(change.real, { write: true, follow: false });
  try {
    const before = await readGranted(file, change, expected);
    if (change.keepsImage !== false) await images.keep(before);
    try {
      await file.overwrite(change.bytes);
    } catch (error) {
      // A disk that filled up half-way: what was there needs no more room than before.
      await file.overwrite(before);
      throw error;
    }
  } finally {
    await file.close();
  }
}

async function readGranted(file: OpenFile, { path, real }: Change, expected: string): Promise<Uint8Array> {
  const { kind } = await file.stat();
  if (kind !== 'file') throw new SystemError('EPERM', 'not an ordinary file', path);
  const where = await file.realPath();
  if (where !== null && where !== real) throw new SystemError('EPERM', 'the path now leads elsewhere', path);
  const before = await file.readAll();
  if (hashBytes(before) !== expected)
    throw new SystemError('ESTALE', 'the file changed after this change was planned', path);
  return before;
}
