import type { Json } from './json.ts';

/** One JSON value and a line feed, as UTF-8. `value` must be plain JSON; `undefined` fields are left out. */
export function encodeLine(value: unknown): Uint8Array {
  return encoder.encode(`${JSON.stringify(value)}\n`);
}

const encoder = new TextEncoder();
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

export type ParsedLine =
  | { readonly kind: 'value'; readonly value: Json }
  /** Nothing but white space. */
  | { readonly kind: 'blank' }
  | { readonly kind: 'damaged'; readonly why: 'not-utf8' | 'not-json' };

/** A line without its line feed; a carriage return at its end is ignored. Never throws. */
export function parseLine(bytes: Uint8Array): ParsedLine {
  let text: string;
  try {
    text = decoder.decode(bytes);
  } catch {
    return { kind: 'damaged', why: 'not-utf8' };
  }
  if (text.trim() === '') return { kind: 'blank' };
  try {
    return { kind: 'value', value: JSON.parse(text) as Json };
  } catch {
    return { kind: 'damaged', why: 'not-json' };
  }
}

export interface Line {
  /** Where its first byte lies in the stream. */
  readonly offset: number;
  /** Without the line feed. With `tooLong` these are only the first bytes of it. */
  readonly bytes: Uint8Array;
  /** Bytes of the whole line without the line feed. */
  readonly length: number;
  readonly tooLong: boolean;
}

export interface LineSplitter {
  /** The lines that this chunk completed. Bytes are kept, so the chunk must not be changed afterwards. */
  push(chunk: Uint8Array): Line[];
  /** What follows the last line feed; null when the stream ended with one. A torn write looks like this. */
  rest(): Line | null;
}

/** Splits a byte stream at line feeds. A line past `maxBytes` is not collected, only counted, so it costs no memory. */
export function createLineSplitter(maxBytes = 64 * 1024 * 1024): LineSplitter {
  let parts: Uint8Array[] = [];
  let kept = 0;
  let length = 0;
  let offset = 0;

  const keep = (bytes: Uint8Array) => {
    length += bytes.length;
    const room = maxBytes - kept;
    const part = bytes.length > room ? bytes.subarray(0, room) : bytes;
    if (part.length === 0) return;
    parts.push(part);
    kept += part.length;
  };
  const line = (): Line => ({ offset, bytes: joinBytes(parts), length, tooLong: length > maxBytes });

  return {
    push(chunk) {
      const lines: Line[] = [];
      let from = 0;
      for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, from)) {
        keep(chunk.subarray(from, at));
        lines.push(line());
        offset += length + 1;
        parts = [];
        kept = 0;
        length = 0;
        from = at + 1;
      }
      if (from < chunk.length) keep(chunk.subarray(from));
      return lines;
    },
    rest() {
      return length === 0 ? null : line();
    },
  };
}

export function joinBytes(parts: readonly Uint8Array[]): Uint8Array {
  const only = parts[0];
  if (parts.length === 1 && only) return only;
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
