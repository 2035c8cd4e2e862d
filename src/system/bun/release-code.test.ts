import { expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { codeOf, releaseCode } from './release-code.ts';

/** Kilobytes of this program's code that are in memory. */
function codeInMemory(): number {
  let sum = 0;
  let mine = false;
  for (const line of readFileSync('/proc/self/smaps', 'latin1').split('\n')) {
    if (/^[0-9a-f]+-[0-9a-f]+ /.test(line)) mine = line.includes(' r-xp ') && line.endsWith(process.execPath);
    else if (mine) sum += Number(/^Rss: +(\d+)/.exec(line)?.[1] ?? 0);
  }
  return sum;
}

test.skipIf(process.platform !== 'linux')('code that rests takes no memory, and runs on when it is needed', () => {
  const before = codeInMemory();
  releaseCode();
  const after = codeInMemory();
  expect(before).toBeGreaterThan(5_000);
  expect(after).toBeLessThan(before * 0.8);
  expect(JSON.parse('{"a":[1,2]}')).toEqual({ a: [1, 2] });
  expect(new Bun.CryptoHasher('sha256').update('x').digest('hex')).toHaveLength(64);
});

test('only code is let go, and only the program`s own', () => {
  const maps = [
    '00200000-02c7d000 r--p 00000000 00:38 7168   /opt/bun',
    '02c7d000-06f39000 r-xp 02a7c000 00:38 7168   /opt/bun',
    '06f39000-06fc4000 rw-p 06d37000 00:38 7168   /opt/bun',
    '7f6d3c000000-7f6d3c021000 r-xp 00000000 00:00 0 ',
    '7f6d40a28000-7f6d40bb0000 r-xp 00028000 00:38 4242   /usr/lib/libc.so.6',
    '',
  ].join('\n');
  expect(codeOf(maps, '/opt/bun')).toEqual([[0x02c7d000n, 0x06f39000n]]);
});
