import { expect, test } from 'bun:test';
import { emptyHead, emptyView } from '../../protocol/reduce.ts';
import type { Update } from '../../protocol/update.ts';
import { createMemoryClock } from '../../system/memory/clock.ts';
import { createPublisher, type Publisher } from './publish.ts';

function publisher() {
  const clock = createMemoryClock();
  const made: Publisher = createPublisher({
    view: emptyView(emptyHead('s', '/yard', '0')),
    clock,
    draftOf: async () => null,
  });
  const watch = async (client: string, after?: number) => {
    const updates: Update[] = [];
    const attachment = made.attach({ client, ...(after === undefined ? {} : { after }) }, (update) =>
      updates.push(update),
    );
    await clock.settle();
    return { updates, attachment };
  };
  return { made, clock, watch };
}

const delta = (text: string) => ({ type: 'delta', part: 0, kind: 'text', text }) as const;
const head = (title: string) => ({ type: 'head', head: { title } }) as const;

test('deltas of one frame are joined; a change of another kind takes them along, in order', async () => {
  const { made, clock, watch } = publisher();
  const { updates } = await watch('one');
  made.publish({ type: 'live-start', turn: 1, round: 1 });
  for (const letter of 'abc') made.publish(delta(letter));
  expect(updates).toHaveLength(2);
  await clock.advance(25);
  expect(updates[2]?.changes).toEqual([delta('abc')]);
  made.publish(delta('d'));
  made.publish(head('x'));
  expect(updates[3]?.changes).toEqual([delta('d'), head('x')]);
  expect(made.view.live?.parts).toEqual([{ type: 'text', text: 'abcd' }]);
  expect(clock.timers).toBe(0);
});

test('within a frame only like joins like: a newer card or a whole output takes the place of the last one, and what is streamed is not kept past a change of branch (SC-28.3.3)', async () => {
  const { made, clock, watch } = publisher();
  const { updates } = await watch('one');
  made.publish({ type: 'live-start', turn: 1, round: 1 });
  const seen = made.view.seq;
  const thought = (text: string) => ({ type: 'delta', part: 1, kind: 'thinking', text }) as const;
  const card = (inputBytes: number, part = 2) =>
    ({ type: 'live-call', part, call: `c${part}`, tool: 'write_file', title: `${inputBytes}`, inputBytes }) as const;
  const output = (text: string, whole = false, call = 'a') =>
    ({ type: 'call-output', call, text, ...(whole ? { whole } : {}) }) as const;
  const said = [delta('a'), delta('b'), thought('c'), thought('d'), card(1), card(2), card(3, 3), card(4)];
  const printed = [output('e'), output('f'), output('g', false, 'b'), output('h', true, 'b'), output('i', false, 'b')];
  for (const change of [...said, ...printed]) made.publish(change);
  await clock.advance(25);
  expect(updates.at(-1)?.changes).toEqual([
    delta('ab'),
    thought('cd'),
    card(2),
    card(3, 3),
    card(4),
    output('ef'),
    output('hi', true, 'b'),
  ]);
  expect((await watch('back', seen)).updates).toHaveLength(1);
  made.publish({ type: 'branch', view: structuredClone(made.view) });
  const [first, ...more] = (await watch('late', seen)).updates;
  expect([first?.changes[0]?.type, more]).toEqual(['snapshot', []]);
});

test('a client that comes back is given what it missed; one from too long ago, or from another run, a snapshot', async () => {
  const { made, watch } = publisher();
  made.publish(head('a'));
  const seen = made.view.seq;
  made.publish(head('b'));
  made.publish(head('c'));
  const back = await watch('one', seen);
  expect(back.updates.map((update) => update.changes)).toEqual([[head('b')], [head('c')]]);
  expect((await watch('one', made.view.seq)).updates).toEqual([]);
  for (const after of [5, made.view.seq + 1])
    expect((await watch('one', after)).updates[0]?.changes[0]?.type).toBe('snapshot');
  for (let count = 0; count < 600; count++) made.publish(head(`${count}`));
  expect((await watch('one', seen)).updates[0]?.changes[0]?.type).toBe('snapshot');
});

