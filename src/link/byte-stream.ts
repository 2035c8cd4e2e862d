import { SystemError } from '../system/files.ts';
import type { Connection } from '../system/network.ts';
import type { Child, Processes, SpawnOptions } from '../system/processes.ts';

/** What is needed of one direction of a byte stream that writes by promise. */
export interface ByteSink {
  write(bytes: Uint8Array): Promise<void>;
  close(): void;
}

/** Bytes not yet written at which a writer is told to wait. */
const HIGH_WATER = 256 * 1024;

export interface ByteStream {
  readonly connection: Connection;
  /** Bytes came in. */
  push(bytes: Uint8Array): void;
  /** The other side ended. */
  end(): void;
}

/** A connection over any pair of byte streams: a program's output and input, or our own input and output. */
export function connectByteStream(sink: ByteSink): ByteStream {
  const early: Uint8Array[] = [];
  const drainListeners: (() => void)[] = [];
  const closeListeners: (() => void)[] = [];
  let onData: ((bytes: Uint8Array) => void) | null = null;
  let buffered = 0;
  let full = false;
  let closed = false;

  function end(): void {
    if (closed) return;
    closed = true;
    for (const listener of closeListeners) listener();
  }

  function written(bytes: number): void {
    buffered -= bytes;
    if (!full || buffered > 0 || closed) return;
    full = false;
    for (const listener of drainListeners) listener();
  }

  const connection: Connection = {
    write(bytes) {
      if (closed) return false;
      buffered += bytes.length;
      sink.write(bytes).then(() => written(bytes.length), end);
      full ||= buffered > HIGH_WATER;
      return !full;
    },
    get buffered() {
      return buffered;
    },
    onData(listener) {
      onData = listener;
      for (const bytes of early.splice(0)) listener(bytes);
    },
    onDrain: (listener) => void drainListeners.push(listener),
    onClose(listener) {
      if (closed) queueMicrotask(listener);
      else closeListeners.push(listener);
    },
    close() {
      if (closed) return;
      sink.close();
      end();
    },
  };
  return {
    connection,
    push(bytes) {
      if (onData === null) early.push(bytes.slice());
      else onData(bytes);
    },
    end,
  };
}

/**
 * A program whose input and output are the stream (`ssh -T box houston bridge`, `docker exec -i ...`). Closing ends its
 * input, which ends the program. Throws `SystemError` when it cannot start; `onMessages` gets what it says on stderr.
 */
export async function connectProgram(
  processes: Processes,
  options: Pick<SpawnOptions, 'argv' | 'folder' | 'environment'>,
  onMessages: (bytes: Uint8Array) => void,
): Promise<Connection> {
  let child: Child | null = null;
  const stream = connectByteStream({
    write(bytes) {
      return child === null
        ? Promise.reject(new SystemError('EPIPE', 'the program has not started'))
        : child.write(bytes);
    },
    close: () => child?.closeInput(),
  });
  child = await processes.spawn({
    ...options,
    input: 'pipe',
    output: 'pieces',
    onOutput: (bytes, from) => (from === 'out' ? stream.push(bytes) : onMessages(bytes)),
  });
  void child.exited.then(stream.end);
  return stream.connection;
}
