import { posix } from 'node:path';
import { joinBytes } from '../../base/json-lines.ts';
import type { Clock } from '../clock.ts';
import type { AppendFile, FileStat, Files, OpenFile } from '../files.ts';
import { createFaults, type Fault } from './faults.ts';
import { createTree, failure, type Node } from './tree.ts';

/** Files in memory, with what a test wants besides: seeding and looking at once, faults, crashes. */
export interface MemoryFiles extends Files {
  /** Puts a file there, with the folders above it; it counts as flushed. */
  seed(path: string, content: string | Uint8Array, mode?: number): void;
  seedFolder(path: string, mode?: number): void;
  /** A pipe, socket or device: kind `other`. */
  seedOther(path: string, mode?: number): void;
  textOf(path: string): string;
  bytesOf(path: string): Uint8Array;
  /** Every file and link below `folder`, sorted. */
  paths(folder?: string): string[];
  /** Makes something fail from now on; the returned function takes it back. */
  fail(fault: Fault): () => void;
  /**
   * The machine stops: what was written and not flushed is lost, except its first `tornBytes`, and every file held open is
   * dead (`EBADF`). `kill`: only the process stopped, so nothing that was written is lost.
   */
  crash(how?: { readonly tornBytes?: number; readonly kill?: boolean }): void;
  /** How often anything was flushed. */
  readonly flushes: number;
}

