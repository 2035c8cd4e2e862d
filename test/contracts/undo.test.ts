// Taking back what was said and what our tools wrote, seen from the door and from the disk.
import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { createTools } from '../../src/core/tools/registry.ts';
import type { RewindPoint } from '../../src/protocol/query.ts';
import { createMemorySystem, type MemorySystem } from '../../src/system/memory/system.ts';
import { doTool, FOLDER, type House, openHouse, type Seat, transcriptOf } from '../support/controller.ts';
import { type ScriptEntry, scriptedModel } from '../support/script.ts';

let refs = 0;
async function command(house: House, seat: Seat, name: string, argument = ''): Promise<string> {
  const ref = `u-${++refs}`;
  await seat.send({ type: 'command', ref, name, argument });
  await house.idle();
  const outcome = seat.outcome(ref);
  return `${outcome?.state}: ${outcome?.messages.map(({ text }) => text).join(' ') ?? ''}`;
}

async function say(house: House, seat: Seat, text: string): Promise<void> {
  await seat.say(text);
  await house.idle();
}

/** A turn that writes these files and says so. */
function writes(files: Readonly<Record<string, string>>): ScriptEntry[] {
  const calls = Object.entries(files).map(([path, content]) => ({
    tool: 'write_file',
    input: { path, contents: content, why: 'asked' },
  }));
  return [calls, `wrote ${Object.keys(files).join(' ')}`];
}

async function opened(
  script: readonly ScriptEntry[],
  system = createMemorySystem(),
): Promise<{ house: House; seat: Seat }> {
  const house = await openHouse({
    system,
    script: scriptedModel(script),
    tools: [...createTools(), doTool],
    mode: 'edits',
  });
  return { house, seat: house.seat('one') };
}

async function file(system: MemorySystem, name: string): Promise<string | null> {
  const bytes = await system.files.read(`${FOLDER}/${name}`).catch(() => null);
  return bytes === null ? null : new TextDecoder().decode(bytes);
}

async function edit(system: MemorySystem, name: string, text: string): Promise<void> {
  await system.files.writeAtomic(`${FOLDER}/${name}`, new TextEncoder().encode(text), { mode: 0o640, flush: true });
}

async function points(house: House): Promise<RewindPoint[]> {
  const answer = await house.session.read({ type: 'rewind' });
  if (!answer.ok) throw new Error(answer.refusal.message);
  return answer.value.points;
}

async function answerAsk(house: House, seat: Seat, option: string): Promise<void> {
  await seat.until((view) => view.asks.length > 0);
  const ask = seat.view.asks[0]!.id;
  await seat.send({ type: 'answer', ask, answer: { kind: 'answers', answers: [[option]] } });
  await house.idle();
}

