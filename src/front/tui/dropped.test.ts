import { expect, test } from 'bun:test';
import { droppedPaths } from './dropped.ts';

test('a line of absolute paths is a drop: plain, quoted, with escaped blanks, as an address; anything else is a paste (ADD-8)', () => {
  for (const [line, paths] of [
    ['/tmp/a.png', ['/tmp/a.png']],
    ['/tmp/a.png ', ['/tmp/a.png']],
    ['/tmp/a\\ b\\(1\\).png', ['/tmp/a b(1).png']],
    ["'/tmp/a b.png' '/tmp/it'\\''s.txt'", ['/tmp/a b.png', "/tmp/it's.txt"]],
    ['"/tmp/a b.png"  /tmp/100%.txt', ['/tmp/a b.png', '/tmp/100%.txt']],
    ['file:///tmp/a%20b.png file://box/tmp/c', ['/tmp/a b.png', '/tmp/c']],
    ['see /tmp/a.png', null],
    ['/tmp/a.png and more', null],
    ['/tmp/a.png\n/tmp/b.png', null],
    ["'/tmp/a.png", null],
    ['notes.md', null],
    ['file:///tmp/%zz', null],
    ['https://example.com/a.png', null],
    ['  ', null],
    [`/${'x'.repeat(9_000)}`, null],
  ] as const)
    expect([line, droppedPaths(line)]).toEqual([line, paths as never]);
});
