// The words on the prompt's border while a stream goes on: each of them alone makes the box be drawn anew. Nothing turns
// here, so that nothing else does. The driver compares each frame with one drawn whole.
import { expect, test } from 'bun:test';
import type { Activity } from '../../src/protocol/view.ts';
import { type Driver, drive } from '../support/driver.ts';

const STILL: Activity = { phase: 'writing', turn: 1, since: null, detail: '', retry: null };
const FAILURE = {
  category: 'overloaded',
  message: 'The service is overloaded',
  status: 529,
  requestId: null,
  detail: null,
  retryAfterMs: null,
  retryable: true,
  attempts: 1,
} as const;

async function streaming(activity: Activity = STILL): Promise<Driver> {
  const driver = await drive({ options: { reducedMotion: true }, columns: 140 });
  await driver.publish({
    type: 'head',
    head: { contextWindow: 1000, contextTokens: 340, compactAt: 0.8, thinking: 'status' },
  });
  await driver.publish({ type: 'activity', activity }, { type: 'live-start', turn: 1, round: 1 });
  return driver;
}

/** About so many tokens. */
function written(driver: Driver, tokens: number): Promise<void> {
  return driver.publish({ type: 'delta', part: 0, kind: 'text', text: 'four'.repeat(tokens) });
}

test('the clocks of what runs and of the session go on, each at its own second', async () => {
  const driver = await streaming();
  await driver.publish({ type: 'head', head: { activeTime: 500 } });
  await driver.publish({ type: 'activity', activity: { ...STILL, since: driver.clock.now() } });
  const after = async (ms: number) => {
    await driver.wait(ms);
    await written(driver, 0);
    return driver.region('prompt');
  };
  expect(await after(650)).toMatch(/Writing • 0s[\s\S]*Session: +1s/);
  expect(await after(450)).toMatch(/Writing • 1s[\s\S]*Session: +1s/);
});

test('the wait for another try counts down', async () => {
  const retry = { attempt: 2, attempts: 5, failure: FAILURE };
  const driver = await streaming();
  await driver.publish({
    type: 'activity',
    activity: { ...STILL, phase: 'retrying', retry: { ...retry, at: driver.clock.now() + 9000 } },
  });
  expect(driver.region('prompt')).toContain('again in 9s');
  await driver.wait(4000);
  expect(driver.region('prompt')).toMatch(/again in [56]s/);
});

test('what was written is counted, and so is the context it fills', async () => {
  const driver = await streaming();
  await written(driver, 8);
  expect(driver.region('prompt')).toContain('8 tokens');
  expect(driver.region('prompt')).toContain('35% [###.....|.]');
  await written(driver, 1);
  expect(driver.region('prompt')).toContain('9 tokens');
  await written(driver, 3);
  expect(driver.region('prompt')).toContain('12 tokens');
  // The same in percent, one cell more of the bar.
  expect(driver.region('prompt')).toContain('35% [####....|.]');
});

test('the context is counted where so many tokens were written that one more does not show', async () => {
  const driver = await streaming();
  await driver.publish({ type: 'head', head: { contextWindow: 10_000, contextTokens: 140 } });
  await written(driver, 2160);
  const shows = (share: string) => {
    expect(driver.region('prompt')).toContain('2.2k tokens');
    expect(driver.region('prompt')).toContain(share);
  };
  shows('23% [##......|.]');
  await written(driver, 60);
  shows('24% [##......|.]');
  // A cell of the bar alone, then the colour of what nears its limit alone.
  await driver.publish({ type: 'head', head: { contextTokens: 270 } });
  shows('25% [##......|.]');
  await written(driver, 20);
  shows('25% [###.....|.]');
  await driver.publish({ type: 'head', head: { contextTokens: 4755 } });
  shows('70% [#######.|.]');
  await written(driver, 8);
  shows('70% [#######.|.]');
  // It would have stopped at a frame that is not as drawn whole.
  await driver.press('x');
  shows('❯ x');
});

test('a thought in the status line is followed', async () => {
  const driver = await streaming({ ...STILL, phase: 'thinking' });
  await driver.publish({ type: 'delta', part: 0, kind: 'thinking', text: 'one' });
  expect(driver.region('prompt')).toContain('one');
  // Not a token more.
  await driver.publish({ type: 'delta', part: 0, kind: 'thinking', text: '\nb' });
  expect(driver.region('prompt')).toMatch(/◐ b •/);
});

test('what can no longer be stopped does not say how', async () => {
  const driver = await streaming({ ...STILL, detail: 'Counting' });
  expect(driver.region('prompt')).toContain('Counting • [Alt-C] to cancel • Esc stops');
  await driver.publish({ type: 'activity', activity: { ...STILL, phase: 'stopping', detail: 'Counting' } });
  expect(driver.region('prompt')).toContain('Counting');
  expect(driver.region('prompt')).not.toContain('Esc stops');
});
