import { expect, test } from 'bun:test';
import * as make from '../../../test/support/entries.ts';
import type { EntryBody } from '../../protocol/entry.ts';
import { createMemorySystem } from '../../system/memory/system.ts';
import type { Journal } from './journal.ts';
import { createMemoryJournal } from './memory-journal.ts';
import { destination, treeNodes } from './tree.ts';

function newJournal(): Journal {
  const { clock, ids } = createMemorySystem();
  return createMemoryJournal({ clock, ids, session: 's', first: make.sessionBody() });
}

function turn(
  journal: Journal,
  number: number,
  prompt: string,
  end: EntryBody = make.turnEndBody(number),
): Record<'taken' | 'reply' | 'end', string> {
  const [input] = journal.append([make.inputBody(prompt)]).entries;
  const call = `c${number}`;
  const ids = journal
    .append([
      make.takenBody(input!.id, number),
      make.turnStartBody(number),
      make.assistantBody(number, [make.textPart('let me see'), make.callPart(call)]),
      make.callBody(number, call),
      make.resultBody(number, call),
      make.assistantBody(number, [make.textPart(`reply to ${prompt}\nmore`)]),
      end,
    ])
    .entries.map((entry) => entry.id);
  return { taken: ids[0]!, reply: ids[5]!, end: ids[6]! };
}

test('SC-25.2 rows depth first: prompts, replies, compactions, turns that failed; no branch is ever lost', async () => {
  const journal = newJournal();
  const root = journal.leaf!;
  const one = turn(journal, 1, 'one');
  const two = turn(journal, 2, 'two', { ...make.turnEndBody(2, 'failed'), message: 'no network' });
  journal.append([{ kind: 'position', leaf: one.end }]);
  const three = turn(journal, 3, 'three');
  const [compaction] = journal.append([make.compactionBody('summary', three.taken)]).entries;
  const nodes = await treeNodes(journal);
  expect(nodes.map(({ kind, text, parent }) => [kind, text, parent])).toEqual([
    ['root', '/yard', null],
    ['prompt', 'one', root],
    ['response', 'reply to one', one.taken],
    ['prompt', 'two', one.reply],
    ['response', 'reply to two', two.taken],
    ['failed', 'no network', two.reply],
    ['prompt', 'three', one.reply],
    ['response', 'reply to three', three.taken],
    ['compaction', 'summary', three.reply],
  ]);
  expect(nodes.at(-1)!.id).toBe(compaction!.id);
});

test('a prompt leads to the context before it, a reply to the end of its turn, the root to nothing', () => {
  const journal = newJournal();
  const root = journal.leaf!;
  const one = turn(journal, 1, 'one');
  const two = turn(journal, 2, 'two');
  expect(destination(journal, one.taken)).toEqual({ leaf: root, taken: one.taken });
  expect(destination(journal, two.taken)).toEqual({ leaf: one.end, taken: two.taken });
  expect(destination(journal, one.reply)).toEqual({ leaf: one.end, taken: null });
  expect(destination(journal, root)).toEqual({ leaf: root, taken: null });
  expect(destination(journal, journal.ofKind('input')[0]!)).toBeNull();
  expect(destination(journal, 'nobody')).toBeNull();
});
