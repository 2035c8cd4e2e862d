// What a window shows of a session before that is there again: just what it will show then, or nothing.
import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { createJournal, openJournal } from '../../src/core/journal/file-journal.ts';
import type { Journal } from '../../src/core/journal/journal.ts';
import { readWindow, WINDOW_FILE } from '../../src/core/journal/kept-window.ts';
import { createMemorySystem, type MemorySystem } from '../../src/system/memory/system.ts';
import { FOLDER, openHouse, SESSION_FOLDER } from '../support/controller.ts';
import { scriptedModel } from '../support/script.ts';

const BUILD = 'one';
const WINDOW = `${SESSION_FOLDER}/${WINDOW_FILE}`;

/** A system whose files tell when they were changed, as a real one's do. */
function telling(): MemorySystem {
  const system = createMemorySystem();
  const { linkStat } = system.files;
  system.files.linkStat = async (path) => {
    const stat = await linkStat(path);
    return stat === null ? null : { ...stat, changedMs: stat.modifiedMs };
  };
  return system;
}

async function open(system: MemorySystem, build = BUILD): Promise<Journal> {
  const place = { ...system, folder: SESSION_FOLDER, build };
  const first = { kind: 'session', version: 1, session: 's1', folder: FOLDER, build, forkedFrom: null } as const;
  const found = await openJournal(place);
  const opened = found.ok ? found : await createJournal({ ...place, session: 's1', first });
  if (!opened.ok) throw new Error(opened.refusal.message);
  return opened.value;
}

async function talk(system: MemorySystem, turns: number, reply = 'a reply'): Promise<void> {
  const script = scriptedModel([reply], { repeatLast: true });
  const house = await openHouse({ system, journal: await open(system), script });
  // Another run of the program is another client.
  const person = house.seat(system.ids.hex(4));
  for (let turn = 0; turn < turns; turn++) {
    await person.say(`say ${turn} "items":[] \\ $& \u001b[2J`);
    await house.idle();
  }
  await house.session.close();
}

test('the newest cards and the figures are kept at the end, and are what the session shows when it is opened again', async () => {
  for (const turns of [1, 3, 50]) {
    const system = telling();
    await talk(system, turns);
    const kept = await readWindow(system.files, SESSION_FOLDER, BUILD);
    const house = await openHouse({ system, journal: await open(system), script: scriptedModel([]) });
    const { view } = house.seat('two');
    await house.settle();
    const { transcript, head } = view;
    expect(transcript.total).toBe(kept!.transcript.total);
    expect(kept!.transcript.items.length).toBe(Math.min(transcript.total, 60));
    expect(kept!.transcript.first).toBe(transcript.total - kept!.transcript.items.length);
    expect(kept!.transcript.items).toEqual(transcript.items.slice(-kept!.transcript.items.length));
    expect(head).toMatchObject(kept!.head);
    expect(kept!.head.totals.requests).toBe(turns);
    await house.session.close();
  }
});

test('of a journal that somebody wrote to since, or of other code, or where nothing was said, there is none', async () => {
  const system = telling();
  await talk(system, 0);
  expect(await readWindow(system.files, SESSION_FOLDER, BUILD)).toBeNull();
  await talk(system, 1);
  expect(await readWindow(system.files, SESSION_FOLDER, BUILD)).not.toBeNull();
  expect(await readWindow(system.files, SESSION_FOLDER, 'two')).toBeNull();
  const journal = await open(system);
  await journal.append([{ kind: 'name', name: 'told', by: 'person' }]).durable;
  await journal.close();
  expect(await readWindow(system.files, SESSION_FOLDER, BUILD)).toBeNull();
  // Where the system does not tell when a file was changed, nothing can be known.
  await talk(system, 1);
  const untold = async (path: string) => ({ ...(await system.files.linkStat(path))!, changedMs: undefined as never });
  expect(await readWindow({ ...system.files, linkStat: untold }, SESSION_FOLDER, BUILD)).toBeNull();
});

test('a file that is cut off or no window at all costs nothing but the cards', async () => {
  const system = telling();
  await talk(system, 2);
  const bytes = await system.files.read(WINDOW);
  await fc.assert(
    fc.asyncProperty(fc.nat({ max: bytes.length - 1 }), async (length) => {
      await system.files.writeAtomic(WINDOW, bytes.slice(0, length), { mode: 0o600, flush: false });
      expect(await readWindow(system.files, SESSION_FOLDER, BUILD)).toBeNull();
    }),
    { numRuns: 50 },
  );
  for (const text of ['null', '7', '[]', '{}', '{"build":"one"}']) {
    await system.files.writeAtomic(WINDOW, new TextEncoder().encode(text), { mode: 0o600, flush: false });
    expect(await readWindow(system.files, SESSION_FOLDER, BUILD)).toBeNull();
  }
});

test('cards too large to be read in no time are left to the session', async () => {
  const system = telling();
  await talk(system, 3, 'long '.repeat(60_000));
  const kept = await readWindow(system.files, SESSION_FOLDER, BUILD);
  expect(kept!.transcript.items.filter((item) => item.kind === 'assistant')).toHaveLength(1);
  expect(kept!.transcript.items.at(-1)?.kind).toBe('turn-end');
  await talk(system, 1, 'long '.repeat(200_000));
  expect((await readWindow(system.files, SESSION_FOLDER, BUILD))!.transcript.items.map(({ kind }) => kind)).toEqual([
    'turn-end',
  ]);
});

test('a disk that takes nothing more keeps no session from ending', async () => {
  const system = telling();
  await talk(system, 1);
  await system.files.remove(WINDOW);
  system.files.writeAtomic = async () => {
    throw new (await import('../../src/system/files.ts')).SystemError('ENOSPC', 'no space left on the disk', WINDOW);
  };
  await talk(system, 1);
  expect(await system.files.linkStat(WINDOW)).toBeNull();
});
