import { afterEach, beforeEach, expect, test } from 'bun:test';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createBunFiles } from '../../system/bun/files.ts';
import { type BeforeImages, createBeforeImages } from './before-images.ts';
import { hashBytes } from './hash.ts';
import { lookAhead, putBack, waysBack } from './put-back.ts';

const files = createBunFiles();
const hash = (text: string): string => hashBytes(new TextEncoder().encode(text));
let folder: string;
let images: BeforeImages;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'houston-undo-'));
  images = createBeforeImages(files, join(folder, 'images'));
});
afterEach(() => rmSync(folder, { recursive: true }));

test('a real file gets its content back with its mode, through a link, and the link stays', async () => {
  const real = join(folder, 'real.sh');
  const link = join(folder, 'link.sh');
  writeFileSync(real, 'new\n');
  chmodSync(real, 0o750);
  symlinkSync(real, link);
  await images.keep(new TextEncoder().encode('old\n'));
  const step = { path: link, from: hash('new\n'), to: hash('old\n') };
  expect(await lookAhead({ files, images }, { step, whole: true })).toBe('restored');
  expect(await putBack({ files, images }, step, true)).toBeNull();
  expect(readFileSync(real, 'utf8')).toBe('old\n');
  expect(statSync(real).mode & 0o777).toBe(0o750);
  expect(lstatSync(link).isSymbolicLink()).toBe(true);
  expect(await images.read(hash('new\n'))).not.toBeNull();
});

test('what is no ordinary file, was changed, or has no image is left and named', async () => {
  const path = join(folder, 'a.txt');
  const step = { path, from: hash('ours'), to: hash('never kept') };
  writeFileSync(path, 'theirs');
  expect(await lookAhead({ files, images }, { step, whole: true })).toBe('changed');
  expect(await putBack({ files, images }, step, true)).toBe('changed');
  writeFileSync(path, 'ours');
  expect(await lookAhead({ files, images }, { step, whole: true })).toBe('not-kept');
  expect(await putBack({ files, images }, step, true)).toBe('not-kept');
  expect(readFileSync(path, 'utf8')).toBe('ours');
  expect(await putBack({ files, images }, { ...step, path: folder }, true)).toBe('unsafe');
});

test('a made file goes, and comes again; an image damaged on the disk is none', async () => {
  const path = join(folder, 'made.txt');
  writeFileSync(path, 'made');
  const step = { path, from: hash('made'), to: null };
  expect(await putBack({ files, images }, step, true)).toBeNull();
  expect(existsSync(path)).toBe(false);
  writeFileSync(join(folder, 'images', hash('made')), 'damaged');
  const again = { path, from: null, to: hash('made') };
  expect(await putBack({ files, images }, again, true)).toBe('not-kept');
  writeFileSync(join(folder, 'images', hash('made')), 'made');
  expect(await putBack({ files, images }, again, true)).toBeNull();
  expect(readFileSync(path, 'utf8')).toBe('made');
});

test('several changes are one way back, and one that did not begin where the last ended is not whole', () => {
  const change = (before: string | null, after: string) => ({ call: 'c', path: '/a', before, after });
  expect(waysBack([change(null, '1'), change('1', '2')])).toEqual([
    { step: { path: '/a', from: '2', to: null }, whole: true },
  ]);
  expect(waysBack([change('0', '1'), change('x', '2')])[0]?.whole).toBe(false);
});
