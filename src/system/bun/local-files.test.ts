import { expect, test } from 'bun:test';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createBunFiles } from './files.ts';
import { createLocalFiles } from './local-files.ts';

test('a file that was opened while no time was left is written to on the spot all the same', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'houston-local-'));
  const file = path.join(folder, 'log');
  let asked = 0;
  const files = createLocalFiles(createBunFiles(), { answersAtOnce: () => ++asked > 1 });
  const log = await files.openAppend(file, 0o600);
  const written = log.append(new TextEncoder().encode('line\n'));
  expect(readFileSync(file, 'utf8')).toBe('line\n');
  await written;
  await log.close();
  rmSync(folder, { recursive: true });
});
