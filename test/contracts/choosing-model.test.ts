import { expect, test } from 'bun:test';
import { nearestEffort } from '../../src/core/models/providers/request-parts.ts';
import { SystemError } from '../../src/system/files.ts';
import { createMemorySystem } from '../../src/system/memory/system.ts';
import { openHouse, type Seat } from '../support/controller.ts';
import { gate, scriptedModel } from '../support/script.ts';
import { flashes } from '../support/what-was-said.ts';

const TWO = { provider: 'other', model: 'two' } as const;
const THREE = { provider: 'other', model: 'three' } as const;

const choose = (seat: Seat, model: typeof TWO | typeof THREE | { provider: string; model: string }) =>
  seat.send({ type: 'set-model', model, effort: null });

test('mid-run a choice waits for the next turn and says on which one this one ends; the same again takes it back (SC-19.3, SC-19.18)', async () => {
  const held = gate();
  const one = scriptedModel([{ parts: [{ tool: 'look', input: {} }], gate: held.opened }, 'ends here', 'later']);
  const two = scriptedModel(['from two'], { ref: TWO });
  const saved: unknown[] = [];
  const house = await openHouse({
    script: one,
    others: [two, scriptedModel([], { ref: THREE })],
    saveDefaults: async (values) => {
      saved.push(values);
      return true;
    },
  });
  const seat = house.seat('one');
  await seat.say('work');
  await one.received(1);
  await choose(seat, TWO);
  expect(seat.view.head.pendingModel).toEqual(TWO);
  await choose(seat, one.ref);
  expect(seat.view.head).toMatchObject({ pendingModel: null, model: one.ref });
  await choose(seat, THREE);
  await choose(seat, TWO);
  held.open();
  await house.idle();
  expect(one.requests).toHaveLength(2);
  expect(seat.view.head).toMatchObject({ pendingModel: null, model: TWO });
  await choose(seat, TWO);
  await seat.say('more');
  await house.idle();
  expect(two.requests).toHaveLength(1);
  await choose(seat, one.ref);
  expect(flashes(seat)).toEqual([
    'The next turn runs on other:two; this one ends on script:one.',
    'script:one stays in use; other:two is not.',
    'The next turn runs on other:three; this one ends on script:one.',
    'The next turn runs on other:two; this one ends on script:one.',
    'other:two is in use.',
    'This conversation is on script:one now.',
  ]);
  expect(saved.at(-1)).toEqual({ model: 'script:one' });
});

test('an effort counts from the next turn, becomes the default, and is refused where the model takes none (SC-19.17)', async () => {
  const held = gate();
  const model = scriptedModel([{ parts: [{ tool: 'look', input: {} }], gate: held.opened }, 'a', 'b']);
  const saved: unknown[] = [];
  const house = await openHouse({
    script: model,
    others: [scriptedModel([], { ref: TWO, facts: { efforts: [], thinking: false } })],
    saveDefaults: async (values) => {
      saved.push(values);
      return saved.length > 1;
    },
  });
  const seat = house.seat('one');
  await seat.say('work');
  await model.received(1);
  await seat.send({ type: 'command', ref: 'e', name: 'effort', argument: 'high' });
  held.open();
  await house.idle();
  await seat.say('more');
  await house.idle();
  expect(model.requests.map(({ effort }) => effort)).toEqual(['default', 'default', 'high']);
  expect(flashes(seat)).toEqual([
    'Effort high, from the next turn. It applies only here: the default could not be saved.',
  ]);
  await choose(seat, TWO);
  const refused = await seat.send({ type: 'set-model', model: null, effort: 'low' });
  expect(refused).toMatchObject({ accepted: false, refusal: { identifier: 'effort-unfitting' } });
  expect((await seat.send({ type: 'set-model', model: null, effort: 'default' })).accepted).toBe(true);
  expect(saved).toEqual([{ effort: 'high' }, { model: 'other:two' }, { effort: 'default' }]);
});

