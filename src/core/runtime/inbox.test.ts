import { expect, test } from 'bun:test';
import fc from 'fast-check';
import type { Delivery } from '../../protocol/entry.ts';
import { createInbox, type Inbox } from './inbox.ts';

const empty = { paused: null, rows: [] };

function row(id: string, delivery: Delivery = 'steering') {
  return { id, client: 'c', ref: id, text: id, attachments: [], delivery };
}

function filled(...rows: readonly [string, Delivery][]): Inbox {
  const inbox = createInbox(empty, []);
  for (const [id, delivery] of rows) inbox.add(row(id, delivery));
  return inbox;
}

const idsOf = (rows: readonly { readonly id: string }[]): string[] => rows.map(({ id }) => id);

test('steering joins in the order typed, past what waits for its own turn, none past a command or a shell line (QUE-4, QUE-20)', () => {
  const inbox = filled(['a', 'steering'], ['b', 'queue'], ['c', 'steering'], ['d', 'shell'], ['e', 'steering']);
  expect(idsOf(inbox.takeSteering())).toEqual(['a', 'c']);
  expect(idsOf(inbox.rows)).toEqual(['b', 'd', 'e']);
  expect(idsOf(filled(['a', 'command'], ['b', 'steering']).takeSteering())).toEqual([]);
});

test('what was stopped before its turn came goes with nothing else, and nothing passes it', () => {
  const inbox = filled(['a', 'steering'], ['b', 'steering'], ['c', 'steering'], ['d', 'queue']);
  inbox.find('b')!.stillborn = true;
  expect(idsOf(inbox.batch())).toEqual(['a']);
  expect(idsOf(inbox.takeSteering())).toEqual(['a']);
  // It is next, and alone; the rest goes together behind it.
  expect(inbox.next()?.id).toBe('b');
  expect(idsOf(inbox.batch())).toEqual(['c', 'd']);
  expect(idsOf(inbox.takeSteering())).toEqual([]);
});

test('a pause holds what waits then, not what is said later, and ends with its last row', () => {
  const inbox = filled(['a', 'queue'], ['b', 'steering']);
  inbox.pause({ because: 'stopped', message: '' });
  expect(inbox.next()).toBeNull();
  inbox.add(row('c'));
  expect(inbox.next()?.id).toBe('c');
  expect(idsOf(inbox.takeSteering())).toEqual(['c']);
  inbox.remove(['a']);
  expect(inbox.paused).not.toBeNull();
  inbox.remove(['b']);
  expect(inbox.paused).toBeNull();
});

test('rows held before a restart are held after it', () => {
  const paused = { because: 'failed', message: '' } as const;
  const inbox = createInbox({ paused, rows: [row('a'), row('b')] }, ['a']);
  expect(inbox.next()?.id).toBe('b');
  inbox.resume();
  expect(inbox.next()?.id).toBe('a');
});

test('moving, editing and putting back keep every row once', () => {
  const inbox = filled(['a', 'queue'], ['b', 'queue'], ['c', 'queue']);
  inbox.move('c', 'a');
  inbox.edit('b', 'B', 'steering');
  inbox.add(row('d'), 'a');
  expect(idsOf(inbox.rows)).toEqual(['c', 'd', 'a', 'b']);
  expect(inbox.find('b')).toMatchObject({ text: 'B', delivery: 'steering' });
  inbox.move('c', null);
  inbox.putBack(inbox.remove(['a']));
  expect(idsOf(inbox.rows)).toEqual(['a', 'd', 'b', 'c']);
});

test('whatever is done, a row leaves once and no row is lost (INV-1)', () => {
  const step = fc.oneof(
    fc.record({ do: fc.constant('add' as const), delivery: fc.constantFrom<Delivery>('steering', 'queue', 'shell') }),
    fc.record({ do: fc.constantFrom('next', 'steer', 'clear', 'pause', 'resume') }),
    fc.record({ do: fc.constant('remove' as const), at: fc.nat(5) }),
    fc.record({ do: fc.constant('move' as const), at: fc.nat(5) }),
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const inbox = createInbox(empty, []);
      const left: string[] = [];
      let added = 0;
      for (const one of steps) {
        if (one.do === 'add') inbox.add(row(`r${added++}`, (one as { delivery: Delivery }).delivery));
        else if (one.do === 'next') left.push(...idsOf(inbox.remove([inbox.next()?.id ?? 'none'])));
        else if (one.do === 'steer') left.push(...idsOf(inbox.takeSteering()));
        else if (one.do === 'clear') left.push(...idsOf(inbox.remove('all')));
        else if (one.do === 'pause') inbox.pause({ because: 'stopped', message: '' });
        else if (one.do === 'resume') inbox.resume();
        else {
          const id = inbox.rows[(one as { at: number }).at]?.id ?? 'none';
          if (one.do === 'remove') left.push(...idsOf(inbox.remove([id])));
          else inbox.move(id, inbox.rows[0]?.id ?? null);
        }
      }
      const all = [...left, ...idsOf(inbox.rows)];
      expect(all.length).toBe(added);
      expect(new Set(all).size).toBe(added);
    }),
  );
});
