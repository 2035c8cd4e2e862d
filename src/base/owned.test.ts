import { expect, test } from 'bun:test';
import { createOwned } from './owned.ts';

function recorder() {
  const closed: string[] = [];
  const closable = (name: string) => ({
    name,
    async close() {
      await Promise.resolve();
      closed.push(name);
    },
  });
  return { closed, closable };
}

test('closes in reverse, one after another, and once', async () => {
  const { closed, closable } = recorder();
  const owned = createOwned();
  expect(owned.own(closable('first')).name).toBe('first');
  owned.onClose(() => void closed.push('second'));
  owned.own(closable('third'));
  await Promise.all([owned.close(), owned.close()]);
  expect(closed).toEqual(['third', 'second', 'first']);
});

test('one that fails stops none of the others, and is told at the end', async () => {
  const { closed, closable } = recorder();
  const owned = createOwned();
  owned.own(closable('first'));
  owned.onClose(() => Promise.reject(new Error('stuck')));
  owned.onClose(() => {
    throw new Error('earlier in closing');
  });
  expect(owned.close()).rejects.toThrow('earlier in closing');
  await owned.close().catch(() => {});
  expect(closed).toEqual(['first']);
});

test('what is opened while or after closing is closed too', async () => {
  const { closed, closable } = recorder();
  const owned = createOwned();
  owned.onClose(() => void owned.own(closable('opened while closing')));
  await owned.close();
  owned.own(closable('opened afterwards'));
  await owned.close();
  expect(closed).toEqual(['opened while closing', 'opened afterwards']);
});