test('a level belongs to its model: it comes back with it, also in a session to come, and default takes it away (SC-19.7)', async () => {
  const written: [string, string | null][] = [];
  const open = async (known: Readonly<Record<string, 'low' | 'high'>>) => {
    const one = scriptedModel(['a', 'b', 'c'], { repeatLast: true });
    const two = scriptedModel(['d'], { ref: TWO, repeatLast: true });
    const house = await openHouse({
      script: one,
      others: [two],
      saveDefaults: async () => true,
      efforts: {
        known,
        save: async (model, effort) => {
          written.push([model, effort]);
          return model !== 'other:two';
        },
      },
    });
    const seat = house.seat('one');
    await seat.until(({ head }) => head.ready);
    return { house, seat, one, two };
  };
  const { house, seat, one, two } = await open({ 'other:two': 'low' });
  await seat.send({ type: 'set-model', model: null, effort: 'high' });
  await seat.say('x');
  await house.idle();
  await choose(seat, TWO);
  await seat.say('y');
  await house.idle();
  await choose(seat, one.ref);
  await seat.say('z');
  await house.idle();
  expect([...one.requests, ...two.requests].map(({ effort }) => effort)).toEqual(['high', 'high', 'low']);
  await seat.send({ type: 'set-model', model: null, effort: 'default' });
  await choose(seat, TWO);
  // What could not be written down is said, and holds here.
  await seat.send({ type: 'set-model', model: null, effort: 'high' });
  expect(flashes(seat).at(-1)).toContain('It applies only here');
  expect(seat.view.head.effort).toBe('high');
  expect(written).toEqual([
    ['script:one', 'high'],
    ['script:one', null],
    ['other:two', 'high'],
  ]);
  const later = await open({ 'script:one': 'low' });
  expect(later.seat.view.head.effort).toBe('low');
});

test('one level up or down stays within what the model has; no level counts as medium (SC-19.8)', async () => {
  const house = await openHouse({
    script: scriptedModel([], { facts: { efforts: ['low', 'medium', 'xhigh'] } }),
    others: [scriptedModel([], { ref: TWO, facts: { efforts: [], thinking: false } })],
    saveDefaults: async () => true,
  });
  const seat = house.seat('one');
  await seat.until(({ head }) => head.ready);
  const levels: string[] = [];
  for (const by of [1, 1, -1, -1, -1, 1] as const) {
    await seat.send({ type: 'adjust-effort', by });
    levels.push(seat.view.head.effort);
  }
  expect(levels).toEqual(['xhigh', 'xhigh', 'medium', 'low', 'low', 'medium']);
  await seat.send({ type: 'set-model', model: TWO, effort: 'default' });
  expect(await seat.send({ type: 'adjust-effort', by: 1 })).toMatchObject({
    accepted: false,
    refusal: { identifier: 'effort-unfitting' },
  });
});

test('the model in use, chosen again at rest, is only made the default (SC-19.5)', async () => {
  const saved: unknown[] = [];
  const script = scriptedModel(['a'], { repeatLast: true });
  const house = await openHouse({
    script,
    saveDefaults: async (values) => {
      saved.push(values);
      return true;
    },
  });
  const seat = house.seat('one');
  await seat.until(({ head }) => head.ready);
  const before = house.journal.ofKind('model').length;
  await choose(seat, script.ref);
  expect(saved).toEqual([{ model: 'script:one' }]);
  expect(flashes(seat)).toEqual(['script:one is in use.']);
  expect(house.journal.ofKind('model')).toHaveLength(before);
});

test('a model that cannot be opened leaves everything as it was; the next one keeps the conversation (SC-19.16)', async () => {
  const pilot = scriptedModel(['shown'], { ref: { provider: 'demo', model: 'pilot' }, repeatLast: true });
  const two = scriptedModel(['real'], { ref: TWO, repeatLast: true });
  const house = await openHouse({ script: pilot, others: [two], saveDefaults: async () => true });
  const seat = house.seat('one');
  await seat.say('try it');
  await house.idle();
  expect(await choose(seat, { provider: 'none', model: 'gone' })).toMatchObject({ accepted: false });
  expect(seat.view.head.model).toEqual(pilot.ref);
  await choose(seat, TWO);
  await seat.say('now really');
  await house.idle();
  expect(JSON.stringify(two.requests[0]?.messages)).toContain('try it');
  const models = await house.journal.load(house.journal.ofKind('turn-start'));
  expect(models.map((entry) => (entry.kind === 'turn-start' ? entry.model.model : ''))).toEqual(['pilot', 'two']);
});

