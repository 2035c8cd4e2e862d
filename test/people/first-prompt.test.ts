// The prompt of the command line, on the screen of a session that is still starting.
import { expect, test } from 'bun:test';
import { createMemorySystem } from '../../src/system/memory/system.ts';
import { openHouse, transcriptOf } from '../support/controller.ts';
import { drive } from '../support/driver.ts';
import { gate, scriptedModel } from '../support/script.ts';

async function starting() {
  const opened = gate();
  const system = createMemorySystem();
  const model = scriptedModel(['fixed', 'more']);
  const slow = { ...system, processes: { ...system.processes, find: () => opened.opened.then(() => null) } };
  const house = await openHouse({ system: slow as never, script: model });
  const driver = await drive({ options: { prompt: 'fix the build' }, wrap: () => house.session });
  const pass = async (): Promise<void> => {
    await house.settle();
    await driver.wait(100);
  };
  await pass();
  return { opened, model, house, driver, pass };
}

test('the prompt of the command line waits like one that was typed: its row is there, the box is free; once ready it runs, once (QU-6)', async () => {
  const { opened, model, house, driver, pass } = await starting();
  expect(driver.region('below')).toContain('○ fix the build');
  expect(driver.draft).toBe('');
  await driver.type('half');
  await pass();
  expect(model.requests).toHaveLength(0);
  opened.open();
  await house.idle();
  await pass();
  expect(model.requests).toHaveLength(1);
  expect(transcriptOf(house.seat('look').view)).toBeDefined();
  expect(driver.region('transcript')).toContain('fixed');
  expect(driver.draft).toBe('half');
  // Another screen of the same session says it no second time.
  await house.idle();
  await pass();
  expect(model.requests).toHaveLength(1);
  expect(driver.sentOf('say')).toHaveLength(1);
});

test('taken back just as the session comes to be ready, the prompt of the command line is in the box and never runs (QU-6)', async () => {
  const { opened, model, house, driver, pass } = await starting();
  await driver.type('and this');
  opened.open();
  // Both are on their way when everything else is ready: what takes back is behind what is still being written down.
  driver.terminal.push('\r');
  driver.terminal.push('\x1bc');
  await house.idle();
  await pass();
  expect(driver.draft).toBe('fix the build\nand this');
  expect(driver.region('below')).not.toContain('○');
  expect(model.requests).toHaveLength(0);
});

test('discarding all that waits says how much it was, and nothing of it runs (SC-3.5)', async () => {
  const { opened, model, house, driver, pass } = await starting();
  await driver.type('and this');
  await driver.press('enter');
  await pass();
  await driver.press('alt-x', 'y');
  await pass();
  expect(driver.region('hint')).toContain('2 discarded');
  opened.open();
  await house.idle();
  await pass();
  expect(model.requests).toHaveLength(0);
  expect(driver.region('below')).not.toContain('○');
});