test('clients share nothing with each other or with the session', async () => {
  const { made, watch } = publisher();
  const one = await watch('one');
  const two = await watch('two');
  made.publish({
    type: 'jobs',
    jobs: [
      { id: 'j', label: 'l', command: 'c', state: 'running', exit: null, started: 0, ended: null, background: false },
    ],
  });
  const changeOf = (updates: readonly Update[]) => updates[1]!.changes[0] as unknown as { jobs: { label: string }[] };
  changeOf(one.updates).jobs[0]!.label = 'changed';
  expect(changeOf(two.updates).jobs[0]!.label).toBe('l');
  expect(made.view.jobs[0]!.label).toBe('l');
});

test('a listener that throws loses its own attachment; one that was closed hears no more', async () => {
  const { made, clock, watch } = publisher();
  const bad = made.attach({ client: 'bad' }, () => {
    throw new Error('a bug in a front end');
  });
  const one = await watch('one');
  await clock.settle();
  expect(await bad.closed).toBe('lost');
  expect(made.attached('bad')).toEqual([]);
  one.attachment.close();
  expect(made.attached('one')).toEqual([]);
  made.publish(head('later'));
  expect(one.updates).toHaveLength(1);
  expect(await one.attachment.closed).toBe('closed-here');
});

test('at the end everybody is told why, and nothing more', async () => {
  const { made, watch } = publisher();
  const { updates, attachment } = await watch('one');
  made.close('restarting');
  made.publish(head('late'));
  expect(updates.at(-1)?.changes).toEqual([{ type: 'closed', why: 'restarting' }]);
  expect(await attachment.closed).toBe('ended');
  expect(updates).toHaveLength(2);
});

test('what states how things are is sent only as far as it is new, compared by value (SC-28.3.4)', async () => {
  const { made, watch } = publisher();
  const { updates } = await watch('one');
  const told = (): unknown[] => updates.slice(1).flatMap(({ changes }) => changes);
  const quota = { windows: [{ name: 'week', used: 0.5, resets: null }] } as never;
  made.publish({ type: 'head', head: { title: 'a', gitBranch: 'main', quota } });
  made.publish({ type: 'head', head: { title: 'b', gitBranch: 'main', quota: structuredClone(quota) } });
  made.publish({ type: 'head', head: { title: 'b', gitBranch: 'main' } });
  expect(told()).toEqual([
    { type: 'head', head: { title: 'a', gitBranch: 'main', quota } },
    { type: 'head', head: { title: 'b' } },
  ]);
  const activity = { phase: 'command', turn: null, since: 7, detail: 'x', retry: null } as const;
  for (const detail of ['x', 'x', 'y']) made.publish({ type: 'activity', activity: { ...activity, detail } });
  const job = { id: 'j1', state: 'running' } as never;
  for (const jobs of [[job], [structuredClone(job)], []]) made.publish({ type: 'jobs', jobs });
  expect(told().slice(2)).toMatchObject([
    { type: 'activity', activity: { detail: 'x' } },
    { type: 'activity', activity: { detail: 'y' } },
    { type: 'jobs', jobs: [job] },
    { type: 'jobs', jobs: [] },
  ]);
  // What happened goes whole, each time, and names what it goes on from instead of carrying it.
  const exchange = { question: 'Q', answer: 'A', state: 'answered', message: null, asked: 1 } as const;
  const about = { id: 1, client: 'one', model: { provider: 'p', model: 'm' }, effort: 'default', label: 'm' } as const;
  const aside = { ...about, base: 'entry-7', exchanges: [exchange] };
  made.publish({ type: 'aside', aside }, { type: 'aside', aside });
  expect(told().slice(6)).toEqual([
    { type: 'aside', aside },
    { type: 'aside', aside },
  ]);
});
