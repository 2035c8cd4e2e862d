// Whole frames, for whoever changes how things look: what each part must show is asserted elsewhere.
import { expect, test } from 'bun:test';
import type { Activity } from '../../src/protocol/view.ts';
import { type Driver, drive } from '../support/driver.ts';
import { sampleAsk, sampleView } from '../support/sample-view.ts';

const AT_WORK: Activity = { phase: 'tools', turn: 2, since: null, detail: '', retry: null };
const SENT = ['Fix the parser', 'Write a test\nfor the parser', 'Run it again'];

async function sample(columns: number, rows: number): Promise<Driver> {
  const driver = await drive({
    columns,
    rows,
    options: { reducedMotion: true, history: { load: async () => SENT, add: () => {} } },
  });
  await driver.publish({ type: 'branch', view: { ...sampleView(), seq: driver.session.view.seq + 1 } });
  await driver.wait(500);
  return driver;
}

const scenes: Readonly<Record<string, (driver: Driver) => Promise<unknown>>> = {
  'at rest': async () => {},
  'keys at a glance': (driver) => driver.press('?'),
  'a question': (driver) => driver.publish({ type: 'activity', activity: AT_WORK }, { type: 'ask', ask: sampleAsk() }),
  'commands offered': (driver) => driver.type('/co'),
  'the search': (driver) => driver.press('ctrl-r'),
  'the scroller': (driver) => driver.press('ctrl-o', '/', 't', 'h', 'e', 'enter'),
  'a recalled prompt': (driver) => driver.press('up', 'up'),
};

for (const [name, work] of Object.entries(scenes)) {
  for (const [columns, rows] of [
    [100, 34],
    [60, 20],
    [30, 10],
  ] as const) {
    test(`${name}, ${columns} by ${rows}`, async () => {
      const driver = await sample(columns, rows);
      await work(driver);
      expect(driver.screenText()).toMatchSnapshot();
    });
  }
}
