import { crc32, inflateRawSync } from 'node:zlib';

export interface ZippedFile {
  readonly name: string;
  readonly bytes: Uint8Array;
  /** As Unix has it; time in UTC, year to second. */
  readonly mode: number;
  readonly time: readonly number[];
}

/** Every file of a ZIP by its list at the end; throws where list, sizes and checksums do not agree. */
export function readZip(zip: Uint8Array): ZippedFile[] {
  const view = new DataView(zip.buffer, zip.byteOffset, zip.length);
  const u16 = (at: number): number => view.getUint16(at, true);
  const u32 = (at: number): number => view.getUint32(at, true);
  const end = zip.length - 22;
  if (u32(end) !== 0x06054b50) throw new Error('no list of files at the end');
  const files: ZippedFile[] = [];
  let at = u32(end + 16);
  for (let number = 0; number < u16(end + 10); number++) {
    if (u32(at) !== 0x02014b50) throw new Error('the list is broken');
    const name = new TextDecoder().decode(zip.subarray(at + 46, at + 46 + u16(at + 28)));
    const begins = u32(at + 42);
    if (u32(begins) !== 0x04034b50) throw new Error(`${name} does not begin where the list says`);
    const from = begins + 30 + u16(begins + 26) + u16(begins + 28);
    const bytes = inflateRawSync(zip.subarray(from, from + u32(at + 20)));
    const behind = from + u32(at + 20);
    for (const [field, expected] of [
      [0, 0x08074b50],
      [4, u32(at + 16)],
      [8, u32(at + 20)],
      [12, u32(at + 24)],
    ] as const)
      if (u32(behind + field) !== expected) throw new Error(`${name}: what follows it does not agree with the list`);
    if (bytes.length !== u32(at + 24) || crc32(bytes) !== u32(at + 16)) throw new Error(`${name} is broken`);
    const [clock, date] = [u16(at + 12), u16(at + 14)];
    const time = [1980 + (date >> 9), (date >> 5) & 15, date & 31, clock >> 11, (clock >> 5) & 63, (clock & 31) * 2];
    files.push({ name, bytes, mode: u32(at + 38) >>> 16, time });
    at += 46 + u16(at + 28) + u16(at + 30) + u16(at + 32);
  }
  if (at !== end) throw new Error('the list ends elsewhere');
  return files;
}
