import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import * as make from '../../../test/support/entries.ts';
import { growBodies } from '../../../test/support/random-entries.ts';
import type { Entry, EntryBody } from '../../protocol/entry.ts';
import { createMemorySystem } from '../../system/memory/system.ts';
import { NOT_RUN, OUTCOME_UNKNOWN } from './interrupted.ts';
import type { Journal } from './journal.ts';
import { createMemoryJournal } from './memory-journal.ts';
import { loadWaiting, recover, waitingOf } from './recover.ts';

function newJournal(...bodies: EntryBody[]): Journal {
  const { clock, ids } = createMemorySystem();
  const journal = createMemoryJournal({ clock, ids, session: 's', first: make.sessionBody() });
  journal.append(bodies);
  return journal;
}

const CUT = [
  make.takenBody('i', 1),
  make.turnStartBody(1),
  make.assistantBody(1, [make.callPart('a'), make.callPart('b'), make.callPart('c')]),
  make.callBody(1, 'a'),
  make.callBody(1, 'b'),
  make.resultBody(1, 'a'),
];

describe('after a crash', () => {
  test('a call that began has an unknown outcome, one that did not was not run, and the turn ends interrupted', async () => {
    const bodies = await recover(newJournal(...CUT));
    expect(bodies).toMatchObject([
      { kind: 'result', turn: 1, call: 'b', tool: 'read', title: 'Read b', outcome: 'unknown', text: OUTCOME_UNKNOWN },
      { kind: 'result', turn: 1, call: 'c', outcome: 'stopped', text: NOT_RUN },
      { kind: 'turn-end', turn: 1, reason: 'interrupted', usage: { requests: 1 } },
    ]);
  });

  test('a prompt that was taken and not begun is an interrupted turn', async () => {
    expect(await recover(newJournal(make.takenBody('i', 4)))).toMatchObject([
      { kind: 'turn-end', turn: 4, reason: 'interrupted' },
    ]);
  });

  test('what waits stays, held only when a turn was cut', async () => {
    const cut = newJournal(make.inputBody('one'), ...CUT, make.inputBody('two'));
    const [one, two] = cut.ofKind('input');
    expect((await recover(cut)).at(-1)).toMatchObject({
      kind: 'queue',
      order: [one, two],
      edited: [],
      paused: { because: 'restarted' },
    });
    expect(
      await recover(
        newJournal(
          ...CUT,
          make.turnEndBody(1),
          make.resultBody(1, 'b'),
          make.resultBody(1, 'c'),
          make.inputBody('two'),
        ),
      ),
    ).toEqual([]);
    const held: EntryBody = { kind: 'queue', order: [], edited: [], paused: { because: 'stopped', message: '' } };
    const kinds = (await recover(newJournal(make.inputBody('one'), held, ...CUT))).map(({ kind }) => kind);
    expect(kinds).toEqual(['result', 'result', 'turn-end']);
  });

  test('a turn that had said its last word was done, and holds nothing up', async () => {
    const journal = newJournal(
      make.takenBody('i', 1),
      make.turnStartBody(1),
      make.assistantBody(1, [make.textPart('done')]),
      make.inputBody('next'),
    );
    expect(await recover(journal)).toMatchObject([{ kind: 'turn-end', reason: 'done' }]);
  });

  test("a person's own shell line has an unknown outcome and is no turn", async () => {
    const journal = newJournal(
      make.turnEndBody(1),
      make.takenBody('i', 2, 'shell'),
      make.callBody(2, 's', '!'),
      make.inputBody('next'),
    );
    expect(await recover(journal)).toMatchObject([{ kind: 'result', call: 's', tool: '!', outcome: 'unknown' }]);
  });

  test('a place in the middle of a turn that a person moved to is no crash', async () => {
    const journal = newJournal(...CUT, make.turnEndBody(1));
    journal.append([{ kind: 'position', leaf: journal.branch()[3]! }, make.inputBody('from here')]);
    expect(await recover(journal)).toEqual([]);
  });

  test('nothing to do for a sound journal', async () => {
    expect(await recover(newJournal())).toEqual([]);
    expect(
      await recover(newJournal(...CUT, make.resultBody(1, 'b'), make.resultBody(1, 'c'), make.turnEndBody(1))),
    ).toEqual([]);
  });

  test('appended, it leaves nothing to do, whatever there was', async () => {
    await fc.assert(
      fc.asyncProperty(fc.gen(), fc.nat(20), async (seed, count) => {
        const journal = newJournal();
        const entries: Entry[] = [];
        growBodies(
          seed,
          count,
          () => entries,
          (body) => void entries.push(...journal.append([body]).entries),
        );
        const bodies = await recover(journal);
        expect(bodies.filter(({ kind }) => !['result', 'turn-end', 'queue'].includes(kind))).toEqual([]);
        journal.append(bodies);
        expect(await recover(journal)).toEqual([]);
      }),
      { numRuns: 200, endOnFailure: true },
    );
  });
});

describe('what waits', () => {
  test('inputs neither taken nor dropped, in their order and as rewritten; never what was cleared', async () => {
    const journal = newJournal(...['a', 'b', 'c', 'd', 'e'].map((text) => make.inputBody(text)));
    const [a, b, c, d] = journal.ofKind('input') as [string, string, string, string];
    journal.append([
      make.takenBody(b, 1),
      { kind: 'dropped', input: d, reason: 'cleared' },
      {
        kind: 'queue',
        order: [c, a],
        edited: [{ input: a, text: 'A', delivery: 'steering' }],
        paused: { because: 'stopped', message: 'm' },
      },
    ]);
    const waiting = await loadWaiting(journal);
    expect(waiting.inputs.map(({ text, delivery }) => [text, delivery])).toEqual([
      ['c', 'queue'],
      ['A', 'steering'],
      ['e', 'queue'],
    ]);
    expect(waiting.paused?.because).toBe('stopped');
  });

  test('none in an empty journal', () => {
    expect(waitingOf([])).toEqual({ inputs: [], paused: null });
  });
});
