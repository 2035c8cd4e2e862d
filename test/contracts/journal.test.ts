import { describe, expect, test } from 'bun:test';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createJournal, openJournal } from '../../src/core/journal/file-journal.ts';
import { isKind, type Journal } from '../../src/core/journal/journal.ts';
import { createMemoryJournal } from '../../src/core/journal/memory-journal.ts';
import type { Entry } from '../../src/protocol/entry.ts';
import { createBunFiles } from '../../src/system/bun/files.ts';
import { createMemorySystem } from '../../src/system/memory/system.ts';
import { inputBody, noteBody, resultBody, sessionBody, takenBody, turnEndBody } from '../support/entries.ts';

interface Place {
  readonly journal: Journal;
  /** Closes it and opens what is left of it; null where nothing is. */
  reopen(): Promise<Journal | null>;
  end(): Promise<void>;
}

const first = sessionBody();

async function inMemory(): Promise<Place> {
  const { clock, ids } = createMemorySystem();
  const journal = createMemoryJournal({ clock, ids, session: first.session, first });
  return { journal, reopen: async () => null, end: () => journal.close() };
}

async function inMemoryFiles(): Promise<Place> {
  const { files, clock, ids } = createMemorySystem();
  return await onFiles({ files, clock, ids, folder: '/state/sessions/s' });
}

async function onDisk(): Promise<Place> {
  const { clock, ids } = createMemorySystem();
  const folder = await mkdtemp(join(tmpdir(), 'houston-journal-'));
  const place = await onFiles({ files: createBunFiles(), clock, ids, folder: join(folder, 'session') });
  return {
    ...place,
    async end() {
      await place.end();
      await rm(folder, { recursive: true });
    },
  };
}

async function onFiles(parts: Parameters<typeof openJournal>[0]): Promise<Place> {
  const made = await createJournal({ ...parts, session: first.session, first });
  if (!made.ok) throw new Error(made.refusal.message);
  let current = made.value;
  return {
    journal: current,
    async reopen() {
      await current.close();
      const opened = await openJournal(parts);
      if (!opened.ok) throw new Error(opened.refusal.message);
      current = opened.value;
      return current;
    },
    end: () => current.close(),
  };
}

async function everything(journal: Journal): Promise<Entry[]> {
  return await Array.fromAsync(journal.all());
}

const kinds: readonly (readonly [string, () => Promise<Place>])[] = [
  ['memory', inMemory],
  ['files in memory', inMemoryFiles],
  ['files on disk', onDisk],
];

for (const [name, make] of kinds) {
  describe(`a journal: ${name}`, () => {
    async function using(work: (place: Place) => Promise<void>): Promise<void> {
      const place = await make();
      try {
        await work(place);
      } finally {
        await place.end();
      }
    }

    test('begins with its session entry as root and leaf', () =>
      using(async ({ journal }) => {
        expect(journal.session).toBe(first.session);
        expect(journal.size).toBe(1);
        expect(journal.branch()).toEqual([journal.leaf!]);
        expect(await journal.load([journal.leaf!])).toMatchObject([{ ...first, parent: null }]);
        expect(journal.damaged).toEqual([]);
        expect(journal.trouble).toBeNull();
      }));

    test('gives out entries at once, readable before they are written', () =>
      using(async ({ journal }) => {
        const root = journal.leaf;
        const { entries, durable } = journal.append([noteBody('a'), noteBody('b')]);
        expect(entries.map((entry) => entry.parent)).toEqual([root, entries[0]!.id]);
        expect(journal.leaf).toBe(entries[1]!.id);
        expect(await journal.load(entries.map((entry) => entry.id))).toEqual([...entries]);
        await durable;
        expect(await journal.load(entries.map((entry) => entry.id))).toEqual([...entries]);
        expect(new Set(entries.map((entry) => entry.id)).size).toBe(2);
      }));

    test('side entries stand on the leaf and do not move it', () =>
      using(async ({ journal }) => {
        const leaf = journal.leaf!;
        const [input] = journal.append([inputBody('hi')]).entries;
        expect(journal.leaf).toBe(leaf);
        expect(input!.parent).toBe(leaf);
        const [taken] = journal.append([takenBody(input!.id, 1)]).entries;
        expect(journal.branch()).toEqual([leaf, taken!.id]);
        expect(journal.branch(input!.id)).toEqual([leaf]);
        expect(journal.kindOf(input!.id)).toBe('input');
        expect(journal.parentOf(taken!.id)).toBe(leaf);
        expect(journal.kindOf('nobody')).toBeNull();
        expect(journal.parentOf('nobody')).toBeNull();
        expect(journal.branch('nobody')).toEqual([]);
      }));

    test('a position moves the leaf, and what follows makes a new branch', () =>
      using(async ({ journal, reopen }) => {
        const root = journal.leaf!;
        const [a, b] = journal.append([noteBody('a'), noteBody('b')]).entries;
        journal.append([{ kind: 'position', leaf: a!.id }]);
        expect(journal.leaf).toBe(a!.id);
        const [c] = journal.append([noteBody('c')]).entries;
        expect(journal.branch()).toEqual([root, a!.id, c!.id]);
        expect(journal.branch(b!.id)).toEqual([root, a!.id, b!.id]);
        journal.append([{ kind: 'position', leaf: b!.id }]);
        const again = await reopen();
        if (again) expect(again.branch()).toEqual([root, a!.id, b!.id]);
      }));

    test('load answers in the order asked and leaves out what is not there', () =>
      using(async ({ journal }) => {
        const { entries, durable } = journal.append([noteBody('a'), noteBody('b'), noteBody('c')]);
        await durable;
        const [a, b, c] = entries.map((entry) => entry.id) as [string, string, string];
        const found = await journal.load([c, 'nobody', a, b, a]);
        expect(found.map((entry) => isKind(entry, 'note') && entry.text)).toEqual(['c', 'a', 'b', 'a']);
      }));

    test('all and ofKind give file order, side entries too', () =>
      using(async ({ journal }) => {
        const { entries } = journal.append([inputBody('x'), noteBody('n'), inputBody('y')]);
        expect((await everything(journal)).map((entry) => entry.kind)).toEqual(['session', 'input', 'note', 'input']);
        expect(journal.ofKind('input')).toEqual([entries[0]!.id, entries[2]!.id]);
        expect(journal.ofKind('session', 'note')).toEqual([journal.branch()[0]!, entries[1]!.id]);
        expect(journal.ofKind('compaction')).toEqual([]);
      }));

    test('everything comes back as it was written', () =>
      using(async ({ journal, reopen }) => {
        journal.append([
          inputBody('half an emoji \ud83d and a \u0000 and \u2028 lines\r\n'),
          resultBody(1, 'c', 'x'.repeat(100_000)),
        ]);
        await journal.append([turnEndBody(1)]).durable;
        const before = await everything(journal);
        const { leaf, size } = journal;
        const again = await reopen();
        if (again === null) return;
        expect(await everything(again)).toEqual(before);
        expect(again.session).toBe(first.session);
        expect([again.leaf, again.size, again.damaged]).toEqual([leaf, size, []]);
      }));

    test('an empty append is nothing, and flush settles', () =>
      using(async ({ journal }) => {
        const { entries, durable } = journal.append([]);
        await durable;
        journal.append([noteBody('a')]);
        await journal.flush();
        expect(entries).toEqual([]);
        expect(journal.size).toBe(2);
      }));

    test('a closed journal takes nothing', () =>
      using(async ({ journal }) => {
        await journal.close();
        expect(() => journal.append([noteBody('late')])).toThrow('closed');
      }));
  });
}
