/**
 * Reads frames from bytes that arrive in any pieces. A frame is one line:
 *   {...}            a whole message, JSON
 *   +7 <bytes>       a part of message 7, more follow
 *   =7 <bytes>       the last part of message 7; all parts joined are its JSON
 * Parts of different messages may alternate, so a short message never waits for a long one.
 */
export const PART_BYTES = 64 * 1024;
export const MESSAGE_BYTES = 256 * 1024 * 1024;
/** Room for the mark, the number and the space before a part, and the line's end. */
const HEADER_BYTES = 16;
/** Messages that may be in parts at once: a sender has one for each of its lanes. */
const OPEN_MESSAGES = 16;

const NEWLINE = 0x0a;
const SPACE = 0x20;
const BRACE = 0x7b;
const PLUS = 0x2b;
const EQUALS = 0x3d;

/** What a message is before anybody looked closer: an object that names its type. */
export interface RawMessage {
  readonly type: string;
  readonly [field: string]: unknown;
}

export interface FrameReader {
  /** False after the first malformed frame: nothing more is read from this peer. */
  feed(bytes: Uint8Array): boolean;
}

interface Pieces {
  readonly list: Uint8Array[];
  bytes: number;
}

export interface ReaderOptions {
  readonly onMessage: (message: RawMessage) => void;
  /** Once, with a reason for people; the caller closes. */
  readonly onMalformed: (reason: string) => void;
  readonly maxMessageBytes?: number;
}

export function createFrameReader(options: ReaderOptions): FrameReader {
  const maxBytes = options.maxMessageBytes ?? MESSAGE_BYTES;
  const decoder = new TextDecoder('utf-8', { fatal: true });
  const open = new Map<number, Pieces>();
  let openBytes = 0;
  let line: Pieces = { list: [], bytes: 0 };
  let broken = false;

  function fail(reason: string): false {
    if (!broken) {
      broken = true;
      open.clear();
      line = { list: [], bytes: 0 };
      options.onMalformed(reason);
    }
    return false;
  }

  function deliver(bytes: Uint8Array): boolean {
    let value: unknown;
    try {
      value = JSON.parse(decoder.decode(bytes));
    } catch {
      return fail('a message is not JSON');
    }
    if (!isRawMessage(value)) return fail('a message names no type');
    options.onMessage(value);
    return !broken;
  }

  function takePart(frame: Uint8Array, last: boolean): boolean {
    const space = frame.subarray(0, HEADER_BYTES).indexOf(SPACE);
    const number = space < 2 ? null : readNumber(frame.subarray(1, space));
    if (number === null) return fail('a part has no message number');
    const part = frame.subarray(space + 1);
    const pieces = open.get(number) ?? { list: [], bytes: 0 };
    if (openBytes + part.length > maxBytes) return fail(`a message is longer than ${maxBytes} bytes`);
    // Copied: the line it stands in may lie in a buffer that is used again.
    pieces.list.push(part.slice());
    pieces.bytes += part.length;
    openBytes += part.length;
    if (!last) {
      open.set(number, pieces);
      return open.size <= OPEN_MESSAGES || fail('too many messages are in parts at once');
    }
    open.delete(number);
    openBytes -= pieces.bytes;
    return deliver(joined(pieces));
  }

  function takeLine(frame: Uint8Array): boolean {
    switch (frame[0]) {
      case BRACE:
        return frame.length <= maxBytes ? deliver(frame) : fail(`a message is longer than ${maxBytes} bytes`);
      case PLUS:
        return takePart(frame, false);
      case EQUALS:
        return takePart(frame, true);
      default:
        return fail('a line is no frame');
    }
  }

  return {
    feed(bytes) {
      if (broken) return false;
      let from = 0;
      while (from < bytes.length) {
        const end = bytes.indexOf(NEWLINE, from);
        const piece = bytes.subarray(from, end < 0 ? bytes.length : end);
        if (line.bytes + piece.length > PART_BYTES + HEADER_BYTES) return fail('a line is too long');
        if (end < 0) {
          line.list.push(piece.slice());
          line.bytes += piece.length;
          return true;
        }
        from = end + 1;
        let whole = piece;
        if (line.bytes > 0) {
          line.list.push(piece);
          line.bytes += piece.length;
          whole = joined(line);
          line = { list: [], bytes: 0 };
        }
        if (!takeLine(whole)) return false;
      }
      return true;
    },
  };
}

function joined(pieces: Pieces): Uint8Array {
  if (pieces.list.length === 1) return pieces.list[0]!;
  const whole = new Uint8Array(pieces.bytes);
  let at = 0;
  for (const piece of pieces.list) {
    whole.set(piece, at);
    at += piece.length;
  }
  return whole;
}

function readNumber(digits: Uint8Array): number | null {
  let value = 0;
  for (const digit of digits) {
    if (digit < 0x30 || digit > 0x39) return null;
    value = value * 10 + digit - 0x30;
  }
  return value;
}

function isRawMessage(value: unknown): value is RawMessage {
  return typeof value === 'object' && value !== null && typeof (value as { type?: unknown }).type === 'string';
}
