// Lists that a command opens, and what happens when the person closes them again.
import { expect, test } from 'bun:test';
import { refuse } from '../../src/base/refusal.ts';
import type { Session } from '../../src/protocol/session.ts';
import { openHouse } from '../support/controller.ts';
import { drive } from '../support/driver.ts';
import { scriptedModel } from '../support/script.ts';
import { withHouse } from '../support/with-house.ts';

const TWO = { provider: 'other', model: 'two' } as const;

test('/model opens a list in the terminal that typed it; closing it changes nothing, choosing does (SC-19.2, SC-27.7)', async () => {
  const saved: unknown[] = [];
  const flight = await withHouse(scriptedModel(['a']), {
    others: [scriptedModel([], { ref: TWO })],
    saveDefaults: async (values) => {
      saved.push(values);
      return true;
    },
  });
  const { driver, house } = flight;
  const other = house.seat('other');
  await flight.say('/model');
  expect(driver.screen.modals).toHaveLength(1);
  expect(driver.screenText()).toContain('other:two');
  await driver.press('escape');
  await driver.wait(50);
  await flight.rest();
  expect(driver.screen.modals).toEqual([]);
  expect([saved, driver.sentOf('set-model'), other.view.head.model]).toEqual([
    [],
    [],
    { provider: 'script', model: 'one' },
  ]);
  await flight.say('/model');
  await driver.type('two');
  await driver.press('enter');
  await flight.rest();
  expect(other.view.head.model).toEqual(TWO);
});

test('with no model that can be reached the list says what helps (SC-19.2)', async () => {
  const flight = await withHouse(scriptedModel([]), {
    problem: { identifier: 'no-model', message: 'none' },
    models: {
      parse: () => refuse('unknown-model', 'none'),
      open: async () => refuse('unknown-model', 'none'),
      configured: () => refuse('no-model', 'none'),
      list: () => [],
    },
  });
  await flight.say('/model');
  const text = flight.driver.screenText();
  expect(text).toContain('/login');
});

test('commands are completed from what the session told before, without asking it at each key (SC-27.10)', async () => {
  const house = await openHouse({ script: scriptedModel(['a']) });
  let reads = 0;
  const counting = (session: Session): Session => ({
    attach: session.attach,
    send: session.send,
    read: (query, client) => {
      reads++;
      return session.read(query, client);
    },
  });
  const driver = await drive({ wrap: () => counting(house.session) });
  await house.idle();
  await driver.wait(60);
  reads = 0;
  await driver.type('/worktr');
  expect(driver.region('below')).toContain('/worktree');
  expect(reads).toBe(0);
});
