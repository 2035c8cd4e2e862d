import type { Connection } from '../system/network.ts';
import { createFrameReader, MESSAGE_BYTES, PART_BYTES, type RawMessage } from './frame-reader.ts';

/**
 * `urgent` goes first. Within a lane messages arrive in order; `ordered` and `bulk` take turns part by part, so neither
 * a snapshot nor a long answer holds up the other.
 */
export type Lane = 'urgent' | 'ordered' | 'bulk';

/** Messages both ways over one connection. */
export interface Framed<Out extends { readonly type: string }> {
  send(message: Out, lane?: Lane): void;
  /** A message encoded once for many peers (see `encodeMessage`), on the ordered lane; `drop` may take it back. */
  sendEncoded(encoded: Uint8Array): void;
  /** Bytes that wait for a receiver who is behind, here and in the connection; 0 when it keeps up. */
  readonly backlog: number;
  /** Takes back every message given to `sendEncoded` that has not begun. */
  drop(): void;
  /** Calls back each time everything that waited was handed over. */
  onDrain(listener: () => void): void;
  /** Closes once everything that waits was written. */
  close(): void;
  /** Closes now; what waits is lost. */
  cut(): void;
  readonly closed: boolean;
}

export interface FramedOptions {
  readonly onMessage: (message: RawMessage) => void;
  readonly onMalformed: (reason: string) => void;
  /** Once, when the connection is gone, whoever closed it; may be called within `close`, `cut` and `send`. */
  readonly onClosed: () => void;
}

interface Outgoing {
  readonly bytes: Uint8Array;
  readonly number: number;
  readonly mayDrop: boolean;
  sent: number;
}

const NEWLINE = 0x0a;
const encoder = new TextEncoder();

/** One line of UTF-8, its end included. Throws for more than 256 MiB: nobody would read it. */
export function encodeMessage(message: { readonly type: string }): Uint8Array {
  const encoded = encoder.encode(`${JSON.stringify(message)}\n`);
  if (encoded.length > MESSAGE_BYTES)
    throw new Error(`a ${message.type} message of ${encoded.length} bytes is too long`);
  return encoded;
}

export function frame<Out extends { readonly type: string }>(
  connection: Connection,
  options: FramedOptions,
): Framed<Out> {
  const urgent: Outgoing[] = [];
  const ordered: Outgoing[] = [];
  const bulk: Outgoing[] = [];
  const lanes: Readonly<Record<Lane, Outgoing[]>> = { urgent, ordered, bulk };
  const drainListeners: (() => void)[] = [];
  let queued = 0;
  let number = 0;
  let blocked = false;
  let closing = false;
  let closed = false;
  let bulkNext = false;

  const reader = createFrameReader({
    onMessage(message) {
      // One piece may hold more than the message at which we closed.
      if (!closed && !closing) options.onMessage(message);
    },
    onMalformed: options.onMalformed,
  });

  function nextLane(): Outgoing[] | null {
    if (urgent.length > 0) return urgent;
    if (ordered.length === 0 && bulk.length === 0) return null;
    const lane = (bulkNext && bulk.length > 0) || ordered.length === 0 ? bulk : ordered;
    bulkNext = lane === ordered;
    return lane;
  }

  function pump(): void {
    while (!blocked && !closed) {
      const lane = nextLane();
      if (lane === null) break;
      const outgoing = lane[0]!;
      const piece = nextPiece(outgoing);
      if (outgoing.sent === outgoing.bytes.length) lane.shift();
      if (!connection.write(piece)) blocked = true;
    }
    if (closing && queued === 0) finish();
  }

  function finish(): void {
    if (closed) return;
    closed = true;
    connection.close();
    options.onClosed();
  }

  /** The next line to write for a message: all of it, or one more part. */
  function nextPiece(outgoing: Outgoing): Uint8Array {
    const { bytes } = outgoing;
    if (bytes.length <= PART_BYTES) {
      outgoing.sent = bytes.length;
      queued -= bytes.length;
      return bytes;
    }
    // The line's end of the whole message becomes the one of its last part.
    const to = Math.min(outgoing.sent + PART_BYTES, bytes.length - 1);
    const last = to === bytes.length - 1;
    const header = encoder.encode(`${last ? '=' : '+'}${outgoing.number} `);
    const part = bytes.subarray(outgoing.sent, to);
    const line = new Uint8Array(header.length + part.length + 1);
    line.set(header, 0);
    line.set(part, header.length);
    line[line.length - 1] = NEWLINE;
    const sent = last ? bytes.length : to;
    queued -= sent - outgoing.sent;
    outgoing.sent = sent;
    return line;
  }

  // What came before anybody listened waits until the caller holds what `frame` returns.
  let early: Uint8Array[] | null = [];
  queueMicrotask(() => {
    const pieces = early ?? [];
    early = null;
    for (const bytes of pieces) if (!closed) reader.feed(bytes);
  });
  connection.onData((bytes) => {
    if (early !== null) early.push(bytes.slice());
    else if (!closed) reader.feed(bytes);
  });
  connection.onDrain(() => {
    blocked = false;
    pump();
    if (!blocked && !closed) for (const listener of drainListeners) listener();
  });
  connection.onClose(finish);

  function enqueue(bytes: Uint8Array, lane: Lane, mayDrop: boolean): void {
    if (closed || closing) return;
    number = (number + 1) % 1_000_000_000;
    lanes[lane].push({ bytes, number, mayDrop, sent: 0 });
    queued += bytes.length;
    pump();
  }

  return {
    send: (message, lane = 'ordered') => enqueue(encodeMessage(message), lane, false),
    sendEncoded: (encoded) => enqueue(encoded, 'ordered', true),
    get backlog() {
      return blocked ? queued + connection.buffered : 0;
    },
    drop() {
      const all = ordered.splice(0);
      for (const outgoing of all) {
        if (!outgoing.mayDrop || outgoing.sent > 0) ordered.push(outgoing);
        else queued -= outgoing.bytes.length;
      }
    },
    onDrain(listener) {
      drainListeners.push(listener);
    },
    close() {
      if (closing || closed) return;
      closing = true;
      pump();
    },
    cut: finish,
    get closed() {
      return closed || closing;
    },
  };
}
