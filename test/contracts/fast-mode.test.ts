import { expect, test } from 'bun:test';
import type { HouseOptions } from '../support/controller.ts';
import { openHouse, type Seat } from '../support/controller.ts';
import { gate, scriptedModel } from '../support/script.ts';
import { flashes } from '../support/what-was-said.ts';

const OFFERED = { fast: true, price: { input: 1, output: 1, cacheRead: 1, cacheWrite: 1 } } as const;
const fast = (on: boolean): NonNullable<HouseOptions['usage']> => ({
  state: null,
  limits: { session: null, day: null },
  sleeps: 0,
  fast: on,
});

const command = (seat: Seat, ref: string, argument: string) =>
  seat.send({ type: 'command', ref, name: 'fast', argument });

test('the choice is saved for all sessions before it holds, and alone the command flips it (FA-1, FA-2)', async () => {
  const saved: unknown[] = [];
  const held = gate();
  const model = scriptedModel(['a', 'b', 'c'], { facts: OFFERED });
  const house = await openHouse({
    script: model,
    saveDefaults: async (values) => {
      saved.push(values);
      if (saved.length === 1) await held.opened;
      return true;
    },
  });
  const seat = house.seat('one');
  await seat.until(({ head }) => head.ready);
  await command(seat, 'f1', 'on');
  expect(seat.view.head.fast).toEqual({ on: false, offered: true });
  held.open();
  await house.idle();
  expect(seat.view.head.fast).toEqual({ on: true, offered: true });
  await seat.say('one');
  await house.idle();
  await command(seat, 'f2', '');
  await house.idle();
  await seat.say('two');
  await house.idle();
  expect(saved).toEqual([{ fast: true }, { fast: false }]);
  expect(model.requests.map(({ tier }) => tier)).toEqual(['priority', undefined]);
});

test('while it is being saved a prompt waits; a write that fails changes nothing (FA-2, FA-3)', async () => {
  const held = gate();
  const model = scriptedModel(['a'], { facts: OFFERED });
  const house = await openHouse({
    script: model,
    saveDefaults: async () => {
      await held.opened;
      return false;
    },
  });
  const seat = house.seat('one');
  await seat.until(({ head }) => head.ready);
  await command(seat, 'f1', 'on');
  await seat.say('prompt');
  await command(seat, 'f2', 'status');
  expect(flashes(seat)).toEqual(['Fast mode is off.']);
  expect(model.requests).toHaveLength(0);
  held.open();
  await house.idle();
  expect(seat.outcome('f1')).toMatchObject({ state: 'refused', messages: [{ identifier: 'not-saved' }] });
  expect(model.requests.map(({ tier }) => tier)).toEqual([undefined]);
});

test('a choice that is being written when the session ends is settled before it has ended (FA-4)', async () => {
  const held = gate();
  const begun = gate();
  const saved: unknown[] = [];
  const house = await openHouse({
    script: scriptedModel(['a'], { facts: OFFERED }),
    saveDefaults: async (values) => {
      begun.open();
      await held.opened;
      saved.push(values);
      return true;
    },
  });
  const seat = house.seat('one');
  await seat.until(({ head }) => head.ready);
  await command(seat, 'f1', 'on');
  await begun.opened;
  let ended = false;
  const closing = house.session.close().then(() => {
    ended = true;
  });
  await house.settle();
  expect(ended).toBe(false);
  held.open();
  await closing;
  expect(saved).toEqual([{ fast: true }]);
  expect(seat.outcome('f1')).toMatchObject({ state: 'done' });
});

test('what it was at the start holds for the session; what is written in it holds from then on (FA-4)', async () => {
  const kept = { fast: false };
  const save = async (values: Partial<Record<string, unknown>>) => {
    Object.assign(kept, values);
    return true;
  };
  const open = (model: ReturnType<typeof scriptedModel>) =>
    openHouse({ script: model, usage: fast(kept.fast), saveDefaults: save });
  const [first, second] = [
    scriptedModel(['a', 'b', 'c'], { facts: OFFERED }),
    scriptedModel(['d'], { facts: OFFERED }),
  ];
  const house = await open(first);
  const other = await open(second);
  const [here, there] = [house.seat('one'), other.seat('two')];
  await here.say('before');
  await house.idle();
  await command(here, 'f1', 'on');
  await house.idle();
  await here.say('after');
  await house.idle();
  // Begun before the choice was made elsewhere.
  await there.say('meanwhile');
  await other.idle();
  expect(first.requests.map(({ tier }) => tier)).toEqual([undefined, 'priority']);
  expect(second.requests.map(({ tier }) => tier)).toEqual([undefined]);
});

