/** What the file system answered when it could not; `code` is the errno name (`ENOENT`, `EACCES`, `ENOSPC`, ...). */
export class SystemError extends Error {
  readonly code: string;
  readonly path: string | null;
  constructor(code: string, message: string, path: string | null = null) {
    super(message);
    this.code = code;
    this.path = path;
  }
}

export interface FileStat {
  readonly kind: 'file' | 'folder' | 'link' | 'other';
  readonly size: number;
  /** Permission bits only, such as 0o644. */
  readonly mode: number;
  readonly modifiedMs: number;
  readonly createdMs: number;
  readonly inode: number;
  readonly device: number;
  readonly owner: number;
  /** When its content, mode or names last changed, which no program can set back; left out where that is not known. */
  readonly changedMs?: number;
  /** How many names it has; left out where that is not known. */
  readonly links?: number;
}

export interface FolderEntry {
  readonly name: string;
  readonly kind: FileStat['kind'];
}

/** Every path is absolute. Everything throws `SystemError` unless it says that it answers null. */
export interface Files {
  /** Follows links; null when nothing is there. */
  stat(path: string): Promise<FileStat | null>;
  /** Does not follow a last link; null when nothing is there. */
  linkStat(path: string): Promise<FileStat | null>;
  /** The path with every link resolved; null when nothing is there. */
  realPath(path: string): Promise<string | null>;
  readLink(path: string): Promise<string | null>;
  list(path: string): Promise<FolderEntry[]>;
  /** Whole file; refuses one larger than `maxBytes` with code `EFBIG`. Folders, devices and pipes are refused without blocking. */
  read(path: string, maxBytes?: number): Promise<Uint8Array>;
  readRange(path: string, from: number, bytes: number): Promise<Uint8Array>;
  /** Opens without blocking and without creating. `follow: false` refuses a link as last segment (`ELOOP`). */
  open(path: string, how: { write: boolean; follow: boolean }): Promise<OpenFile>;
  /** Creates a file that must not exist (`EEXIST`), with its bytes, and flushes it. */
  createNew(path: string, bytes: Uint8Array, mode: number): Promise<void>;
  /** Temp file beside it + rename; with `flush`, both are on the disk before it resolves. Replaces a link itself, not its target. */
  writeAtomic(path: string, bytes: Uint8Array, options: { mode: number; flush: boolean }): Promise<void>;
  /** Creates it where it is missing. */
  openAppend(path: string, mode: number): Promise<AppendFile>;
  /** With the folders above it; one that is there already is no error. */
  makeFolder(path: string, mode: number): Promise<void>;
  rename(from: string, to: string): Promise<void>;
  /** A file, a link (never what it leads to) or an empty folder, else `ENOTEMPTY`. Nothing there is no error. */
  remove(path: string, options?: { recursive: boolean }): Promise<void>;
  changeMode(path: string, mode: number): Promise<void>;
  makeLink(target: string, path: string): Promise<void>;
  /** A new private folder (0700) in the system's temp folder. */
  makeTempFolder(prefix: string): Promise<string>;
  /**
   * Calls back after changes of the file, or of what lies directly in the folder, that `path` names. A file may come into
   * being later and be replaced. `null` where watching is not possible. Keeps nobody awake.
   */
  watch(path: string, listener: () => void): { close(): void } | null;
}

/** A file held by its descriptor: what is checked is what is read or written. */
export interface OpenFile {
  stat(): Promise<FileStat>;
  /** The path the descriptor really is (through /proc or fcntl), null where the system cannot tell. */
  realPath(): Promise<string | null>;
  readAll(maxBytes?: number): Promise<Uint8Array>;
  /** Replaces the content in place (same inode, owner, mode, links) and flushes it. */
  overwrite(bytes: Uint8Array): Promise<void>;
  close(): Promise<void>;
}

export interface AppendFile {
  size(): Promise<number>;
  append(bytes: Uint8Array): Promise<void>;
  /** fdatasync. */
  flush(): Promise<void>;
  truncate(size: number): Promise<void>;
  close(): Promise<void>;
}
