import { FFIType } from 'bun:ffi';
import { loadLibc } from './libc.ts';

/** Asks Bun's allocator for large pages. The launcher sets it for the screen alone, and nothing started from here inherits it. */
export const LARGE_PAGES = 'MIMALLOC_ALLOW_THP';

const PR_SET_THP_DISABLE = 41;

/**
 * Memory in large pages is there with far fewer interruptions, which is a quarter of a start where each one is dear, as in
 * virtual machines; but it is used by the megabyte. So it ends with loading: what is taken from now on comes in small ones.
 */
export function endLargePages(): void {
  if (process.env[LARGE_PAGES] === undefined) return;
  const { i32, u64 } = FFIType;
  loadLibc({ prctl: { args: [i32, u64, u64, u64, u64], returns: i32 } })?.prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0);
}
