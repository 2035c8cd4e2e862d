// A start that fails stays open: it says why, once it is cured it goes on, and nothing typed is lost (decisions §10.7).
import { expect, test } from 'bun:test';
import { createLazySession } from '../../src/link/lazy-session.ts';
import { drive } from '../support/driver.ts';
import { sampleView } from '../support/sample-view.ts';

const refusal = { identifier: 'journal-held', message: 'Another program writes this session' };

test('a session that cannot be opened says why, does not spin, and gives back what was sent (UP-14)', async () => {
  const driver = await drive({
    wrap: () => createLazySession(Promise.resolve({ ok: false, refusal }), 'me', () => {}),
  });
  await driver.wait(100);
  expect(driver.region('transcript')).toContain('✗ Another program writes this session');
  expect(driver.region('transcript')).toContain('Not started.');
  expect(driver.region('prompt')).toContain('✗ Another program writes this session');
  expect(driver.screenText()).not.toMatch(/Getting ready|Reaching the session|trying again/);
  await driver.type('keep me');
  await driver.press('enter');
  expect(driver.draft).toBe('keep me');
  expect(driver.region('hint')).toContain(refusal.message);
  await driver.wait(60_000);
  driver.terminal.takeOutput();
  await driver.wait(60_000);
  expect(driver.terminal.output).toBe('');
});

test('a start that failed names the commands that cure it; cured, it is ready', async () => {
  const driver = await drive();
  const command = (name: string) => ({
    name,
    aliases: [],
    description: '',
    argument: '',
    choices: [],
    group: 'Model' as const,
    during: 'now' as const,
  });
  await driver.publish(
    { type: 'activity', activity: { phase: 'starting', turn: null, since: null, detail: '', retry: null } },
    {
      type: 'head',
      head: {
        ready: false,
        startupProblem: { identifier: 'no-credential', message: 'There is no key for anthropic' },
        commands: [command('model'), command('login')],
      },
    },
  );
  expect(driver.region('transcript')).toContain('✗ There is no key for anthropic');
  expect(driver.region('transcript')).toContain('/login signs in');
  expect(driver.region('transcript')).not.toContain('/settings');
  expect(driver.region('prompt')).toContain('✗ There is no key for anthropic • /model chooses a model');
  await driver.resize(50, 20);
  expect(driver.region('prompt')).toContain('✗ There is no key for anthropic');
  await driver.resize(100, 30);
  await driver.publish(
    { type: 'head', head: { ready: true, startupProblem: null } },
    { type: 'activity', activity: { phase: 'idle', turn: null, since: null, detail: '', retry: null } },
  );
  expect(driver.region('prompt')).toContain('Ready');
  expect(driver.region('transcript')).toContain('Ready. Say what you want done.');
});

test('a session that goes on shows its newest cards with the first frame, and one can type and read back before it is there', async () => {
  const { head, transcript } = sampleView();
  const kept = { head: { title: head.title, totals: head.totals }, transcript };
  const opening = new Promise<never>(() => {});
  const driver = await drive({ options: kept, wrap: () => createLazySession(opening, 'me', () => {}) });
  const first = driver.region('transcript');
  expect(first).toContain('Now run all tests');
  expect(driver.region('header')).toContain('Fix the leap-second bug');
  expect(driver.region('prompt')).toContain('Getting ready');
  await driver.type('on we go');
  await driver.press('pageup');
  expect(driver.region('transcript')).not.toContain('Now run all tests');
  await driver.press('pagedown');
  expect(driver.region('transcript')).toContain('Now run all tests');
  expect(driver.draft).toBe('on we go');
});

test('what the session says when it is there counts, whatever was shown of it before', async () => {
  const { head, transcript } = sampleView();
  const driver = await drive({ options: { head: { title: head.title }, transcript } });
  expect(driver.screenText()).not.toContain('Now run all tests');
  expect(driver.screenText()).not.toContain('leap-second');
});
