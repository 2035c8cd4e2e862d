import { expect, test } from 'bun:test';
import { createMemoryClock } from './clock.ts';

test('timers fire in order, at their own time, also those set on the way', async () => {
  const clock = createMemoryClock({ start: 1000 });
  const fired: [string, number][] = [];
  const set = (name: string, ms: number) => clock.after(ms, () => fired.push([name, clock.now()]));
  set('late', 50);
  set('first', 10);
  set('second', 10);
  const back = set('taken back', 20);
  clock.after(15, () => set('on the way', 5));
  back();
  await clock.advance(49);
  expect(fired).toEqual([
    ['first', 1010],
    ['second', 1010],
    ['on the way', 1020],
  ]);
  expect([clock.now(), clock.ticks(), clock.timers]).toEqual([1049, 49, 1]);
  await clock.advance(1);
  expect(fired.at(-1)).toEqual(['late', 1050]);
  expect(clock.timers).toBe(0);
});

test('sleeping ends with its time or its signal, and then leaves no timer', async () => {
  const clock = createMemoryClock();
  const slept = clock.sleep(100);
  await clock.advance(100);
  expect(await slept).toBe(true);
  const stop = new AbortController();
  const stopped = clock.sleep(100, stop.signal);
  stop.abort();
  expect(await stopped).toBe(false);
  expect(await clock.sleep(100, stop.signal)).toBe(false);
  expect(clock.timers).toBe(0);
});

test('a loop of sleeps runs as far as the time that passes', async () => {
  const clock = createMemoryClock();
  let turns = 0;
  const loop = (async () => {
    for (; turns < 10; turns++) await clock.sleep(1000);
    return 'done';
  })();
  await clock.advance(3500);
  expect(turns).toBe(3);
  expect(await clock.runUntil(loop)).toBe('done');
  expect(clock.ticks()).toBe(10_000);
  expect(clock.runUntil(new Promise(() => {}))).rejects.toThrow('nothing left');
});

test('after a crash no timer fires', async () => {
  const clock = createMemoryClock();
  let fired = false;
  clock.after(1, () => {
    fired = true;
  });
  clock.dropTimers();
  await clock.advance(10);
  expect(fired).toBe(false);
});
