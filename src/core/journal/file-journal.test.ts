import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { inputBody, noteBody, resultBody, sessionBody, takenBody, turnEndBody } from '../../../test/support/entries.ts';
import type { Entry, EntryBody } from '../../protocol/entry.ts';
import { SystemError } from '../../system/files.ts';
import { createMemorySystem, type MemorySystem } from '../../system/memory/system.ts';
import { createJournal, openJournal } from './file-journal.ts';
import { isKind, type Journal } from './journal.ts';

const FOLDER = '/state/sessions/s';
const PATH = `${FOLDER}/journal.jsonl`;
const first = sessionBody();

async function create(system: MemorySystem): Promise<Journal> {
  const made = await createJournal({ ...system, folder: FOLDER, session: first.session, first });
  if (!made.ok) throw new Error(made.refusal.message);
  return made.value;
}

async function open(system: MemorySystem): Promise<Journal> {
  const opened = await openJournal({ ...system, folder: FOLDER });
  if (!opened.ok) throw new Error(opened.refusal.message);
  return opened.value;
}

async function notes(journal: Journal): Promise<string[]> {
  return (await journal.load(journal.branch())).flatMap((entry) => (isKind(entry, 'note') ? entry.text : []));
}

function lines(system: MemorySystem): string[] {
  return system.files.textOf(PATH).split('\n').slice(0, -1);
}

function damage(system: MemorySystem, change: (lines: string[]) => void): void {
  const all = lines(system);
  change(all);
  system.files.seed(PATH, `${all.join('\n')}\n`, 0o600);
}

/** How a promise stands once everything that is ready has run. */
async function stateOf(system: MemorySystem, promise: Promise<void>): Promise<string> {
  let state = 'waiting';
  promise.then(
    () => (state = 'done'),
    (error: unknown) => (state = error instanceof SystemError ? error.code : 'bug'),
  );
  await system.clock.settle();
  return state;
}

describe('what is in the file', () => {
  test('one JSON line an entry, id, parent, time and kind first, private to the user', async () => {
    const system = createMemorySystem();
    const journal = await create(system);
    await journal.append([inputBody('hi')]).durable;
    expect(lines(system)).toHaveLength(2);
    for (const line of lines(system))
      expect(line).toMatch(/^\{"id":"[^"]+","parent":(null|"[^"]+"),"time":\d+,"kind":"[a-z-]+"/);
    expect((await system.files.stat(PATH))!.mode).toBe(0o600);
    expect((await system.files.stat(FOLDER))!.mode).toBe(0o700);
  });

  test('batches that wait are written and flushed together', async () => {
    const system = createMemorySystem();
    const journal = await create(system);
    const before = system.files.flushes;
    const all = Array.from({ length: 50 }, (_, number) => journal.append([inputBody(`${number}`)]).durable);
    await Promise.all(all);
    expect(system.files.flushes - before).toBe(1);
    expect(lines(system)).toHaveLength(51);
  });

  test('an entry of class written waits for no flush, and is flushed with the next that is', async () => {
    const system = createMemorySystem();
    const journal = await create(system);
    const before = system.files.flushes;
    await journal.append([noteBody('a')]).durable;
    expect(system.files.flushes).toBe(before);
    await journal.append([inputBody('b')]).durable;
    system.crash();
    expect(await notes(await open(system))).toEqual(['a']);
  });

  test('what was said to be durable survives a machine that stops at any byte', async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(400), fc.array(fc.boolean(), { maxLength: 6 }), async (tornBytes, flushed) => {
        const system = createMemorySystem();
        const journal = await create(system);
        const durable: string[] = [];
        for (const [number, isFlushed] of flushed.entries()) {
          const body: EntryBody = isFlushed ? inputBody(`${number}`) : noteBody(`${number}`);
          await journal.append([body]).durable;
          if (isFlushed) durable.push(`${number}`);
        }
        journal.append([noteBody('half-way')]);
        await system.clock.settle();
        system.crash({ tornBytes });
        const again = await open(system);
        const kept = (await Array.fromAsync(again.all())).flatMap((entry) =>
          isKind(entry, 'input') ? entry.text : [],
        );
        expect(kept).toEqual(durable);
      }),
      { numRuns: 60 },
    );
  });

  test('creating over a session, and opening none, are refused', async () => {
    const system = createMemorySystem();
    const none = await openJournal({ ...system, folder: FOLDER });
    expect(none).toMatchObject({ ok: false, refusal: { identifier: 'session-not-found' } });
    await create(system);
    const again = await createJournal({ ...system, folder: FOLDER, session: 's', first });
    expect(again).toMatchObject({ ok: false, refusal: { identifier: 'session-exists' } });
    await system.files.rename(PATH, '/elsewhere');
    await system.files.makeLink('/elsewhere', PATH);
    expect(await openJournal({ ...system, folder: FOLDER })).toMatchObject({
      ok: false,
      refusal: { identifier: 'session-unsafe' },
    });
    system.files.fail({ operation: 'folder', code: 'ENOSPC' });
    const full = await createJournal({ ...system, folder: '/state/other', session: 's', first });
    expect(full).toMatchObject({ ok: false, refusal: { identifier: 'session-unwritable' } });
  });
});

