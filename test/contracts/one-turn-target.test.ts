// A model or an effort for one turn alone, named at the very start of a prompt.
import { expect, test } from 'bun:test';
import type { ModelRequest } from '../../src/core/models/model.ts';
import { createMemorySystem } from '../../src/system/memory/system.ts';
import { ESCAPE, openHouse, transcriptOf } from '../support/controller.ts';
import { gate, scriptedModel } from '../support/script.ts';
import { entriesOf } from '../support/what-was-said.ts';

const TWO = { provider: 'other', model: 'two' } as const;

function said(request: ModelRequest | undefined): string {
  return JSON.stringify(request?.messages ?? []);
}

test('a target holds for one turn with all its rounds, then the conversation is on its own again (SC-10.4)', async () => {
  const own = scriptedModel(['first', 'third']);
  const other = scriptedModel([[{ tool: 'look', input: { at: 'x' } }], 'second'], { ref: TWO });
  const house = await openHouse({ script: own, others: [other] });
  const seat = house.seat('one');
  await seat.say('one');
  await house.idle();
  await seat.say('$other:two+high do two');
  await house.idle();
  const { head, transcript } = seat.view;
  expect(head).toMatchObject({ model: own.ref, pendingModel: null, effort: 'default', contextTokens: 100 });
  await seat.say('three');
  await house.idle();

  expect(other.requests.map(({ effort }) => effort)).toEqual(['high', 'high']);
  expect(own.requests.map(({ effort }) => effort)).toEqual(['default', 'default']);
  // Neither model is told the words that named it; the answer is part of the one conversation.
  for (const request of [...own.requests, ...other.requests]) expect(said(request)).not.toContain('$other');
  expect(said(own.requests[1])).toContain('second');
  const prompt = transcript.items.find((item) => item.kind === 'user' && item.text === 'do two');
  expect(prompt).toMatchObject({ target: { model: TWO, effort: 'high' } });
  const note = transcript.items.find((item) => item.kind === 'note' && item.identifier === 'one-turn-target');
  expect(note).toMatchObject({ text: expect.stringMatching(/other:two with effort high.*stays on its own.*no cache/) });
  const input = (await entriesOf(house)).find((entry) => entry.kind === 'input' && entry.text === 'do two');
  expect(input).toMatchObject({ target: { model: TWO, effort: 'high' } });
});

test('after a restart the conversation is on its own model, and older cards still say where they ran', async () => {
  const system = createMemorySystem();
  const house = await openHouse({ system, script: scriptedModel([]), others: [scriptedModel(['b'], { ref: TWO })] });
  const seat = house.seat('one');
  await seat.say('$other:two go');
  await house.idle();
  await house.session.close();
  const again = await openHouse({ system, script: scriptedModel(['c']), others: [scriptedModel([], { ref: TWO })] });
  const view = await again.seat('one').until((shown) => shown.head.ready);
  expect(view.head.model).toEqual({ provider: 'script', model: 'one' });
  expect(view.transcript.items[0]).toMatchObject({ text: 'go', target: { model: TWO, effort: null } });
  const page = await again.session.read({ type: 'page', from: 0, count: 1 });
  expect(page).toMatchObject({ value: { items: [{ target: { model: TWO, effort: null } }] } });
});

test.each([
  ['$+low now', 'low'],
  ['+max now', 'max'],
] as const)(
  '%p changes the effort of one turn alone, and the note names just that (SC-10.4)',
  async (typed, effort) => {
    const model = scriptedModel(['a', 'b'], { facts: { efforts: ['low', 'high', 'max'] } });
    const house = await openHouse({ script: model });
    const seat = house.seat('one');
    await seat.say(typed);
    await house.idle();
    await seat.say('and on');
    await house.idle();
    expect(model.requests.map((request) => request.effort)).toEqual([effort, 'default']);
    const note = seat.view.transcript.items.find((item) => item.kind === 'note');
    expect(note).toMatchObject({ text: `This prompt runs with effort ${effort}; the conversation keeps its own.` });
  },
);

