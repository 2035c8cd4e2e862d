import { expect, test } from 'bun:test';
import { abortReason, childAbort, onAbort, raceAbort } from './abort.ts';

test('a child aborts with the first parent that does, with its reason', () => {
  const [one, two] = [new AbortController(), new AbortController()];
  const child = childAbort(one.signal, null, two.signal, undefined);
  expect(abortReason(child.signal)).toBeNull();
  two.abort('stopped by the person');
  one.abort('later');
  expect(abortReason(child.signal)).toBe('stopped by the person');
});

test('a child of an aborted parent is aborted from the start', () => {
  expect(abortReason(childAbort(AbortSignal.abort('over')).signal)).toBe('over');
});

test('a child aborts alone, and a released one no longer follows', () => {
  const parent = new AbortController();
  const alone = childAbort(parent.signal);
  alone.abort('mine');
  expect([parent.signal.aborted, abortReason(alone.signal)]).toEqual([false, 'mine']);
  const released = childAbort(parent.signal);
  released.release();
  parent.abort('gone');
  expect(released.signal.aborted).toBe(false);
  expect(abortReason(alone.signal)).toBe('mine');
});

test('reasons that are errors say their message', () => {
  expect(abortReason(AbortSignal.abort(new Error('timed out')))).toBe('timed out');
  expect(abortReason(AbortSignal.abort(7))).toBe('aborted');
});

test('listening: once, at once when it is too late, and taken back', () => {
  const controller = new AbortController();
  let heard = 0;
  const hear = () => {
    heard++;
  };
  onAbort(controller.signal, hear);
  onAbort(controller.signal, hear)();
  onAbort(null, hear);
  controller.abort();
  controller.abort();
  expect(heard).toBe(1);
  onAbort(controller.signal, hear);
  expect(heard).toBe(2);
});

test('racing gives the value, the failure, or the abort', async () => {
  const controller = new AbortController();
  expect(await raceAbort(Promise.resolve(1), controller.signal)).toEqual({ aborted: false, value: 1 });
  expect(await raceAbort(Promise.resolve(1), null)).toEqual({ aborted: false, value: 1 });
  expect(raceAbort(Promise.reject(new Error('no')), controller.signal)).rejects.toThrow('no');
  const racing = raceAbort(new Promise(() => {}), controller.signal);
  controller.abort();
  expect(await racing).toEqual({ aborted: true });
  expect(await raceAbort(Promise.resolve(1), controller.signal)).toEqual({ aborted: true });
});
