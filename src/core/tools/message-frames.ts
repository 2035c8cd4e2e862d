import type { Json } from '../../base/json.ts';
import { joinBytes } from '../../base/json-lines.ts';

/** Messages of the language server protocol: a head with `Content-Length`, an empty line, that many bytes of JSON. */
export interface MessageReader {
  /** The messages this piece completed; `broken` when what came is no such stream or a message is too large. */
  push(piece: Uint8Array): { readonly messages: readonly Json[]; readonly broken: boolean };
}

const HEAD_END = Buffer.from('\r\n\r\n');
const MOST_HEAD_BYTES = 4 * 1024;
const MOST_MESSAGE_BYTES = 32 * 1024 * 1024;

export function createMessageReader(): MessageReader {
  let held: Uint8Array[] = [];
  let size = 0;
  /** Nothing can be complete before so many bytes are there. */
  let wanted = 1;
  return {
    push(piece) {
      const messages: Json[] = [];
      held.push(piece);
      size += piece.length;
      while (size >= wanted) {
        const bytes = joinBytes(held);
        held = [bytes];
        const head = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).indexOf(HEAD_END);
        if (head < 0) {
          wanted = size + 1;
          return { messages, broken: size > MOST_HEAD_BYTES };
        }
        const length = lengthIn(bytes.subarray(0, head));
        if (length === null || length > MOST_MESSAGE_BYTES) return { messages, broken: true };
        const end = head + HEAD_END.length + length;
        if (size < end) {
          wanted = end;
          return { messages, broken: false };
        }
        try {
          messages.push(JSON.parse(new TextDecoder().decode(bytes.subarray(head + HEAD_END.length, end))) as Json);
        } catch {
          return { messages, broken: true };
        }
        held = [bytes.subarray(end)];
        size -= end;
        wanted = 1;
      }
      return { messages, broken: false };
    },
  };
}

export function encodeMessage(message: Json): Uint8Array {
  const body = Buffer.from(JSON.stringify(message));
  return Buffer.concat([Buffer.from(`Content-Length: ${body.length}\r\n\r\n`), body]);
}

function lengthIn(head: Uint8Array): number | null {
  const [, digits] = /(?:^|\r\n)content-length: *(\d{1,10})(?:\r\n|$)/i.exec(new TextDecoder().decode(head)) ?? [];
  return digits === undefined ? null : Number(digits);
}
