import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import * as make from '../../../test/support/entries.ts';
import { growBodies } from '../../../test/support/random-entries.ts';
import type { Entry, EntryBody } from '../../protocol/entry.ts';
import { applyEntry, emptyHead, emptyView } from '../../protocol/reduce.ts';
import type { View } from '../../protocol/view.ts';
import { createMemorySystem } from '../../system/memory/system.ts';
import type { Journal } from './journal.ts';
import { createMemoryJournal } from './memory-journal.ts';
import { createTranscriptIndex } from './transcript.ts';

function newJournal(): Journal {
  const { clock, ids } = createMemorySystem();
  return createMemoryJournal({ clock, ids, session: 's', first: make.sessionBody() });
}

/** The View of the current branch, as the one reducer makes it. */
async function viewOf(journal: Journal): Promise<View> {
  const view = emptyView(emptyHead('s', '/yard', '0'));
  const branch = new Set(journal.branch());
  for await (const entry of journal.all())
    if (branch.has(entry.id) || entry.kind === 'input' || entry.kind === 'queue') applyEntry(view, entry);
  return view;
}

/** One input is taken once and calls have ids of their own: what the reducer relies on, a journal holds. */
function isSound(entries: readonly Entry[], body: EntryBody): boolean {
  if (body.kind === 'taken') return !entries.some((entry) => entry.kind === 'taken' && entry.input === body.input);
  return true;
}

describe('pages of the transcript', () => {
  test('hold what the View would hold for the same numbers, also while entries come and the branch moves', async () => {
    await fc.assert(
      fc.asyncProperty(fc.gen(), fc.nat(30), async (seed, count) => {
        const journal = newJournal();
        const index = createTranscriptIndex(journal);
        const entries: Entry[] = [];
        for (let number = 0; number < count; number++) {
          growBodies(
            seed,
            1,
            () => entries,
            (body) => {
              if (isSound(entries, body)) entries.push(...journal.append([body]).entries);
            },
          );
          if (seed(fc.nat, { max: 9 }) === 0)
            journal.append([{ kind: 'position', leaf: seed(fc.constantFrom, ...journal.branch()) }]);
          if (seed(fc.nat, { max: 3 }) > 0) continue;
          const { transcript } = await viewOf(journal);
          const from = seed(fc.nat, { max: transcript.total + 2 });
          const length = seed(fc.nat, { max: transcript.total + 2 });
          expect(await index.page(from, length)).toEqual({
            from: Math.min(from, transcript.total),
            items: transcript.items.slice(from, from + length),
            total: transcript.total,
          });
        }
        const { transcript } = await viewOf(journal);
        expect((await index.tail(5)).items).toEqual(transcript.items.slice(-5));
        expect(await index.total()).toBe(transcript.total);
      }),
      { numRuns: 200, endOnFailure: true },
    );
  });

  test('a page long ago has its results, and the mark of a stop', async () => {
    const journal = newJournal();
    const index = createTranscriptIndex(journal);
    for (let turn = 1; turn <= 300; turn++) {
      const [input] = journal.append([make.inputBody(`prompt ${turn}`)]).entries;
      const call = `c${turn}`;
      journal.append([
        make.takenBody(input!.id, turn),
        make.assistantBody(turn, [make.textPart('t'), make.callPart(call)]),
      ]);
      journal.append([
        make.callBody(turn, call),
        make.resultBody(turn, call, 'r', 'error'),
        make.turnEndBody(turn, turn === 3 ? 'stopped' : 'done'),
      ]);
    }
    const { items, total } = await index.page(8, 4);
    expect(total).toBe(1_200);
    expect(items).toMatchObject([
      { kind: 'user', text: 'prompt 3', stopped: true },
      { kind: 'assistant' },
      { kind: 'call', state: 'error', revision: 2 },
      { kind: 'turn-end', reason: 'stopped' },
    ]);
    expect((await index.tail(2)).from).toBe(1_198);
    expect((await index.page(5_000, 5)).items).toEqual([]);
    expect((await index.page(-3, 1)).items).toMatchObject([{ text: 'prompt 1' }]);
  });

  test('questions asked at the same time do not disturb each other', async () => {
    const journal = newJournal();
    const index = createTranscriptIndex(journal);
    for (let number = 0; number < 1_000; number++) journal.append([make.noteBody(`${number}`)]);
    const pages = await Promise.all([index.page(0, 1), index.tail(1), index.page(500, 1), index.total()]);
    expect(pages.slice(0, 3)).toMatchObject([
      { items: [{ text: '0' }] },
      { items: [{ text: '999' }] },
      { items: [{ text: '500' }] },
    ]);
    expect(pages[3]).toBe(1_000);
  });
});