describe('a write that fails', () => {
  test('withdrawn: as if it never was, in the file and in memory', async () => {
    const system = createMemorySystem();
    const journal = await create(system);
    await journal.append([noteBody('a')]).durable;
    const { leaf, size } = journal;
    const before = system.files.textOf(PATH);
    const heal = system.files.fail({ operation: 'append', code: 'ENOSPC', tornBytes: 30 });
    const { entries, durable } = journal.append([noteBody('b'), inputBody('c')]);
    expect(journal.size).toBe(size + 2);
    await expect(durable).rejects.toMatchObject({ code: 'ENOSPC' });
    expect([journal.leaf, journal.size, journal.trouble]).toEqual([leaf, size, null]);
    expect(journal.kindOf(entries[0]!.id)).toBeNull();
    expect(await journal.load(entries.map((entry) => entry.id))).toEqual([]);
    expect(system.files.textOf(PATH)).toBe(before);
    heal();
    await journal.append([noteBody('d')]).durable;
    expect(await notes(journal)).toEqual(['a', 'd']);
    expect(await notes(await open(system))).toEqual(['a', 'd']);
  });

  test('kept: stays, is told, is tried again by the clock, and nothing overtakes it', async () => {
    const system = createMemorySystem();
    const journal = await create(system);
    const troubles: (string | null)[] = [];
    journal.onTrouble((trouble) => troubles.push(trouble));
    const heal = system.files.fail({ operation: 'append', code: 'ENOSPC', tornBytes: 7 });
    const kept = journal.append([resultBody(1, 'x')], { onFailure: 'keep' });
    expect(await stateOf(system, kept.durable)).toBe('waiting');
    expect(journal.trouble).toContain('ENOSPC');
    const later = journal.append([noteBody('later')]);
    expect(await stateOf(system, later.durable)).toBe('ENOSPC');
    expect(journal.leaf).toBe(kept.entries[0]!.id);
    expect(await journal.load([kept.entries[0]!.id])).toHaveLength(1);
    heal();
    await system.clock.advance(60_000);
    expect(await stateOf(system, kept.durable)).toBe('done');
    expect(troubles).toEqual([expect.stringContaining('the disk is full'), null]);
    expect(system.clock.timers).toBe(0);
    await journal.append([noteBody('after')]).durable;
    expect(lines(system).map((line) => (JSON.parse(line) as Entry).kind)).toEqual(['session', 'result', 'note']);
    expect(journal.damaged).toEqual([]);
  });

  test('a new batch tries the kept ones at once, before itself', async () => {
    const system = createMemorySystem();
    const journal = await create(system);
    const heal = system.files.fail({ operation: 'append', code: 'EIO' });
    const kept = journal.append([resultBody(1, 'x')], { onFailure: 'keep' });
    await system.clock.settle();
    heal();
    await journal.append([inputBody('now')]).durable;
    expect(await stateOf(system, kept.durable)).toBe('done');
    expect(lines(system).map((line) => (JSON.parse(line) as Entry).kind)).toEqual(['session', 'result', 'input']);
  });

  test('a kept batch behind a withdrawn one stands on what is left', async () => {
    const system = createMemorySystem();
    const journal = await create(system);
    const root = journal.leaf;
    const heal = system.files.fail({ operation: 'append', code: 'ENOSPC', times: 1 });
    const gone = journal.append([noteBody('gone')]);
    const kept = journal.append([resultBody(1, 'x'), noteBody('y')], { onFailure: 'keep' });
    expect(kept.entries[0]!.parent).toBe(gone.entries[0]!.id);
    await expect(gone.durable).rejects.toBeInstanceOf(SystemError);
    heal();
    await system.clock.runUntil(kept.durable);
    expect(journal.branch()).toEqual([root!, ...kept.entries.map((entry) => entry.id)]);
    expect((await journal.load([kept.entries[0]!.id]))[0]!.parent).toBe(root);
    const again = await open(system);
    expect(again.branch()).toEqual(journal.branch());
    expect(again.damaged).toEqual([]);
  });

  test('a withdrawn position gives the leaf back', async () => {
    const system = createMemorySystem();
    const journal = await create(system);
    const root = journal.leaf!;
    const [a] = journal.append([noteBody('a')]).entries;
    await journal.flush();
    system.files.fail({ operation: 'append', code: 'EIO', times: 1 });
    const moved = journal.append([{ kind: 'position', leaf: root }]);
    expect(journal.leaf).toBe(root);
    await expect(moved.durable).rejects.toBeInstanceOf(SystemError);
    expect(journal.leaf).toBe(a!.id);
  });

  test('a flush that fails writes the same bytes again, entries already called written among them', async () => {
    const system = createMemorySystem();
    const journal = await create(system);
    await journal.append([noteBody('written')]).durable;
    system.files.fail({ operation: 'flush', code: 'EIO', times: 1 });
    const lost = journal.append([inputBody('lost')]);
    await expect(lost.durable).rejects.toMatchObject({ code: 'EIO' });
    expect(journal.trouble).toContain('EIO');
    await system.clock.advance(60_000);
    expect(journal.trouble).toBeNull();
    system.crash();
    const again = await open(system);
    expect(await notes(again)).toEqual(['written']);
    expect(again.ofKind('input')).toEqual([]);
  });

  test('a close says what could not be saved', async () => {
    const system = createMemorySystem();
    const journal = await create(system);
    system.files.fail({ operation: 'append', code: 'ENOSPC', tornBytes: 5 });
    const kept = journal.append([resultBody(1, 'x')], { onFailure: 'keep' });
    const failed = stateOf(system, kept.durable);
    await journal.close();
    expect(await failed).toBe('ENOSPC');
    expect(system.clock.timers).toBe(0);
  });

  test('whatever fails when: the file always holds whole lines of what the journal holds, in order', async () => {
    const step = fc.record({ keep: fc.boolean(), flushed: fc.boolean(), settle: fc.boolean(), move: fc.boolean() });
    const fault = fc.record({
      operation: fc.constantFrom('append' as const, 'flush' as const),
      after: fc.nat(8),
      times: fc.nat(4),
      tornBytes: fc.nat(300),
      code: fc.constantFrom('ENOSPC', 'EIO'),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 14 }), fc.array(fault, { maxLength: 3 }), async (steps, faults) => {
        const system = createMemorySystem();
        const journal = await create(system);
        const heal = faults.map((next) => system.files.fail({ path: FOLDER, ...next }));
        const promised: { ids: string[]; promise: Promise<void>; state: string }[] = [];
        for (const [number, { keep, flushed, settle, move }] of steps.entries()) {
          const bodies: EntryBody[] = [noteBody(`${number}`), ...(flushed ? [inputBody(`${number}`)] : [])];
          if (move) bodies.push({ kind: 'position', leaf: journal.branch()[0]! });
          const { entries, durable } = journal.append(bodies, { onFailure: keep ? 'keep' : 'withdraw' });
          const watched = { ids: entries.map((entry) => entry.id), promise: durable, state: 'waiting' };
          durable.then(
            () => (watched.state = 'done'),
            () => (watched.state = 'failed'),
          );
          promised.push(watched);
          if (settle) await system.clock.settle();
        }
        await system.clock.advance(5_000);
        for (const end of heal) end();
        await system.clock.advance(10 * 60_000);
        await journal.flush();
        for (const { ids, state } of promised) {
          expect(state).not.toBe('waiting');
          for (const id of ids) expect(journal.kindOf(id) !== null).toBe(state === 'done');
        }
        expect(journal.trouble).toBeNull();
        const held = await Array.fromAsync(journal.all());
        const written = lines(system).map((line) => JSON.parse(line) as Entry);
        expect(written).toEqual(held);
        const again = await open(system);
        expect([again.leaf, again.branch()]).toEqual([journal.leaf, [...journal.branch()]]);
        for (const entry of held) if (entry.parent !== null) expect(journal.kindOf(entry.parent)).not.toBeNull();
      }),
      { numRuns: 150 },
    );
  });
});

