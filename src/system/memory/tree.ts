import { posix } from 'node:path';
import { SystemError } from '../files.ts';

/** A file, folder or link in memory; `device` stands for pipes, sockets and devices. */
export interface Node {
  kind: 'file' | 'folder' | 'link' | 'other';
  readonly inode: number;
  mode: number;
  modifiedMs: number;
  readonly createdMs: number;
  /** A file's content, and what of it a crash leaves. */
  bytes: Uint8Array;
  durable: Uint8Array;
  readonly children: Map<string, Node>;
  target: string;
}

/** Where a path leads: its parent folder, the name in it, and what stands there (null: nothing). */
export interface Place {
  readonly parent: Node;
  readonly name: string;
  readonly node: Node | null;
  /** The path with the links before the last name resolved. */
  readonly path: string;
}

export interface Tree {
  readonly root: Node;
  create(kind: Node['kind'], mode: number): Node;
  /** Throws ENOENT, ENOTDIR, ELOOP where a part on the way is missing, no folder, or links in circles. */
  place(path: string, followLast: boolean): Place;
  node(path: string, followLast: boolean): Node;
  pathOf(node: Node): string | null;
}

const NO_BYTES = new Uint8Array(0);

export function createTree(now: () => number): Tree {
  let inodes = 1;
  const create = (kind: Node['kind'], mode: number): Node => ({
    kind,
    inode: inodes++,
    mode,
    modifiedMs: now(),
    createdMs: now(),
    bytes: NO_BYTES,
    durable: NO_BYTES,
    children: new Map(),
    target: '',
  });
  const root = create('folder', 0o755);

  const place = (path: string, followLast: boolean): Place => {
    if (!posix.isAbsolute(path)) throw new Error(`the path is not absolute: ${path}`);
    if (path.includes('\0')) throw new SystemError('EINVAL', `EINVAL: null byte in path '${path}'`, path);
    let links = 0;
    const walk = (from: readonly Place[], parts: string[]): Place => {
      const trail = [...from];
      while (true) {
        const here = trail.at(-1) as Place;
        const name = parts.shift();
        if (name === undefined) return here;
        if (name === '' || name === '.') continue;
        if (!here.node) throw failure('ENOENT', path);
        if (here.node.kind !== 'folder') throw failure('ENOTDIR', path);
        if (name === '..') {
          if (trail.length > 1) trail.pop();
          continue;
        }
        const node = here.node.children.get(name) ?? null;
        const last = parts.every((part) => part === '' || part === '.');
        if (node?.kind === 'link' && (!last || followLast)) {
          if (++links > 40) throw failure('ELOOP', path);
          parts.unshift(...node.target.split('/'));
          if (node.target.startsWith('/')) trail.splice(1);
          continue;
        }
        trail.push({ parent: here.node, name, node, path: posix.join(here.path, name) });
      }
    };
    return walk([{ parent: root, name: '', node: root, path: '/' }], path.split('/'));
  };

  return {
    root,
    create,
    place,
    node(path, followLast) {
      const { node } = place(path, followLast);
      if (!node) throw failure('ENOENT', path);
      return node;
    },
    pathOf(wanted) {
      const search = (node: Node, path: string): string | null => {
        if (node === wanted) return path;
        for (const [name, child] of node.children) {
          const found = search(child, posix.join(path, name));
          if (found) return found;
        }
        return null;
      };
      return search(root, '/');
    },
  };
}

const MESSAGES: Readonly<Record<string, string>> = {
  ENOENT: 'no such file or directory',
  ENOTDIR: 'not a directory',
  EISDIR: 'illegal operation on a directory',
  ELOOP: 'too many symbolic links encountered',
  EEXIST: 'file already exists',
  ENOTEMPTY: 'directory not empty',
  EFBIG: 'file too large',
  EINVAL: 'invalid argument',
  EBADF: 'bad file descriptor',
  ENOSPC: 'no space left on device',
  EIO: 'i/o error',
  EACCES: 'permission denied',
};

export function failure(code: string, path: string): SystemError {
  return new SystemError(code, `${code}: ${MESSAGES[code] ?? 'failed'}, '${path}'`, path);
}
