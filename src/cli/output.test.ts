import { expect, test } from 'bun:test';
import { existsSync } from 'node:fs';
import { join } from 'node:path';

const main = join(import.meta.dir, 'main.ts');

test.skipIf(!existsSync('/dev/full'))(
  'output that cannot be written is one line on stderr and exit code 1',
  async () => {
    for (const [redirection, expected] of [
      ['>/dev/full', /^houston: output-failed: the output could not be written: .*\n$/],
      ['>/dev/full 2>/dev/full', /^$/],
    ] as const) {
      const child = Bun.spawn(['sh', '-c', `exec "$0" "$1" --help ${redirection}`, process.execPath, main], {
        stdout: 'ignore',
        stderr: 'pipe',
      });
      expect(await new Response(child.stderr).text()).toMatch(expected);
      expect(await child.exited).toBe(1);
    }
  },
);
