import { expect, test } from 'bun:test';
import { createQueue } from './queue.ts';

test('hands out in order, to those who wait and those who come later', async () => {
  const queue = createQueue<number>();
  const [one, two] = [queue.next(), queue.next()];
  for (const item of [1, 2, 3, 4]) expect(queue.push(item)).toBe(true);
  expect(await Promise.all([one, two, queue.next()])).toEqual([1, 2, 3]);
  expect(queue.size).toBe(1);
  expect(queue.drain()).toEqual([4]);
  expect(queue.size).toBe(0);
});

test('closing: what waits is still handed out, then it is over', async () => {
  const queue = createQueue<string>();
  queue.push('last');
  queue.close();
  expect(queue.push('late')).toBe(false);
  expect([await queue.next(), await queue.next()]).toEqual(['last', null]);
  const other = createQueue<string>();
  const waiting = other.next();
  other.close();
  expect(await waiting).toBeNull();
});

test('an abort ends the waiting and loses no item', async () => {
  const queue = createQueue<string>();
  const stop = new AbortController();
  const waiting = queue.next(stop.signal);
  stop.abort();
  expect(await waiting).toBeNull();
  queue.push('kept');
  expect(await queue.next(stop.signal)).toBeNull();
  expect(await queue.next()).toBe('kept');
});

test('can be walked until it is closed', async () => {
  const queue = createQueue<number>();
  queue.push(0);
  const seen: number[] = [];
  const walk = (async () => {
    for await (const item of queue) seen.push(item);
  })();
  await Promise.resolve();
  queue.push(1);
  queue.close();
  await walk;
  expect(seen).toEqual([0, 1]);
});
