// What every implementation of `Files` promises, over the real file system and the one in memory.
import { afterAll, beforeEach, describe, expect, test } from 'bun:test';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createBunFiles } from '../../src/system/bun/files.ts';
import { createLocalFiles } from '../../src/system/bun/local-files.ts';
import { createStartFiles } from '../../src/system/bun/start-files.ts';
import type { Files } from '../../src/system/files.ts';
import { createMemorySystem } from '../../src/system/memory/system.ts';

const made: string[] = [];
afterAll(() => {
  for (const folder of made) rmSync(folder, { recursive: true, force: true });
});

const makeRealPipe = async (path: string) => void (await Bun.spawn(['mkfifo', path]).exited);

const SYSTEMS: readonly [string, () => { files: Files; folder: string; makePipe(path: string): Promise<void> }][] = [
  [
    'bun',
    () => {
      const folder = mkdtempSync(join(tmpdir(), 'files-contract-'));
      made.push(folder);
      return { files: createBunFiles(), folder, makePipe: makeRealPipe };
    },
  ],
  [
    'bun, before the first frame',
    () => {
      const folder = mkdtempSync(join(tmpdir(), 'files-contract-'));
      made.push(folder);
      return { files: createStartFiles(createBunFiles()), folder, makePipe: makeRealPipe };
    },
  ],
  [
    'bun, on a disk of this machine',
    () => {
      const folder = mkdtempSync(join(tmpdir(), 'files-contract-'));
      made.push(folder);
      return {
        files: createLocalFiles(createBunFiles(), { answersAtOnce: () => true }),
        folder,
        makePipe: makeRealPipe,
      };
    },
  ],
  [
    'memory',
    () => {
      const { files } = createMemorySystem();
      return { files, folder: '/yard', makePipe: async (path: string) => files.seedOther(path) };
    },
  ],
];

const bytes = (text: string) => new TextEncoder().encode(text);
const text = (piece: Uint8Array) => new TextDecoder().decode(piece);
const codeOf = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'fine',
    (error) => error.code,
  );

