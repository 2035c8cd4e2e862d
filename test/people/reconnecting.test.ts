// The link to the session breaks and comes back: said calmly, and only where it takes a moment.
import { expect, test } from 'bun:test';
import type { LinkState } from '../../src/protocol/link.ts';
import { drive } from '../support/driver.ts';
import { sampleCall, sampleView } from '../support/sample-view.ts';

async function linked() {
  let state: LinkState = { phase: 'connected' };
  const listeners = new Set<() => void>();
  const driver = await drive({
    link: {
      get state() {
        return state;
      },
      onLinkChange(listener) {
        listeners.add(listener);
        return () => void listeners.delete(listener);
      },
    },
  });
  const become = async (next: LinkState): Promise<void> => {
    state = next;
    for (const listener of [...listeners]) listener();
    await driver.wait(1);
  };
  return { driver, become, listeners };
}

const AWAY = 'Reconnecting to the session: what you type stays, what you send goes out when it is back';

test('while a link is found again the foot says what becomes of typed words; back, it is gone and the words are there', async () => {
  const { driver, become } = await linked();
  await driver.type('half');
  await become({ phase: 'reconnecting', attempt: 1 });
  await become({ phase: 'reconnecting', attempt: 2 });
  await driver.wait(300);
  expect(driver.region('hint')).toContain(AWAY);
  await driver.type(' a word');
  expect(driver.region('hint')).toContain(AWAY);
  expect(driver.draft).toBe('half a word');
  await become({ phase: 'connected' });
  await driver.wait(40);
  expect(driver.region('hint')).not.toContain('Reconnecting');
  expect(driver.draft).toBe('half a word');
});

test('a link that is back at once is not worth a word; nothing ticks or listens afterwards', async () => {
  const { driver, become, listeners } = await linked();
  await become({ phase: 'reconnecting', attempt: 1 });
  await driver.wait(100);
  await become({ phase: 'connected' });
  await driver.wait(1000);
  expect(driver.screenText()).not.toContain('Reconnecting');
  await driver.press('ctrl-d', 'ctrl-d');
  await driver.wait(3000);
  expect(driver.left).not.toBeNull();
  expect(listeners.size).toBe(0);
});

test('a host that took over from a dead one counts changes of cards anew: what it shows is drawn, not what was', async () => {
  const driver = await drive();
  const showing = async (state: 'asking' | 'stopped'): Promise<string> => {
    const view = { ...sampleView(), seq: driver.session.view.seq + 1 };
    // The dead host had the call asked about; the next one finds it closed, after as many changes.
    const call = { ...sampleCall({ call: 'c', title: 'Write a.txt', state }), id: 'e', entry: 'e', revision: 1 };
    view.transcript = { total: 1, first: 0, items: [call], generation: 0 };
    await driver.publish({ type: 'snapshot', view, draft: null });
    await driver.wait(100);
    return driver.region('transcript');
  };
  expect(await showing('asking')).toContain('asks you');
  const taken = await showing('stopped');
  expect(taken).toContain('stopped');
  expect(taken).not.toContain('asks you');
});
