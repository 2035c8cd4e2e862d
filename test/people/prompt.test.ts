// The person writes in the box. They press keys and see them in the box at once; Enter sends, everything else does not.
import { expect, test } from 'bun:test';
import { drive } from '../support/driver.ts';

test('the first frame stands before the session is reached, and what is typed then is kept (ST-5)', async () => {
  const driver = await drive({ wrap: (session) => ({ ...session, attach: () => ({ close: () => {}, closed: new Promise(() => {}) }), send: (intent, client) => session.send(intent, client), read: (query, client) => session.read(query, client) }) });
  expect(driver.screenText()).toContain('Reaching the session');
  await driver.type('hello');
  expect(driver.draft).toBe('hello');
});

test('Enter sends the draft and empties the box; an empty box sends nothing (BOX-2)', async () => {
  const driver = await drive();
  await driver.press('enter');
  expect(driver.sentOf('say')).toHaveLength(0);
  await driver.type('hello');
  expect(driver.region('prompt')).toContain('❯ hello');
  await driver.press('enter');
  expect(driver.sentOf('say')).toMatchObject([{ text: 'hello', delivery: 'steering' }]);
  expect(driver.draft).toBe('');
  expect(driver.region('transcript')).toContain('❯ hello');
});
