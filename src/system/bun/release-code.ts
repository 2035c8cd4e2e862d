import { FFIType } from 'bun:ffi';
import { readFileSync } from 'node:fs';
import { loadLibc } from './libc.ts';

const MADV_DONTNEED = 4;
/** `START-END r-xp OFFSET DEVICE INODE PATH`: code as it stands in a file, which nothing in memory differs from. */
const CODE = /^([0-9a-f]+)-([0-9a-f]+) r-xp \S+ \S+ [1-9]\d* +(.+)$/;

/**
 * Lets go of the memory that holds the running program's own code, some 20 MB of Bun's: it lies in the system's file cache
 * all the same, from where a page comes back when it is next run. For a process that rests for long. Does nothing where
 * this is not Linux.
 */
export function releaseCode(): void {
  const { u64, i32 } = FFIType;
  const libc = loadLibc({ madvise: { args: [u64, u64, i32], returns: i32 } });
  if (libc === null) return;
  for (const [start, end] of codeOf(readFileSync('/proc/self/maps', 'latin1'), process.execPath))
    libc.madvise(start, end - start, MADV_DONTNEED);
}

/** Where the code of `program` lies in memory, read from the system's own table (proc(5), `/proc/PID/maps`). */
export function codeOf(maps: string, program: string): readonly (readonly [start: bigint, end: bigint])[] {
  return maps.split('\n').flatMap((line) => {
    const found = CODE.exec(line);
    return found?.[3] === program ? [[BigInt(`0x${found[1]}`), BigInt(`0x${found[2]}`)] as const] : [];
  });
}
