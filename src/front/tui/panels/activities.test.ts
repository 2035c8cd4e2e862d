import { expect, test } from 'bun:test';
import { sampleCall, sampleItem, sampleView } from '../../../../test/support/sample-view.ts';
import { TRUSTED_PUBLIC, UNTRUSTED_PUBLIC } from '../../../protocol/label.ts';
import type { Item, JobRow } from '../../../protocol/view.ts';
import { piece } from '../piece.ts';
import { type Activity, activitiesOf, treeRows } from './activities.ts';

const activity = (id: string, parent: string | null): Activity => ({
  ...{ id, parent, item: null },
  look: () => ({ mark: piece('● '), text: id, right: [] }),
});
const drawn = (activities: readonly Activity[], turned: readonly string[] = []) =>
  treeRows(activities, new Set(turned)).map(({ activity: { id }, depth }) => `${'-'.repeat(depth)}${id}`);

test('a named parent decides where a row stands, wherever it comes; who names none that is here stands at the top (AD-10)', () => {
  const all = [activity('a', null), activity('b', 'c'), activity('c', 'a'), activity('x', 'gone'), activity('d', 'a')];
  expect(drawn(all)).toEqual(['a', '-c', '--b', '-d', 'x']);
});

test('links that lead round are refused, and every row is there once (AD-10)', () => {
  expect(drawn([activity('a', 'a')])).toEqual(['a']);
  const round = [activity('a', 'b'), activity('b', 'c'), activity('c', 'a'), activity('d', 'b')];
  expect(
    drawn(round)
      .map((row) => row.replaceAll('-', ''))
      .toSorted(),
  ).toEqual(['a', 'b', 'c', 'd']);
  for (let seed = 1; seed < 300; seed++) {
    let state = seed;
    const next = (below: number): number => {
      state = (state * 48_271) % 2_147_483_647;
      return state % below;
    };
    const all = Array.from({ length: 12 }, (_, at) => activity(`n${at}`, next(4) === 0 ? null : `n${next(14)}`));
    const ids = drawn(all).map((row) => row.replaceAll('-', ''));
    expect(ids.toSorted()).toEqual(all.map(({ id }) => id).toSorted());
  }
});

test('a very deep tree is laid out too', () => {
  const deep = Array.from({ length: 20_000 }, (_, at) => activity(`n${at}`, at === 0 ? null : `n${at - 1}`));
  expect(treeRows(deep, new Set()).at(-1)?.depth).toBe(19_999);
});

test('names of rows stay what they were while more comes and states change (AD-10)', () => {
  const view = sampleView();
  const before = activitiesOf(view).map(({ id }) => id);
  const call = view.transcript.items.find((item): item is Extract<Item, { kind: 'call' }> => item.kind === 'call')!;
  call.state = 'error';
  view.transcript.items.push(sampleCall({ turn: 2 }));
  expect(
    activitiesOf(view)
      .map(({ id }) => id)
      .slice(0, before.length),
  ).toEqual(before);
  expect(new Set(activitiesOf(view).map(({ id }) => id)).size).toBe(before.length + 1);
});

test('below a call stand its job and the delegates it started, each below its own, what they did folded and in fog', () => {
  const view = sampleView();
  const job: JobRow = {
    ...{ id: 'j1', label: 'bun test', command: 'bun test', state: 'running', exit: null, started: 0, ended: null },
    background: true,
  };
  view.jobs = [job];
  const call = sampleCall({ call: 'c9', title: 'Ask two', job: 'j1' });
  view.transcript.items = [
    sampleItem({ kind: 'user', text: 'go', attachments: [], as: 'prompt', turn: 1, stopped: false }),
    call,
  ];
  const row = {
    call: 'c9',
    kind: 'explore',
    agent: null,
    model: null,
    effort: 'default',
    started: 0,
    ended: null,
  } as const;
  view.delegates = [
    {
      ...row,
      ...{ name: 'd1', task: 'look', state: 'reported', ending: '', count: 2, unread: [] },
      acts: [
        { kind: 'call', text: 'Read a.ts', label: TRUSTED_PUBLIC },
        { kind: 'said', text: 'who knows', label: UNTRUSTED_PUBLIC },
      ],
    },
    { ...row, ...{ name: 'd1.1', task: 'deeper', state: 'running', ending: '', count: 0, acts: [], unread: [] } },
    { ...row, ...{ name: 'd2', task: 'more', state: 'failed', ending: '', count: 0, acts: [], unread: [] } },
  ];
  const rows = (turned: readonly string[]) =>
    treeRows(activitiesOf(view), new Set(turned)).map(({ activity: { look }, depth }) => {
      const { mark, text } = look();
      return `${depth} ${mark.text}${text}`;
    });
  expect(rows([])).toEqual([
    '0 ○ go',
    '1 ● Ask two',
    '2 ● d1 explore: look',
    '2 ✗ d2 explore: more',
    '2 ◐ j1 bun test',
  ]);
  expect(rows([`${call.id}-d1`])).toEqual([
    ...['0 ○ go', '1 ● Ask two', '2 ● d1 explore: look'],
    ...['3   Read a.ts', '3 ▒ who knows', '3 ◐ d1.1 explore: deeper'],
    ...['2 ✗ d2 explore: more', '2 ◐ j1 bun test'],
  ]);
});
