// What was sent and is not answered yet, because the host is not there or does not answer, is seen all the same.
import { expect, test } from 'bun:test';
import type { Sent } from '../../src/protocol/intent.ts';
import { drive } from '../support/driver.ts';

async function silentHost() {
  const answers: ((sent: Sent) => void)[] = [];
  const driver = await drive({
    wrap: (session) => ({
      attach: (attach, listener) => session.attach(attach, listener),
      read: (query, client) => session.read(query, client),
      send: (intent, client) =>
        intent.type === 'say'
          ? new Promise<Sent>((resolve) => void answers.push(resolve))
          : session.send(intent, client),
    }),
  });
  const say = async (text: string): Promise<void> => {
    await driver.type(text);
    await driver.press('enter');
  };
  return { driver, answers, say };
}

test('a prompt that is sent and not answered stands under the box as not saved yet, until it is', async () => {
  const { driver, answers, say } = await silentHost();
  await say('late');
  // Most are answered at once: nothing flickers.
  await driver.wait(100);
  expect(driver.region('below')).not.toContain('late');
  await say('two');
  await driver.wait(400);
  const rows = driver.region('below').split('\n');
  expect(rows.find((row) => row.includes('late'))).toContain('not saved yet');
  expect(driver.region('below')).toContain('two');
  answers[0]?.({ accepted: true, value: null });
  await driver.wait(100);
  expect(driver.region('below')).not.toContain('late');
  expect(driver.region('below')).toContain('two');
  // Refused it is in the box again.
  answers[1]?.({ accepted: false, refusal: { identifier: 'out-of-reach', message: 'not sent' } });
  await driver.wait(100);
  expect(driver.region('below')).not.toContain('not saved yet');
  expect(driver.draft).toContain('two');
});

test('a private line is not promised to be saved', async () => {
  const { driver, say } = await silentHost();
  await say('!!ls');
  await driver.wait(500);
  expect(driver.region('below')).not.toContain('saved');
});
