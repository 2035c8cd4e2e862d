import { expect, test } from 'bun:test';
import type { Model, ModelRequest } from '../../src/core/models/model.ts';
import { createMemorySystem } from '../../src/system/memory/system.ts';
import { openHouse } from '../support/controller.ts';
import { gate, type ScriptEntry, type ScriptReply, scriptedModel } from '../support/script.ts';

function isTitle(request: ModelRequest | undefined): boolean {
  return request?.system.join('').includes('You name conversations') === true;
}

/** Answers requests for a title by `title`, all others with what comes next. */
function answering(title: ScriptReply, ...others: readonly ScriptReply[]) {
  const rest = [...others];
  const entry: ScriptEntry = (request) => (isTitle(request) ? title : (rest.shift() ?? 'done'));
  return scriptedModel([entry], { repeatLast: true });
}

const titles = (model: { readonly requests: readonly ModelRequest[] }): number => model.requests.filter(isTitle).length;

test('the model is asked for a title beside the first turn: the first prompt alone, no tools, once (SC-21.2, SC-10.10)', async () => {
  const held = gate();
  const model = answering('"Fix the login."', { parts: ['working'], gate: held.opened });
  const house = await openHouse({ script: model, naming: true });
  const seat = house.seat('one');
  await seat.say('$script:one Please fix the login\nit fails');
  // The turn is still under way.
  await seat.until((view) => view.head.title === 'Fix the login');
  expect(seat.view.activity.phase).not.toBe('idle');
  held.open();
  await seat.say('and the logout');
  await house.idle();
  const asked = model.requests.find(isTitle)!;
  expect(asked.tools).toEqual([]);
  expect(JSON.stringify(asked.messages)).toContain('it fails');
  expect(JSON.stringify(asked.messages)).not.toContain('working');
  expect(JSON.stringify(asked.messages)).not.toContain('$script');
  expect(titles(model)).toBe(1);
  // It costs, and is no part of the conversation.
  expect(seat.view.head.totals.requests).toBe(model.requests.length);
  expect(JSON.stringify(model.requests.at(-1)!.messages)).not.toContain('Fix the login');
});

test('neither idling nor a title that is made beside it is session time (FO-8)', async () => {
  const system = createMemorySystem();
  const held = gate();
  const model = answering({ parts: ['A title'], gate: held.opened }, 'done');
  const house = await openHouse({ script: model, naming: true, system });
  const seat = house.seat('one');
  await seat.say('hello');
  await seat.until((view) => view.transcript.items.some((item) => item.kind === 'turn-end'));
  const { activeTime } = seat.view.head;
  await system.clock.advance(60_000);
  held.open();
  await seat.until((view) => view.head.title === 'A title');
  expect(seat.view.activity.phase).toBe('idle');
  expect(seat.view.activity.since).toBeNull();
  expect(seat.view.head.activeTime).toBe(activeTime);
});

test.each([
  ['fails', { failure: { category: 'server-error', retryable: true } }],
  ['says nothing', '\n'],
  ['rambles', 'a title that is far longer than any title has any business to be, going on and on and on'],
] as [string, ScriptReply][])('a request that %s is silent and not made again (SC-21.2)', async (_what, reply) => {
  const model = answering(reply);
  const house = await openHouse({ script: model, naming: true });
  const seat = house.seat('one');
  await seat.say('hello');
  await house.idle();
  await seat.say('again');
  await house.idle();
  expect(titles(model)).toBe(1);
  expect(seat.view.head.title).toBe('hello');
  expect(seat.view.transcript.items.some((item) => item.kind === 'note')).toBe(false);
});

test('a name given meanwhile stays, and a named session is not asked about (SC-21.3, SC-21.2)', async () => {
  const system = createMemorySystem();
  const late = gate();
  const model = answering({ parts: ['Model title'], gate: late.opened });
  const house = await openHouse({ system, script: model, naming: true });
  const seat = house.seat('one');
  await seat.say('hello');
  await model.received(2);
  await seat.send({ type: 'command', ref: 'r', name: 'rename', argument: 'Mine' });
  late.open();
  await house.idle();
  await house.settle();
  expect(seat.view.head.title).toBe('Mine');
  await system.clock.runUntil(house.session.close());
  const second = answering('Other');
  const again = await openHouse({ system, script: second, naming: true });
  await again.seat('two').say('more');
  await again.idle();
  expect(titles(second)).toBe(0);
});

test('a session taken up again without a title asks with its first prompt (SC-21.2)', async () => {
  const system = createMemorySystem();
  const first = await openHouse({ system, script: answering('x') });
  await first.seat('one').say('the very first words');
  await first.idle();
  await system.clock.runUntil(first.session.close());
  const model = answering('Later title');
  const house = await openHouse({ system, script: model, naming: true });
  const seat = house.seat('two');
  await seat.say('something else');
  await seat.until((view) => view.head.title === 'Later title');
  expect(JSON.stringify(model.requests.find(isTitle)!.messages)).toContain('the very first words');
});

test('where the first thing is to ask again, the first prompt of the session is what it is called after (SC-10.10)', async () => {
  const system = createMemorySystem();
  const failed: ScriptReply = { failure: { category: 'request-rejected' } };
  const first = await openHouse({ system, script: answering('x', 'done', failed) });
  const one = first.seat('one');
  for (const text of ['the very first words', 'the later words']) {
    await one.say(text);
    await first.idle();
  }
  await system.clock.runUntil(first.session.close());
  const model = answering('Later title');
  const house = await openHouse({ system, script: model, naming: true });
  const seat = house.seat('two');
  await seat.send({ type: 'retry' });
  await seat.until((view) => view.head.title === 'Later title');
  const asked = JSON.stringify(model.requests.find(isTitle)!.messages);
  expect(asked).toContain('the very first words');
  expect(asked).not.toContain('the later words');
});

test('nothing is asked where it is switched off, where nobody watches, or for words that are none (SC-21.5)', async () => {
  for (const options of [{ naming: false }, { naming: true, canAsk: false }]) {
    const model = answering('T');
    const house = await openHouse({ script: model, ...options });
    await house.seat('one').say('hello');
    await house.idle();
    expect(titles(model)).toBe(0);
  }
  const model = answering('T');
  const house = await openHouse({ script: model, naming: true });
  const picture = { kind: 'image', name: 'tall.png', mediaType: 'image/png', base64: 'aGVsbG8=' } as const;
  const seat = house.seat('one');
  await seat.send({ type: 'say', ref: 'p', text: ' \n', attachments: [picture], delivery: 'queue' });
  await house.idle();
  expect(seat.outcome('p')?.state).toBe('done');
  expect(titles(model)).toBe(0);
});

test('closing ends the request and does not wait for it (SC-21.5)', async () => {
  const inner = answering({ gate: new Promise(() => {}) });
  let asking: AbortSignal | null = null;
  const model: Model = {
    ...inner,
    stream: (request, signal) => {
      if (isTitle(request)) asking = signal;
      return inner.stream(request, signal);
    },
  };
  const house = await openHouse({ script: model, naming: true });
  await house.seat('one').say('hello');
  await house.idle();
  const before = house.system.clock.now();
  await house.system.clock.runUntil(house.session.close());
  expect(house.system.clock.now() - before).toBeLessThan(1_000);
  expect(asking).toMatchObject({ aborted: true });
});
