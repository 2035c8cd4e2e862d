import { expect, test } from 'bun:test';
import { createMemorySystem } from '../../system/memory/system.ts';
import type { AnsweredLine } from './policy.ts';
import { openRememberedAnswers } from './remembered.ts';

const FILE = '/state/remembered.json';
const line = (pattern: string, folder = '/yard'): AnsweredLine => ({ pattern, wide: false, folder, output: 'text' });
const unlocked = <T>(work: () => Promise<T>): Promise<T | null> => work();

async function place() {
  const { files } = createMemorySystem();
  await files.makeFolder('/state', 0o700);
  return files;
}

test('UP-48: what one session remembers, the next one knows, and neither loses what the other added', async () => {
  const files = await place();
  const one = openRememberedAnswers(files, FILE, unlocked);
  const other = openRememberedAnswers(files, FILE, unlocked);
  expect(await one.load()).toEqual([]);
  expect(await one.add([line('npm test')])).toBe(true);
  expect(await other.add([{ ...line('git push'), wide: true, output: 'ref' }])).toBe(true);
  expect(await one.add([line('npm test', '/else')])).toBe(true);
  expect(await one.add([{ ...line('npm test'), output: 'ref' }])).toBe(true);
  expect(await openRememberedAnswers(files, FILE, unlocked).load()).toEqual([
    { ...line('git push'), wide: true, output: 'ref', remembered: true },
    { ...line('npm test', '/else'), remembered: true },
    { ...line('npm test'), output: 'ref', remembered: true },
  ]);
  expect((await files.stat(FILE))?.mode).toBe(0o600);
});

test('a file that cannot be read as one answers nothing, and a damaged entry costs itself only', async () => {
  const files = await place();
  const answers = openRememberedAnswers(files, FILE, unlocked);
  for (const text of ['', 'null', '[]', '{"lines": 3}', '{"lines": [', '\u0000']) {
    await files.writeAtomic(FILE, new TextEncoder().encode(text), { mode: 0o600, flush: false });
    expect(await answers.load()).toEqual([]);
  }
  const text = JSON.stringify({ lines: [null, 4, { pattern: 'a' }, { ...line('b'), output: 'all' }, line('c')] });
  await files.writeAtomic(FILE, new TextEncoder().encode(text), { mode: 0o600, flush: false });
  expect((await answers.load()).map(({ pattern }) => pattern)).toEqual(['c']);
});

test('an answer that could not be kept says so', async () => {
  const files = await place();
  expect(await openRememberedAnswers(files, FILE, async () => null).add([line('a')])).toBe(false);
  const broken = openRememberedAnswers(files, '/state/none/x.json', () => Promise.reject(new Error('full')));
  expect(await broken.add([line('a')])).toBe(false);
});