for (const [name, make] of SYSTEMS) {
  describe(`files: ${name}`, () => {
    let { files, folder, makePipe } = make();
    let at = (...parts: string[]) => join(folder, ...parts);
    beforeEach(() => {
      ({ files, folder, makePipe } = make());
      at = (...parts: string[]) => join(folder, ...parts);
    });
    const write = (path: string, content: string, mode = 0o644) =>
      files.writeAtomic(path, bytes(content), { mode, flush: false });

    test('nothing there is null for looking and no error for removing, ENOENT for reading', async () => {
      const missing = at('missing');
      expect([await files.stat(missing), await files.linkStat(missing), await files.realPath(missing)]).toEqual([
        null,
        null,
        null,
      ]);
      expect(await files.readLink(missing)).toBeNull();
      await files.remove(missing);
      await files.remove(missing, { recursive: true });
      expect(await codeOf(files.read(missing))).toBe('ENOENT');
      expect(await codeOf(files.open(missing, { write: false, follow: true }))).toBe('ENOENT');
      expect(await codeOf(files.list(missing))).toBe('ENOENT');
      expect(await codeOf(files.rename(missing, at('other')))).toBe('ENOENT');
    });

    test('a path that leads through a file is nothing there', async () => {
      await write(at('file'), 'x');
      expect(await files.stat(at('file', 'below'))).toBeNull();
      expect(await files.realPath(at('file', 'below'))).toBeNull();
      expect(await codeOf(files.read(at('file', 'below')))).toBe('ENOTDIR');
      expect(await codeOf(files.list(at('file')))).toBe('ENOTDIR');
    });

    test('an error names its path', async () => {
      const error = await files.read(at('missing')).catch((failure) => failure);
      expect(error).toMatchObject({ code: 'ENOENT', path: at('missing') });
      expect(error.message).toContain('missing');
    });

    test('writing whole files keeps bytes and mode, and leaves nothing beside them', async () => {
      const content = new Uint8Array([0, 255, 10, 13, 0]);
      await files.writeAtomic(at('a'), content, { mode: 0o600, flush: true });
      expect(await files.read(at('a'))).toEqual(content);
      await files.writeAtomic(at('a'), bytes('two'), { mode: 0o755, flush: false });
      expect(text(await files.read(at('a')))).toBe('two');
      expect(await files.stat(at('a'))).toMatchObject({ kind: 'file', size: 3, mode: 0o755 });
      expect((await files.list(folder)).map((entry) => entry.name)).toEqual(['a']);
    });

    test('replacing a link replaces the link, not what it leads to', async () => {
      await write(at('target'), 'kept');
      await files.makeLink('target', at('link'));
      await write(at('link'), 'new');
      expect(text(await files.read(at('target')))).toBe('kept');
      expect((await files.linkStat(at('link')))?.kind).toBe('file');
    });

    test('a failed replacement leaves what was there, and no scraps', async () => {
      await files.makeFolder(at('folder', 'inner'), 0o755);
      expect(await codeOf(write(at('folder'), 'x'))).toBe('EISDIR');
      expect(await files.list(folder)).toEqual([{ name: 'folder', kind: 'folder' }]);
      expect(await codeOf(write(at('none', 'x'), 'x'))).toBe('ENOENT');
    });

    test('creating refuses what exists, links to nothing too', async () => {
      await files.createNew(at('new'), bytes('one'), 0o600);
      expect(await files.stat(at('new'))).toMatchObject({ mode: 0o600, size: 3 });
      expect(await codeOf(files.createNew(at('new'), bytes('two'), 0o600))).toBe('EEXIST');
      await files.makeLink('nowhere', at('dangling'));
      expect(await codeOf(files.createNew(at('dangling'), bytes('two'), 0o600))).toBe('EEXIST');
      expect(text(await files.read(at('new')))).toBe('one');
      expect(await files.stat(at('nowhere'))).toBeNull();
    });

    test('links: following and not, circles, what they say', async () => {
      await files.makeFolder(at('real', 'deep'), 0o755);
      await write(at('real', 'deep', 'file'), 'here');
      await files.makeLink('real/deep', at('way'));
      await files.makeLink(at('real'), at('absolute'));
      await files.makeLink('circle', at('circle'));
      const real = (await files.realPath(folder)) as string;
      expect(await files.realPath(at('way', 'file'))).toBe(join(real, 'real', 'deep', 'file'));
      expect(await files.realPath(at('absolute', 'deep', '..', 'deep', 'file'))).toBe(
        join(real, 'real', 'deep', 'file'),
      );
      expect(await files.readLink(at('way'))).toBe('real/deep');
      expect((await files.linkStat(at('way')))?.kind).toBe('link');
      expect((await files.stat(at('way')))?.kind).toBe('folder');
      expect(await codeOf(files.readLink(at('real')))).toBe('EINVAL');
      expect(await codeOf(files.stat(at('circle')))).toBe('ELOOP');
      expect(await codeOf(files.read(at('circle')))).toBe('ELOOP');
      expect(await codeOf(files.makeLink('x', at('way')))).toBe('EEXIST');
    });

    test('reading refuses folders, pipes and too much, without waiting', async () => {
      await files.makeFolder(at('folder'), 0o700);
      await makePipe(at('pipe'));
      await write(at('big'), 'x'.repeat(1000));
      expect(await codeOf(files.read(at('folder')))).toBe('EISDIR');
      expect(await codeOf(files.read(at('pipe')))).toBe('EINVAL');
      expect(await codeOf(files.readRange(at('pipe'), 0, 10))).toBe('EINVAL');
      expect(await codeOf(files.read(at('big'), 999))).toBe('EFBIG');
      expect((await files.read(at('big'), 1000)).length).toBe(1000);
      const pipe = await files.open(at('pipe'), { write: false, follow: false });
      expect((await pipe.stat()).kind).toBe('other');
      expect(await codeOf(pipe.readAll())).toBe('EINVAL');
      await pipe.close();
    });

    test('ranges end where the file ends', async () => {
      await write(at('a'), '0123456789');
      expect(text(await files.readRange(at('a'), 2, 3))).toBe('234');
      expect(text(await files.readRange(at('a'), 8, 100))).toBe('89');
      expect((await files.readRange(at('a'), 50, 10)).length).toBe(0);
    });

    test('listing says what each entry is', async () => {
      await write(at('file'), '');
      await files.makeFolder(at('folder'), 0o700);
      await files.makeLink('file', at('link'));
      await makePipe(at('pipe'));
      const entries = (await files.list(folder)).sort((a, b) => (a.name < b.name ? -1 : 1));
      expect(entries).toEqual([
        { name: 'file', kind: 'file' },
        { name: 'folder', kind: 'folder' },
        { name: 'link', kind: 'link' },
        { name: 'pipe', kind: 'other' },
      ]);
    });

    test('an open file is the file itself, whatever happens to its name', async () => {
      await write(at('a'), 'first');
      const open = await files.open(at('a'), { write: false, follow: false });
      const real = (await files.realPath(folder)) as string;
      expect(await open.realPath()).toBe(join(real, 'a'));
      await files.rename(at('a'), at('b'));
      expect(await open.realPath()).toBe(join(real, 'b'));
      await write(at('a'), 'second');
      expect(text(await open.readAll())).toBe('first');
      expect((await open.stat()).inode).toBe((await files.stat(at('b')))?.inode as number);
      await files.remove(at('b'));
      expect(await open.realPath()).toBeNull();
      expect(text(await open.readAll())).toBe('first');
      await open.close();
      expect(await codeOf(open.readAll())).toBe('EBADF');
    });

    test('opening does not follow a last link unless it may', async () => {
      await write(at('a'), 'here');
      await files.makeLink('a', at('link'));
      expect(await codeOf(files.open(at('link'), { write: false, follow: false }))).toBe('ELOOP');
      const open = await files.open(at('link'), { write: false, follow: true });
      expect(await open.realPath()).toBe(await files.realPath(at('a')));
      await open.close();
    });

    test('overwriting keeps inode and mode, shorter and longer', async () => {
      await files.writeAtomic(at('a'), bytes('0123456789'), { mode: 0o640, flush: false });
      const before = await files.stat(at('a'));
      const open = await files.open(at('a'), { write: true, follow: false });
      for (const content of ['short', 'and now something longer than before', '']) {
        await open.overwrite(bytes(content));
        expect(text(await files.read(at('a')))).toBe(content);
        expect(text(await open.readAll())).toBe(content);
      }
      await open.close();
      const after = await files.stat(at('a'));
      expect([after?.inode, after?.mode]).toEqual([before?.inode, 0o640]);
      const reading = await files.open(at('a'), { write: false, follow: false });
      expect(await codeOf(reading.overwrite(bytes('x')))).toBe('EBADF');
      await reading.close();
    });

    test('appending: creates, continues, cuts off, flushes', async () => {
      const log = await files.openAppend(at('log'), 0o600);
      await log.append(bytes('one\n'));
      await log.append(bytes('two\n'));
      await log.flush();
      expect(await log.size()).toBe(8);
      await log.truncate(4);
      await log.append(bytes('three\n'));
      await log.close();
      expect(await codeOf(log.append(bytes('late')))).toBe('EBADF');
      const again = await files.openAppend(at('log'), 0o644);
      await again.append(bytes('four\n'));
      await again.close();
      expect(text(await files.read(at('log')))).toBe('one\nthree\nfour\n');
      expect((await files.stat(at('log')))?.mode).toBe(0o600);
      expect(await codeOf(files.openAppend(at('none', 'log'), 0o600))).toBe('ENOENT');
      expect(await codeOf(files.openAppend(folder, 0o600))).toBe('EISDIR');
    });

    test('folders are made with those above them, and again without complaint', async () => {
      await files.makeFolder(at('a', 'b', 'c'), 0o700);
      await files.makeFolder(at('a', 'b', 'c'), 0o700);
      expect(await files.stat(at('a', 'b', 'c'))).toMatchObject({ kind: 'folder', mode: 0o700 });
      await write(at('file'), '');
      expect(await codeOf(files.makeFolder(at('file'), 0o700))).toBe('EEXIST');
    });

    test('removing: files, links, empty folders; whole trees only when asked', async () => {
      await files.makeFolder(at('tree', 'inner'), 0o755);
      await write(at('tree', 'inner', 'file'), 'x');
      await write(at('outside'), 'kept');
      await files.makeLink(at('outside'), at('tree', 'link'));
      await files.makeFolder(at('empty'), 0o755);
      expect(await codeOf(files.remove(at('tree')))).toBe('ENOTEMPTY');
      await files.remove(at('empty'));
      await files.remove(at('tree'), { recursive: true });
      expect((await files.list(folder)).map((entry) => entry.name)).toEqual(['outside']);
      expect(text(await files.read(at('outside')))).toBe('kept');
    });

    test('renaming replaces a file and refuses a full folder', async () => {
      await write(at('a'), 'a');
      await write(at('b'), 'b');
      await files.rename(at('a'), at('b'));
      expect(text(await files.read(at('b')))).toBe('a');
      expect(await files.stat(at('a'))).toBeNull();
      await files.makeFolder(at('full', 'inner'), 0o755);
      await files.makeFolder(at('folder'), 0o755);
      expect(await codeOf(files.rename(at('folder'), at('full')))).toBe('ENOTEMPTY');
      expect(await codeOf(files.rename(at('b'), at('full')))).toBe('EISDIR');
    });

    test('modes can be changed; temporary folders are private and new', async () => {
      await write(at('a'), 'a');
      await files.changeMode(at('a'), 0o400);
      expect((await files.stat(at('a')))?.mode).toBe(0o400);
      const [one, two] = [await files.makeTempFolder('contract-'), await files.makeTempFolder('contract-')];
      expect(one).not.toBe(two);
      expect(await files.stat(one)).toMatchObject({ kind: 'folder', mode: 0o700 });
      for (const path of [one, two]) await files.remove(path, { recursive: true });
    });

    test('a null byte in a path is refused', async () => {
      expect(await codeOf(files.read(at('a\0b')))).toBe('EINVAL');
    });

    test('watching a file sees it created, and replaced, again and again', async () => {
      let wake = () => {};
      const watcher = files.watch(at('watched'), () => wake());
      expect(watcher).not.toBeNull();
      for (const content of ['one', 'two', 'three']) {
        const heard = new Promise<void>((resolve) => {
          wake = resolve;
        });
        await write(at('watched'), content);
        await heard;
      }
      watcher?.close();
      expect(files.watch(at('no', 'such', 'place'), () => {})).toBeNull();
    });

    test('watching a folder sees what happens directly in it', async () => {
      let wake = () => {};
      const heard = new Promise<void>((resolve) => {
        wake = resolve;
      });
      const watcher = files.watch(folder, () => wake());
      await write(at('x'), 'new');
      await heard;
      watcher?.close();
    });
  });
}

test.each([
  ['by another thread', createBunFiles()],
  ['on the spot', createLocalFiles(createBunFiles(), { answersAtOnce: () => true })],
])('reading many files leaves no descriptor open: %s', async (_how, files) => {
  const folder = mkdtempSync(join(tmpdir(), 'files-contract-'));
  made.push(folder);
  const open = () => (process.platform === 'linux' ? readdirSync('/proc/self/fd').length : 0);
  await files.writeAtomic(join(folder, 'a'), bytes('x'), { mode: 0o600, flush: true });
  const before = open();
  for (let turn = 0; turn < 50; turn++) {
    await files.read(join(folder, 'a'));
    await codeOf(files.read(folder));
    await codeOf(files.readRange(folder, 0, 1));
    await (await files.open(join(folder, 'a'), { write: false, follow: true })).close();
    await codeOf(files.createNew(join(folder, 'a'), bytes('y'), 0o600));
    await codeOf(files.writeAtomic(folder, bytes('y'), { mode: 0o600, flush: true }));
    await codeOf(files.openAppend(folder, 0o600));
  }
  expect(open()).toBeLessThanOrEqual(before);
});