describe('/undo', () => {
  test('puts back what the last turn wrote, takes away what it made, and gives the prompt back (UNDO-1)', async () => {
    const { house, seat } = await opened([
      ...writes({ 'a.txt': 'a1\n' }),
      ...writes({ 'a.txt': 'a2\n', 'new/b.txt': 'b\n' }),
    ]);
    const { system } = house;
    await edit(system, 'a.txt', 'a0\n');
    await say(house, seat, 'one');
    await say(house, seat, 'two');
    expect([await file(system, 'a.txt'), await file(system, 'new/b.txt')]).toEqual(['a2\n', 'b\n']);
    await seat.send({ type: 'command', ref: 'undo', name: 'undo', argument: '' });
    await house.idle();
    expect([await file(system, 'a.txt'), await file(system, 'new/b.txt')]).toEqual(['a1\n', null]);
    expect(seat.outcome('undo')).toMatchObject({ state: 'done', recalled: [{ text: 'two', attachments: [] }] });
    expect(transcriptOf(seat.view)[0]).toBe('prompt: one');
    expect(transcriptOf(seat.view)).not.toContain('prompt: two');
    // Again, one further back; the mode of the file is as it was.
    expect(await command(house, seat, 'undo')).toContain('Put back: a.txt');
    expect(await file(system, 'a.txt')).toBe('a0\n');
    expect((await system.files.stat(`${FOLDER}/a.txt`))!.mode & 0o777).toBe(0o640);
    expect(transcriptOf(seat.view)).toEqual([]);
    expect(await command(house, seat, 'undo')).toStartWith('refused');
  });

  test('a file another hand changed since is never overwritten: asked first, then left (UP-61)', async () => {
    const script = [...writes({ 'a.txt': 'a1\n', 'b.txt': 'b1\n' })];
    const { house, seat } = await opened(script);
    const { system } = house;
    await say(house, seat, 'one');
    await edit(system, 'a.txt', 'mine\n');
    await seat.send({ type: 'command', ref: 'first', name: 'undo', argument: '' });
    await answerAsk(house, seat, 'Undo nothing');
    expect(seat.outcome('first')?.state).toBe('stopped');
    expect([await file(system, 'a.txt'), await file(system, 'b.txt')]).toEqual(['mine\n', 'b1\n']);
    expect(transcriptOf(seat.view)).toContain('prompt: one');
    await seat.send({ type: 'command', ref: 'second', name: 'undo', argument: '' });
    await answerAsk(house, seat, 'Undo the rest');
    expect([await file(system, 'a.txt'), await file(system, 'b.txt')]).toEqual(['mine\n', null]);
    expect(seat.outcome('second')?.messages[0]?.text).toContain('a.txt was changed since');
  });

  test('an edit between two of our own writes is another hand’s too', async () => {
    const { house, seat } = await opened([
      ...writes({ 'a.txt': 'a1\n' }),
      [{ tool: 'read_file', input: { path: 'a.txt', why: 'look' } }],
      ...writes({ 'a.txt': 'a2\n' }),
    ]);
    const { system } = house;
    await edit(system, 'a.txt', 'a0\n');
    await say(house, seat, 'one');
    await edit(system, 'a.txt', 'a1\nand mine\n');
    await say(house, seat, 'two');
    expect(await file(system, 'a.txt')).toBe('a2\n');
    expect((await points(house)).map(({ text, files }) => `${text}: ${files.map((one) => one.becomes)}`)).toEqual([
      'two: restored',
      'one: changed',
    ]);
    expect(await command(house, seat, 'undo')).toStartWith('done');
    expect(await file(system, 'a.txt')).toBe('a1\nand mine\n');
  });

  test('what a command did is left alone, and the answer says so (UNDO-4)', async () => {
    const { house, seat } = await opened([[{ tool: 'do', input: { line: 'ls' } }], 'ran']);
    const { system } = house;
    await seat.send({ type: 'set-mode', mode: 'ask' });
    await seat.say('run');
    await house.settle();
    if (seat.view.asks.length > 0)
      await seat.send({ type: 'answer', ask: seat.view.asks[0]!.id, answer: { kind: 'choice', choice: 'once' } });
    await house.idle();
    await edit(system, 'made-by-command.txt', 'x');
    expect(await command(house, seat, 'undo')).toContain('What commands and other programs changed is not undone');
    expect(await file(system, 'made-by-command.txt')).toBe('x');
  });

  test('headless, nothing is undone where not all can be', async () => {
    const system = createMemorySystem();
    const { house, seat } = await opened(writes({ 'a.txt': 'a1\n' }), system);
    await say(house, seat, 'one');
    await house.session.close();
    await edit(system, 'a.txt', 'mine\n');
    const again = await openHouse({ system, script: scriptedModel([]), tools: createTools(), canAsk: false });
    expect(await command(again, again.seat('two'), 'undo')).toStartWith('refused: Nothing was undone');
    expect(await file(system, 'a.txt')).toBe('mine\n');
  });
});

describe('/redo', () => {
  test('takes an undo back, files and words, until something else is said', async () => {
    const { house, seat } = await opened([...writes({ 'a.txt': 'a1\n' }), ...writes({ 'b.txt': 'b1\n' }), 'other']);
    const { system } = house;
    await edit(system, 'a.txt', 'a0\n');
    await say(house, seat, 'one');
    await say(house, seat, 'two');
    const whole = transcriptOf(seat.view);
    await command(house, seat, 'rewind', '2');
    expect([await file(system, 'a.txt'), await file(system, 'b.txt')]).toEqual(['a0\n', null]);
    expect(await command(house, seat, 'redo')).toStartWith('done');
    expect([await file(system, 'a.txt'), await file(system, 'b.txt')]).toEqual(['a1\n', 'b1\n']);
    expect(transcriptOf(seat.view)).toEqual(whole);
    expect(await command(house, seat, 'redo')).toStartWith('refused');
    await command(house, seat, 'undo');
    await say(house, seat, 'elsewhere');
    expect(await command(house, seat, 'redo')).toStartWith('refused');
    expect(await file(system, 'b.txt')).toBeNull();
  });

  test('leaves what was changed since the undo', async () => {
    const { house, seat } = await opened(writes({ 'a.txt': 'a1\n' }));
    const { system } = house;
    await edit(system, 'a.txt', 'a0\n');
    await say(house, seat, 'one');
    await command(house, seat, 'undo');
    await edit(system, 'a.txt', 'mine\n');
    expect(await command(house, seat, 'redo')).toContain('a.txt was changed since');
    expect(await file(system, 'a.txt')).toBe('mine\n');
  });
});

