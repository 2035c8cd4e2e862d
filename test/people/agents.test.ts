// Whom one talks with: the key that goes on to the next, the word for who it is, and what is seen while one is broken.
import { expect, test } from 'bun:test';
import type { Session } from '../../src/protocol/session.ts';
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

test('SC-18.3: a further model behind /subagents is completed with those before it in mind', async () => {
  const asked: string[] = [];
  const session = (inner: Session) => ({
    attach: inner.attach.bind(inner),
    send: inner.send.bind(inner),
    read: ((query: { type: string; typed: string }, client: string) => {
      if (query.type !== 'complete-argument') return inner.read(query as never, client);
      asked.push(query.typed);
      return Promise.resolve({ ok: true, value: { choices: [{ value: 'a:one b:two', description: 'Two' }] } });
    }) as Session['read'],
  });
  const driver = await drive({ wrap: session });
  const subagents = { name: 'subagents', argument: '[MODEL ...|off]', description: '' };
  await driver.publish({ type: 'head', head: { commands: [subagents] } });
  await driver.type('/subagents a:one tw');
  expect(asked.at(-1)).toBe('a:one tw');
  expect(driver.region('below')).toContain('b:two');
  await driver.press('tab');
  expect(driver.draft.trim()).toBe('/subagents a:one b:two');
});
