import { expect, test } from 'bun:test';
import { createMemorySystem } from '../../system/memory/system.ts';
import { createDefaultsSaver, createEffortSaver, createProviderSaver, type LockFile } from './save-defaults.ts';

const CONFIG = '/home/pat/.config/houston';
const FILE = `${CONFIG}/settings.json`;
/** No other process is there. */
const alone: LockFile = (_file, work) => work();

async function saved(before: string | null, ...values: Parameters<ReturnType<typeof createDefaultsSaver>>[0][]) {
  const { files } = createMemorySystem();
  await files.makeFolder(CONFIG, 0o700);
  if (before !== null) await files.writeAtomic(FILE, new TextEncoder().encode(before), { mode: 0o600, flush: true });
  const save = createDefaultsSaver(files, CONFIG, alone);
  const answers = await Promise.all(values.map(save));
  return { answers, text: new TextDecoder().decode(await files.read(FILE)) };
}

test('a choice goes into the file, and what stands there stays: comments, order, other keys (SC-14.4)', async () => {
  const before = '{\n  // mine\n  "effort": "high", // hard\n  "compaction": { "tokens": 60000 },\n}\n';
  const { answers, text } = await saved(before, { autocompact: false }, { autocompactTokens: 200_000 });
  expect(answers).toEqual([true, true]);
  expect(text).toContain('// mine');
  expect(text).toContain('"effort": "high", // hard');
  expect(text).toMatch(/"tokens": 200000/);
  expect(text).toMatch(/"automatic": false/);
});

test('null takes a choice out; no file yet is made', async () => {
  const { text } = await saved('{"compaction": {"tokens": 60000}}', { autocompactTokens: null, autocompact: true });
  expect(JSON.parse(text)).toEqual({ compaction: { automatic: true } });
  const made = await saved(null, { autocompact: false });
  expect(JSON.parse(made.text)).toEqual({ compaction: { automatic: false } });
});

test('a file that is not understood is left as it is, and said to be (SC-14.9)', async () => {
  const { answers, text } = await saved('{"effort": ', { autocompact: false });
  expect(answers).toEqual([false]);
  expect(text).toBe('{"effort": ');
});

test('a level goes in by its model, beside those of others, with that model as the default (SC-19.7)', async () => {
  const { files } = createMemorySystem();
  await files.makeFolder(CONFIG, 0o700);
  const before = '{\n  "efforts": { "a:b": "low" } // mine\n}\n';
  await files.writeAtomic(FILE, new TextEncoder().encode(before), { mode: 0o600, flush: true });
  const save = createEffortSaver(files, CONFIG, alone);
  expect(await save('c:d.e', 'high')).toBe(true);
  const text = new TextDecoder().decode(await files.read(FILE));
  expect(text).toContain('// mine');
  expect(text).toMatch(/"a:b": "low"/);
  expect(text).toMatch(/"c:d.e": "high"/);
  expect(text).toMatch(/"model": "c:d.e"/);
  await save('a:b', null);
  expect(new TextDecoder().decode(await files.read(FILE))).not.toContain('"a:b":');
});

test('choices of different kinds made at once all stay: each begins with what the one before it left', async () => {
  const { files } = createMemorySystem();
  await files.makeFolder(CONFIG, 0o700);
  const answers = await Promise.all([
    createDefaultsSaver(files, CONFIG, alone)({ autocompact: false }),
    createEffortSaver(files, CONFIG, alone)('anthropic:one', 'high'),
    createProviderSaver(files, CONFIG, alone)('mine', { api: 'anthropic' }),
  ]);
  expect(answers).toEqual([true, true, true]);
  expect(JSON.parse(new TextDecoder().decode(await files.read(FILE)))).toMatchObject({
    compaction: { automatic: false },
    model: 'anthropic:one',
    providers: { mine: { api: 'anthropic' } },
  });
});

test('it is read once nobody else writes it; where its turn does not come nothing is written, and that is said', async () => {
  const { files } = createMemorySystem();
  const write = (text: string) => files.writeAtomic(FILE, new TextEncoder().encode(text), { mode: 0o600, flush: true });
  await files.makeFolder(CONFIG, 0o700);
  await write('{}');
  const names: string[] = [];
  const behind = createDefaultsSaver(files, CONFIG, async (file, work) => {
    names.push(file);
    await write('{"effort": "high"}');
    return work();
  });
  expect(await behind({ autocompact: false })).toBe(true);
  expect(names).toEqual([FILE]);
  expect(JSON.parse(files.textOf(FILE))).toEqual({ effort: 'high', compaction: { automatic: false } });
  const never = createDefaultsSaver(files, CONFIG, async () => null);
  expect(await never({ autocompact: true })).toBe(false);
  expect(JSON.parse(files.textOf(FILE))).toMatchObject({ compaction: { automatic: false } });
});
