// The person asks beside the running work, reads the answer when it comes, asks on, and brings it in.
import { expect, test } from 'bun:test';
import { gate, scriptedModel } from '../support/script.ts';
import { withHouse } from '../support/with-house.ts';

test('the answer opens by itself when the box is empty, with the question above it (VIEW-9, SC-23.14)', async () => {
  const hold = gate();
  const model = scriptedModel(['hello', [{ wait: hold.opened }, 'worked'], 'because of X']);
  const flight = await withHouse(model);
  const { driver } = flight;
  await flight.say('first');
  await driver.type('work');
  await driver.press('enter');
  await model.received(2);
  await driver.type('/btw why?');
  await driver.press('enter');
  await model.received(3);
  for (let i = 0; i < 5; i++) await driver.wait(60);
  const text = driver.screenText();
  expect(text).toContain('Beside the conversation');
  expect(text.indexOf('? why?')).toBeGreaterThan(0);
  expect(text.indexOf('because of X')).toBeGreaterThan(text.indexOf('? why?'));
  await driver.press('r');
  expect(driver.draft).toBe('/btw #1 ');
  hold.open();
  await flight.rest();
});

test('while something is typed the answer waits, and says where; bare /btw opens it; m brings it in', async () => {
  const hold = gate();
  const model = scriptedModel(['hello', [{ wait: hold.opened }, 'the answer'], 'go']);
  const flight = await withHouse(model);
  const { driver } = flight;
  await flight.say('first');
  await flight.say('/btw what?');
  await driver.type('half');
  hold.open();
  for (let i = 0; i < 5; i++) await driver.wait(60);
  expect(driver.screenText()).toContain('#1 is answered');
  expect(driver.draft).toBe('half');
  await driver.press('ctrl-a', 'backspace');
  await flight.say('/btw');
  expect(driver.screenText()).toContain('the answer');
  await driver.press('m');
  await flight.rest();
  expect(driver.region('transcript')).toContain('[btw:] what?');
  expect(driver.region('transcript')).toContain('the answer');
});

test('Ctrl-C with nothing else running stops what is being asked, and does not leave (SC-23.21)', async () => {
  const hold = gate();
  const model = scriptedModel(['hello', [{ wait: hold.opened }, 'x']]);
  const flight = await withHouse(model);
  const { driver } = flight;
  await flight.say('first');
  await flight.say('/btw what?');
  await driver.press('ctrl-c');
  for (let i = 0; i < 5; i++) await driver.wait(60);
  expect(driver.screenText()).toContain('#1 one: stopped');
  expect(driver.left).toBeNull();
  hold.open();
});

test('bare /btw opens without a model and says when nothing was asked; Esc brings back what was there (SC-23.1, SC-23.20)', async () => {
  const problem = { identifier: 'no-model', message: 'there is none' };
  const flight = await withHouse(scriptedModel([]), { problem });
  const { driver } = flight;
  await flight.say('/btw');
  expect(driver.screenText()).toContain('Nothing was asked yet');
  const sent = driver.sent.length;
  await driver.press('escape');
  expect(driver.screenText()).not.toContain('Beside the conversation');
  expect(driver.sentOf('aside')).toEqual([]);
  expect(driver.sent.slice(sent).filter(({ type }) => type === 'command')).toEqual([]);
});

test('whom to ask is completed, the second word of it too (SC-23.9)', async () => {
  const flight = await withHouse(scriptedModel([]));
  const { driver } = flight;
  await driver.type('/btw $script:one +hi');
  await flight.rest();
  expect(driver.region('below')).toContain('+high');
});

test('an answer is new until somebody looks at it, here or in another window; only the window used last opens it (SC-28.3.5)', async () => {
  const hold = gate();
  const model = scriptedModel(['hello', [{ wait: hold.opened }, 'the answer']]);
  const flight = await withHouse(model);
  const { driver, house } = flight;
  await flight.say('first');
  await flight.say('/btw what?');
  const other = house.seat('two');
  await other.send({ type: 'draft', draft: { text: 'x', caret: 1, folded: [], shell: false } });
  hold.open();
  for (let i = 0; i < 5; i++) await driver.wait(60);
  expect(driver.screenText()).not.toContain('Beside the conversation');
  expect(driver.screenText()).not.toContain('#1 is answered');
  expect(other.view.asides[0]!.unread).toBe(true);
  await flight.say('/btw');
  expect(driver.screenText()).toContain('the answer');
  await flight.rest();
  expect(driver.sentOf('aside')).toMatchObject([{ id: 1, action: 'read' }]);
  expect(other.view.asides[0]!.unread).toBe(false);
});

test('what is asked and answered beside the conversation stands in its own view alone, in no card and in no later request (VIEW-10)', async () => {
  const model = scriptedModel(['hello', 'because of zebras', 'go on']);
  const flight = await withHouse(model);
  const { driver } = flight;
  await flight.say('first');
  await flight.say('/btw why okapis?');
  for (let i = 0; i < 5; i++) await driver.wait(60);
  expect(driver.screenText()).toContain('because of zebras');
  await driver.press('escape');
  await flight.say('second');
  await flight.rest();
  expect(driver.screenText()).toContain('go on');
  expect(driver.region('transcript')).not.toMatch(/okapis|zebras/);
  expect(JSON.stringify(model.requests.at(-1)!.messages)).not.toMatch(/okapis|zebras/);
  expect(JSON.stringify(driver.session.view?.transcript ?? {})).not.toMatch(/okapis|zebras/);
});
