// The person types a line for their own shell: armed by a key, alone in its mode, and never mistaken for a prompt.
import { expect, test } from 'bun:test';
import { drive } from '../support/driver.ts';

test('SH-5: mid-turn the line waits behind its mark; slash words in it are programs', async () => {
  const driver = await drive();
  driver.session.script([{ hold: true }]);
  await driver.type('work');
  await driver.press('enter');
  await driver.type('!/help me');
  await driver.press('enter');
  expect(driver.sentOf('say').at(-1)).toMatchObject({ text: '/help me', delivery: 'shell' });
  expect(driver.sentOf('command')).toEqual([]);
  expect(driver.region('below')).toContain('! /help me');
  expect(driver.screen.modals).toEqual([]);
  driver.session.release();
});

test('SH-4: what is pasted, recalled or said never arms it: only the key does', async () => {
  const driver = await drive();
  await driver.paste('!rm -rf x');
  expect(driver.region('prompt')).not.toContain('Shell');
  await driver.press('enter');
  expect(driver.sentOf('say').at(-1)).toMatchObject({ text: '!rm -rf x' });
  expect(driver.sentOf('say').at(-1)?.delivery).not.toBe('shell');
  await driver.press('up');
  expect(driver.draft).toBe('!rm -rf x');
  expect(driver.region('prompt')).not.toContain('Shell');
  // Behind a space it is text like any other (DSH-1).
  await driver.press('ctrl-a', 'backspace');
  await driver.type(' !ls');
  await driver.press('enter');
  expect(driver.sentOf('say').at(-1)?.delivery).not.toBe('shell');
});

test('DSH-4: the prompt’s border says that a shell is armed, and whether only for the person’s eyes', async () => {
  const driver = await drive();
  expect(driver.region('prompt')).not.toContain('Shell');
  await driver.press('!');
  expect(driver.region('prompt')).toContain('Shell');
  await driver.press('!');
  expect(driver.region('prompt')).toContain('for your eyes only');
  await driver.press('escape');
  expect(driver.region('prompt')).not.toContain('Shell');
});
