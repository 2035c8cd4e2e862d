// The person sets a loop, a goal and a watch, sees what stands, and ends it.
import { expect, test } from 'bun:test';
import { createMemorySystem } from '../../src/system/memory/system.ts';
import { FOLDER } from '../support/controller.ts';
import { gate, scriptedModel } from '../support/script.ts';
import { withHouse } from '../support/with-house.ts';

test('the hint row names the loop and when it is due; Ctrl-C at rest ends it, and only the next ones leave (LOOP-5, STOP-11)', async () => {
  const flight = await withHouse(scriptedModel(['looked'], { repeatLast: true }));
  const { driver, house } = flight;
  await flight.say('/loop 5m check the build');
  expect(driver.region('transcript')).toContain('❯ check the build');
  expect(driver.region('hint')).toMatch(/loop every 5m, next \d\d:\d\d:\d\d/);
  await driver.type('half a thought');
  await driver.press('ctrl-c');
  await flight.rest();
  expect(driver.draft).toBe('');
  expect(house.session).toBeDefined();
  expect(driver.region('hint')).toContain('again ends the session');
  await driver.press('ctrl-c');
  await flight.rest();
  expect(driver.region('transcript')).toContain('The loop ended after one time: you stopped it.');
  expect(driver.region('hint')).not.toContain('loop every');
  expect(driver.left).toBeNull();
  await driver.press('ctrl-c');
  await driver.press('ctrl-c');
  expect(driver.left).not.toBeNull();
});

test('while a goal is checked Esc ends the check at once and leaves the draft alone (STOP-10)', async () => {
  const held = gate();
  const flight = await withHouse(scriptedModel(['worked', { parts: ['UNMET\nmore'], gate: held.opened }]));
  const { driver } = flight;
  await flight.say('/goal the tests pass');
  expect(driver.region('hint')).toContain('goal active');
  await flight.say('fix them');
  expect(driver.region('hint')).toContain('checking the goal');
  await driver.type('my draft');
  await driver.press('escape');
  await driver.wait(50);
  await flight.rest();
  expect(driver.region('transcript')).toContain('The goal ended: its check was stopped.');
  expect(driver.draft).toBe('my draft');
});

test('a watched file that changes starts a turn that says which; Ctrl-C at rest ends the watch (FSW-2)', async () => {
  const system = createMemorySystem();
  system.files.seed(`${FOLDER}/a.log`, 'one');
  const flight = await withHouse(scriptedModel(['read it']), { system });
  const { driver } = flight;
  await flight.say('/watch a.log what is new?');
  expect(driver.region('hint')).toContain('watching a file');
  await system.files.writeAtomic(`${FOLDER}/a.log`, new TextEncoder().encode('two words'), {
    mode: 0o644,
    flush: false,
  });
  await system.clock.advance(10_000);
  await flight.rest();
  expect(driver.region('transcript')).toContain('watch 1: the file a.log changed.');
  await driver.press('ctrl-c');
  await flight.rest();
  expect(driver.region('transcript')).toContain('Watch 1 of a.log ended: you stopped it.');
  expect(driver.left).toBeNull();
});