test('another model keeps conversation, session and plan, with its own effort, figures and default; what can not be written down is not in force (SC-19.4)', async () => {
  const system = createMemorySystem();
  const plan = [{ text: 'first', state: 'doing' }] as const;
  const one = scriptedModel(['ONE'], { repeatLast: true, facts: { contextWindow: 200_000 } });
  const facts = { contextWindow: 50_000, efforts: ['low', 'high'] } as const;
  const two = scriptedModel(['TWO'], { ref: TWO, repeatLast: true, facts });
  const saved: unknown[] = [];
  const options = {
    system,
    script: one,
    others: [two],
    efforts: { known: { 'other:two': 'low' as const }, save: async () => true },
    settings: { effort: 'high' as const, retries: 5, stallMs: 120_000, thinking: 'off' as const },
    saveDefaults: async (values: unknown) => {
      saved.push(values);
      return true;
    },
  };
  const house = await openHouse(options);
  const seat = house.seat('one');
  await seat.say('begin');
  await house.idle();
  await house.journal.append([{ kind: 'todo', items: plan } as never]).durable;
  const before = structuredClone(seat.view.head);
  expect(await choose(seat, { provider: 'none', model: 'gone' })).toMatchObject({ accepted: false });
  const mended = system.files.fail({ operation: 'append', code: 'ENOSPC' });
  expect(await choose(seat, TWO)).toMatchObject({ accepted: false, refusal: { identifier: 'not-saved' } });
  expect(seat.view.head).toMatchObject({ model: one.ref, pendingModel: null, effort: 'high', contextTokens: 100 });
  expect(saved).toEqual([]);
  mended();
  await house.settle();
  await seat.say('still here');
  await house.idle();
  expect(one.requests).toHaveLength(2);
  expect(two.requests).toHaveLength(0);

  expect((await choose(seat, TWO)).accepted).toBe(true);
  expect(seat.view.head).toMatchObject({
    session: before.session,
    model: TWO,
    effort: 'low',
    contextWindow: 50_000,
    contextTokens: null,
  });
  expect(seat.view.head.compactAt).not.toBe(before.compactAt);
  expect(flashes(seat)).toEqual(['This conversation is on other:two now.']);
  expect(saved).toEqual([{ model: 'other:two' }]);
  await seat.say('and you?');
  await house.idle();
  expect(two.requests[0]).toMatchObject({ effort: 'low', readableThinking: false });
  for (const words of ['begin', 'ONE', 'still here'])
    expect(JSON.stringify(two.requests[0]?.messages)).toContain(words);
  await system.clock.runUntil(house.session.close());
  const again = await openHouse(options);
  const later = again.seat('later');
  await later.until(({ head }) => head.ready);
  expect(later.view.head.model).toEqual(TWO);
  expect(later.view.todo).toEqual(plan as never);
});

test('a choice made in a turn that can not be written down at its end stays what comes next (SC-19.4)', async () => {
  const held = gate();
  const one = scriptedModel([{ parts: ['a'], gate: held.opened }, 'b'], { repeatLast: true });
  const two = scriptedModel(['c'], { ref: TWO, repeatLast: true });
  const house = await openHouse({ script: one, others: [two], saveDefaults: async () => true });
  const seat = house.seat('one');
  await seat.say('work');
  await one.received(1);
  await choose(seat, TWO);
  // The reply and the end of the turn are written, the choice is not.
  const write = house.journal.append.bind(house.journal);
  let full = true;
  Object.assign(house.journal, {
    append: (bodies: Parameters<typeof write>[0], given?: Parameters<typeof write>[1]) =>
      full && bodies.some(({ kind }) => kind === 'model')
        ? { entries: [], durable: Promise.reject(new SystemError('ENOSPC', 'append', '/journal')) }
        : write(bodies, given),
  });
  held.open();
  await house.idle();
  expect(seat.view.head).toMatchObject({ model: one.ref, pendingModel: TWO });
  full = false;
  await seat.say('more');
  await house.idle();
  expect(one.requests).toHaveLength(2);
  expect(seat.view.head).toMatchObject({ model: TWO, pendingModel: null });
});

test('where a model has no such level it is asked for the nearest one below (SC-19.13)', () => {
  expect(nearestEffort(['low', 'medium', 'high'], 'xhigh')).toBe('high');
  expect(nearestEffort(['low', 'medium', 'high', 'xhigh'], 'max')).toBe('xhigh');
  expect(nearestEffort(['low', 'xhigh'], 'xhigh')).toBe('xhigh');
  expect(nearestEffort(['high'], 'low')).toBeNull();
});
