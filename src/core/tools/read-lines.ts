import { sha256, startSha256 } from '../../base/sha256.ts';
import { decodeText, type EncodingName, looksBinary } from './text-encoding.ts';

/** Lines of a file from `first` on (1 is the first), without their endings. */
export type ReadLines =
  | {
      readonly kind: 'lines';
      readonly lines: readonly string[];
      readonly totalLines: number;
      /** `large`: too large to be examined as a whole, shown as UTF-8 with marks for what is not. */
      readonly encoding: EncodingName | 'Latin-1' | 'large';
      readonly carriageReturns: boolean;
      readonly finalNewline: boolean;
      readonly hash: string;
    }
  | { readonly kind: 'binary'; readonly hash: string | null };

export interface Span {
  readonly first: number;
  readonly most: number;
}

export interface Source {
  read(maxBytes: number): Promise<Uint8Array>;
  readRange(from: number, bytes: number): Promise<Uint8Array>;
}

/** Up to here a file is decoded as a whole. */
const WHOLE = 8 * 1024 * 1024;
const CHUNK = 1024 * 1024;
/** Of a line in a large file only so much is held. */
const MOST_LINE_BYTES = 16 * 1024;

/** `size` is what the file is said to hold; one that grew past the bound meanwhile is refused with `EFBIG`. */
export async function readLines(source: Source, size: number, span: Span): Promise<ReadLines> {
  return size <= WHOLE ? wholeLines(await source.read(2 * WHOLE), span) : streamLines(source, span);
}

function wholeLines(bytes: Uint8Array, span: Span): ReadLines {
  const hash = sha256(bytes);
  const decoded = decodeText(bytes);
  if (decoded.kind === 'other' && decoded.encoding === 'binary') return { kind: 'binary', hash };
  const text = decoded.kind === 'text' ? decoded.text : new TextDecoder('latin1').decode(bytes);
  const all = text.split('\n');
  const finalNewline = all.at(-1) === '';
  if (finalNewline) all.pop();
  const lines = all.slice(span.first - 1, span.first - 1 + span.most);
  return {
    kind: 'lines',
    lines: lines.map(withoutReturn),
    totalLines: all.length,
    encoding: decoded.encoding === 'binary' ? 'Latin-1' : decoded.encoding,
    carriageReturns: lines.some((line) => line.endsWith('\r')),
    finalNewline,
    hash,
  };
}

/** One pass in pieces: counts, hashes, and keeps only the lines asked for. */
async function streamLines(source: Source, { first, most }: Span): Promise<ReadLines> {
  const hash = startSha256();
  const wanted: Uint8Array[][] = [];
  let held = 0;
  let line = 1;
  let last = 0x0a;
  for (let from = 0; ; from += CHUNK) {
    const chunk = await source.readRange(from, CHUNK);
    if (from === 0 && looksBinary(chunk)) return { kind: 'binary', hash: null };
    hash.update(chunk);
    for (let at = 0; at < chunk.length; ) {
      const end = chunk.indexOf(0x0a, at);
      const piece = chunk.subarray(at, end < 0 ? chunk.length : end);
      if (line >= first && line < first + most && held < MOST_LINE_BYTES) {
        (wanted[line - first] ??= []).push(piece.slice(0, MOST_LINE_BYTES - held));
        held += piece.length;
      }
      if (end < 0) break;
      line++;
      held = 0;
      at = end + 1;
    }
    last = chunk.at(-1) ?? last;
    if (chunk.length < CHUNK) break;
  }
  const finalNewline = last === 0x0a;
  const totalLines = finalNewline ? line - 1 : line;
  const lines = Array.from(wanted.slice(0, Math.max(0, totalLines - first + 1)), (pieces) =>
    new TextDecoder().decode(Buffer.concat(pieces ?? [])),
  );
  return {
    kind: 'lines',
    lines: lines.map(withoutReturn),
    totalLines,
    encoding: 'large',
    carriageReturns: lines.some((text) => text.endsWith('\r')),
    finalNewline,
    hash: hash.hex(),
  };
}

function withoutReturn(line: string): string {
  return line.endsWith('\r') ? line.slice(0, -1) : line;
}