test('a prompt that names the conversation’s own model is one like any other: nothing is said of a cache it keeps (SC-10.4)', async () => {
  const own = scriptedModel(['a', 'b', 'c', 'd'], { facts: { efforts: ['low', 'high'] } });
  const house = await openHouse({ script: own, others: [scriptedModel([], { ref: TWO })] });
  const seat = house.seat('one');
  const notes = () => seat.view.transcript.items.flatMap((item) => (item.kind === 'note' ? [item.text] : []));
  await seat.say('$script:one go');
  await house.idle();
  expect(notes()).toEqual([]);
  expect(seat.view.head).toMatchObject({ model: own.ref, contextTokens: 100 });
  expect(seat.view.transcript.items[0]).toMatchObject({ text: 'go', target: { model: own.ref, effort: null } });
  const starts = await house.journal.load(house.journal.ofKind('turn-start'));
  expect(starts.map((entry) => entry.kind === 'turn-start' && entry.once)).toEqual([undefined]);
  await seat.say('$script:one+high harder');
  await house.idle();
  expect(notes()).toEqual(['This prompt runs with effort high; the conversation keeps its own.']);
  expect(own.requests.map(({ effort }) => effort)).toEqual(['default', 'high']);
  expect(seat.view.head.effort).toBe('default');
});

test('what it named when it was sent counts by the model there is when its turn comes (SC-10.4)', async () => {
  const held = gate();
  const own = scriptedModel([{ parts: ['a'], gate: held.opened }, 'c']);
  const other = scriptedModel(['b'], { ref: TWO });
  const house = await openHouse({ script: own, others: [other], saveDefaults: async () => true });
  const seat = house.seat('one');
  await seat.say('work');
  await own.received(1);
  await seat.say('$script:one back', 'queue');
  await seat.send({ type: 'set-model', model: TWO, effort: null });
  held.open();
  await house.idle();
  expect(own.requests).toHaveLength(2);
  expect(seat.view.head.model).toEqual(TWO);
  const note = seat.view.transcript.items.find((item) => item.kind === 'note');
  expect(note).toMatchObject({ text: expect.stringMatching(/^This prompt runs on script:one;/) });
});

test.each(['$HOME is set', '$PATH:/usr/bin is it', '+1 for that', '+1000 go', '$review the change', '$5:00 is late'])(
  '%p is plain text (SC-10.5)',
  async (typed) => {
    const model = scriptedModel(['ok']);
    const house = await openHouse({ script: model });
    await house.seat('one').say(typed);
    await house.idle();
    expect(said(model.requests[0])).toContain(typed);
    expect((await entriesOf(house)).find((entry) => entry.kind === 'input')).toMatchObject({ target: null });
  },
);

test.each([
  ['$other:nine go', 'there is no other:nine', {}],
  ['$other:two', 'say behind it what shall be done', {}],
  ['+high', 'say behind it what shall be done', {}],
  ['+high go', 'can not be told how hard to think', { efforts: [], thinking: false }],
] as const)('%p is refused with one line, and nothing was said (SC-10.4)', async (typed, words, facts) => {
  const model = scriptedModel([], { facts });
  const house = await openHouse({ script: model, others: [scriptedModel([], { ref: TWO })] });
  const sent = await house.seat('one').say(typed);
  expect(sent).toMatchObject({ accepted: false, refusal: { message: expect.stringContaining(words) } });
  await house.idle();
  expect(model.requests).toHaveLength(0);
  expect((await entriesOf(house)).some((entry) => entry.kind === 'input')).toBe(false);
});

