import { describe, expect, test } from 'bun:test';
import { createMemorySystem, type MemorySystem } from '../../system/memory/system.ts';
import { openPromptHistory, type PromptHistory } from './prompt-history.ts';

const PATH = '/state/history.jsonl';

async function texts(system: MemorySystem): Promise<string[]> {
  return (await openPromptHistory(system, PATH)).records.map(({ text }) => text);
}

async function add(history: PromptHistory, ...prompts: string[]): Promise<void> {
  for (const text of prompts) expect(await history.add(text, '/yard')).toMatchObject({ ok: true });
}

describe('the prompt history', () => {
  test('HIST-5 keeps time and workspace, several lines, and a repetition once', async () => {
    const system = createMemorySystem();
    const history = await openPromptHistory(system, PATH);
    await add(history, 'one', 'two\nlines', 'two\nlines', ' ', 'one');
    expect(await history.add('one', '/other')).toMatchObject({ ok: true, value: { workspace: '/other' } });
    const again = await openPromptHistory(system, PATH);
    expect(again.records.map(({ text, workspace, time }) => [text, workspace, time])).toEqual([
      ['one', '/yard', system.clock.now()],
      ['two\nlines', '/yard', system.clock.now()],
      ['one', '/yard', system.clock.now()],
      ['one', '/other', system.clock.now()],
    ]);
    expect(again.records).toEqual(history.records);
    expect((await system.files.stat(PATH))!.mode).toBe(0o600);
  });

  test('HIST-8 one entry can be taken back, without the file being rewritten', async () => {
    const system = createMemorySystem();
    const history = await openPromptHistory(system, PATH);
    await add(history, 'one', 'two', 'three');
    const before = system.files.textOf(PATH);
    await history.remove(history.records[1]!.id!);
    await history.remove('nobody');
    expect(history.records.map(({ text }) => text)).toEqual(['one', 'three']);
    expect(await texts(system)).toEqual(['one', 'three']);
    expect(system.files.textOf(PATH).startsWith(before)).toBe(true);
  });

  test('damaged lines cost themselves only, older forms still load', async () => {
    const system = createMemorySystem();
    system.files.seed(
      PATH,
      '"old form"\n{"text":"no time"}\n{"id":\n\0\0\n{"text":5}\nnull\n[]\n{"id":"x","time":5,"text":"good","workspace":"/w"}\n{"id":"torn","te',
    );
    const history = await openPromptHistory(system, PATH);
    expect(history.records).toEqual([
      { id: null, time: null, text: 'old form', workspace: null },
      { id: null, time: null, text: 'no time', workspace: null },
      { id: 'x', time: 5, text: 'good', workspace: '/w' },
    ]);
    await add(history, 'new');
    expect(await texts(system)).toEqual(['old form', 'no time', 'good', 'new']);
  });

  test('what cannot be written is remembered here and refused', async () => {
    const system = createMemorySystem();
    const history = await openPromptHistory(system, PATH);
    system.files.fail({ operation: 'append', code: 'ENOSPC', times: 1, tornBytes: 9 });
    expect(await history.add('one', '/w')).toMatchObject({ ok: false, refusal: { identifier: 'history-unwritable' } });
    expect(history.records.map(({ text }) => text)).toEqual(['one']);
    await add(history, 'two');
    expect(await texts(system)).toEqual(['two']);
  });

  test('UP-33 many processes add at once and none loses anything, also while the file is begun anew', async () => {
    const system = createMemorySystem();
    const line = (number: number) =>
      `${JSON.stringify({ id: `i${number}`, time: number, text: `old ${number}`, workspace: '/w' })}\n`;
    system.files.seed(PATH, Array.from({ length: 10_000 }, (_, number) => line(number)).join(''));
    const writer = async (process: number) => {
      const history = await openPromptHistory(system, PATH);
      for (let number = 0; number < 50; number++) await add(history, `p${process} ${number}`);
    };
    await system.clock.runUntil(Promise.all([0, 1, 2, 3, 4, 5, 6, 7].map(writer)));
    const kept = new Set(await texts(system));
    expect(kept.size).toBe(10_000);
    for (let process = 0; process < 8; process++)
      for (let number = 0; number < 50; number++) expect(kept.has(`p${process} ${number}`)).toBe(true);
    expect(kept.has('old 399')).toBe(false);
    expect(kept.has('old 400')).toBe(true);
    expect(system.files.paths('/state')).toEqual([PATH, `${PATH}.old`]);
    expect(system.files.textOf(PATH).length).toBeLessThan(100_000);
  });

  test('reload shows what others added', async () => {
    const system = createMemorySystem();
    const one = await openPromptHistory(system, PATH);
    const other = await openPromptHistory(system, PATH);
    await add(other, 'theirs');
    expect(one.records).toEqual([]);
    await one.reload();
    expect(one.records.map(({ text }) => text)).toEqual(['theirs']);
  });
});
