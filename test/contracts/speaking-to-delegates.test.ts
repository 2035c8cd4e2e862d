// What is seen of delegates at work, and how a person speaks to one of them.
import { expect, test } from 'bun:test';
import { spawnAgent } from '../../src/core/tools/spawn-agent.ts';
import type { DelegateRow } from '../../src/protocol/delegate.ts';
import type { Sent } from '../../src/protocol/intent.ts';
import type { View } from '../../src/protocol/view.ts';
import { createMemorySystem } from '../../src/system/memory/system.ts';
import { ESCAPE, lookTool, openHouse } from '../support/controller.ts';
import { gate, type ScriptEntry, type ScriptReply, scriptedModel } from '../support/script.ts';

const look = { ...lookTool, heldBy: 'reader' } as const;
const spawn = (task: string, each?: readonly string[]): ScriptReply => [
  {
    tool: 'spawn_agent',
    input: { why: 'to see', kind: 'reader', task, ...(each === undefined ? {} : { each: [...each] }) },
  },
];

/** Each speaker's own lines; the session's are under `''`. */
async function open(lines: Readonly<Record<string, readonly ScriptReply[]>>) {
  const at = new Map<string, number>();
  const answer: ScriptEntry = (request) => {
    const who = /^You are (d[\d.]+), a /m.exec(request.system.at(-1) ?? '')?.[1] ?? '';
    const index = at.get(who) ?? 0;
    at.set(who, index + 1);
    return lines[who]?.[index] ?? `${who} done`;
  };
  const system = createMemorySystem();
  const script = scriptedModel([answer], { repeatLast: true, clock: system.clock });
  const house = await openHouse({ system, script, tools: [spawnAgent, look], mode: 'edits' });
  const person = house.seat('one');
  /** All that was in the newest request of one. */
  const said = (who: string): string =>
    JSON.stringify(script.requests.filter(({ system: told }) => told.at(-1)?.includes(`You are ${who}, `)).at(-1));
  return { ...house, script, person, said };
}

const rowOf = ({ delegates = [] }: View, name: string): DelegateRow | undefined =>
  delegates.find((row) => row.name === name);
const refusalOf = (sent: Sent): string | null => (sent.accepted ? null : sent.refusal.identifier);

test('every delegate of a batch is seen with its task, what it does, what it says, and how the turn was told it ended (VIEW-7, SA-6)', async () => {
  const held = gate();
  const house = await open({
    '': [spawn('Look about', ['north', 'south'])],
    d1: [[{ tool: 'look', input: { at: 'a hill' } }], 'north is a hill'],
    d2: [{ gate: held.opened, failure: { category: 'refused-by-model', retryable: false } }],
  });
  const { person } = house;
  await person.say('go');
  await person.until((view) => rowOf(view, 'd1')?.state === 'reported');
  const [first, second] = person.view.delegates!;
  expect(first).toMatchObject({ name: 'd1', kind: 'reader', agent: null, ending: 'reported', count: 2 });
  expect(first!.task).toContain('Yours is this one: north');
  expect(first!.acts.map(({ kind, text }) => [kind, text])).toEqual([
    ['call', 'Look a hill'],
    ['said', 'north is a hill'],
  ]);
  expect(second).toMatchObject({ name: 'd2', state: 'running', acts: [], ended: null });
  expect(second!.call).toBe(first!.call);
  expect(first!.model).toEqual({ provider: 'script', model: 'one' });
  held.open();
  await house.idle();
  expect(rowOf(person.view, 'd2')).toMatchObject({
    state: 'failed',
    ending: expect.stringContaining('before it could'),
  });
  const answer = await house.session.read({ type: 'delegate', name: 'd1' }, 'one');
  expect(answer).toMatchObject({ ok: true, value: { total: 2, acts: first!.acts as never } });
  expect(refusalOf(await house.session.read({ type: 'delegate', name: 'd9' }, 'one').then(asSent))).toBe(
    'no-such-delegate',
  );
});

const asSent = (answer: { ok: boolean; refusal?: unknown }): Sent =>
  answer.ok ? { accepted: true, value: null } : ({ accepted: false, refusal: answer.refusal } as never);

