// What may be spent: a warning, a question before the first request beyond, and a clear end where nobody answers.
import { expect, test } from 'bun:test';
import type { SpendingLimits } from '../../src/core/runtime/spending.ts';
import type { View } from '../../src/protocol/view.ts';
import { createMemorySystem } from '../../src/system/memory/system.ts';
import { ESCAPE, type HouseOptions, openHouse, type Seat } from '../support/controller.ts';
import { type ScriptEntry, scriptedModel } from '../support/script.ts';
import { entriesOf } from '../support/what-was-said.ts';

const STATE = '/home/pat/state';
/** Costs one dollar. */
const DOLLAR = { input: 0, output: 1_000_000 } as const;
const PRICE = { input: 1, output: 1, cacheRead: 1, cacheWrite: 1 };
const again: ScriptEntry = (_request, index) => ({
  parts: [{ tool: 'look', input: { at: `${index}` } }],
  usage: DOLLAR,
});
const done = { parts: ['done'], usage: DOLLAR };

function dollars(limits: Partial<SpendingLimits>): NonNullable<HouseOptions['usage']> {
  return { state: STATE, limits: { session: null, day: null, ...limits }, sleeps: 0, fast: false };
}

const priced = (entries: readonly ScriptEntry[]) =>
  scriptedModel(entries, { facts: { price: PRICE }, repeatLast: true });

function notes(view: View): string[] {
  return view.transcript.items.flatMap((item) => (item.kind === 'note' ? [item.identifier] : []));
}

async function answer(seat: Seat, said: string): Promise<void> {
  await seat.until((view) => view.asks.length > 0);
  await seat.send({ type: 'answer', ask: seat.view.asks[0]!.id, answer: { kind: 'answers', answers: [[said]] } });
}

function question(view: View) {
  const body = view.asks[0]?.body;
  return body?.kind === 'questions' ? body.questions[0] : undefined;
}

test('C5: near the limit it is said once; at the limit nothing more is sent until the person raised it', async () => {
  const model = priced([again, again, again, again, again, done]);
  const house = await openHouse({ script: model, usage: dollars({ session: 5 }) });
  const seat = house.seat('one');
  await seat.say('spend');
  await seat.until((view) => view.asks.length > 0);
  expect(model.requests).toHaveLength(5);
  expect(notes(seat.view)).toEqual(['spending-near']);
  expect(question(seat.view)?.question).toContain('$5.00 of $5.00');
  expect(question(seat.view)?.options).toEqual(['Raise it to $10.00 and go on', 'Stop here']);
  await answer(seat, 'Raise it to $10.00 and go on');
  await house.idle();
  expect(model.requests).toHaveLength(6);
  expect(notes(seat.view)).toEqual(['spending-near', 'spending-raised']);
  const usage = await house.session.read({ type: 'usage', fresh: false });
  expect(usage).toMatchObject({ value: { spending: [{ what: 'session', spent: 6, limit: 10 }, { what: 'day' }] } });
});

test('an amount can be typed; one that is spent already is asked for again; stopping ends the turn and holds what waits', async () => {
  const model = priced([again]);
  const house = await openHouse({ script: model, usage: dollars({ session: 1 }) });
  const seat = house.seat('one');
  await seat.say('spend');
  await answer(seat, '$0.50');
  await answer(seat, '2.5');
  await seat.until((view) => view.asks.length > 0 && model.requests.length === 3);
  await seat.say('later', 'queue');
  await answer(seat, 'Stop here');
  await house.idle();
  expect(model.requests).toHaveLength(3);
  const end = seat.view.transcript.items.at(-1);
  expect(end).toMatchObject({ kind: 'turn-end', reason: 'failed', failure: { category: 'spending-limit' } });
  expect(seat.view.queue).toMatchObject({ paused: { because: 'failed' }, rows: [{ text: 'later' }] });
});

test('a limit that was raised stays raised after a restart', async () => {
  const system = createMemorySystem();
  const first = await openHouse({ system, script: priced([again, done]), usage: dollars({ session: 1 }) });
  const seat = first.seat('one');
  await seat.say('spend');
  await answer(seat, '4');
  await first.idle();
  await first.session.close();
  const model = priced([done]);
  const house = await openHouse({ system, script: model, usage: dollars({ session: 1 }) });
  await house.seat('two').say('and on');
  await house.idle();
  expect(model.requests).toHaveLength(1);
});

