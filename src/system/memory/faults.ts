import { failure } from './tree.ts';

export type Operation =
  | 'read'
  | 'write'
  | 'append'
  | 'flush'
  | 'open'
  | 'rename'
  | 'remove'
  | 'list'
  | 'stat'
  | 'folder';

/** What is to go wrong. `write` covers creating and replacing whole files, `append` what `AppendFile` does. */
export interface Fault {
  readonly operation: Operation;
  /** The path itself or a folder above it; default: every path. */
  readonly path?: string;
  /** Errno name, such as `ENOSPC`, `EIO`, `EACCES`. */
  readonly code: string;
  /** How many of these go well first; default 0. */
  readonly after?: number;
  /** How many fail; default: all until the fault is taken back. */
  readonly times?: number;
  /** How many bytes of the failing write or append do get there (a torn line); default 0. */
  readonly tornBytes?: number;
}

export interface Faults {
  /** The returned function takes the fault back. */
  add(fault: Fault): () => void;
  /** Throws when a fault is due; `tear` is first given the number of bytes that still got through. */
  check(operation: Operation, path: string, tear?: (bytes: number) => void): void;
}

export function createFaults(): Faults {
  let standing: { readonly fault: Fault; seen: number }[] = [];
  return {
    add(fault) {
      const entry = { fault, seen: 0 };
      standing.push(entry);
      return () => {
        standing = standing.filter((other) => other !== entry);
      };
    },
    check(operation, path, tear) {
      for (const entry of standing) {
        const { fault } = entry;
        if (fault.operation !== operation) continue;
        if (fault.path !== undefined && path !== fault.path && !path.startsWith(`${fault.path}/`)) continue;
        const nth = entry.seen++ - (fault.after ?? 0);
        if (nth < 0 || nth >= (fault.times ?? Number.POSITIVE_INFINITY)) continue;
        tear?.(fault.tornBytes ?? 0);
        throw failure(fault.code, path);
      }
    },
  };
}
