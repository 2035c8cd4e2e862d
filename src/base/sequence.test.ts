import { expect, test } from 'bun:test';
import { createSequence } from './sequence.ts';

test('jobs run one after another, in order, whatever each takes', async () => {
  const sequence = createSequence();
  const events: string[] = [];
  const job = (name: string, turns: number) => async () => {
    events.push(`${name} begins`);
    for (let turn = 0; turn < turns; turn++) await Promise.resolve();
    events.push(`${name} ends`);
    return name;
  };
  const results = [sequence.run(job('a', 10)), sequence.run(job('b', 0)), sequence.run(() => 'c')];
  expect(sequence.pending).toBe(3);
  expect(await Promise.all(results)).toEqual(['a', 'b', 'c']);
  expect(events).toEqual(['a begins', 'a ends', 'b begins', 'b ends']);
  expect(sequence.pending).toBe(0);
});

test('one that fails is told to its caller alone', async () => {
  const sequence = createSequence();
  const failing = sequence.run(() => {
    throw new Error('no');
  });
  const next = sequence.run(() => 'goes on');
  expect(failing).rejects.toThrow('no');
  expect(await next).toBe('goes on');
});

test('idle waits for what was given meanwhile too', async () => {
  const sequence = createSequence();
  let inner = false;
  sequence.run(() => {
    void sequence.run(() => {
      inner = true;
    });
  });
  await sequence.idle();
  expect(inner).toBe(true);
  await sequence.idle();
});
