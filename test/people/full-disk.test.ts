// The disk fills up in the middle of a reply: the person reads at once what is full and that nothing is lost.
import { expect, test } from 'bun:test';
import { SESSION_FOLDER } from '../support/controller.ts';
import { gate, scriptedModel } from '../support/script.ts';
import { withHouse } from '../support/with-house.ts';

async function fullInMidReply() {
  const held = gate();
  const model = scriptedModel([{ parts: ['half of it', { wait: held.opened }, ' and the rest'] }, 'and on']);
  const flight = await withHouse(model);
  const { driver, house } = flight;
  await driver.type('go');
  await driver.press('enter');
  await driver.wait(60);
  const emptied = house.system.files.fail({ operation: 'append', path: SESSION_FOLDER, code: 'ENOSPC' });
  held.open();
  await house.settle();
  await house.system.clock.advance(60);
  await driver.wait(60);
  return { ...flight, model, emptied };
}

test('a full disk is said at once, with where, that nothing is lost and when it is tried again; the next key tries it', async () => {
  const { driver, house, emptied, rest } = await fullInMidReply();
  expect(driver.region('hint')).toMatch(/The disk is full at \S+: nothing is lost, tried at each key and every 5 s/);
  expect(driver.screenText()).toContain('and the rest');
  expect(house.journal.ofKind('assistant').length).toBe(1);
  expect(house.system.files.textOf(`${SESSION_FOLDER}/journal.jsonl`)).not.toContain('and the rest');
  emptied();
  const before = house.system.clock.ticks();
  await driver.type('x');
  await driver.wait(400);
  await house.settle();
  // No time passed where the session runs: it was the key.
  expect(house.system.clock.ticks()).toBe(before);
  expect(house.system.files.textOf(`${SESSION_FOLDER}/journal.jsonl`)).toContain('and the rest');
  await rest();
  expect(driver.region('hint')).not.toContain('disk is full');
  expect(driver.draft).toBe('x');
});

test('nobody presses a key: it is tried every five seconds at the latest', async () => {
  const { house, emptied } = await fullInMidReply();
  await house.system.clock.advance(60_000);
  emptied();
  await house.system.clock.advance(5_000);
  expect(house.journal.trouble).toBeNull();
  expect(house.system.files.textOf(`${SESSION_FOLDER}/journal.jsonl`)).toContain('and the rest');
});
