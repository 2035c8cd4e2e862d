// The column at the right edge: panels over the transcript or beside it, opened and closed by keys and mouse.
import { expect, test } from 'bun:test';
import '../../src/front/tui/panels/column.ts';
import { type Driver, type DriverOptions, drive } from '../support/driver.ts';
import { sampleView } from '../support/sample-view.ts';

async function sample(options: DriverOptions = {}): Promise<Driver> {
  const driver = await drive({ columns: 120, rows: 40, ...options });
  await driver.publish({ type: 'branch', view: { ...sampleView(), seq: driver.session.view.seq + 1 } });
  await driver.wait(500);
  return driver;
}

/** Titles of the panels that are drawn, from top to bottom. */
function shown(driver: Driver): string[] {
  const titles = /╭─ (?:(Activity Tree|Activities|Tree|Audit Trail|Trail)|(Session Files|Files)|(Summary)) /g;
  return [...driver.screenText().matchAll(titles)].map((found) => found[1] ?? found[2] ?? found[3]!);
}

test('Alt-1, Alt-2 and Alt-3 open and close their panels, each below those that are open (LA-6, LA-8, LA-9)', async () => {
  const driver = await sample();
  expect(shown(driver)).toEqual([]);
  await driver.press('alt-3', 'alt-1', 'alt-2');
  expect(shown(driver)).toEqual(['Summary', 'Activity Tree', 'Session Files']);
  const rows = ['╭─ Summary', '╭─ Activity', '╭─ Session Files'].map((title) => driver.find(title)!.y);
  // Between header and prompt: 33 rows, the same for each.
  expect(rows).toEqual([3, 14, 25].map((row) => row));
  await driver.press('alt-1');
  expect(shown(driver)).toEqual(['Summary', 'Session Files']);
  expect(driver.find('╭─ Session Files')!.y).toBe(3 + 17);
  await driver.press('alt-1');
  expect(shown(driver)).toEqual(['Summary', 'Session Files', 'Activity Tree']);
});
