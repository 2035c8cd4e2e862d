// The person opens dialogs: help, pickers, answers of commands. The topmost takes every key; closing gives all back.
import { expect, test } from 'bun:test';
import type { Session } from '../../src/protocol/session.ts';
import { drive } from '../support/driver.ts';

test('F1 and /help list every key and command from the tables, F1 again closes it (KY-9, LA-34)', async () => {
  const driver = await drive({ rows: 100 });
  await driver.press('f1');
  for (const words of [
    'Ctrl-Enter',
    'Stop the turn and send everything waiting as one',
    '/theme [name]',
    'Alt-Shift-E',
  ]) {
    expect(driver.screenText()).toContain(words);
  }
  await driver.press('f1');
  expect(driver.screenText()).not.toContain('/theme [name]');
  await driver.type('/help');
  await driver.press('enter');
  expect(driver.screenText()).toContain('/theme [name]');
});

test('help and hints name the chord in force (KEY-11)', async () => {
  const driver = await drive({ rows: 100, options: { keybindings: { model: 'alt-o' } } });
  await driver.publish({ type: 'head', head: { model: { provider: 'p', model: 'm' } } });
  expect(driver.region('prompt')).toContain('[Alt-O]');
  await driver.press('f1');
  expect(driver.screenText()).toContain('Alt-O');
  expect(driver.screenText()).not.toContain('Alt-M');
});

test('/model lists what the session offers, typing narrows, Enter chooses (CMD-9)', async () => {
  const driver = await drive({
    wrap: (session) => ({
      attach: (options, listener) => session.attach(options, listener),
      send: (intent, client) => session.send(intent, client),
      read: ((query: { type: string }, client: string) =>
        query.type === 'complete-argument'
          ? Promise.resolve({
              ok: true,
              value: {
                choices: [
                  { value: 'a:one', description: 'a' },
                  { value: 'a:two', description: 'a' },
                  { value: 'b:three', description: 'b' },
                ],
              },
            })
          : session.read(query as never, client)) as Session['read'],
    }),
  });
  await driver.press('alt-m');
  expect(driver.screenText()).toContain('a:two');
  await driver.type('thr');
  expect(driver.screenText()).toContain('1 of 3');
  await driver.press('enter');
  expect(driver.sentOf('set-model')).toEqual([
    { type: 'set-model', model: { provider: 'b', model: 'three' }, effort: null },
  ]);
  await driver.type('/model c:four+high');
  await driver.press('enter');
  expect(driver.sentOf('set-model').at(-1)).toEqual({
    type: 'set-model',
    model: { provider: 'c', model: 'four' },
    effort: 'high',
  });
});

test('Ctrl-R searches what was sent, all words in any order; Enter copies and never sends (HIST-1, HIST-2)', async () => {
  const driver = await drive({
    options: { history: { load: async () => ['fix the parser', 'write a test', 'the parser again'], add: () => {} } },
  });
  await driver.type('half');
  await driver.press('ctrl-a', 'backspace', 'ctrl-r');
  await driver.type('parser fix');
  expect(driver.screenText()).toContain('1 of 3');
  await driver.press('enter');
  expect(driver.draft).toBe('fix the parser');
  expect(driver.sentOf('say')).toHaveLength(0);
  await driver.press('ctrl-r', 'escape');
  await driver.wait(50);
  expect(driver.draft).toBe('fix the parser');
});

test('what is sent is remembered once, private lines never (HIST-5, DSH-3)', async () => {
  const added: string[] = [];
  const driver = await drive({ options: { history: { load: async () => [], add: (text) => added.push(text) } } });
  await driver.type('one\n');
  await driver.type('!ls\n');
  await driver.type('!!env\n');
  await driver.type('/theme dark\n');
  expect(added).toEqual(['one', '!ls', '/theme dark']);
});

test('/theme takes a name at once and says when there is none', async () => {
  const driver = await drive();
  const before = driver.cell(0, 3).fg;
  await driver.type('/theme light');
  await driver.press('enter');
  expect(driver.screen.themeChoice).toBe('light');
  expect(driver.cell(0, 3).fg).not.toBe(before);
  await driver.type('/theme mauve');
  await driver.press('enter');
  expect(driver.region('hint')).toContain('No theme mauve');
});

test('an answer of several lines opens at once in quiet, and waits behind a key while something is typed', async () => {
  const driver = await drive();
  await driver.publish({ type: 'flash', client: 'me', level: 'info', text: 'first\nsecond' });
  expect(driver.screenText()).toContain('second');
  await driver.press('q');
  await driver.type('typing');
  await driver.publish({ type: 'flash', client: 'me', level: 'info', text: 'third\nfourth' });
  expect(driver.screenText()).not.toContain('fourth');
  expect(driver.region('hint')).toContain('Alt-I opens it');
  await driver.press('alt-i');
  expect(driver.screenText()).toContain('fourth');
  await driver.press('q');
  expect(driver.draft).toBe('typing');
});

test('a line for another client is not shown here', async () => {
  const driver = await drive();
  await driver.publish({ type: 'flash', client: 'other', level: 'info', text: 'not for you' });
  expect(driver.screenText()).not.toContain('not for you');
});

test('/status shows what the session says of itself', async () => {
  const driver = await drive({
    wrap: (session) => ({
      attach: (options, listener) => session.attach(options, listener),
      send: (intent, client) => session.send(intent, client),
      read: ((query: { type: string }, client: string) =>
        query.type === 'status'
          ? Promise.resolve({ ok: true, value: { rows: [{ name: 'Model', value: 'demo:pilot' }] } })
          : session.read(query as never, client)) as Session['read'],
    }),
  });
  await driver.type('/status\n');
  await driver.wait(50);
  expect(driver.screenText()).toMatch(/Model +demo:pilot/);
});

test('a command handed back to this terminal runs here and is reported done (SC-5.9)', async () => {
  const driver = await drive();
  await driver.publish({ type: 'your-turn', client: 'me', ref: 'c1', name: 'expand', argument: '' });
  expect(driver.screen.expandAll).toBe(true);
  expect(driver.sentOf('command-done')).toEqual([{ type: 'command-done', ref: 'c1' }]);
});

test('a click places the caret, the wheel over the box does nothing (KY-12, PE-3)', async () => {
  const driver = await drive();
  await driver.type('hello world');
  const at = driver.find('hello')!;
  await driver.mouse('press', at.x + 5, at.y);
  await driver.mouse('release', at.x + 5, at.y);
  expect(driver.screen.prompt.editor.buffer.caret).toBe(5);
  await driver.mouse('wheel-up', at.x, at.y);
  expect(driver.screen.scroll.follow).toBe(true);
  await driver.mouse('press', at.x, at.y);
  await driver.mouse('drag', at.x + 5, at.y);
  await driver.press('ctrl-c');
  expect(driver.terminal.output).toContain(`\x1b]52;c;${btoa('hello')}\x07`);
});
