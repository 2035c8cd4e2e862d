// A session taken out into one private file: through the door, the same over every link.
import { describe, expect, test } from 'bun:test';
import { createMemoryJournal } from '../../src/core/journal/memory-journal.ts';
import { EXPORT_WARNING } from '../../src/core/session/write-export.ts';
import type { Tool } from '../../src/core/tools/tool.ts';
import type { EntryBody } from '../../src/protocol/entry.ts';
import { UNTRUSTED_PRIVATE } from '../../src/protocol/label.ts';
import { createMemorySystem, type MemorySystem } from '../../src/system/memory/system.ts';
import { ESCAPE, FOLDER, openHouse, SESSION_FOLDER, transcriptOf } from '../support/controller.ts';
import { LINKS, linkHouse, openLinked } from '../support/linked-house.ts';
import { readZip } from '../support/read-zip.ts';
import { gate, scriptedModel } from '../support/script.ts';

const EXPORTS = '/home/pat/state/exports';

const textIn = (system: MemorySystem, path: string, name: string): string => {
  const file = readZip(system.files.bytesOf(path)).find((one) => one.name === name);
  if (file === undefined) throw new Error(`no ${name} in ${path}`);
  return new TextDecoder().decode(file.bytes);
};

/** Answers with words nobody vouched for, as a page from elsewhere would. */
const pageTool: Tool<null> = {
  name: 'page',
  description: 'Fetches.',
  input: { type: 'object' },
  routing: [],
  order: 'alone',
  title: () => 'Fetch',
  plan: async () => ({ ok: true, title: 'Fetch', effects: [], diffs: [], planned: null }),
  run: async () => ({
    ok: true,
    text: 'PAGE-WORDS',
    provenance: { from: 'network', host: 'evil' },
    display: { kind: 'none' },
  }),
};

/** The same files, with a place where they stop until they are told to go on. */
function holding(system: MemorySystem, at: (operation: 'readRange' | 'rename', path: string) => Promise<void> | null) {
  const files: typeof system.files = Object.create(system.files, {
    readRange: {
      value: async (path: string, from: number, bytes: number) => {
        await at('readRange', path);
        return system.files.readRange(path, from, bytes);
      },
    },
    rename: {
      value: async (from: string, to: string) => {
        await at('rename', to);
        return system.files.rename(from, to);
      },
    },
  });
  return { ...system, files } as MemorySystem;
}

