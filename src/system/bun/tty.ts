import { FFIType, ptr } from 'bun:ffi';
import { constants, openSync } from 'node:fs';
import { loadLibc } from './libc.ts';
import { readPipe } from './pipes.ts';

/**
 * The terminal on a descriptor. Asked directly, since the streams of `process.stdin` and `process.stdout` take longer to
 * load than everything else a first frame needs; they serve where the C library cannot be reached.
 */
export interface Tty {
  isTerminal(fd: number): boolean;
  /** Null where the terminal does not know. */
  size(fd: number): { readonly columns: number; readonly rows: number } | null;
  /** False when the terminal is gone. */
  raw(fd: number, on: boolean): boolean;
  /** Gives what is typed until `stop`, after which nothing typed is taken. `ended`: the terminal went away. */
  read(fd: number, onPiece: (bytes: Uint8Array) => void): { readonly ended: Promise<void>; stop(): void } | null;
}

const { i32, ptr: pointer, u64 } = FFIType;
const FUNCTIONS = {
  isatty: { args: [i32], returns: i32 },
  ioctl: { args: [i32, u64, pointer], returns: i32 },
  tcgetattr: { args: [i32, pointer], returns: i32 },
  tcsetattr: { args: [i32, i32, pointer], returns: i32 },
  cfmakeraw: { args: [pointer], returns: FFIType.void },
} as const;
const TIOCGWINSZ = 0x5413n;
const TCSANOW = 0;
/** Larger than any system's `struct termios`. */
const TERMIOS_BYTES = 256;
/** `c_oflag`, the second of four 32-bit words. */
const OUTPUT_FLAGS = 1;

let loaded: Tty | null | undefined;

/** Null where the terminal can only be reached through the platform's streams. */
export function tty(): Tty | null {
  if (loaded === undefined) loaded = loadTty();
  return loaded;
}

function loadTty(): Tty | null {
  const libc = loadLibc(FUNCTIONS);
  if (libc === null) return null;
  const asFound = new Map<number, Uint32Array>();

  function restore(): void {
    for (const [fd, modes] of asFound) libc?.tcsetattr(fd, TCSANOW, ptr(modes));
    asFound.clear();
  }

  return {
    isTerminal: (fd) => libc.isatty(fd) === 1,
    size(fd) {
      const cells = new Uint16Array(4);
      if (libc.ioctl(fd, TIOCGWINSZ, ptr(cells)) !== 0) return null;
      const [rows = 0, columns = 0] = cells;
      return rows > 0 && columns > 0 ? { columns, rows } : null;
    },
    raw(fd, on) {
      if (!on) {
        const modes = asFound.get(fd);
        asFound.delete(fd);
        return modes === undefined || libc.tcsetattr(fd, TCSANOW, ptr(modes)) === 0;
      }
      if (asFound.has(fd)) return true;
      const modes = new Uint32Array(TERMIOS_BYTES / 4);
      if (libc.tcgetattr(fd, ptr(modes)) !== 0) return false;
      const raw = modes.slice();
      libc.cfmakeraw(ptr(raw));
      // Output keeps its translation: a stray line feed of a crash report still begins a line.
      raw[OUTPUT_FLAGS] = modes[OUTPUT_FLAGS]!;
      if (libc.tcsetattr(fd, TCSANOW, ptr(raw)) !== 0) return false;
      if (asFound.size === 0) {
        process.off('exit', restore);
        process.on('exit', restore);
      }
      asFound.set(fd, modes);
      return true;
    },
    read(fd, onPiece) {
      // Opened anew: a flag of ours on the shared one (not to wait) would stay behind for the shell.
      try {
        const { O_NOCTTY, O_NONBLOCK, O_RDONLY } = constants;
        return readPipe(openSync(`/proc/self/fd/${fd}`, O_RDONLY | O_NOCTTY | O_NONBLOCK), onPiece);
      } catch {
        return null;
      }
    },
  };
}
