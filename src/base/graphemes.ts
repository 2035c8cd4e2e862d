/**
 * Grapheme clusters. Most text is made of characters that never join a neighbour ("simple" ones); between two of those
 * there is always a border, so the costly segmenter only ever sees the short runs in between.
 */

let segmenter: Intl.Segmenter | null = null;

/** A run longer than this without a sure border is cut: bounds the cost of one step in hostile text. */
export const LONGEST_RUN = 4096;

/** True for UTF-16 units that neither extend the character before them nor are extended by a simple one after them. */
function isSimple(unit: number): boolean {
  if (unit < 0x300) return unit !== 0x0d && unit !== 0x0a;
  if (unit < 0x2000) return (unit >= 0x370 && unit <= 0x482) || (unit >= 0x48a && unit <= 0x52f);
  // Dashes, quotes, bullets and dots; then arrows, symbols, box drawing and signs: every frame holds some.
  if (unit < 0x2e80) return (unit >= 0x2010 && unit <= 0x2027) || (unit >= 0x2190 && unit <= 0x2bff);
  if (unit < 0xac00)
    return (
      (unit >= 0x3400 && unit <= 0xa48c) ||
      (unit >= 0x3000 && unit <= 0x3029) ||
      (unit >= 0x3041 && unit <= 0x3096) ||
      (unit >= 0x30a1 && unit <= 0x30fa)
    );
  return unit <= 0xd7a3 || (unit >= 0xff01 && unit <= 0xff9d);
}

/** True where the two units surely belong to two clusters; false where only the segmenter can tell. */
export function isSureBorder(before: number, after: number): boolean {
  if (before === 0x0a) return true;
  if (after === 0x0a) return before !== 0x0d;
  if (after === 0x0d) return true;
  if (after < 0x300) return !mayPrepend(before);
  return isSimple(after) && (isSimple(before) || before === 0x0d);
}

/** A few characters of some scripts join whatever follows them. */
function mayPrepend(unit: number): boolean {
  return (unit >= 0x600 && unit < 0x2000) || (unit & 0xf800) === 0xd800;
}

export function isPrintableAscii(text: string): boolean {
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit < 0x20 || unit > 0x7e) return false;
  }
  return true;
}

/** End of the cluster that starts at `offset`, which must be a cluster border; `text.length` at the end. */
export function nextBorder(text: string, offset: number): number {
  const length = text.length;
  if (offset + 1 >= length) return length;
  if (isSureBorder(text.charCodeAt(offset), text.charCodeAt(offset + 1))) return offset + 1;
  for (let window = 32; ; window *= 4) {
    const piece = text.slice(offset, offset + window);
    const size = firstCluster(piece);
    if (size < piece.length - 1 || offset + window >= length || window > LONGEST_RUN) return offset + size;
  }
}

/** Start of the cluster that ends at `offset` (or holds it); 0 at the start. */
export function previousBorder(text: string, offset: number): number {
  if (offset <= 1) return 0;
  const last = text.charCodeAt(offset - 1);
  if (isSureBorder(text.charCodeAt(offset - 2), last)) return offset - 1;
  let at = sureBorderBefore(text, offset - 1);
  for (;;) {
    const next = nextBorder(text, at);
    if (next >= offset) return at;
    at = next;
  }
}

/** The nearest cluster border at or before `offset`. */
export function borderAtOrBefore(text: string, offset: number): number {
  if (offset <= 0) return 0;
  if (offset >= text.length) return text.length;
  if (isSureBorder(text.charCodeAt(offset - 1), text.charCodeAt(offset))) return offset;
  const start = previousBorder(text, offset);
  return nextBorder(text, start) === offset ? offset : start;
}

/** Visits each cluster of `text` from `from` (a border) to `to`, with its offset; `visit` returns false to stop. */
export function eachCluster(
  text: string,
  visit: (cluster: string, offset: number) => boolean | undefined,
  from = 0,
  to = text.length,
): void {
  let at = from;
  while (at < to) {
    if (at + 1 >= to || isSureBorder(text.charCodeAt(at), text.charCodeAt(at + 1))) {
      if (visit(text.charAt(at), at) === false) return;
      at++;
      continue;
    }
    const end = endOfRun(text, at, to);
    for (const { segment } of segments(text.slice(at, end))) {
      if (visit(segment, at) === false) return;
      at += segment.length;
    }
  }
}

export function clusters(text: string): string[] {
  const list: string[] = [];
  eachCluster(text, (cluster) => {
    list.push(cluster);
    return undefined;
  });
  return list;
}

function segments(piece: string): Intl.Segments {
  segmenter ??= new Intl.Segmenter('und', { granularity: 'grapheme' });
  return segmenter.segment(piece);
}

function firstCluster(piece: string): number {
  return segments(piece).containing(0)?.segment.length ?? piece.length;
}

/** The first sure border after `at`. */
function endOfRun(text: string, at: number, to: number): number {
  const limit = Math.min(to, at + LONGEST_RUN);
  let end = at + 1;
  while (end < limit && !isSureBorder(text.charCodeAt(end - 1), text.charCodeAt(end))) end++;
  return end < to && (text.charCodeAt(end) & 0xfc00) === 0xdc00 ? end + 1 : end;
}

function sureBorderBefore(text: string, offset: number): number {
  const floor = Math.max(0, offset - LONGEST_RUN);
  for (let at = offset; at > floor; at--) {
    if (isSureBorder(text.charCodeAt(at - 1), text.charCodeAt(at))) return at;
  }
  // Never start inside a surrogate pair.
  return floor > 0 && (text.charCodeAt(floor) & 0xfc00) === 0xdc00 ? floor - 1 : floor;
}
