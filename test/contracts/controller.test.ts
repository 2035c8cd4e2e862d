import { expect, test } from 'bun:test';
import { gate, scriptedModel } from '../support/script.ts';
import { openHouse, transcriptOf } from '../support/controller.ts';

test('a prompt becomes a turn: written, sent, answered, ended', async () => {
  const model = scriptedModel(['hello there']);
  const house = await openHouse({ script: model });
  const seat = house.seat('one');
  expect((await seat.say('hi')).accepted).toBe(true);
  await house.idle();
  expect(transcriptOf(seat.view)).toEqual(['prompt: hi', 'model: hello there', 'end: done']);
  expect(seat.outcome('one-1')?.state).toBe('done');
  expect(seat.view.head.title).toBe('hi');
  expect(seat.view.activity.phase).toBe('idle');
});