test('steering with a target waits for a turn of its own, and is taken back as it was typed (SC-7.1)', async () => {
  const held = gate();
  const own = scriptedModel([{ parts: [{ tool: 'look', input: {} }], gate: held.opened }, 'done']);
  const other = scriptedModel(['there'], { ref: TWO });
  const house = await openHouse({ script: own, others: [other] });
  const seat = house.seat('one');
  await seat.say('work');
  await own.received(1);
  await seat.say('$other:two+low look elsewhere', 'steering');
  await seat.say('$+low and again', 'steering');
  expect(seat.view.queue.rows.map(({ text, delivery, target }) => [text, delivery, target])).toEqual([
    ['look elsewhere', 'queue', { model: TWO, effort: 'low' }],
    ['and again', 'queue', { model: null, effort: 'low' }],
  ]);
  const last = seat.view.queue.rows[1]!.id;
  const back = await seat.send({ type: 'recall', inputs: [last] });
  expect(back).toMatchObject({ value: { drafts: [{ text: '+low and again' }] } });
  held.open();
  await house.idle();
  expect(own.requests).toHaveLength(2);
  expect(other.requests).toHaveLength(1);
  expect(transcriptOf(seat.view)).toContain('prompt: look elsewhere');
});

test('a long conversation is not summarised for one turn elsewhere, and a resend is on the conversation again (SC-10.5)', async () => {
  const own = scriptedModel(['a', 'again']);
  const small = { contextWindow: 50_000, maxOutput: 1_000 };
  const other = scriptedModel([{ failure: { category: 'server-error' } }], { ref: TWO, facts: small });
  const house = await openHouse({ script: own, others: [other] });
  const seat = house.seat('one');
  await seat.say('word '.repeat(60_000));
  await house.idle();
  await seat.say('$other:two short');
  await house.idle();
  // The prompt itself was asked, not a summary.
  expect(other.requests.map(({ calls }) => calls)).toEqual(['allowed']);
  expect(seat.view.transcript.items.some((item) => item.kind === 'compaction')).toBe(false);
  await seat.send({ type: 'retry' });
  await house.idle();
  expect(own.requests).toHaveLength(2);
});

test('a delegate of such a turn runs where the turn runs', async () => {
  const other = scriptedModel([[{ tool: 'look', input: { at: 'deep', ms: 5 } }]], { ref: TWO, repeatLast: true });
  const house = await openHouse({ script: scriptedModel([]), others: [other] });
  const seat = house.seat('one');
  await seat.say('$other:two go');
  await other.received(1);
  await seat.send(ESCAPE);
  await house.idle();
  expect((await entriesOf(house)).filter((entry) => entry.kind === 'turn-start')).toMatchObject([
    { model: TWO, once: true },
  ]);
});

test('a row with a target stays a turn of its own, whatever it is made into and whatever goes out together (SC-7.1)', async () => {
  const held = gate();
  const own = scriptedModel([{ parts: ['a'], gate: held.opened }, 'b', 'c']);
  const other = scriptedModel(['there'], { ref: TWO });
  const house = await openHouse({ script: own, others: [other] });
  const seat = house.seat('one');
  await seat.say('work');
  await own.received(1);
  await seat.say('then this', 'queue');
  await seat.say('$other:two elsewhere', 'queue');
  await seat.say('and this', 'queue');
  const row = seat.view.queue.rows[1]!;
  await seat.send({ type: 'queue-edit', input: row.id, delivery: 'steering' });
  expect(seat.view.queue.rows[1]?.delivery).toBe('queue');
  await seat.send({ type: 'say', ref: 'all', text: '', attachments: [], delivery: 'queue', together: true });
  held.open();
  await house.idle();
  expect(said(own.requests[1])).toContain('then this');
  expect(said(own.requests[1])).not.toContain('elsewhere');
  expect(said(other.requests[0])).toContain('elsewhere');
  expect(said(other.requests[0])).not.toContain('and this');
  expect(said(own.requests[2])).toContain('and this');
});

test('completion offers models and efforts for this turn, labelled', async () => {
  const house = await openHouse({ script: scriptedModel([]), others: [scriptedModel([], { ref: TWO })] });
  const read = async (typed: string) => {
    const answer = await house.session.read({ type: 'complete-argument', command: '$', typed });
    return answer.ok ? answer.value.choices : [];
  };
  expect(await read('oth')).toEqual([{ value: 'other:two', description: 'model, for this turn: Script' }]);
  expect((await read('other:two+h')).map(({ value }) => value)).toEqual(['other:two+high']);
});
