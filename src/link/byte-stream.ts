import type { Clock } from '../system/clock.ts';
import { SystemError } from '../system/files.ts';
import type { Connection } from '../system/network.ts';
import type { Child, Processes, SpawnOptions } from '../system/processes.ts';

/** What is needed of one direction of a byte stream that writes by promise. */
export interface ByteSink {
  write(bytes: Uint8Array): Promise<void>;
  close(): void;
}

/** How long a program may take to end once its input did. */
const END_MS = 2_000;

/** Bytes not yet written at which a writer is told to wait. */
const HIGH_WATER = 256 * 1024;

export interface ByteStream {
  readonly connection: Connection;
  /** Bytes came in. Where nobody can take them yet: a promise that settles once more may be read. */
  push(bytes: Uint8Array): void | Promise<void>;
  /** The other side ended. */
  end(): void;
}

/** A connection over any pair of byte streams: a program's output and input, or our own input and output. */
export function connectByteStream(sink: ByteSink): ByteStream {
  const early: Uint8Array[] = [];
  const drainListeners: (() => void)[] = [];
  const closeListeners: (() => void)[] = [];
  let onData: ((bytes: Uint8Array) => void) | null = null;
  let goOn: PromiseWithResolvers<void> | null = null;
  let buffered = 0;
  let full = false;
  let closed = false;
  let ended = false;

  function end(): void {
    ended = true;
    // What had come by then is read first, by whoever could not take it yet.
    if (closed || (goOn !== null && early.length > 0)) return;
    tellClosed();
  }

  function tellClosed(): void {
    if (closed) return;
    closed = true;
    resume();
    for (const listener of closeListeners) listener();
  }

  function written(bytes: number): void {
    buffered -= bytes;
    if (!full || buffered > 0 || closed) return;
    full = false;
    for (const listener of drainListeners) listener();
  }

  function handOn(): void {
    while (onData !== null && goOn === null && early.length > 0) onData(early.shift()!);
  }

  function resume(): void {
    const waiting = goOn;
    goOn = null;
    handOn();
    if (goOn !== null) {
      // Whoever took the first of it cannot take the rest.
      const again: PromiseWithResolvers<void> = goOn;
      void again.promise.then(() => waiting?.resolve());
      return;
    }
    waiting?.resolve();
    if (ended) tellClosed();
  }

  const connection: Connection = {
    write(bytes) {
      if (closed || ended) return false;
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
      handOn();
    },
    onDrain: (listener) => void drainListeners.push(listener),
    pause() {
      if (!closed) goOn ??= Promise.withResolvers<void>();
    },
    resume,
    onClose(listener) {
      if (closed) queueMicrotask(listener);
      else closeListeners.push(listener);
    },
    close() {
      if (closed) return;
      early.length = 0;
      sink.close();
      tellClosed();
    },
  };
  return {
    connection,
    push(bytes) {
      if (onData !== null && goOn === null && early.length === 0) {
        onData(bytes);
        return (goOn as PromiseWithResolvers<void> | null)?.promise;
      }
      // Its bytes may lie in a buffer that is used again.
      early.push(bytes.slice());
      return goOn?.promise;
    },
    end,
  };
}

/**
 * A program whose input and output are the stream (`ssh -T box houston bridge`, `docker exec -i ...`). Closing ends its
 * input, which ends the program; one that stays all the same is ended. Throws `SystemError` when it cannot start;
 * `onMessages` gets what it says on stderr.
 */
export async function connectProgram(
  { processes, clock }: { readonly processes: Processes; readonly clock: Clock },
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
    close() {
      child?.closeInput();
      const stays = clock.after(END_MS, () => child?.signal('TERM'));
      void child?.exited.then(stays);
    },
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