test('what is said to one goes into its own conversation before its next request, and into no other (SA-9, SA-15)', async () => {
  const held = gate();
  const house = await open({
    '': [spawn('Look about', ['north', 'south'])],
    d1: [{ gate: held.opened, parts: [{ tool: 'look', input: { at: 'a hill' } }] }, 'done'],
    d2: [{ gate: held.opened, parts: [{ tool: 'look', input: { at: 'the sea' } }] }, 'done'],
  });
  const { person, script } = house;
  await person.say('go');
  await person.until((view) => rowOf(view, 'd2') !== undefined);
  const told = { type: 'tell-delegate', delegate: 'd1', ref: 'r1', text: '!mind the plums' } as const;
  expect(refusalOf(await person.send(told))).toBeNull();
  // The same word again, after a lost link, is said once.
  expect(refusalOf(await person.send(told))).toBeNull();
  expect(rowOf(person.view, 'd1')?.unread).toEqual([{ client: 'one', ref: 'r1', text: '!mind the plums' }]);
  held.open();
  await house.idle();
  expect(rowOf(person.view, 'd1')?.unread).toEqual([]);
  expect(rowOf(person.view, 'd1')?.acts.map(({ kind }) => kind)).toEqual(['call', 'told', 'said']);
  expect(house.said('d1').match(/mind the plums/g)).toHaveLength(1);
  expect(house.said('d2')).not.toContain('plums');
  expect(JSON.stringify(script.requests.at(-1))).not.toContain('plums');
  expect(house.journal.ofKind('input')).toHaveLength(1);
  expect(refusalOf(await person.send({ ...told, ref: 'r2' }))).toBe('delegate-ended');
});

test('what one has not read is taken back; what it reads this very moment is not, and the box and the queue stay (SA-10, SA-11, SA-13)', async () => {
  const hold = gate();
  const house = await open({
    '': [spawn('Look about')],
    d1: [{ gate: hold.opened, parts: ['all seen'] }],
  });
  const { person } = house;
  await person.say('go');
  await person.until((view) => rowOf(view, 'd1') !== undefined);
  for (const text of ['first', 'second']) await person.send({ type: 'tell-delegate', delegate: 'd1', ref: text, text });
  const recalled = await person.send({ type: 'recall-delegate', delegate: 'd1' });
  expect(recalled).toMatchObject({ value: { kind: 'recalled', drafts: [{ text: 'first' }, { text: 'second' }] } });
  expect(refusalOf(await person.send({ type: 'recall-delegate', delegate: 'd1' }))).toBe('nothing-unread');
  await person.send({ type: 'tell-delegate', delegate: 'd1', ref: 'third', text: 'third' });
  hold.open();
  await house.idle();
  // It came to its end without reading it: nothing waits for that, and it can still be fetched.
  expect(person.view.activity.phase).toBe('idle');
  await person.say('go on');
  await house.idle();
  expect(person.view.transcript.items.filter((item) => item.kind === 'turn-end')).toHaveLength(2);
  expect(await person.send({ type: 'recall-delegate', delegate: 'd1' })).toMatchObject({
    value: { drafts: [{ text: 'third' }] },
  });
});

test('words one was cut short with hold the next turn back until they are taken back or dropped (SA-14)', async () => {
  for (const discard of [false, true]) {
    const house = await open({ '': [spawn('Look about')], d1: [{ gate: new Promise(() => {}) }] });
    const { person } = house;
    await person.say('go');
    await person.until((view) => rowOf(view, 'd1') !== undefined);
    await person.send({ type: 'tell-delegate', delegate: 'd1', ref: 'r', text: 'never read' });
    await person.send(ESCAPE);
    await house.idle();
    expect(rowOf(person.view, 'd1')).toMatchObject({ state: 'stopped', unread: [{ text: 'never read' }] });
    await person.say('next');
    await house.settle();
    expect(person.view.queue.rows.map(({ text }) => text)).toEqual(['next']);
    expect(person.view.activity.phase).toBe('idle');
    const sent = await person.send({ type: 'recall-delegate', delegate: 'd1', ...(discard ? { discard: true } : {}) });
    expect(sent).toMatchObject({ accepted: true, value: discard ? { kind: 'discarded', count: 1 } : {} });
    await house.idle();
    expect(person.view.queue.rows).toEqual([]);
    expect(person.view.transcript.items.at(-1)).toMatchObject({ kind: 'turn-end', reason: 'done' });
  }
});

test('a session that is opened again knows nothing of the work of earlier delegates (VIEW-13)', async () => {
  const house = await open({ '': [spawn('Look about')], d1: ['all seen'] });
  await house.person.say('go');
  await house.idle();
  expect(house.person.view.delegates).toHaveLength(1);
  await house.session.close();
  const again = await openHouse({ system: house.system, script: scriptedModel([]) });
  const { view } = again.seat('two');
  await again.settle();
  expect(view.delegates ?? []).toEqual([]);
  expect(JSON.stringify(view.transcript)).toContain('all seen');
});
