import { FFIType } from 'bun:ffi';
import fs from 'node:fs';
import type { FileSink } from 'bun';
import { loadLibc } from './libc.ts';

/** One end of a connection, as whoever keeps its order and its backlog needs it. */
export interface Plug {
  /** How much of `bytes` went out. */
  push(bytes: Uint8Array): number;
  /** Sends all of `rest`, which found no room, and calls back; null where the platform says by itself when there is room. */
  readonly sendLater: ((rest: Uint8Array, sent: () => void) => void) | null;
  pause(): void;
  resume(): void;
  /** Both directions: `shutdown` alone would wait for the other side to end too. */
  end(): void;
  /** At once, whatever has not gone out. */
  terminate(): void;
}

export interface PlugEvents {
  data(bytes: Uint8Array): void;
  closed(): void;
}

const { i32 } = FFIType;
const FUNCTIONS = {
  fcntl: { args: [i32, i32, i32], returns: i32 },
  shutdown: { args: [i32, i32], returns: i32 },
} as const;
const F_DUPFD_CLOEXEC = 1030;
const SHUT_RDWR = 2;

let loaded: ReturnType<typeof loadLibc<typeof FUNCTIONS>> | undefined;

/**
 * Takes a connection away from the platform's sockets, which look after every one that is open once a second, whether or
 * not anything is sent: at rest that is all a process would do. Its descriptor is read and written as one of a pipe, and
 * costs nothing while nothing comes. Null where that can not be done; then the socket is as it was.
 */
export function unplug(socket: { readonly terminate: () => void }, events: PlugEvents): Plug | null {
  if (loaded === undefined) loaded = loadLibc(FUNCTIONS);
  const libc = loaded;
  const held = (socket as { readonly fd?: number }).fd ?? -1;
  if (libc === null || held < 0) return null;
  const fd = libc.fcntl(held, F_DUPFD_CLOEXEC, 0);
  if (fd < 0) return null;
  // Its own descriptor is closed; the connection goes on by ours.
  socket.terminate();

  let open = true;
  let sink: FileSink | null = null;
  let paused: { readonly over: Promise<void>; readonly resume: () => void } | null = null;

  const pieces = Bun.file(fd).stream().getReader();
  // By plain callbacks: of all that a process gets while a reply streams, this is called most.
  const take = ({ done, value }: { readonly done: boolean; readonly value?: Uint8Array | undefined }): void => {
    if (done) {
      close();
      return;
    }
    if (open && value !== undefined) events.data(value);
    if (paused === null) next();
    else void paused.over.then(next);
  };
  const next = (): void => {
    if (open) pieces.read().then(take, close);
  };

  function close(): void {
    if (!open) return;
    open = false;
    libc?.shutdown(fd, SHUT_RDWR);
    void pieces.cancel().catch(() => {});
    paused?.resume();
    fs.closeSync(fd);
    events.closed();
  }
  next();

  return {
    push(bytes) {
      if (!open) return 0;
      try {
        return fs.writeSync(fd, bytes);
      } catch {
        // No room; or nobody reads any more, which the reading side learns.
        return 0;
      }
    },
    sendLater(rest, sent) {
      if (!open) return;
      // Where nobody reads any more it fails on the spot; whoever writes is told of that by the end of the connection.
      const all = async (): Promise<unknown> => {
        sink ??= Bun.file(fd).writer();
        return Promise.all([sink.write(rest), sink.flush()]);
      };
      all().then(
        () => open && sent(),
        () => close(),
      );
    },
    pause() {
      if (paused !== null) return;
      const { promise: over, resolve: resume } = Promise.withResolvers<void>();
      paused = { over, resume };
    },
    resume() {
      paused?.resume();
      paused = null;
    },
    end: close,
    terminate: close,
  };
}
