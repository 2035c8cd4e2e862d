import { fstatSync, writeSync } from 'node:fs';
import { visible } from '../base/text-width.ts';

/** Something meant for stdout could not be written. */
let failed = false;

/** The exit code, which says so too. Asked by each bundle of itself: what another one wrote is not known in it. */
export function afterOutput(code: number): number {
  return code === 0 && failed ? 1 : code;
}

/**
 * Whole and in order, also into a pipe that is full; a reader that went away is no error of ours (`| head -1`).
 * A disk without room is told once, on stderr; where that fails too there is nobody left to tell.
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
      if (descriptor === 1 && !failed) {
        failed = true;
        writeErr(`houston: output-failed: the output could not be written: ${(error as Error).message}\n`);
      }
      return;
    }
  }
}

/** As it is into a file or a pipe; to a terminal, without anything it would obey. */
export function writeOut(text: string): void {
  writeAll(1, isDevice(1) ? drawable(text) : text);
}

/** Every terminal is one. The platform's own test for terminals loads all its streams, which a start would pay for. */
function isDevice(descriptor: number): boolean {
  try {
    return fstatSync(descriptor).isCharacterDevice();
  } catch {
    return false;
  }
}

export function writeErr(text: string): void {
  writeAll(2, drawable(text));
}

/** Text of others may stand in it: only its line ends and tabs go on as what they are. */
function drawable(text: string): string {
  return text.replace(/[^\n\t]+/g, visible);
}