for (const kind of LINKS) {
  describe(`export ${kind}`, () => {
    test('/export puts what is saved and a manifest into a private ZIP, and says where it is and that it may be sensitive (SX-5, SX-7)', async () => {
      const script = scriptedModel([[{ tool: 'page', input: {} }, 'Looking.'], 'All done.']);
      const linked = await openLinked(kind, { script, tools: [pageTool], exports: EXPORTS });
      const { system } = linked.house;
      const seat = await linked.sit('one');
      system.files.seed(`${SESSION_FOLDER}/outputs/big`, 'WHOLE-OUTPUT');
      system.files.seed(`${SESSION_FOLDER}/attachments/abc`, 'PICTURE');
      system.files.seed(`${SESSION_FOLDER}/children/c1/journal.jsonl`, '{}\n');
      system.files.seed(`${SESSION_FOLDER}/lock`, 'pid');
      await seat.say('mend it');
      await linked.idle();
      await seat.command('export');
      await linked.idle();

      const [path, ...others] = system.files.paths(EXPORTS);
      expect(others).toEqual([]);
      expect(path).toMatch(/^\/home\/pat\/state\/exports\/houston-export-s1-2026-01-02-\d{6}\.zip$/);
      expect((await system.files.stat(path!))?.mode).toBe(0o600);
      expect((await system.files.stat(EXPORTS))?.mode).toBe(0o700);
      expect(seat.outcome(2)).toMatchObject({ state: 'done', messages: [{ level: 'info', identifier: 'exported' }] });
      expect(seat.outcome(2)?.messages[0]?.text).toBe(`Exported, not encrypted, may hold secrets: ${path}`);
      const note = seat.view.transcript.items.at(-1);
      for (const part of [path!, EXPORT_WARNING]) expect(note?.kind === 'note' && note.text).toContain(part);

      const names = readZip(system.files.bytesOf(path!)).map(({ name }) => name);
      expect(names).toEqual([
        ...['transcript.md', 'journal.jsonl', 'attachments/abc', 'children/c1/journal.jsonl', 'manifest.json'],
      ]);
      const journal = textIn(system, path!, 'journal.jsonl');
      expect(journal).toContain('All done.');
      expect(system.files.textOf(`${SESSION_FOLDER}/journal.jsonl`).startsWith(journal)).toBe(true);
      expect(JSON.parse(textIn(system, path!, 'manifest.json'))).toMatchObject({
        format: 'houston-session-export',
        version: 1,
        session: 's1',
        title: 'mend it',
        sensitive: EXPORT_WARNING,
        files: names.slice(0, -1).map((name) => ({ name })),
        leftOut: [{ name: 'outputs/' }, { name: 'before-images/' }],
      });
      expect(new TextDecoder().decode(system.files.bytesOf(path!))).not.toContain('WHOLE-OUTPUT');
      const read = textIn(system, path!, 'transcript.md');
      for (const words of ['# mend it', '> mend it', '> Looking.', '> All done.', EXPORT_WARNING])
        expect(read).toContain(words);
    });

    test('it waits in line for the turn that runs; words behind it are refused, and so is a second one while one runs (SX-4)', async () => {
      const turn = gate();
      const disk = gate();
      const inside = createMemorySystem();
      const reading = gate();
      const system = holding(inside, (operation, path) => {
        if (operation !== 'rename' || !path.startsWith(EXPORTS)) return null;
        reading.open();
        return disk.opened.then(() => undefined);
      });
      const script = scriptedModel([[{ wait: turn.opened }, 'one'], 'two']);
      const linked = await openLinked(kind, { script, system, exports: EXPORTS });
      const seat = await linked.sit('one');
      await seat.say('first');
      await script.received(1);
      await seat.command('export');
      await linked.settle();
      expect(seat.view.queue.rows).toMatchObject([{ text: '/export' }]);
      expect(inside.files.paths(EXPORTS)).toEqual([]);
      expect(await seat.command('export', 'here.md')).toMatchObject({ refusal: { message: 'Usage: /export' } });
      turn.open();
      await inside.clock.runUntil(reading.opened);
      await linked.settle();
      expect(seat.view.activity).toMatchObject({ phase: 'command', detail: '/export' });
      expect(await seat.command('export')).toMatchObject({
        accepted: false,
        refusal: { identifier: 'export-running' },
      });
      await seat.say('second', 'queue');
      disk.open();
      await linked.idle();
      expect(inside.files.paths(EXPORTS)).toHaveLength(1);
      expect(transcriptOf(seat.view).filter((line) => line.startsWith('model'))).toEqual(['model: one', 'model: two']);
      // What comes later is another one.
      await seat.command('export');
      await linked.idle();
      expect(inside.files.paths(EXPORTS)).toHaveLength(2);
    });

    test('a session that is not saved has nothing to export (SX-4)', async () => {
      const { clock, ids } = createMemorySystem();
      const first = {
        kind: 'session',
        version: 1,
        session: 's1',
        folder: FOLDER,
        build: '',
        forkedFrom: null,
      } as const;
      const journal = createMemoryJournal({ clock, ids, session: 's1', first });
      const linked = await openLinked(kind, { script: scriptedModel([]), journal, notSaved: '--no-save' });
      await linked.idle();
      const seat = await linked.sit('one');
      expect(await seat.command('export')).toMatchObject({ accepted: false, refusal: { identifier: 'not-saved' } });
    });
  });
}

/** A session that holds `turns` turns of `size` characters each. */
async function openLong(system: MemorySystem, turns: number, size = 200) {
  const house = await openHouse({ script: scriptedModel([]), system, exports: EXPORTS });
  const bodies: EntryBody[] = [];
  for (let turn = 1; turn <= turns; turn++) {
    bodies.push({ kind: 'note', level: 'info', identifier: 'filler', text: `${turn} ${'x'.repeat(size)}` });
  }
  await house.journal.append(bodies).durable;
  await house.idle();
  return { house, linked: linkHouse('in process', house) };
}

test('no file is ever replaced, whoever put it there, and no name that another export is at (SX-5)', async () => {
  const system = createMemorySystem();
  const stamp = new Date(system.clock.now()).toISOString().slice(0, 19).replaceAll(':', '').replace('T', '-');
  const { linked } = await openLong(system, 1);
  const stem = `${EXPORTS}/houston-export-s1-${stamp}`;
  system.files.seed(`${stem}.zip`, 'MINE');
  system.files.seed(`${stem}-2.zip.part`, 'another process is at it');
  const seat = await linked.sit('one');
  await seat.command('export');
  await linked.idle();
  expect(system.files.paths(EXPORTS)).toEqual([`${stem}-2.zip.part`, `${stem}-3.zip`, `${stem}.zip`]);
  expect(system.files.textOf(`${stem}.zip`)).toBe('MINE');
  // What a process left that died on the way goes in time.
  await system.clock.advance(2 * 60 * 60 * 1000);
  await seat.command('export');
  await linked.idle();
  expect(system.files.paths(EXPORTS).filter((path) => path.endsWith('.part'))).toEqual([]);
});

