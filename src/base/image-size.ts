export interface ImageSize {
  readonly width: number;
  readonly height: number;
}

/** Width and height of a picture from its first bytes (PNG, GIF, JPEG, WebP); null when they cannot be told. */
export function imageSize(bytes: Uint8Array): ImageSize | null {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const starts = (...signature: number[]) => signature.every((byte, at) => bytes[at] === byte);
  if (bytes.length >= 24 && starts(0x89, 0x50, 0x4e, 0x47)) {
    return { width: view.getUint32(16), height: view.getUint32(20) };
  }
  if (bytes.length >= 10 && starts(0x47, 0x49, 0x46, 0x38)) {
    return { width: view.getUint16(6, true), height: view.getUint16(8, true) };
  }
  if (bytes.length >= 30 && starts(0x52, 0x49, 0x46, 0x46)) return webpSize(view);
  if (starts(0xff, 0xd8)) return jpegSize(view);
  return null;
}

/** Walks the segments up to the frame header, the one that says the size. */
function jpegSize(view: DataView): ImageSize | null {
  for (let at = 2; at + 9 <= view.byteLength && view.getUint8(at) === 0xff; at += 2 + view.getUint16(at + 2)) {
    const marker = view.getUint8(at + 1);
    const isFrame = marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;
    if (isFrame) return { height: view.getUint16(at + 5), width: view.getUint16(at + 7) };
  }
  return null;
}

function webpSize(view: DataView): ImageSize | null {
  const kind = String.fromCharCode(...[12, 13, 14, 15].map((at) => view.getUint8(at)));
  if (kind === 'VP8 ') return { width: view.getUint16(26, true) & 0x3fff, height: view.getUint16(28, true) & 0x3fff };
  if (kind === 'VP8L') {
    const bits = view.getUint32(21, true);
    return { width: (bits & 0x3fff) + 1, height: ((bits >> 14) & 0x3fff) + 1 };
  }
  if (kind !== 'VP8X') return null;
  const three = (at: number) => view.getUint16(at, true) | (view.getUint8(at + 2) << 16);
  return { width: three(24) + 1, height: three(27) + 1 };
}