test('a day counts every session of this machine, also those that are gone', async () => {
  const system = createMemorySystem();
  const other = await openHouse({ system, script: priced([done]), usage: dollars({}) });
  await other.seat('one').say('spend a dollar');
  await other.idle();
  await other.session.close();
  await system.files.remove('/home/pat/state/session', { recursive: true });

  const model = priced([again, done]);
  const house = await openHouse({ system, script: model, usage: dollars({ day: 2 }), canAsk: false });
  const seat = house.seat('one');
  await seat.say('spend two');
  await house.idle();
  expect(model.requests).toHaveLength(1);
  expect(seat.outcome('one-1')).toMatchObject({
    state: 'failed',
    messages: [
      { identifier: 'spending-limit', text: expect.stringMatching(/^Today's spending limit .*\$2\.00 of \$2\.00/) },
    ],
  });
});

test('where nobody answers the run ends with the limit as its reason, asking nobody', async () => {
  const model = priced([again]);
  const house = await openHouse({ script: model, usage: dollars({ session: 2 }), canAsk: false });
  const seat = house.seat('one');
  await seat.say('spend');
  await house.idle();
  expect(model.requests).toHaveLength(2);
  expect((await entriesOf(house)).some((entry) => entry.kind === 'ask')).toBe(false);
  expect(seat.outcome('one-1')?.messages[0]?.text).toBe(
    'The spending limit of this session is reached: $2.00 of $2.00 (limits.spending.session)',
  );
});

test('an unknown price is said once and never counts as nothing (UP-56)', async () => {
  const model = scriptedModel([again, done], { facts: { price: null } });
  const house = await openHouse({ script: model, usage: dollars({ session: 1 }) });
  const seat = house.seat('one');
  await seat.say('spend');
  await house.idle();
  expect(notes(seat.view)).toEqual(['spending-unknown']);
  expect(seat.view.head.totals.cost).toBeNull();
  const usage = await house.session.read({ type: 'usage', fresh: false });
  expect(usage).toMatchObject({
    value: { session: [{ requests: 2, unpriced: 2, cost: 0 }], spending: [{ spent: 0, limit: 1, unpriced: 2 }, {}] },
  });
});

test('what a subscription pays for is not said to be of unknown price', async () => {
  const house = await openHouse({
    script: scriptedModel([done], { facts: { price: null, included: true } }),
    usage: dollars({ session: 1 }),
  });
  const seat = house.seat('one');
  await seat.say('spend');
  await house.idle();
  const said = seat.view.transcript.items.flatMap((item) => (item.kind === 'note' ? [item.text] : []));
  expect(said).toEqual([expect.stringMatching(/^A subscription pays for /)]);
});

test('the turn that is stopped takes its question along', async () => {
  const model = priced([again]);
  const house = await openHouse({ script: model, usage: dollars({ session: 1 }) });
  const seat = house.seat('one');
  await seat.say('spend');
  await seat.until((view) => view.asks.length > 0);
  await seat.send(ESCAPE);
  await house.idle();
  expect(seat.view.asks).toEqual([]);
  expect(seat.view.transcript.items.at(-1)).toMatchObject({ kind: 'turn-end', reason: 'stopped' });
});

test('a limit of nothing sends nothing', async () => {
  const model = priced([done]);
  const house = await openHouse({ script: model, usage: dollars({ session: 0 }), canAsk: false });
  await house.seat('one').say('spend');
  await house.idle();
  expect(model.requests).toHaveLength(0);
});

test('what was said near a limit is not said again after a restart; another limit is another matter', async () => {
  const system = createMemorySystem();
  let opened = 0;
  const near = async (limits: Partial<SpendingLimits>): Promise<number> => {
    const house = await openHouse({ system, script: priced([done]), usage: dollars(limits) });
    const seat = house.seat(`${opened++}`);
    await seat.say('spend');
    await house.idle();
    const said = (await entriesOf(house)).filter(
      (entry) => entry.kind === 'note' && entry.identifier === 'spending-near',
    );
    await house.session.close();
    return said.length;
  };
  for (let spent = 0; spent < 8; spent++) expect(await near({ session: 10 })).toBe(0);
  expect(await near({ session: 10 })).toBe(1);
  expect(await near({ session: 10 })).toBe(1);
  expect(await near({ session: 11 })).toBe(2);
});

test('near the limit of a day is said on each day anew, also by a session that goes on over midnight', async () => {
  const system = createMemorySystem();
  const house = await openHouse({ system, script: priced([done]), usage: dollars({ day: 5 }) });
  const seat = house.seat('one');
  const spend = async (times: number): Promise<number> => {
    for (let time = 0; time < times; time++) {
      await seat.say('spend');
      await house.idle();
    }
    return notes(seat.view).filter((identifier) => identifier === 'spending-near').length;
  };
  expect(await spend(5)).toBe(1);
  await system.clock.advance(24 * 3_600_000);
  expect(await spend(5)).toBe(2);
});