export function createMemoryFiles(clock: Clock, owner = 1000): MemoryFiles {
  const tree = createTree(clock.now);
  const faults = createFaults();
  const watchers = new Set<{ isOf(path: string): boolean; readonly listener: () => void }>();
  let life = 0;
  let flushes = 0;
  let temporary = 0;

  const changed = (path: string) => {
    for (const watcher of watchers) {
      if (!watcher.isOf(path)) continue;
      queueMicrotask(() => {
        if (watchers.has(watcher)) watcher.listener();
      });
    }
  };
  const setBytes = (node: Node, bytes: Uint8Array, path: string) => {
    node.bytes = bytes;
    node.modifiedMs = clock.now();
    changed(path);
  };
  const flushNode = (node: Node, path: string) => {
    faults.check('flush', path);
    flushes++;
    node.durable = node.bytes;
  };
  const statOf = (node: Node): FileStat => ({
    kind: node.kind,
    size: node.kind === 'link' ? node.target.length : node.bytes.length,
    mode: node.mode,
    modifiedMs: node.modifiedMs,
    createdMs: node.createdMs,
    inode: node.inode,
    device: 1,
    owner,
  });
  const readable = (path: string, node: Node, maxBytes: number): Node => {
    if (node.kind === 'folder') throw failure('EISDIR', path);
    if (node.kind !== 'file') throw failure('EINVAL', path);
    if (node.bytes.length > maxBytes) throw failure('EFBIG', path);
    return node;
  };
  const find = (path: string, follow: boolean): FileStat | null => {
    faults.check('stat', path);
    const { node } = placeOrNull(path, follow) ?? { node: null };
    return node ? statOf(node) : null;
  };
  const placeOrNull = (path: string, follow: boolean) => {
    try {
      return tree.place(path, follow);
    } catch (error) {
      // As stat(2) seen through the interface: a missing or impossible way there is "nothing there".
      if (error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR'))
        return null;
      throw error;
    }
  };
  const put = (path: string, node: Node) => {
    const { parent, name } = tree.place(path, false);
    parent.children.set(name, node);
    parent.modifiedMs = clock.now();
    changed(path);
  };
  const alive = (born: number, path: string) => {
    if (born !== life) throw failure('EBADF', path);
  };
  const makeFolders = (path: string, mode: number) => {
    const { node } = placeOrNull(path, true) ?? { node: null };
    if (node) {
      if (node.kind !== 'folder') throw failure('EEXIST', path);
      return;
    }
    makeFolders(posix.dirname(path), mode);
    put(path, tree.create('folder', mode));
  };
  const seedNode = (path: string, node: Node) => {
    makeFolders(posix.dirname(path), 0o755);
    put(path, node);
  };
  const newFile = (path: string, bytes: Uint8Array, mode: number, check: () => void): Node => {
    check();
    const node = tree.create('file', mode);
    node.bytes = bytes.slice();
    put(path, node);
    return node;
  };

  const openNode = (path: string, node: Node, write: boolean): OpenFile => {
    const born = life;
    let closed = false;
    const use = () => {
      alive(born, path);
      if (closed) throw failure('EBADF', path);
    };
    return {
      async stat() {
        use();
        return statOf(node);
      },
      async realPath() {
        use();
        return tree.pathOf(node);
      },
      async readAll(maxBytes = Number.POSITIVE_INFINITY) {
        use();
        faults.check('read', path);
        return readable(path, node, maxBytes).bytes.slice();
      },
      async overwrite(bytes) {
        use();
        if (!write) throw failure('EBADF', path);
        faults.check('write', path);
        setBytes(node, bytes.slice(), path);
        flushNode(node, path);
      },
      async close() {
        closed = true;
      },
    };
  };

  const appendTo = (path: string, node: Node): AppendFile => {
    const born = life;
    let closed = false;
    const use = () => {
      alive(born, path);
      if (closed) throw failure('EBADF', path);
    };
    return {
      async size() {
        use();
        return node.bytes.length;
      },
      async append(bytes) {
        use();
        faults.check('append', path, (torn) => {
          if (torn > 0) setBytes(node, appended(node.bytes, bytes.subarray(0, torn)), path);
        });
        setBytes(node, appended(node.bytes, bytes), path);
      },
      async flush() {
        use();
        flushNode(node, path);
      },
      async truncate(size) {
        use();
        const grown = new Uint8Array(size);
        grown.set(node.bytes.subarray(0, size));
        setBytes(node, grown, path);
      },
      async close() {
        closed = true;
      },
    };
  };

  return {
    async stat(path) {
      return find(path, true);
    },
    async linkStat(path) {
      return find(path, false);
    },
    async realPath(path) {
      const place = placeOrNull(path, true);
      return place?.node ? place.path : null;
    },
    async readLink(path) {
      const place = placeOrNull(path, false);
      if (!place?.node) return null;
      if (place.node.kind !== 'link') throw failure('EINVAL', path);
      return place.node.target;
    },
    async list(path) {
      faults.check('list', path);
      const node = tree.node(path, true);
      if (node.kind !== 'folder') throw failure('ENOTDIR', path);
      return [...node.children].map(([name, child]) => ({ name, kind: child.kind }));
    },
    async read(path, maxBytes = Number.POSITIVE_INFINITY) {
      faults.check('read', path);
      return readable(path, tree.node(path, true), maxBytes).bytes.slice();
    },
    async readRange(path, from, bytes) {
      faults.check('read', path);
      const node = readable(path, tree.node(path, true), Number.POSITIVE_INFINITY);
      return node.bytes.slice(from, from + bytes);
    },
    async open(path, { write, follow }) {
      faults.check('open', path);
      const node = tree.node(path, follow);
      if (node.kind === 'link') throw failure('ELOOP', path);
      if (node.kind === 'folder' && write) throw failure('EISDIR', path);
      return openNode(path, node, write);
    },
    async createNew(path, bytes, mode) {
      if (tree.place(path, false).node) throw failure('EEXIST', path);
      const node = newFile(path, bytes, mode, () => faults.check('write', path));
      flushNode(node, path);
    },
    async writeAtomic(path, bytes, { mode, flush }) {
      const { node: old } = tree.place(path, false);
      if (old?.kind === 'folder') throw failure('EISDIR', path);
      faults.check('write', path);
      const node = tree.create('file', mode);
      node.bytes = bytes.slice();
      if (flush) flushNode(node, path);
      faults.check('rename', path);
      put(path, node);
    },
    async openAppend(path, mode) {
      faults.check('open', path);
      const { node } = tree.place(path, true);
      if (node?.kind === 'folder') throw failure('EISDIR', path);
      return appendTo(path, node ?? newFile(tree.place(path, true).path, new Uint8Array(0), mode, () => {}));
    },
    async makeFolder(path, mode) {
      faults.check('folder', path);
      makeFolders(path, mode);
    },
    async rename(from, to) {
      faults.check('rename', from);
      const source = tree.place(from, false);
      if (!source.node) throw failure('ENOENT', from);
      const target = tree.place(to, false);
      if (target.node === source.node) return;
      if (target.node?.kind === 'folder' && source.node.kind !== 'folder') throw failure('EISDIR', to);
      if (target.node && target.node.kind !== 'folder' && source.node.kind === 'folder') throw failure('ENOTDIR', to);
      if (target.node && target.node.children.size > 0) throw failure('ENOTEMPTY', to);
      source.parent.children.delete(source.name);
      put(to, source.node);
      changed(from);
    },
    async remove(path, options = { recursive: false }) {
      faults.check('remove', path);
      const place = placeOrNull(path, false);
      if (!place?.node) return;
      if (place.node.children.size > 0 && !options.recursive) throw failure('ENOTEMPTY', path);
      place.parent.children.delete(place.name);
      changed(path);
    },
    async changeMode(path, mode) {
      tree.node(path, true).mode = mode;
      changed(path);
    },
    async makeLink(target, path) {
      if (tree.place(path, false).node) throw failure('EEXIST', path);
      const node = tree.create('link', 0o777);
      node.target = target;
      put(path, node);
    },
    async makeTempFolder(prefix) {
      const path = `/tmp/${prefix}${(temporary++).toString(36).padStart(6, '0')}`;
      makeFolders('/tmp', 0o777);
      put(path, tree.create('folder', 0o700));
      return path;
    },
    watch(path, listener) {
      const isFolder = placeOrNull(path, true)?.node?.kind === 'folder';
      const folder = isFolder ? path : posix.dirname(path);
      if (placeOrNull(folder, true)?.node?.kind !== 'folder') return null;
      const watcher = { isOf: (other: string) => (isFolder ? posix.dirname(other) : other) === path, listener };
      watchers.add(watcher);
      return {
        close() {
          watchers.delete(watcher);
        },
      };
    },

    seed(path, content, mode = 0o644) {
      const node = tree.create('file', mode);
      node.bytes = typeof content === 'string' ? new TextEncoder().encode(content) : content.slice();
      node.durable = node.bytes;
      seedNode(path, node);
    },
    seedFolder(path, mode = 0o755) {
      makeFolders(path, mode);
    },
    seedOther(path, mode = 0o600) {
      seedNode(path, tree.create('other', mode));
    },
    textOf(path) {
      return new TextDecoder().decode(tree.node(path, true).bytes);
    },
    bytesOf(path) {
      return tree.node(path, true).bytes.slice();
    },
    paths(folder = '/') {
      const found: string[] = [];
      const walk = (node: Node, path: string) => {
        if (node.kind !== 'folder') found.push(path);
        for (const [name, child] of node.children) walk(child, posix.join(path, name));
      };
      const { node } = placeOrNull(folder, true) ?? { node: null };
      if (node) walk(node, folder);
      return found.sort();
    },
    fail: faults.add,
    crash({ tornBytes = 0, kill = false } = {}) {
      life++;
      watchers.clear();
      if (kill) return;
      const lose = (node: Node) => {
        if (node.bytes !== node.durable) {
          // What an append added past the flushed bytes may have got there in part.
          const common = node.durable.length <= node.bytes.length ? node.durable.length : 0;
          const torn = node.bytes.slice(common, common + tornBytes);
          node.bytes = tornBytes > 0 && common > 0 ? joinBytes([node.durable, torn]) : node.durable;
          node.durable = node.bytes;
        }
        for (const child of node.children.values()) lose(child);
      };
      lose(tree.root);
    },
    get flushes() {
      return flushes;
    },
  };
}

/**
 * The bytes with more after them. The buffer is given room to grow, so that a long log costs each append only its own
 * bytes; what earlier views show never changes.
 */
function appended(bytes: Uint8Array, more: Uint8Array): Uint8Array {
  const length = bytes.length + more.length;
  let whole = bytes;
  if (bytes.buffer.byteLength - bytes.byteOffset < length) {
    whole = new Uint8Array(Math.max(1024, length * 2));
    whole.set(bytes);
  }
  const grown = new Uint8Array(whole.buffer, whole.byteOffset, length);
  grown.set(more, bytes.length);
  return grown;
}
