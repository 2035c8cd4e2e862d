import fs from 'node:fs';
import { joinBytes } from '../../base/json-lines.ts';
import type { AppendFile, Files, OpenFile } from '../files.ts';
import { checkFile, statOf } from './descriptors.ts';
import { failure, mapped, nullWhenMissing } from './errors.ts';
import { createLocalDisk, type LocalDisk } from './local-disk.ts';

const { O_APPEND, O_NOCTTY, O_NOFOLLOW, O_NONBLOCK, O_RDONLY, O_WRONLY } = fs.constants;

/** What is longer is read and written by another thread. */
const SHORT = 256 * 1024;

/**
 * Short questions about files of this machine are answered on the spot: the many of one tool call take less time together
 * than handing a single one to a thread and back. What waits for the disk itself, is long, or lies elsewhere is done by
 * `files`.
 */
export function createLocalFiles(files: Files, disk: LocalDisk = createLocalDisk()): Files {
  const atOnce = disk.answersAtOnce;
  const makeAppended = async (path: string, mode: number): Promise<AppendFile> => {
    const made = await files.openAppend(path, mode);
    // Where this turn of the event loop has lasted long already, it is only opened by another thread. Null for one that was
    // taken away meanwhile: what is open stays what is written to.
    const local = atOnce(path) ? appendLocal(path, atOnce) : null;
    if (local !== null) await made.close();
    return local ?? made;
  };
  return {
    ...files,
    stat: (path) => (atOnce(path) ? nullWhenMissing(path, async () => statOf(fs.statSync(path))) : files.stat(path)),
    linkStat: (path) =>
      atOnce(path) ? nullWhenMissing(path, async () => statOf(fs.lstatSync(path))) : files.linkStat(path),
    realPath: (path) =>
      atOnce(path) ? nullWhenMissing(path, async () => fs.realpathSync.native(path)) : files.realPath(path),
    readLink: (path) =>
      atOnce(path) ? nullWhenMissing(path, async () => fs.readlinkSync(path)) : files.readLink(path),
    read: (path, maxBytes) =>
      atOnce(path) ? mapped(path, () => readWhole(path, maxBytes)) : files.read(path, maxBytes),
    readRange: (path, from, bytes) =>
      bytes <= SHORT && atOnce(path)
        ? mapped(path, async () => readPiece(path, from, bytes))
        : files.readRange(path, from, bytes),
    open: (path, how) =>
      !how.write && atOnce(path) ? mapped(path, async () => openLocal(path, how.follow)) : files.open(path, how),
    makeFolder: (path, mode) =>
      atOnce(path)
        ? mapped(path, async () => void fs.mkdirSync(path, { recursive: true, mode }))
        : files.makeFolder(path, mode),
    openAppend: (path, mode) =>
      atOnce(path)
        ? mapped(path, async () => appendLocal(path, atOnce) ?? (await makeAppended(path, mode)))
        : makeAppended(path, mode),
  };
}

async function readWhole(path: string, maxBytes?: number): Promise<Uint8Array> {
  const file = openLocal(path, true);
  try {
    return await file.readAll(maxBytes);
  } finally {
    await file.close();
  }
}

function readPiece(path: string, from: number, bytes: number): Uint8Array {
  const descriptor = openToRead(path, true);
  try {
    const stats = fs.fstatSync(descriptor);
    checkFile(stats, path);
    const piece = new Uint8Array(Math.max(0, Math.min(bytes, stats.size - from)));
    let done = 0;
    while (done < piece.length) {
      const size = fs.readSync(descriptor, piece, done, piece.length - done, from + done);
      if (size === 0) break;
      done += size;
    }
    return piece.subarray(0, done);
  } finally {
    fs.closeSync(descriptor);
  }
}

function openToRead(path: string, follow: boolean): number {
  return fs.openSync(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | (follow ? 0 : O_NOFOLLOW));
}

