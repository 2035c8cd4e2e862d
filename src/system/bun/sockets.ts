import { unlinkSync } from 'node:fs';
import type { Socket, SocketHandler } from 'bun';
import type { Connection } from '../network.ts';
import { systemError } from './errors.ts';
import { type Plug, unplug } from './quiet-socket.ts';

/** How long a receiver that is behind may take for what was written before the end. */
const LINGER_MS = 1000;

/** What the platform's callbacks find on their socket. */
interface Wire {
  readonly connection: Connection;
  opened(socket: Socket<Wire>): void;
  data(bytes: Uint8Array): void;
  writable(): void;
  closed(): void;
}

/** Unix sockets without `node:net`, whose streams take longer to load than all else a first frame needs. */
export function listenOnSocket(path: string, onConnection: (connection: Connection) => void): { close(): void } {
  const open = new Set<Connection>();
  // The socket file is bound within the call, so nobody ever sees it with wider permissions.
  const before = process.umask(0o177);
  try {
    const server = Bun.listen<Wire>({
      unix: path,
      socket: {
        ...HANDLERS,
        open(socket) {
          const wire = createWire();
          socket.data = wire;
          wire.opened(socket);
          open.add(wire.connection);
          wire.connection.onClose(() => open.delete(wire.connection));
          onConnection(wire.connection);
        },
      },
    });
    return {
      close() {
        server.stop();
        removeSocket(path);
        for (const connection of open) connection.close();
      },
    };
  } catch (error) {
    throw systemError(error, path);
  } finally {
    process.umask(before);
  }
}

export async function connectToSocket(path: string): Promise<Connection> {
  const wire = createWire();
  try {
    await Bun.connect<Wire>({
      unix: path,
      data: wire,
      socket: { ...HANDLERS, open: (socket) => wire.opened(socket) },
    });
  } catch (error) {
    throw systemError(error, path);
  }
  return wire.connection;
}

const HANDLERS: SocketHandler<Wire, 'buffer'> = {
  binaryType: 'buffer',
  data: (socket, bytes) => socket.data.data(bytes),
  drain: (socket) => socket.data.writable(),
  close: (socket) => socket.data?.closed(),
  // Whatever goes wrong on a connection ends it; the end is what listeners are told of.
  error: (socket) => void socket.terminate(),
};

function removeSocket(path: string): void {
  try {
    unlinkSync(path);
  } catch {
    // The platform, or somebody else, was first.
  }
}

function createWire(): Wire {
  let plug: Plug | null = null;
  let moved = false;
  let onData: ((bytes: Uint8Array) => void) | null = null;
  let early: Uint8Array[] = [];
  const drainListeners: (() => void)[] = [];
  const closeListeners: (() => void)[] = [];
  /** What the receiver had no room for, oldest first. */
  let pending: Uint8Array[] = [];
  let buffered = 0;
  let ending = false;
  let ended = false;
  let over = false;
  let late: ReturnType<typeof setTimeout> | null = null;
  let paused = false;

  /** How much of `bytes` went out. */
  function push(bytes: Uint8Array): number {
    return plug?.push(bytes) ?? 0;
  }

  function writable(): void {
    sendOn(buffered > 0);
  }

  function sendOn(waited: boolean): void {
    while (pending.length > 0) {
      const first = pending[0]!;
      const sent = push(first);
      buffered -= sent;
      if (sent < first.length) {
        pending[0] = first.subarray(sent);
        wait();
        return;
      }
      pending.shift();
    }
    if (ending) finish();
    else if (waited) for (const listener of drainListeners) listener();
  }

  /** Until the oldest of what is behind has gone out, where nobody else says when there is room. */
  function wait(): void {
    const first = pending[0];
    if (first === undefined) return;
    plug?.sendLater?.(first, () => {
      pending.shift();
      buffered -= first.length;
      sendOn(true);
    });
  }

  function finish(): void {
    plug?.end();
  }

  /** What came before anybody listened, or while nobody could take it. */
  function handOn(): void {
    while (onData !== null && !paused && early.length > 0) onData(early.shift()!);
    if (ended && early.length === 0 && !paused) tellClosed();
  }

  function tellClosed(): void {
    if (over) return;
    over = true;
    for (const listener of closeListeners.splice(0)) listener();
  }

  const connection: Connection = {
    write(bytes) {
      if (over || ended || ending || plug === null) return false;
      const sent = buffered > 0 ? 0 : push(bytes);
      if (sent === bytes.length) return true;
      // A copy: the caller may use its bytes again.
      pending.push(new Uint8Array(bytes.subarray(sent)));
      buffered += bytes.length - sent;
      if (pending.length === 1) wait();
      return false;
    },
    get buffered() {
      return buffered;
    },
    onData(listener) {
      onData = listener;
      handOn();
    },
    onDrain(listener) {
      drainListeners.push(listener);
    },
    pause() {
      paused = true;
      if (!over) plug?.pause();
    },
    resume() {
      if (!paused) return;
      paused = false;
      handOn();
      if (!paused && !over) plug?.resume();
    },
    onClose(listener) {
      if (over) queueMicrotask(listener);
      else closeListeners.push(listener);
    },
    close() {
      if (over || ending) return;
      if (ended) {
        early = [];
        tellClosed();
        return;
      }
      ending = true;
      if (buffered === 0) finish();
      else late = setTimeout(() => plug?.terminate(), LINGER_MS);
    },
  };
  const data = (bytes: Uint8Array): void => {
    if (onData === null || paused || early.length > 0) early.push(new Uint8Array(bytes));
    else onData(bytes);
  };
  const closed = (): void => {
    if (over || ended) return;
    ended = true;
    if (late !== null) clearTimeout(late);
    pending = [];
    buffered = 0;
    // What had come by then is read first, by whoever could not take it yet.
    if (!paused || early.length === 0) tellClosed();
  };
  return {
    connection,
    opened(socket) {
      moved = true;
      plug = unplug(socket, { data, closed });
      moved = plug !== null;
      plug ??= plugOf(socket);
    },
    data,
    writable,
    // The end of a socket that was left behind is not the end of its connection.
    closed: () => {
      if (!moved) closed();
    },
  };
}

/** The platform's own socket: it says by itself when there is room again. */
function plugOf(socket: Socket<Wire>): Plug {
  return {
    push: (bytes) => Math.max(0, socket.write(bytes)),
    sendLater: null,
    pause: () => socket.pause(),
    resume: () => socket.resume(),
    end: () => void socket.end(),
    terminate: () => socket.terminate(),
  };
}
