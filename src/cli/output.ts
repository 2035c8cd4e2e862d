import { writeSync } from 'node:fs';

/**
 * Whole and in order, also into a pipe that is full; a reader that went away is no error of ours (`| head -1`).
 */
function writeAll(descriptor: 1 | 2, text: string): void {
  let rest: Uint8Array = Buffer.from(text);
  while (rest.length > 0) {
    try {
      rest = rest.subarray(writeSync(descriptor, rest));
    } catch (error) {
      const code = (error as NodeJS.ErrnoException).code;
      if (code === 'EAGAIN') {
        Bun.sleepSync(1);
        continue;
      }
      if (code === 'EPIPE' || code === 'EIO' || code === 'EBADF') return;
      throw error;
    }
  }
}

export function writeOut(text: string): void {
  writeAll(1, text);
}

export function writeErr(text: string): void {
  writeAll(2, text);
}
