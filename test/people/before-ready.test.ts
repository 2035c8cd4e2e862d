// Commands that only concern what is shown, in a session that is not ready yet.
import { expect, test } from 'bun:test';
import { type Driver, drive } from '../support/driver.ts';

async function starting(): Promise<Driver> {
  const driver = await drive();
  await driver.publish(
    { type: 'activity', activity: { phase: 'starting', turn: null, since: null, detail: '', retry: null } },
    { type: 'head', head: { ready: false } },
  );
  return driver;
}

const order = async (driver: Driver, line: string): Promise<void> => {
  await driver.type(line);
  await driver.press('enter');
};

test('before the session is ready help opens, colours and folds change, the screen is drawn anew; a clear takes none of it along (SC-5.3)', async () => {
  const driver = await starting();
  for (const line of ['/theme light', '/expand', '/collapse', '/redraw']) {
    await order(driver, line);
    expect(driver.draft).toBe('');
  }
  expect(driver.screen.themeChoice).toBe('light');
  await order(driver, '/help');
  expect(driver.screen.modals).toMatchObject([{ kind: 'scroller', body: { kind: 'help' } }]);
  await driver.press('alt-x');
  expect(driver.screen.modals).toMatchObject([{ kind: 'scroller', body: { kind: 'help' } }]);
  await driver.press('escape');
  expect(driver.sentOf('say')).toEqual([]);
  expect(driver.sentOf('command')).toEqual([]);
});

for (const line of ['/quit', '/exit', '/stop'])
  test(`before the session is ready ${line} leaves (SC-5.3)`, async () => {
    const driver = await starting();
    await order(driver, line);
    await driver.wait(1000);
    expect(driver.left ?? driver.sentOf('end').length).not.toBe(0);
    expect(driver.sentOf('say')).toEqual([]);
  });