test('a write that failed is over once it was said, and the next one is tried (FA-5)', async () => {
  const answers: (() => Promise<boolean>)[] = [
    async () => false,
    async () => {
      throw new Error('the disk is gone');
    },
    async () => true,
  ];
  const model = scriptedModel(['a'], { facts: OFFERED });
  const house = await openHouse({ script: model, saveDefaults: () => answers.shift()!() });
  const seat = house.seat('one');
  await seat.until(({ head }) => head.ready);
  await command(seat, 'f1', 'on');
  await house.idle();
  expect(seat.outcome('f1')).toMatchObject({ state: 'refused', messages: [{ identifier: 'not-saved' }] });
  await command(seat, 'f2', 'on');
  await house.idle();
  expect(seat.outcome('f2')).toMatchObject({
    state: 'failed',
    messages: [{ text: expect.stringContaining('the disk is gone') }],
  });
  expect(seat.view.head.fast?.on).toBe(false);
  await command(seat, 'f3', 'on');
  await house.idle();
  expect(seat.outcome('f3')).toMatchObject({ state: 'done' });
  expect(seat.view.head.fast?.on).toBe(true);
});

test('a write that never says how it went keeps every other one back, and status still answers (FA-5)', async () => {
  let asked = 0;
  const model = scriptedModel(['a'], { facts: OFFERED });
  const house = await openHouse({
    script: model,
    saveDefaults: () => {
      asked++;
      return new Promise<boolean>(() => {});
    },
  });
  const seat = house.seat('one');
  await seat.until(({ head }) => head.ready);
  await command(seat, 'f1', 'on');
  await house.settle();
  await command(seat, 'f2', 'on');
  await seat.say('prompt');
  await command(seat, 'f3', 'status');
  await house.system.clock.advance(3_600_000);
  expect(asked).toBe(1);
  expect(model.requests).toHaveLength(0);
  expect(flashes(seat)).toEqual(['Fast mode is off.']);
  expect(seat.view.queue.rows.map(({ text }) => text)).toEqual(['/fast on', 'prompt']);
});

test('during a run status and wrong words answer at once, a change waits its turn (FA-1)', async () => {
  const held = gate();
  const model = scriptedModel([{ parts: ['a'], gate: held.opened }], { facts: OFFERED });
  const house = await openHouse({ script: model, saveDefaults: async () => true });
  const seat = house.seat('one');
  await seat.say('work');
  await model.received(1);
  await command(seat, 'f1', 'status');
  expect(await command(seat, 'f2', 'quick')).toMatchObject({
    accepted: false,
    refusal: { identifier: 'argument-unknown' },
  });
  expect(flashes(seat)).toEqual(['Fast mode is off.']);
  await command(seat, 'f3', 'on');
  expect(seat.view.queue.rows.map(({ text }) => text)).toEqual(['/fast on']);
  held.open();
  await house.idle();
  expect(seat.view.head.fast?.on).toBe(true);
});

test('turns, delegates and compaction ask for it, a title never does; where it is not offered nobody asks (FA-7)', async () => {
  const model = scriptedModel(
    [(request) => ({ parts: [request.system.join('').includes('You name conversations') ? 'A title' : 'said'] })],
    { facts: OFFERED, repeatLast: true },
  );
  const house = await openHouse({ script: model, usage: fast(true), naming: true });
  const seat = house.seat('one');
  await seat.say(`long ${'word '.repeat(4_000)}`);
  await house.idle();
  await seat.say('next');
  await house.idle();
  await seat.send({ type: 'command', ref: 'c', name: 'compact', argument: '' });
  await house.idle();
  const asked = model.requests.map(({ system, calls, tier }) => {
    const title = system.join('').includes('You name conversations');
    return [title ? 'title' : calls === 'forbidden' ? 'compaction' : 'turn', tier];
  });
  expect(asked).toContainEqual(['turn', 'priority']);
  expect(asked).toContainEqual(['compaction', 'priority']);
  expect(asked.filter(([what]) => what === 'title')).toEqual([['title', undefined]]);

  const plain = scriptedModel(['a']);
  const other = await openHouse({ script: plain, usage: fast(true), saveDefaults: async () => true });
  const there = other.seat('one');
  await there.say('x');
  await other.idle();
  expect(plain.requests[0]?.tier).toBeUndefined();
  expect(there.view.head.fast).toEqual({ on: true, offered: false });
  await command(there, 'off', 'off');
  await other.idle();
  expect(await command(there, 'on', 'on')).toMatchObject({ accepted: false, refusal: { identifier: 'not-offered' } });
});

test('what a faster answer costs is unknown until somebody says, and known where they do', async () => {
  const price = { input: 1, output: 1, cacheRead: 1, cacheWrite: 1 };
  for (const [facts, cost] of [
    [OFFERED, null],
    [{ fast: true, price: { ...price, fast: { input: 2, output: 2, cacheRead: 2, cacheWrite: 2 } } }, 0.00022],
  ] as const) {
    const house = await openHouse({ script: scriptedModel(['a'], { facts }), usage: fast(true) });
    const seat = house.seat('one');
    await seat.say('x');
    await house.idle();
    expect(seat.view.head.totals.cost).toBe(cost);
  }
});
