import { expect, test } from 'bun:test';
import { openHouse, type Seat } from '../support/controller.ts';
import { gate, scriptedModel } from '../support/script.ts';

const TWO = { provider: 'other', model: 'two' } as const;
const THREE = { provider: 'other', model: 'three' } as const;

function flashes(seat: Seat): string[] {
  return seat.updates.flatMap(({ changes }) =>
    changes.flatMap((change) => (change.type === 'flash' ? [change.text] : [])),
  );
}

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
