// As a whole: naming `promises` here would load it with this file, and a first frame is drawn without it.
import fs, { type Dirent, statSync, watch as watchFolder } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import type { FileStat, Files } from '../files.ts';
import {
  checkFile,
  createFile,
  flushFolder,
  type Handle,
  openAppendFile,
  openFileOf,
  openHandle,
  readHandle,
  statOf,
  writeHandle,
} from './descriptors.ts';
import { mapped, nullWhenMissing, systemError } from './errors.ts';

export function createBunFiles(): Files {
  const isLinux = process.platform === 'linux';
  return {
    stat: (path) => nullWhenMissing(path, async () => statOf(await fs.promises.stat(path))),
    linkStat: (path) => nullWhenMissing(path, async () => statOf(await fs.promises.lstat(path))),
    realPath: (path) => nullWhenMissing(path, () => fs.promises.realpath(path)),
    readLink: (path) => nullWhenMissing(path, () => fs.promises.readlink(path)),
    list: (path) =>
      mapped(path, async () => {
        const entries = await fs.promises.readdir(path, { withFileTypes: true });
        return await Promise.all(entries.map(async (entry) => ({ name: entry.name, kind: await kindOf(path, entry) })));
      }),
    read: (path, maxBytes = Number.POSITIVE_INFINITY) =>
      mapped(path, () => held(openHandle(path, READ), (handle) => readHandle(handle, path, maxBytes))),
    readRange: (path, from, bytes) =>
      mapped(path, () =>
        held(openHandle(path, READ), async (handle) => {
          const stats = await handle.stat();
          checkFile(stats, path);
          const piece = new Uint8Array(Math.max(0, Math.min(bytes, stats.size - from)));
          let done = 0;
          while (done < piece.length) {
            const { bytesRead } = await handle.read(piece, done, piece.length - done, from + done);
            if (bytesRead === 0) break;
            done += bytesRead;
          }
          return piece.subarray(0, done);
        }),
      ),
    open: (path, how) => mapped(path, async () => openFileOf(await openHandle(path, how), path, isLinux)),
    createNew: (path, bytes, mode) =>
      mapped(path, async () => {
        await writeNew(path, bytes, mode, (handle) => handle.datasync());
        await flushFolder(dirname(path));
      }),
    writeAtomic: (path, bytes, { mode, flush }) => mapped(path, () => writeAtomic(path, bytes, mode, flush)),
    openAppend: (path, mode) => mapped(path, () => openAppendFile(path, mode)),
    makeFolder: (path, mode) =>
      mapped(path, async () => {
        await fs.promises.mkdir(path, { recursive: true, mode });
      }),
    rename: (from, to) => mapped(from, () => fs.promises.rename(from, to)),
    remove: (path, options = { recursive: false }) =>
      mapped(path, () =>
        options.recursive ? fs.promises.rm(path, { recursive: true, force: true }) : removeOne(path),
      ),
    changeMode: (path, mode) => mapped(path, () => fs.promises.chmod(path, mode)),
    makeLink: (target, path) => mapped(path, () => fs.promises.symlink(target, path)),
    makeTempFolder: (prefix) => {
      const start = join(tmpdir(), prefix);
      return mapped(start, () => fs.promises.mkdtemp(start));
    },
    watch,
  };
}

const READ = { write: false, follow: true };

async function held<T>(opening: Promise<Handle>, use: (handle: Handle) => Promise<T>): Promise<T> {
  const handle = await opening;
  try {
    return await use(handle);
  } finally {
    await handle.close();
  }
}

async function kindOf(folder: string, entry: Dirent): Promise<FileStat['kind']> {
  if (entry.isFile()) return 'file';
  if (entry.isDirectory()) return 'folder';
  if (entry.isSymbolicLink()) return 'link';
  if (entry.isFIFO() || entry.isSocket() || entry.isCharacterDevice() || entry.isBlockDevice()) return 'other';
  // Some file systems do not say what an entry is when they list it.
  const path = join(folder, entry.name);
  const stats = await nullWhenMissing(path, () => fs.promises.lstat(path));
  return stats ? statOf(stats).kind : 'other';
}

/** Writes a file that must not exist; what could not be written whole is taken away again. */
async function writeNew(path: string, bytes: Uint8Array, mode: number, finish: (handle: Handle) => Promise<void>) {
  const handle = await createFile(path, mode);
  try {
    await writeHandle(handle, bytes, null);
    await finish(handle);
    await handle.close();
  } catch (error) {
    await handle.close().catch(() => {});
    await fs.promises.unlink(path).catch(() => {});
    throw error;
  }
}

async function writeAtomic(path: string, bytes: Uint8Array, mode: number, flush: boolean): Promise<void> {
  // The name is short and independent of the file's own, which may already be as long as names can be.
  const temporary = join(dirname(path), `.houston-${crypto.randomUUID()}`);
  await writeNew(temporary, bytes, mode, async (handle) => {
    // Past the umask: the caller names the mode the file shall have.
    await handle.chmod(mode);
    if (flush) await handle.sync();
  });
  try {
    await fs.promises.rename(temporary, path);
  } catch (error) {
    await fs.promises.unlink(temporary).catch(() => {});
    throw error;
  }
  if (flush) await flushFolder(dirname(path));
}

/** A file, a link, or an empty folder; nothing there is no error. */
async function removeOne(path: string): Promise<void> {
  try {
    const stats = await fs.promises.lstat(path);
    await (stats.isDirectory() ? fs.promises.rmdir(path) : fs.promises.unlink(path));
  } catch (error) {
    const { code } = systemError(error, path);
    if (code !== 'ENOENT' && code !== 'ENOTDIR') throw error;
  }
}

/**
 * A file is watched through its folder: a file that is replaced, as most programs save, would otherwise be lost sight of,
 * and one that does not exist yet could not be watched at all.
 */
function watch(path: string, listener: () => void): { close(): void } | null {
  try {
    const isFolder = statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
    const name = isFolder ? null : basename(path);
    const watcher = watchFolder(isFolder ? path : dirname(path), { persistent: false }, (_event, changed) => {
      if (name === null || changed === null || changed === name) listener();
    });
    watcher.on('error', () => watcher.close());
    return { close: () => watcher.close() };
  } catch {
    return null;
  }
}
