import { FFIType, ptr } from 'bun:ffi';
import { closeSync } from 'node:fs';
import { loadLibc } from './libc.ts';

/**
 * Real pipes for the output of programs. What child_process calls a pipe is a socket, and a socket cannot be opened through
 * `/dev/stdout` or `/dev/stderr`, which shell lines do all the time (`echo failed > /dev/stderr`, `tee /dev/stderr`).
 */
export interface Pipe {
  readonly reader: number;
  readonly writer: number;
}

const O_CLOEXEC = 0o2000000;
type Pipe2 = (fds: ReturnType<typeof ptr>, flags: number) => number;
let pipe2: Pipe2 | null | undefined;

/** Null where there is no way to make one: the caller then takes the platform's sockets. */
export function openPipe(): Pipe | null {
  if (pipe2 === undefined)
    pipe2 = loadLibc({ pipe2: { args: [FFIType.ptr, FFIType.i32], returns: FFIType.i32 } })?.pipe2 ?? null;
  const fds = new Int32Array(2);
  if (pipe2?.(ptr(fds), O_CLOEXEC) !== 0) return null;
  return { reader: fds[0] as number, writer: fds[1] as number };
}

/**
 * Gives every piece to `onPiece`, waiting for a promise it returns before reading on, and closes the descriptor at the end.
 * `stop` ends it early.
 */
export function readPipe(
  reader: number,
  onPiece: (bytes: Uint8Array) => void | Promise<void>,
): { readonly ended: Promise<void>; stop(): void } {
  const { ended, stop } = readStream(Bun.file(reader).stream(), onPiece);
  return { ended: ended.finally(() => closeSync(reader)), stop };
}

/** Gives every piece to `onPiece`, waiting for a promise it returns before reading on. A stream that fails has ended. */
export function readStream(
  stream: ReadableStream<Uint8Array>,
  onPiece: (bytes: Uint8Array) => void | Promise<void>,
): { readonly ended: Promise<void>; stop(): void } {
  const pieces = stream.getReader();
  const run = async () => {
    try {
      for (let next = await pieces.read(); !next.done; next = await pieces.read()) await onPiece(next.value);
    } catch {
      // A pipe that cannot be read any more has ended.
    }
  };
  return {
    ended: run(),
    stop: () => void pieces.cancel().catch(() => {}),
  };
}