describe('damaged lines', () => {
  async function hundred(system: MemorySystem): Promise<void> {
    const journal = await create(system);
    for (let number = 1; number < 100; number++) journal.append([noteBody(`${number}`)]);
    await journal.flush();
    await journal.close();
  }

  const all = Array.from({ length: 99 }, (_, index) => `${index + 1}`);

  test('UP-32 a torn last line is kept aside and cut off; a new line starts on its own', async () => {
    const system = createMemorySystem();
    await hundred(system);
    const bytes = system.files.bytesOf(PATH);
    system.files.seed(PATH, bytes.slice(0, -37));
    const torn = lines(system).length;
    const journal = await open(system);
    expect(await notes(journal)).toEqual(all.slice(0, -1));
    expect(journal.damaged).toHaveLength(1);
    expect(journal.damaged[0]!.line).toBe(100);
    expect(system.files.textOf(`${FOLDER}/journal.damaged-1`).startsWith('{"id":')).toBe(true);
    await journal.append([noteBody('x')]).durable;
    expect(lines(system)).toHaveLength(torn + 1);
    const again = await open(system);
    expect(await notes(again)).toEqual([...all.slice(0, -1), 'x']);
    expect(again.damaged).toEqual([]);
    system.files.seed(PATH, `${system.files.textOf(PATH)}{"id":"y`);
    await open(system);
    expect(system.files.textOf(`${FOLDER}/journal.damaged-2`)).toBe('{"id":"y');
  });

  test('UP-32 a broken line, an empty one and one of NULs cost themselves only, and the file is not rewritten', async () => {
    const system = createMemorySystem();
    await hundred(system);
    damage(system, (text) => {
      text[39] = '{"type":';
      text.splice(60, 0, '', '\0'.repeat(90));
      text[80] = `${text[80]!.slice(0, 40)}\0\0\0${text[80]!.slice(43)}`;
    });
    const before = system.files.textOf(PATH);
    const journal = await open(system);
    expect(await notes(journal)).toEqual(all.filter((_, index) => index !== 38 && index !== 77));
    expect(journal.damaged.map(({ line }) => line)).toEqual([40, 61, 62, 81]);
    expect(journal.damaged[2]!.bytes).toBe(90);
    await journal.append([noteBody('x')]).durable;
    expect(system.files.textOf(PATH).startsWith(before)).toBe(true);
    expect((await notes(await open(system))).at(-1)).toBe('x');
  });

  test('damage behind a sound head is found when the line is read, and costs that line only', async () => {
    const system = createMemorySystem();
    await hundred(system);
    damage(system, (text) => {
      text[1] = 'nonsense';
      text[49] = `${text[49]!.slice(0, -12)}"}}}}}}}}}}}`;
    });
    const journal = await open(system);
    expect(journal.damaged.map(({ line }) => line)).toEqual([2]);
    expect(await notes(journal)).toHaveLength(97);
    expect(journal.damaged.map(({ line }) => line)).toEqual([2, 50]);
    await notes(journal);
    expect(journal.damaged).toHaveLength(2);
  });

  test('a last line without its newline gets it before the next', async () => {
    const system = createMemorySystem();
    await hundred(system);
    system.files.seed(PATH, system.files.bytesOf(PATH).slice(0, -1));
    const journal = await open(system);
    expect(await notes(journal)).toEqual(all);
    expect(journal.damaged).toEqual([]);
    system.files.fail({ operation: 'append', code: 'EIO', times: 1, tornBytes: 20 });
    await expect(journal.append([noteBody('no')]).durable).rejects.toBeInstanceOf(SystemError);
    await journal.append([noteBody('x')]).durable;
    expect(await notes(journal)).toEqual([...all, 'x']);
    const again = await open(system);
    expect([await notes(again), again.damaged]).toEqual([[...all, 'x'], []]);
  });

  test('branches over a lost line go on where it stood, also from a fork made later', async () => {
    const system = createMemorySystem();
    const journal = await create(system);
    const [a, lost, c] = journal.append([noteBody('a'), noteBody('lost'), noteBody('c')]).entries;
    journal.append([{ kind: 'position', leaf: lost!.id }]);
    const [d] = journal.append([noteBody('d')]).entries;
    journal.append([{ kind: 'position', leaf: lost!.id }]);
    await journal.close();
    damage(system, (text) => {
      text[2] = '{';
    });
    const again = await open(system);
    const root = again.branch()[0]!;
    expect(again.branch(c!.id)).toEqual([root, a!.id, c!.id]);
    expect(again.branch(d!.id)).toEqual([root, a!.id, d!.id]);
    expect(again.leaf).toBe(a!.id);
    expect((await again.load([c!.id]))[0]!.parent).toBe(a!.id);
  });

  test('a lost first line leaves a session all the same', async () => {
    const system = createMemorySystem();
    await hundred(system);
    damage(system, (text) => {
      text[0] = '';
    });
    const journal = await open(system);
    expect(await notes(journal)).toEqual(all);
    expect(journal.session).toBe('s');
  });

  test('lines of unknown kind, in another order, or twice', async () => {
    const system = createMemorySystem();
    const journal = await create(system);
    const root = journal.leaf!;
    await journal.append([noteBody('a')]).durable;
    const a = journal.leaf!;
    const unknown = `{"id":"u","parent":"${a}","time":5,"kind":"hologram","data":[1]}`;
    const turned = `{"kind":"note","level":"info","identifier":"t","text":"b","time":6,"parent":"${a}","id":"b\\u0031"}`;
    damage(system, (text) => text.push(unknown, turned, text[1]!));
    const again = await open(system);
    expect(again.branch()).toEqual([root, a, 'b1']);
    expect(again.kindOf('u')).toBe('hologram');
    expect(again.size).toBe(4);
    expect(again.damaged).toEqual([]);
    expect((await Array.fromAsync(again.all())).map((entry) => entry.kind as string)).toEqual([
      'session',
      'note',
      'hologram',
      'note',
    ]);
    await again.append([noteBody('c')]).durable;
    expect(lines(system)[2]).toBe(unknown);
  });

  test('any bytes at all open, and everything sound in them is there', async () => {
    const piece = fc.oneof(
      fc.uint8Array({ maxLength: 40 }),
      fc.constantFrom('\n', '{', '}', '\0', '{"id":"x","parent":null,"time":1,"kind":"note"}\n'),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(piece, { maxLength: 8 }), fc.nat(6), async (pieces, at) => {
        const system = createMemorySystem();
        const journal = await create(system);
        for (let number = 0; number < 6; number++) journal.append([noteBody(`${number}`)]);
        await journal.close();
        const text = lines(system);
        const rubbish = Buffer.concat(pieces.map((next) => Buffer.from(next as string)));
        const whole = (part: string[]) => part.map((line) => `${line}\n`).join('');
        const bytes = Buffer.concat([
          Buffer.from(whole(text.slice(0, at))),
          rubbish,
          Buffer.from(`\n${whole(text.slice(at))}`),
        ]);
        system.files.seed(PATH, bytes);
        const again = await open(system);
        const found = await Array.fromAsync(again.all());
        expect(found.flatMap((entry) => (entry.id !== 'x' && isKind(entry, 'note') ? entry.text : []))).toEqual([
          '0',
          '1',
          '2',
          '3',
          '4',
          '5',
        ]);
        await again.append([turnEndBody(1)]).durable;
        expect((await open(system)).kindOf(again.leaf!)).toBe('turn-end');
      }),
      { numRuns: 150 },
    );
  });
});

test('a long session opens from its index, and reads what is far apart', async () => {
  const system = createMemorySystem();
  const journal = await create(system);
  const ids: string[] = [];
  for (let number = 0; number < 3_000; number++) {
    const { entries } = journal.append([
      inputBody(`${number}`),
      takenBody('x', number),
      resultBody(number, `${number}`, 'y'.repeat(1_000)),
    ]);
    ids.push(entries[2]!.id);
  }
  await journal.close();
  const again = await open(system);
  expect(again.size).toBe(9_001);
  expect(again.branch()).toHaveLength(6_001);
  const wanted = [ids[2_999]!, ids[0]!, ids[1_500]!];
  expect((await again.load(wanted)).map((entry) => entry.id)).toEqual(wanted);
});
