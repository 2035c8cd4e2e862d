// Whom one talks with: the key that goes on to the next, the word for who it is, and what is seen while one is broken.
import { expect, test } from 'bun:test';
import { drive } from '../support/driver.ts';

test('SK-6: Alt-P asks for the next agent, and the header says who it is as long as it is not Houston itself', async () => {
  const driver = await drive({ columns: 120 });
  expect(driver.region('header')).not.toContain('Agent:');
  await driver.type('half a line');
  await driver.press('alt-p');
  expect(driver.sentOf('cycle-agent')).toEqual([{ type: 'cycle-agent' }]);
  await driver.publish({ type: 'head', head: { agent: 'reviewer' } });
  expect(driver.region('header')).toMatch(/\[Alt-P\] Agent: reviewer +\[Shift-Tab\] Mode: ask first/);
  await driver.publish({ type: 'head', head: { agent: null } });
  expect(driver.region('header')).not.toContain('Agent:');
  expect(driver.region('prompt')).toContain('half a line');
});

test('ST-8: while a broken agent stops every turn the screen says which file, what is wrong and what cures it', async () => {
  const driver = await drive({ columns: 120 });
  const message = 'No turn can start: the agent pilot is broken: /x/pilot.md has no description. Mend it and /reload';
  const command = (name: string) => ({ name, argument: '', description: '' });
  await driver.publish({
    type: 'head',
    head: {
      ready: false,
      startupProblem: { identifier: 'agent-broken', message },
      commands: [command('reload'), command('agent'), command('model')],
    },
  });
  expect(driver.region('transcript')).toContain('/x/pilot.md has no description');
  expect(driver.region('transcript')).toMatch(/\/reload reads it again +\/agent chooses another/);
  expect(driver.region('transcript')).not.toContain('/model chooses a model');
});
