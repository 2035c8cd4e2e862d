import fs, { constants, type Stats } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { dirname } from 'node:path';
import { joinBytes } from '../../base/json-lines.ts';
import type { AppendFile, FileStat, OpenFile } from '../files.ts';
import { failure, mapped, nullWhenMissing } from './errors.ts';

const { O_APPEND, O_CREAT, O_EXCL, O_NOCTTY, O_NOFOLLOW, O_NONBLOCK, O_RDONLY, O_RDWR, O_WRONLY } = constants;
export type Handle = FileHandle;

const PIECE = 256 * 1024;

export function statOf(stats: Stats): FileStat {
  return {
    kind: stats.isFile() ? 'file' : stats.isDirectory() ? 'folder' : stats.isSymbolicLink() ? 'link' : 'other',
    size: stats.size,
    mode: stats.mode & 0o7777,
    modifiedMs: stats.mtimeMs,
    createdMs: stats.birthtimeMs,
    inode: stats.ino,
    device: stats.dev,
    owner: stats.uid,
    links: stats.nlink,
    changedMs: stats.ctimeMs,
  };
}

/** Opens without waiting for anybody: a pipe nobody writes to, a terminal or a device cannot hold the caller up. */
export async function openHandle(path: string, how: { write: boolean; follow: boolean }): Promise<Handle> {
  const flags = (how.write ? O_RDWR : O_RDONLY) | O_NONBLOCK | O_NOCTTY | (how.follow ? 0 : O_NOFOLLOW);
  return await fs.promises.open(path, flags);
}

/** Refuses what is no file (`EISDIR`, `EINVAL`) and what is larger than `maxBytes` (`EFBIG`). */
export async function readHandle(handle: Handle, path: string, maxBytes: number): Promise<Uint8Array> {
  const stats = await handle.stat();
  checkFile(stats, path);
  if (stats.size > maxBytes) throw failure('EFBIG', 'file too large', path);
  const parts: Uint8Array[] = [];
  let total = 0;
  // Sizes may lie (files below /proc say 0) or change meanwhile: what counts is what comes. One byte more than is
  // expected is asked for, so that the common case needs one read and the empty one at the end.
  let want = stats.size + 1;
  while (true) {
    const piece = new Uint8Array(Math.max(want, 4096));
    const { bytesRead } = await handle.read(piece, 0, piece.length, total);
    if (bytesRead === 0) return joinBytes(parts);
    parts.push(piece.subarray(0, bytesRead));
    total += bytesRead;
    if (total > maxBytes) throw failure('EFBIG', 'file too large', path);
    want = Math.min(PIECE, Math.max(1, stats.size + 1 - total));
  }
}

export function checkFile(stats: Stats, path: string): void {
  if (stats.isDirectory()) throw failure('EISDIR', 'illegal operation on a directory', path);
  if (!stats.isFile()) throw failure('EINVAL', 'not a regular file', path);
}

export async function writeHandle(handle: Handle, bytes: Uint8Array, at: number | null): Promise<void> {
  for (let done = 0; done < bytes.length; ) {
    const { bytesWritten } = await handle.write(bytes, done, bytes.length - done, at === null ? null : at + done);
    done += bytesWritten;
  }
}

/** A new name in a folder is only there for good once the folder itself was flushed. */
export async function flushFolder(path: string): Promise<void> {
  const handle = await fs.promises.open(path, O_RDONLY);
  try {
    await handle.sync();
  } catch (error) {
    // Some file systems cannot flush a folder; their renames are as durable as they get.
    if ((error as { code?: string }).code !== 'EINVAL') throw error;
  } finally {
    await handle.close();
  }
}

export function openFileOf(handle: Handle, path: string, isLinux: boolean): OpenFile {
  return {
    stat: () => mapped(path, async () => statOf(await handle.stat())),
    realPath: () => mapped(path, async () => (isLinux ? await pathOfHandle(handle) : null)),
    readAll: (maxBytes = Number.POSITIVE_INFINITY) => mapped(path, () => readHandle(handle, path, maxBytes)),
    overwrite: (bytes) => mapped(path, () => overwriteHandle(handle, path, bytes)),
    close: () => mapped(path, () => handle.close()),
  };
}

async function pathOfHandle(handle: Handle): Promise<string | null> {
  const path = await fs.promises.readlink(`/proc/self/fd/${handle.fd}`);
  // A removed file reads "<path> (deleted)"; only the inode tells that from a file of that name.
  const there = await nullWhenMissing(path, () => fs.promises.stat(path));
  const held = await handle.stat();
  return there?.ino === held.ino && there.dev === held.dev ? path : null;
}

/**
 * What goes past the old end is written first: that is where a full disk says no, and then cutting it off again leaves the
 * old content untouched. Should the rest fail all the same, the old bytes are put back as far as possible.
 */
async function overwriteHandle(handle: Handle, path: string, bytes: Uint8Array): Promise<void> {
  const old = await readHandle(handle, path, Number.POSITIVE_INFINITY);
  try {
    if (bytes.length > old.length) await writeHandle(handle, bytes.subarray(old.length), old.length);
    await writeHandle(handle, bytes.subarray(0, old.length), 0);
    await handle.truncate(bytes.length);
  } catch (error) {
    try {
      await handle.truncate(old.length);
      await writeHandle(handle, old, 0);
    } catch {
      // The first failure is the one worth telling.
    }
    throw error;
  }
  await handle.datasync();
}

export async function createFile(path: string, mode: number): Promise<Handle> {
  return await fs.promises.open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode);
}

export async function openAppendFile(path: string, mode: number): Promise<AppendFile> {
  const flags = O_WRONLY | O_APPEND | O_NONBLOCK | O_NOCTTY;
  const existing = await nullWhenMissing(path, () => fs.promises.open(path, flags));
  const handle = existing ?? (await fs.promises.open(path, flags | O_CREAT, mode));
  try {
    checkFile(await handle.stat(), path);
    if (!existing) await flushFolder(dirname(path));
  } catch (error) {
    await handle.close();
    throw error;
  }
  return {
    size: () => mapped(path, async () => (await handle.stat()).size),
    append: (bytes) => mapped(path, () => writeHandle(handle, bytes, null)),
    flush: () => mapped(path, () => handle.datasync()),
    truncate: (size) => mapped(path, () => handle.truncate(size)),
    close: () => mapped(path, () => handle.close()),
  };
}
