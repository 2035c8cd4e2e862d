import { crc32 } from './crc32.ts';

/** Writes a ZIP piece by piece to whatever takes bytes, one file after another; holds no file whole. */
export interface ZipWriter {
  /** `name` with `/` between folders. Resolves to how many bytes the file has. */
  add(name: string, bytes: AsyncIterable<Uint8Array>): Promise<number>;
  /** Writes the list of files, without which nothing before it counts. */
  end(): Promise<void>;
}

export interface ZipOptions {
  readonly write: (bytes: Uint8Array) => Promise<void>;
  /** Milliseconds since the epoch, the time every file gets. */
  readonly time: number;
}

interface Added {
  readonly name: Uint8Array;
  readonly crc: number;
  readonly packed: number;
  readonly size: number;
  readonly at: number;
}

/** Fields of four bytes end here; larger files would need ZIP64. */
export const ZIP_LIMIT = 0xffff_ffff;
/** Sizes follow behind the bytes, and names are UTF-8. */
const FLAGS = 0x0808;
const DEFLATE = 8;
const VERSION = 20;
/** Made on Unix, whose modes then count: an ordinary file of its owner alone. */
const MADE_ON_UNIX = (3 << 8) | VERSION;
const PRIVATE_FILE = 0o100600 * 0x1_0000;
/** Most bytes of one block of deflate that holds them as they are. */
const BLOCK = 0xffff;
/** A last block with nothing in it. */
const LAST_BLOCK = Uint8Array.of(1, 0, 0, 0xff, 0xff);

/**
 * Bytes stand in deflate's blocks for bytes as they are: every reader takes that with the sizes behind it, which it may
 * not for files that are simply stored.
 */
export function createZipWriter({ write, time }: ZipOptions): ZipWriter {
  const added: Added[] = [];
  const stamp = dosTime(time);
  let at = 0;
  const put = async (bytes: Uint8Array): Promise<void> => {
    at += bytes.length;
    if (at > ZIP_LIMIT) throw new RangeError('a ZIP ends at 4 GiB');
    await write(bytes);
  };

  return {
    async add(text, pieces) {
      const name = new TextEncoder().encode(text);
      const begins = at;
      await put(
        fields([4, 0x04034b50], [2, VERSION], [2, FLAGS], [2, DEFLATE], [4, stamp], ...ZEROS, [2, name.length], [2, 0]),
      );
      await put(name);
      const content = at;
      let crc = 0;
      let size = 0;
      for await (const piece of pieces) {
        crc = crc32(piece, crc);
        size += piece.length;
        for (let from = 0; from < piece.length; from += BLOCK) {
          const block = piece.subarray(from, from + BLOCK);
          await put(fields([1, 0], [2, block.length], [2, ~block.length & 0xffff]));
          await put(block);
        }
      }
      await put(LAST_BLOCK);
      const packed = at - content;
      await put(fields([4, 0x08074b50], [4, crc], [4, packed], [4, size]));
      added.push({ name, crc, packed, size, at: begins });
      return size;
    },
    async end() {
      const begins = at;
      for (const { name, crc, packed, size, at: where } of added) {
        const sizes = [
          [4, crc],
          [4, packed],
          [4, size],
        ] as const;
        await put(
          fields(
            ...([
              [4, 0x02014b50],
              [2, MADE_ON_UNIX],
              [2, VERSION],
              [2, FLAGS],
              [2, DEFLATE],
              [4, stamp],
            ] as const),
            ...sizes,
            ...([
              [2, name.length],
              [2, 0],
              [2, 0],
              [2, 0],
              [2, 0],
              [4, PRIVATE_FILE],
              [4, where],
            ] as const),
          ),
        );
        await put(name);
      }
      const count = added.length;
      await put(fields([4, 0x06054b50], [2, 0], [2, 0], [2, count], [2, count], [4, at - begins], [4, begins], [2, 0]));
    },
  };
}

type Field = readonly [bytes: 1 | 2 | 4, value: number];
const ZEROS: readonly Field[] = [
  [4, 0],
  [4, 0],
  [4, 0],
];

/** Little-endian, as everything in a ZIP. */
function fields(...list: readonly Field[]): Uint8Array {
  const bytes = new Uint8Array(list.reduce((sum, [width]) => sum + width, 0));
  const view = new DataView(bytes.buffer);
  let at = 0;
  for (const [width, value] of list) {
    if (width === 1) view.setUint8(at, value);
    else if (width === 2) view.setUint16(at, value, true);
    else view.setUint32(at, value, true);
    at += width;
  }
  return bytes;
}

/** Time and date as DOS had them, in UTC: two seconds are the least, 1980 is the first year. */
function dosTime(time: number): number {
  const date = new Date(time);
  const clock = (date.getUTCHours() << 11) | (date.getUTCMinutes() << 5) | (date.getUTCSeconds() >> 1);
  const year = Math.max(0, date.getUTCFullYear() - 1980);
  return ((((year << 9) | ((date.getUTCMonth() + 1) << 5) | date.getUTCDate()) << 16) | clock) >>> 0;
}
