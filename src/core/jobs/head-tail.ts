/**
 * The first and the last part of a byte stream of any length, in bounded memory. Where something is left out, both parts
 * end at whole UTF-8 characters.
 */
export interface HeadTail {
  push(bytes: Uint8Array): void;
  readonly totalBytes: number;
  /** Lines begun: a last line without an end counts. */
  readonly totalLines: number;
  read(): { readonly head: string; readonly tail: string; readonly omittedBytes: number };
}

/** `size` bytes are kept at each end. */
export function createHeadTail(size: number): HeadTail {
  const head = new Uint8Array(size);
  const ring = new Uint8Array(size);
  let totalBytes = 0;
  let newlines = 0;
  let last = 0x0a;

  function push(bytes: Uint8Array): void {
    if (bytes.length === 0) return;
    for (let at = bytes.indexOf(0x0a); at >= 0; at = bytes.indexOf(0x0a, at + 1)) newlines++;
    last = bytes[bytes.length - 1]!;
    const intoHead = Math.max(0, Math.min(size - totalBytes, bytes.length));
    head.set(bytes.subarray(0, intoHead), Math.min(totalBytes, size));
    const rest = bytes.subarray(intoHead);
    const kept = rest.subarray(Math.max(0, rest.length - size));
    // The ring holds stream position p at (p - size) % size, for positions past the head.
    const position = totalBytes + bytes.length - kept.length - size;
    for (let done = 0; done < kept.length; ) {
      const at = (position + done) % size;
      const piece = kept.subarray(done, done + size - at);
      ring.set(piece, at);
      done += piece.length;
    }
    totalBytes += bytes.length;
  }

  function read(): { head: string; tail: string; omittedBytes: number } {
    const inHead = Math.min(totalBytes, size);
    const past = totalBytes - inHead;
    const inTail = Math.min(past, size);
    const start = past <= size ? 0 : past % size;
    const tail = new Uint8Array(inTail);
    tail.set(ring.subarray(start, inTail), 0);
    tail.set(ring.subarray(0, start), inTail - start);
    const omitted = past - inTail;
    if (omitted === 0) {
      const whole = new Uint8Array(totalBytes);
      whole.set(head.subarray(0, inHead));
      whole.set(tail, inHead);
      return { head: decode(whole), tail: '', omittedBytes: 0 };
    }
    const end = wholeEnd(head);
    const begin = wholeStart(tail);
    return {
      head: decode(head.subarray(0, end)),
      tail: decode(tail.subarray(begin)),
      omittedBytes: omitted + size - end + begin,
    };
  }

  return {
    push,
    get totalBytes() {
      return totalBytes;
    },
    get totalLines() {
      return newlines + (last === 0x0a ? 0 : 1);
    },
    read,
  };
}

/** What is not UTF-8 becomes replacement marks here only; the saved output keeps every byte. */
function decode(bytes: Uint8Array): string {
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
}

/** Length without a character that was cut at the end. */
function wholeEnd(bytes: Uint8Array): number {
  for (let back = 1; back <= 4 && back <= bytes.length; back++) {
    const byte = bytes[bytes.length - back]!;
    if ((byte & 0xc0) === 0x80) continue;
    const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
    return length > back ? bytes.length - back : bytes.length;
  }
  return bytes.length;
}

/** Position of the first byte that begins a character. */
function wholeStart(bytes: Uint8Array): number {
  let at = 0;
  while (at < 3 && at < bytes.length && (bytes[at]! & 0xc0) === 0x80) at++;
  return at;
}