/** What the platform calls back with. */
function later<T>(start: (over: (error: unknown, value: T) => void) => void): Promise<T> {
  return new Promise((resolve, reject) => {
    start((error, value) => (error ? reject(error) : resolve(value)));
  });
}

function openLocal(path: string, follow: boolean): OpenFile {
  const descriptor = held(openToRead(path, follow), path);
  return {
    stat: () => mapped(path, async () => statOf(fs.fstatSync(descriptor.number))),
    realPath: () => mapped(path, async () => pathOf(descriptor.number)),
    readAll: (maxBytes = Number.POSITIVE_INFINITY) =>
      mapped(path, async () => {
        const { number } = descriptor;
        const stats = fs.fstatSync(number);
        checkFile(stats, path);
        if (stats.size > maxBytes) throw failure('EFBIG', 'file too large', path);
        const parts: Uint8Array[] = [];
        // Sizes may lie or change meanwhile: what counts is what comes, until nothing does.
        for (let total = 0; ; ) {
          const piece = new Uint8Array(Math.min(SHORT, Math.max(stats.size - total, 0) + 4096));
          const size =
            stats.size <= SHORT
              ? fs.readSync(number, piece, 0, piece.length, total)
              : await later<number>((over) => fs.read(number, piece, 0, piece.length, total, over));
          if (size === 0) return joinBytes(parts);
          parts.push(piece.subarray(0, size));
          total += size;
          if (total > maxBytes) throw failure('EFBIG', 'file too large', path);
        }
      }),
    overwrite: () => mapped(path, async () => Promise.reject(failure('EBADF', 'not open for writing', path))),
    close: () => mapped(path, async () => descriptor.close()),
  };
}

/** Never closed twice: by then the number may be another file's. */
function held(descriptor: number, path: string) {
  let open = true;
  return {
    get number() {
      if (!open) throw failure('EBADF', 'file closed', path);
      return descriptor;
    },
    close() {
      if (!open) return;
      open = false;
      fs.closeSync(descriptor);
    },
  };
}

function pathOf(descriptor: number): string | null {
  const path = fs.readlinkSync(`/proc/self/fd/${descriptor}`);
  // A removed file reads "<path> (deleted)"; only the inode tells that from a file of that name.
  const there = fs.statSync(path, { throwIfNoEntry: false });
  const own = fs.fstatSync(descriptor);
  return there?.ino === own.ino && there.dev === own.dev ? path : null;
}

/** Null where there is no such file: to make one takes a flush of its folder too. */
function appendLocal(path: string, atOnce: (path: string) => boolean): AppendFile | null {
  let opened: number;
  try {
    opened = fs.openSync(path, O_WRONLY | O_APPEND | O_NONBLOCK | O_NOCTTY);
  } catch (error) {
    if ((error as { code?: unknown }).code === 'ENOENT') return null;
    throw error;
  }
  const descriptor = held(opened, path);
  try {
    checkFile(fs.fstatSync(opened), path);
  } catch (error) {
    descriptor.close();
    throw error;
  }
  return {
    size: () => mapped(path, async () => fs.fstatSync(descriptor.number).size),
    append: (bytes) =>
      mapped(path, async () => {
        const short = bytes.length <= SHORT && atOnce(path);
        for (let done = 0; done < bytes.length; ) {
          done += short
            ? fs.writeSync(descriptor.number, bytes, done, bytes.length - done)
            : await later<number>((over) => fs.write(descriptor.number, bytes, done, bytes.length - done, null, over));
        }
      }),
    flush: () =>
      mapped(path, () => later<void>((over) => fs.fdatasync(descriptor.number, over as (error: unknown) => void))),
    truncate: (size) =>
      mapped(path, () =>
        later<void>((over) => fs.ftruncate(descriptor.number, size, over as (error: unknown) => void)),
      ),
    close: () => mapped(path, async () => descriptor.close()),
  };
}
