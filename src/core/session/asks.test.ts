import { expect, test } from 'bun:test';
import type { EntryBody } from '../../protocol/entry.ts';
import { emptyHead, emptyView } from '../../protocol/reduce.ts';
import { createMemorySystem } from '../../system/memory/system.ts';
import type { AskWish } from '../runtime/runtime.ts';
import { createAsks } from './asks.ts';
import { createPublisher } from './publish.ts';

function room() {
  const { clock, ids } = createMemorySystem();
  const publisher = createPublisher({
    view: emptyView(emptyHead('s', '/yard', '0')),
    clock,
    draftOf: async () => null,
  });
  const written: EntryBody[] = [];
  const recorder = {
    write: async (bodies: readonly EntryBody[]) => {
      written.push(...bodies);
      return [];
    },
    written: async () => {},
  };
  return { asks: createAsks({ publisher, recorder, clock, ids }), view: publisher.view, written };
}

const wish = (forClient: string | null): AskWish => ({
  for: forClient,
  origin: '',
  call: null,
  body: { kind: 'questions', questions: [{ question: 'Which?', options: ['a', 'b'], many: false }] },
});
const never = new AbortController().signal;

test('the first answer wins and is on record; later ones are told that it is closed', async () => {
  const { asks, view, written } = room();
  const answered = asks.ask(wish(null), never);
  const id = view.asks[0]!.id;
  expect(asks.answer(id, { kind: 'choice', choice: 'once' }, 'one')).toBe('unfitting');
  expect(asks.answer(id, { kind: 'answers', answers: [['a']] }, 'one')).toBe('taken');
  expect(asks.answer(id, { kind: 'answers', answers: [['b']] }, 'two')).toBe('closed');
  expect(await answered).toEqual({ kind: 'answers', answers: [['a']] });
  expect(view.asks).toEqual([]);
  expect(written).toMatchObject([
    { kind: 'ask', title: 'Which?' },
    { kind: 'answer', by: 'one' },
  ]);
});

test('a question for one client ends with that client; one for everyone does not (SC-28.3.7)', async () => {
  const { asks, view } = room();
  const own = asks.ask(wish('one'), never);
  void asks.ask(wish(null), never);
  asks.lost('one');
  expect(await own).toBeNull();
  expect(view.asks.map((ask) => ask.for)).toEqual([null]);
});

test('a question for one client is answered by that client alone (SC-28.3.7)', async () => {
  const { asks, view } = room();
  const own = asks.ask(wish('one'), never);
  const id = view.asks[0]!.id;
  expect(asks.answer(id, { kind: 'answers', answers: [['b']] }, 'two')).toBe('elsewhere');
  expect(view.asks).toHaveLength(1);
  expect(asks.answer(id, { kind: 'answers', answers: [['a']] }, 'one')).toBe('taken');
  expect(await own).toEqual({ kind: 'answers', answers: [['a']] });
});

test('a question whose asker stops is withdrawn, one asked after the stop never stands', async () => {
  const { asks, view } = room();
  const stop = new AbortController();
  const answered = asks.ask(wish(null), stop.signal);
  stop.abort();
  expect(await answered).toBeNull();
  expect(await asks.ask(wish(null), stop.signal)).toBeNull();
  expect(view.asks).toEqual([]);
});
