export type EncodingName = 'UTF-8' | 'UTF-8 with BOM' | 'UTF-16LE' | 'UTF-16BE';

/** A file's bytes as text that gives the same bytes back, or what they are when they are not such text. */
export type Decoded =
  | { readonly kind: 'text'; readonly encoding: EncodingName; readonly text: string }
  /** Text in an encoding we cannot be sure of (`Latin-1` shows it readably), or no text at all. */
  | { readonly kind: 'other'; readonly encoding: 'Latin-1' | 'binary' };

const BOMS: readonly { readonly encoding: EncodingName; readonly bytes: readonly number[] }[] = [
  { encoding: 'UTF-8 with BOM', bytes: [0xef, 0xbb, 0xbf] },
  { encoding: 'UTF-16LE', bytes: [0xff, 0xfe] },
  { encoding: 'UTF-16BE', bytes: [0xfe, 0xff] },
];

/** Decodes without loss or not at all: what would not encode back to the same bytes is never text. */
export function decodeText(bytes: Uint8Array): Decoded {
  const bom = BOMS.find((one) => one.bytes.every((byte, at) => bytes[at] === byte));
  const encoding = bom?.encoding ?? 'UTF-8';
  if (bom === undefined && looksBinary(bytes)) return { kind: 'other', encoding: 'binary' };
  const text = decodeAs(encoding, bytes.subarray(bom?.bytes.length ?? 0));
  if (text?.isWellFormed() && equals(encodeText(text, encoding), bytes)) return { kind: 'text', encoding, text };
  return { kind: 'other', encoding: bom === undefined ? 'Latin-1' : 'binary' };
}

/** The bytes of a file in this encoding, byte order mark included. */
export function encodeText(text: string, encoding: EncodingName): Uint8Array {
  if (encoding === 'UTF-8') return Buffer.from(text, 'utf8');
  const bom = BOMS.find((one) => one.encoding === encoding)!.bytes;
  const body = encoding === 'UTF-8 with BOM' ? Buffer.from(text, 'utf8') : Buffer.from(text, 'utf16le');
  if (encoding === 'UTF-16BE') body.swap16();
  return Buffer.concat([Uint8Array.from(bom), body]);
}

function decodeAs(encoding: EncodingName, body: Uint8Array): string | null {
  if (encoding === 'UTF-16LE' || encoding === 'UTF-16BE') {
    if (body.length % 2 !== 0) return null;
    const copy = Buffer.from(body);
    return (encoding === 'UTF-16BE' ? copy.swap16() : copy).toString('utf16le');
  }
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(body);
  } catch {
    return null;
  }
}

/** A zero byte near the start: what git and ripgrep go by too. */
export function looksBinary(bytes: Uint8Array): boolean {
  return bytes.subarray(0, 8192).includes(0);
}

function equals(one: Uint8Array, other: Uint8Array): boolean {
  return Buffer.compare(one, other) === 0;
}
