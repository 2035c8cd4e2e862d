import { beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { diffLines } from '../../base/diff.ts';
import { TRUSTED_PUBLIC } from '../../protocol/label.ts';
import type { SystemError } from '../../system/files.ts';
import { createMemorySystem, type MemorySystem } from '../../system/memory/system.ts';
import { createBeforeImages, MOST_IMAGE_BYTES, MOST_POINTS } from './before-images.ts';
import { hashBytes } from './hash.ts';
import { createLedger, type FileChange } from './ledger.ts';
import { fileDiff } from './patch.ts';
import { writeChange } from './write-change.ts';

// A busy machine takes its time over what is tried many times.
setDefaultTimeout(60_000);

const FOLDER = '/yard/before-images';
const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
let system: MemorySystem;

beforeEach(() => {
  system = createMemorySystem();
});

async function names(): Promise<readonly string[]> {
  return (await system.files.list(FOLDER)).map((entry) => entry.name).sort();
}

describe('before-images', () => {
  test('are named by content, private, kept once, and there after a restart', async () => {
    const images = createBeforeImages(system.files, FOLDER);
    const hash = await images.keep(bytes('one'));
    expect(hash).toBe(hashBytes(bytes('one')));
    await images.keep(bytes('one'));
    expect(await names()).toEqual([hash!]);
    expect((await system.files.stat(`${FOLDER}/${hash}`))!.mode).toBe(0o600);
    expect(await createBeforeImages(system.files, FOLDER).read(hash!)).toEqual(bytes('one'));
    expect(await images.read('0'.repeat(64))).toBeNull();
  });

  test('only the newest points stay, with what they need', async () => {
    const images = createBeforeImages(system.files, FOLDER);
    const hashes: string[] = [];
    for (let point = 0; point < MOST_POINTS + 2; point++) {
      await images.beginPoint();
      await images.keep(bytes('shared'));
      hashes.push((await images.keep(bytes(`image ${point}`)))!);
    }
    expect(await names()).toEqual([...hashes.slice(2), hashBytes(bytes('shared'))].sort());
  });

  test('the oldest go when all together grow too large; one that is too large is not kept', async () => {
    const images = createBeforeImages(system.files, FOLDER);
    const large = MOST_IMAGE_BYTES / 2 + 1;
    await images.keep(new Uint8Array(large));
    await images.beginPoint();
    const newest = await images.keep(new Uint8Array(large).fill(1));
    expect(await names()).toEqual([newest!]);
    expect(await images.keep(new Uint8Array(MOST_IMAGE_BYTES + 1))).toBeNull();
  });
});

describe('writing a change', () => {
  async function write(change: { real?: string; bytes: string; expected: string | null }): Promise<unknown> {
    const images = createBeforeImages(system.files, FOLDER);
    const ledger = createLedger(async (one) => void changes.push(one));
    const real = change.real ?? '/yard/f.txt';
    const order = { call: 'c1', path: real, real, bytes: bytes(change.bytes), expected: change.expected };
    return writeChange({ files: system.files, images, ledger }, order).then(
      () => 'done',
      (error: SystemError) => error.code,
    );
  }
  let changes: FileChange[];
  beforeEach(() => {
    changes = [];
  });

  test('keeps what was there, then replaces it in place', async () => {
    await system.files.createNew('/yard/f.txt', bytes('old'), 0o640);
    const { inode } = (await system.files.stat('/yard/f.txt'))!;
    expect(await write({ bytes: 'new', expected: hashBytes(bytes('old')) })).toBe('done');
    expect(await system.files.read('/yard/f.txt')).toEqual(bytes('new'));
    expect(await system.files.stat('/yard/f.txt')).toMatchObject({ inode, mode: 0o640 });
    expect(await system.files.read(`${FOLDER}/${hashBytes(bytes('old'))}`)).toEqual(bytes('old'));
    expect(changes).toEqual([
      { call: 'c1', path: '/yard/f.txt', before: hashBytes(bytes('old')), after: hashBytes(bytes('new')) },
    ]);
  });

  test('UP-45: refuses when the content is no longer what was approved against', async () => {
    await system.files.createNew('/yard/f.txt', bytes('theirs'), 0o640);
    expect(await write({ bytes: 'new', expected: hashBytes(bytes('old')) })).toBe('ESTALE');
    expect(await write({ bytes: 'new', expected: null })).toBe('EEXIST');
    expect(await system.files.read('/yard/f.txt')).toEqual(bytes('theirs'));
    expect(changes).toEqual([]);
  });

  test('makes folders for a new file, and follows no link', async () => {
    expect(await write({ real: '/yard/a/b/c.txt', bytes: 'new', expected: null })).toBe('done');
    await system.files.createNew('/yard/target', bytes('old'), 0o600);
    await system.files.makeLink('/yard/target', '/yard/link');
    expect(await write({ real: '/yard/link', bytes: 'new', expected: hashBytes(bytes('old')) })).toBe('ELOOP');
    await system.files.makeLink('/yard/a', '/yard/folder');
    expect(await write({ real: '/yard/folder/new.txt', bytes: 'new', expected: null })).toBe('EPERM');
  });
});

describe('diffs', () => {
  test('show changed lines with their surroundings, endings included', () => {
    const { hunks, added, removed, complete } = diffLines('a\r\nb\nc\n', 'a\r\nB\nc\n');
    expect({ added, removed, complete }).toEqual({ added: 1, removed: 1, complete: true });
    expect(hunks).toEqual([{ oldStart: 1, newStart: 1, lines: [' a\r', '-b', '+B', ' c'] }]);
    expect(diffLines('', 'x').hunks[0]!.lines).toEqual(['+x', '\\ No newline at end of file']);
    expect(diffLines('same\n', 'same\n').hunks).toEqual([]);
  });

  test('are cut to a bound and say so; hopeless ones count the middle as replaced', () => {
    const lines = (count: number, word: string) =>
      Array.from({ length: count }, (_, index) => `${word} ${index}\n`).join('');
    const huge = diffLines('', lines(5_000, 'new'));
    expect(huge).toMatchObject({ added: 5_000, removed: 0, complete: false });
    expect(huge.hunks[0]!.lines).toHaveLength(4_000);
    const rewritten = diffLines(lines(6_000, 'old'), lines(6_000, 'new'));
    expect(rewritten).toMatchObject({ added: 6_000, removed: 6_000, complete: false });
    expect(fileDiff('/x', 'overwrite', null, 'text', TRUSTED_PUBLIC)).toMatchObject({ hunks: [], complete: false });
  });
});