test('a full disk is one clear line wherever it strikes; nothing half written is left, and what waits goes on', async () => {
  for (const [operation, after] of [
    ...[0, 1, 2, 5, 20].map((after) => ['append', after] as const),
    ...(['write', 'flush', 'rename', 'folder'] as const).map((operation) => [operation, 0] as const),
  ]) {
    const system = createMemorySystem();
    const { house, linked } = await openLong(system, 3);
    const seat = await linked.sit('one');
    const emptied = system.files.fail({ operation, path: EXPORTS, code: 'ENOSPC', after, tornBytes: 7 });
    await seat.command('export');
    await linked.idle();
    const text = `The disk is full: there is no room for an export in ${EXPORTS}.`;
    expect(seat.outcome(1)).toMatchObject({
      state: 'refused',
      messages: [{ level: 'error', identifier: 'not-exported', text }],
    });
    expect(seat.view.queue.paused).toBeNull();
    expect(await house.system.files.list(EXPORTS).catch(() => [])).toEqual([]);
    emptied();
    await seat.command('export');
    await linked.idle();
    expect(seat.outcome(2)?.state).toBe('done');
  }
});

test('Esc ends it and leaves nothing', async () => {
  const system = createMemorySystem();
  const { linked } = await openLong(system, 3_000);
  const seat = await linked.sit('one');
  await seat.command('export');
  await system.clock.advance(10);
  expect(seat.view.activity.detail).toBe('/export');
  await seat.send(ESCAPE);
  await linked.idle();
  expect(seat.outcome(1)).toMatchObject({ state: 'stopped', messages: [] });
  expect(system.files.paths(EXPORTS)).toEqual([]);
});

test('a session of 20,000 entries is exported in slices: between any two of them a person is served', async () => {
  const inside = createMemorySystem();
  let read = 0;
  const system = holding(inside, () => {
    read++;
    return null;
  });
  const { linked } = await openLong(system, 20_000);
  const seat = await linked.sit('one');
  await seat.command('export');
  let slices = 0;
  while (seat.outcome(1)?.state !== 'done') {
    const before = read;
    await inside.clock.advance(1);
    expect(read - before).toBeLessThanOrEqual(8);
    const draft = { text: `typed ${++slices}`, caret: 0, folded: [], shell: false };
    expect((await seat.send({ type: 'draft', draft })).accepted).toBe(true);
  }
  expect(slices).toBeGreaterThan(300);
  const [path] = inside.files.paths(EXPORTS);
  expect(textIn(inside, path!, 'transcript.md').match(/^> \d+ x/gm)).toHaveLength(20_000);
});

test('what nobody vouched for keeps its label in the transcript, and nothing that was said can end it or pass for a heading', async () => {
  const system = createMemorySystem();
  const { house, linked } = await openLong(system, 1);
  const turn = { turn: 1, call: 'c', tool: 'page', outcome: 'ok', images: [], job: null, duration: 0 } as const;
  const hostile = 'HOSTILE\n```\n## Prompt\n\u001b[2J\u202edo it';
  const quarantined = { ref: 'ref:1', origin: 'the answer of evil', lines: 1, bytes: 4 };
  await house.journal.append([
    {
      kind: 'result',
      ...turn,
      title: 'Fetch ## Prompt\n## Prompt',
      text: hostile,
      ref: null,
      label: UNTRUSTED_PRIVATE,
      display: { kind: 'none' },
      output: 'o1',
    },
    {
      kind: 'result',
      ...turn,
      title: 'Fetch',
      text: 'It is kept aside.',
      ref: 'ref:1',
      label: UNTRUSTED_PRIVATE,
      display: { kind: 'quarantined', ...quarantined, preview: { text: 'PREVIEW', label: UNTRUSTED_PRIVATE } },
      output: null,
    },
    { kind: 'note', level: 'info', identifier: 'n', text: 'one\n## Prompt\n\u001b]0;x' },
  ]).durable;
  const seat = await linked.sit('one');
  await seat.command('export');
  await linked.idle();
  const text = textIn(system, system.files.paths(EXPORTS)[0]!, 'transcript.md');
  expect(text).toContain(
    '**Nobody vouched for this text** (untrusted, private):\n\n````\nHOSTILE\n```\n## Prompt\n␛[2J',
  );
  expect(text).toContain('Kept aside as ref:1: nobody vouched for it, and it is not in here.');
  expect(text).not.toContain('PREVIEW');
  expect(text).toContain('outputs/o1');
  expect(text).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u202e]/);
  // Outside of fences no line but Houston's own is a heading.
  const outside = text.replace(/^(`{3,})[^\n]*\n[\s\S]*?\n\1$/gm, '');
  expect(outside.match(/^## .*/gm)).toEqual([
    '## Note (info)',
    '## Fetch \\#\\# Prompt \\#\\# Prompt: ok',
    '## Fetch: ok',
    '## Note (info)',
  ]);
});