describe('/rewind', () => {
  test('lists how far back, prompt and every path; says how far it can go; N goes N prompts back (UNDO-2)', async () => {
    const { house, seat } = await opened([...writes({ 'a.txt': 'a1\n' }), 'talk', ...writes({ 'b.txt': 'b1\n' })]);
    await say(house, seat, 'one');
    await say(house, seat, 'two');
    await say(house, seat, 'three');
    expect(
      (await points(house)).map(({ text, files }) => [text, ...files.map((one) => `${one.path} ${one.becomes}`)]),
    ).toEqual([
      ['three', '/yard/b.txt removed'],
      ['two', '/yard/b.txt removed'],
      ['one', '/yard/a.txt removed', '/yard/b.txt removed'],
    ]);
    expect(await command(house, seat, 'rewind', '4')).toBe('refused: It can go back 3 prompts at most.');
    expect(await command(house, seat, 'rewind', 'x')).toStartWith('refused: /rewind N');
    expect(await command(house, seat, 'rewind', '2')).toStartWith('done');
    expect(transcriptOf(seat.view)).toContain('prompt: one');
    expect(transcriptOf(seat.view)).not.toContain('prompt: two');
    expect(await file(house.system, 'a.txt')).toBe('a1\n');
  });

  test('words alone or files alone', async () => {
    const { house, seat } = await opened([...writes({ 'a.txt': 'a1\n' }), ...writes({ 'a.txt': 'a2\n' })]);
    const { system } = house;
    await say(house, seat, 'one');
    await say(house, seat, 'two');
    const whole = transcriptOf(seat.view);
    await command(house, seat, 'rewind', '1 files');
    expect(await file(system, 'a.txt')).toBe('a1\n');
    expect(transcriptOf(seat.view)).toEqual(whole);
    await command(house, seat, 'redo');
    expect(await file(system, 'a.txt')).toBe('a2\n');
    await command(house, seat, 'rewind', '1 conversation');
    expect(await file(system, 'a.txt')).toBe('a2\n');
    expect(transcriptOf(seat.view)).not.toContain('prompt: two');
  });

  test('points outlive the process, and the conversation left stays in the tree', async () => {
    const { house, seat } = await opened([...writes({ 'a.txt': 'a1\n' }), ...writes({ 'a.txt': 'a2\n' })]);
    const { system } = house;
    await say(house, seat, 'one');
    await say(house, seat, 'two');
    await house.session.close();
    const again = await openHouse({ system, script: scriptedModel([]), tools: createTools() });
    const other = again.seat('two');
    expect(await command(again, other, 'undo')).toStartWith('done');
    expect(await file(system, 'a.txt')).toBe('a1\n');
    const tree = await again.session.read({ type: 'tree' });
    expect(tree.ok && tree.value.nodes.map(({ text }) => text)).toContain('two');
    await again.session.close();
  });
});

/** Lets the writing and moving of files work so many more times; then everything fails, as if the power were gone. */
function cutAfter(system: MemorySystem, count: number): { readonly cut: () => boolean; readonly mend: () => void } {
  const { files } = system;
  const own = { ...files };
  let left = count;
  let over = false;
  const spent = (): void => {
    if (left-- <= 0) {
      over = true;
      throw new Error('the power is gone');
    }
  };
  const changing = ['writeAtomic', 'createNew', 'remove', 'makeFolder'] as const;
  for (const name of changing) {
    const real = own[name].bind(files) as (...given: unknown[]) => Promise<void>;
    (files as unknown as Record<string, unknown>)[name] = async (...given: unknown[]) => {
      spent();
      await real(...given);
    };
  }
  return {
    cut: () => over,
    mend: () => {
      for (const name of changing) (files as unknown as Record<string, unknown>)[name] = own[name];
    },
  };
}

test('wherever an undo is cut, every file holds the one content or the other, and it is said', async () => {
  await fc.assert(
    fc.asyncProperty(fc.nat(14), async (count) => {
      const before = { 'a.txt': 'a0\n', 'b.txt': 'b0\n' };
      const after = { 'a.txt': 'a1\n', 'b.txt': 'b1\n', 'c.txt': 'c1\n' };
      const { house, seat } = await opened(writes(after));
      const { system } = house;
      for (const [name, text] of Object.entries(before)) await edit(system, name, text);
      await say(house, seat, 'one');
      const power = cutAfter(system, count);
      await seat.send({ type: 'command', ref: 'cut', name: 'undo', argument: '' });
      await house.idle();
      const cut = power.cut();
      power.mend();
      await house.session.close();
      const again = await openHouse({ system, script: scriptedModel([]), tools: createTools() });
      const other = again.seat('two');
      await other.until((view) => view.head.ready);
      const states = await Promise.all(
        Object.entries(after).map(async ([name, text]) => {
          const now = await file(system, name);
          const old = (before as Record<string, string>)[name] ?? null;
          return now === text ? 'after' : now === old ? 'before' : `half: ${now}`;
        }),
      );
      for (const state of states) expect(state).not.toContain('half');
      const told = other.view.transcript.items.some(
        (item) => item.kind === 'note' && item.identifier === 'undo-cut-short',
      );
      expect(told).toBe(cut);
      if (cut) expect(transcriptOf(other.view)).toContain('prompt: one');
      expect(await command(again, other, 'undo')).toStartWith(cut ? 'done' : 'refused');
      expect(await file(system, 'a.txt')).toBe('a0\n');
      expect(await file(system, 'c.txt')).toBeNull();
      await again.session.close();
    }),
    { numRuns: 15 },
  );
});
