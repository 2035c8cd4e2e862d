import { expect, test } from 'bun:test';
import { openHouse, type Seat, transcriptOf } from '../support/controller.ts';
import { gate, scriptedModel } from '../support/script.ts';

function flashes(seat: Seat): string[] {
  return seat.updates.flatMap(({ changes }) =>
    changes.flatMap((change) => (change.type === 'flash' ? [change.text] : [])),
  );
}

const command = (seat: Seat, ref: string, argument: string) =>
  seat.send({ type: 'command', ref, name: 'thinking', argument });

const READ = { tool: 'read_file', input: { path: 'a.txt' } } as const;

test('a mode holds at once in the middle of a turn, and for what is asked from the next request on (SC-19.9, SC-19.14, SC-27.1)', async () => {
  const saved: unknown[] = [];
  const held = gate();
  const thought = { thinking: 'why', opaque: { signature: 's' } };
  const model = scriptedModel([{ parts: [thought, READ], gate: held.opened }, [thought, 'a'], 'b', 'c']);
  const house = await openHouse({
    script: model,
    saveDefaults: async (values) => {
      saved.push(values);
      return true;
    },
  });
  const seat = house.seat('one');
  await seat.until(({ head }) => head.ready);
  expect(seat.view.head.thinking).toBe('transcript');
  await seat.say('one');
  await model.received(1);
  expect(await command(seat, 't1', 'off')).toMatchObject({ accepted: true });
  expect(seat.view.head.thinking).toBe('off');
  expect(seat.view.activity.phase).not.toBe('idle');
  held.open();
  await house.idle();
  await seat.send({ type: 'set-thinking', mode: 'status' });
  await seat.say('two');
  await house.idle();
  expect(model.requests.map(({ readableThinking }) => readableThinking)).toEqual([undefined, false, undefined]);
  // Nothing is lost: what was thought meanwhile is in the journal, and goes back to the model that thought it.
  expect(transcriptOf(seat.view).filter((line) => line.startsWith('thinking'))).toEqual([
    'thinking: why',
    'thinking: why',
  ]);
  expect(JSON.stringify(model.requests[2]!.messages).split('"signature":"s"')).toHaveLength(3);
  expect(saved).toEqual([{ thinking: 'off' }, { thinking: 'status' }]);
});

test('a mode nobody here knows is ignored as an intent and refused as a command; alone it says what holds (SC-19.9)', async () => {
  const saved: unknown[] = [];
  const house = await openHouse({
    script: scriptedModel([]),
    settings: { effort: 'default', retries: 5, stallMs: 120_000, thinking: 'status' },
    saveDefaults: async (values) => {
      saved.push(values);
      return false;
    },
  });
  const seat = house.seat('one');
  await seat.until(({ head }) => head.ready);
  expect(seat.view.head.thinking).toBe('status');
  expect(await seat.send({ type: 'set-thinking', mode: 'sideways' })).toMatchObject({ accepted: true });
  expect(await command(seat, 't1', 'sideways')).toMatchObject({
    accepted: false,
    refusal: { identifier: 'argument-unknown' },
  });
  expect(seat.view.head.thinking).toBe('status');
  expect(saved).toEqual([]);
  expect(flashes(seat)).toEqual([]);
  await command(seat, 't2', '');
  expect(flashes(seat)).toEqual(['The newest line of thinking is shown on the box while it streams.']);
  // A default that cannot be saved is said, and the mode holds here all the same.
  await command(seat, 't3', 'off');
  expect(seat.view.head.thinking).toBe('off');
  expect(flashes(seat).at(-1)).toBe('Thinking is not shown. It applies only here: the default could not be saved.');
});
