import { expect, test } from 'bun:test';
import { createLocalDisk } from './local-disk.ts';

const TABLE = `26 1 254:0 / / rw,relatime - ext4 /dev/vda rw
40 26 0:31 / /home/me/far rw - nfs4 server:/me rw
41 40 0:32 / /home/me/far/near rw - tmpfs tmpfs rw
42 26 0:33 / /mnt/with\\040space rw - fuse.sshfs far: rw
43 26 254:1 / /srv rw - xfs /dev/vdb rw
44 26 0:34 / /srv rw - cifs //far/srv rw
`;

test('files are asked for on the spot where this machine keeps them, and nowhere else', () => {
  const { answersAtOnce } = createLocalDisk(
    () => TABLE,
    () => 0,
  );
  const local = ['/', '/home/me/farther/a', '/home/me/far/near/a', '/mnt/with'];
  const far = ['/home/me/far', '/home/me/far/a', '/mnt/with space/a', '/srv/a'];
  expect(local.map(answersAtOnce)).toEqual(local.map(() => true));
  expect(far.map(answersAtOnce)).toEqual(far.map(() => false));
  expect(
    createLocalDisk(
      () => null,
      () => 0,
    ).answersAtOnce('/a'),
  ).toBe(false);
});

test('a long row of questions lets everything else have its turn', async () => {
  let time = 0;
  const { answersAtOnce } = createLocalDisk(
    () => TABLE,
    () => time,
  );
  expect(answersAtOnce('/a')).toBe(true);
  time = 4.9;
  expect(answersAtOnce('/a')).toBe(true);
  time = 5;
  expect(answersAtOnce('/a')).toBe(false);
  await new Promise((resolve) => setImmediate(resolve));
  expect(answersAtOnce('/a')).toBe(true);
});

test('what is mounted later is noticed', async () => {
  let time = 0;
  let table = TABLE;
  const { answersAtOnce } = createLocalDisk(
    () => table,
    () => time,
  );
  expect(answersAtOnce('/opt/a')).toBe(true);
  table += '45 26 0:35 / /opt rw - nfs server:/opt rw\n';
  await new Promise((resolve) => setImmediate(resolve));
  time = 5_001;
  expect(answersAtOnce('/opt/a')).toBe(false);
});
