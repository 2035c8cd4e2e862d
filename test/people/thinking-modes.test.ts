// What the model thinks: in the transcript, as one line on the box, or not at all.
import { expect, test } from 'bun:test';
import type { Activity, Item } from '../../src/protocol/view.ts';
import { type Driver, drive } from '../support/driver.ts';
import { sampleCall, sampleItem } from '../support/sample-view.ts';

const THINKING: Activity = { phase: 'thinking', turn: 9, since: 0, detail: '', retry: null };

const thought = (text: string) => sampleItem({ kind: 'thinking', text, turn: 1 });
const reply = (text: string) => sampleItem({ kind: 'assistant', text, turn: 1, stop: 'end' });

async function show(driver: Driver, items: Item[]): Promise<void> {
  const view = structuredClone(driver.session.view);
  const { generation } = view.transcript;
  await driver.publish({
    type: 'branch',
    view: { ...view, transcript: { total: items.length, first: 0, items, generation } },
  });
}

const rows = (driver: Driver) =>
  driver
    .region('transcript')
    .split('\n')
    .slice(1, -1)
    .map((row) => row.replace(/^│|[│█┃▐]?\s*$/g, '').trim());

test('cards of thinking go where it is not shown in the transcript, recorded ones too, and come back (SC-19.14)', async () => {
  const driver = await drive();
  const said = sampleItem({ kind: 'user', text: 'question', attachments: [], as: 'prompt', turn: 1, stopped: false });
  await show(driver, [said, thought('hidden reasons'), sampleCall({}), thought('more of it'), reply('answer')]);
  const whole = driver.screenText();
  expect(whole).toContain('hidden reasons');
  await driver.publish({ type: 'head', head: { thinking: 'off' } });
  const text = driver.screenText();
  expect(text).not.toContain('hidden reasons');
  expect(text).not.toContain('more of it');
  // No gap stays where a card was, and none is missing: one empty row between cards of different kinds.
  const shown = rows(driver);
  const at = shown.findIndex((row) => row.includes('question'));
  expect(shown.slice(at, at + 5).map((row) => row === '')).toEqual([false, true, false, true, false]);
  expect(shown[at + 2]).toContain('Read src/clock.ts');
  expect(shown[at + 4]).toContain('answer');
  await driver.publish({ type: 'head', head: { thinking: 'transcript' } });
  expect(driver.screenText()).toBe(whole);
});

test('who reads back keeps the place while cards of thinking come and go (SC-19.14)', async () => {
  const driver = await drive();
  await show(driver, Array.from({ length: 60 }, (_, at) => [thought(`reason ${at}`), reply(`line ${at}.`)]).flat());
  await driver.press('pageup', 'pageup', 'pageup');
  const first = () => /line (\d+)\./.exec(driver.region('transcript'))?.[1];
  const before = first();
  expect(before).not.toBeUndefined();
  await driver.publish({ type: 'head', head: { thinking: 'off' } });
  expect(first()).toBe(before);
  expect(driver.screenText()).not.toContain('reason');
  await driver.press('pagedown', 'pagedown', 'pagedown', 'pagedown', 'pagedown');
  expect(driver.screenText()).toContain('line 59.');
  await driver.publish({ type: 'head', head: { thinking: 'transcript' } });
  expect(driver.screenText()).toContain('reason 59');
});

test('as a status line its newest line stands on the box while it streams, and no card (SC-19.14)', async () => {
  const driver = await drive();
  await driver.publish(
    { type: 'head', head: { thinking: 'status', model: { provider: 'acme', model: 'big' } } },
    { type: 'activity', activity: THINKING },
    { type: 'live-start', turn: 9, round: 1 },
    { type: 'delta', part: 0, kind: 'thinking', text: 'First this.\nThen th' },
  );
  const border = () => driver.region('prompt').split('\n')[0];
  expect(border()).toContain('Then th •');
  await driver.publish({ type: 'delta', part: 0, kind: 'thinking', text: 'at.\n' });
  expect(border()).toContain('Then that. •');
  expect(border()).not.toContain('First this');
  expect(driver.region('transcript')).not.toContain('Then that');
  await driver.publish({ type: 'delta', part: 0, kind: 'thinking', text: `${'very long words '.repeat(40)}` });
  // What is long is cut: the clock, the key that stops it and the model stay.
  expect(border()).toContain('very long words');
  expect(border()).toContain('Esc stops');
  expect(border()).toContain('big');
  await driver.publish(
    { type: 'activity', activity: { ...THINKING, phase: 'writing' } },
    { type: 'delta', part: 1, kind: 'text', text: 'So be it.' },
  );
  expect(border()).not.toContain('very long');
  expect(driver.region('transcript')).toContain('So be it.');
});

test('where thinking is off the box says that it thinks, and not what (SC-19.14)', async () => {
  const driver = await drive();
  await driver.publish(
    { type: 'head', head: { thinking: 'off' } },
    { type: 'activity', activity: THINKING },
    { type: 'live-start', turn: 9, round: 1 },
    { type: 'delta', part: 0, kind: 'thinking', text: 'secret reasons' },
  );
  expect(driver.region('prompt')).toContain('Thinking');
  expect(driver.screenText()).not.toContain('secret reasons');
});
