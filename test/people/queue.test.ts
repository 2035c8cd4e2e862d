// The person goes on typing while the agent works: each line waits in a row of its own that says where it will go.
import { expect, test } from 'bun:test';
import type { Delivery, QueuePause } from '../../src/protocol/entry.ts';
import type { Activity, QueueRow } from '../../src/protocol/view.ts';
import { type Driver, drive } from '../support/driver.ts';

const RUNNING: Activity = { phase: 'tools', turn: 1, since: 0, detail: '', retry: null };

async function waiting(
  driver: Driver,
  rows: readonly [string, Delivery][],
  paused: QueuePause | null = null,
): Promise<void> {
  const queue = rows.map(
    ([text, delivery], index): QueueRow => ({
      id: `q${index}`,
      client: 'me',
      ref: `w${index}`,
      text,
      attachments: [],
      delivery,
    }),
  );
  const { view } = driver.session;
  await driver.publish({
    type: 'branch',
    view: {
      ...structuredClone(view),
      activity: paused === null ? RUNNING : view.activity,
      queue: { paused, rows: queue },
    },
  });
}

test('each waiting line has a row with its destination, and the five differ (QUE-1, QUE-2)', async () => {
  const driver = await drive();
  await waiting(driver, [
    ['one', 'steering'],
    ['ls', 'shell'],
    ['/compact', 'command'],
    ['two', 'steering'],
    ['three', 'steering'],
  ]);
  const rows = driver
    .region('below')
    .split('\n')
    .map((row) => row.trim());
  expect(rows[0]).toMatch(/○ one +into this turn, next round/);
  expect(rows[1]).toMatch(/! ls +run in your shell/);
  expect(rows[2]).toMatch(/\/compact +carried out after this/);
  expect(rows[3]).toMatch(/○ two +a new turn after this/);
  expect(rows[4]).toMatch(/○ three +into the next turn/);
});

test('a narrow terminal keeps the mark and drops the words (QUE-3)', async () => {
  const driver = await drive({ columns: 34 });
  await waiting(driver, [['look at the time zones as well please', 'steering']]);
  expect(driver.region('below')).toContain('○ look at');
  expect(driver.region('below')).not.toContain('next round');
});

test('lines that come back from the queue close the key list (HINT-3)', async () => {
  const drafts = [{ text: 'one', attachments: [] }];
  const driver = await drive({
    wrap: (session) => ({
      attach: (options, listener) => session.attach(options, listener),
      read: (query, client) => session.read(query, client),
      send: (intent, client) =>
        intent.type === 'recall'
          ? Promise.resolve({ accepted: true, value: { kind: 'recalled', drafts } })
          : session.send(intent, client),
    }),
  });
  await waiting(driver, [['one', 'steering']]);
  await driver.press('?');
  expect(driver.screen.keyList).toBe(true);
  await driver.press('alt-c');
  expect([driver.draft, driver.screen.keyList]).toEqual(['one', false]);
});

test('Up and Alt-C take everything that waits back above the half-typed line, the caret where it was (QUE-16, KY-2)', async () => {
  for (const chord of ['up', 'alt-c']) {
    const driver = await drive({
      wrap: (session) => ({
        attach: (options, listener) => session.attach(options, listener),
        read: (query, client) => session.read(query, client),
        send: (intent, client) =>
          intent.type === 'recall'
            ? Promise.resolve({
                accepted: true,
                value: {
                  kind: 'recalled',
                  drafts: [
                    { text: 'one', attachments: [] },
                    { text: 'two', attachments: [] },
                  ],
                },
              })
            : session.send(intent, client),
      }),
    });
    await waiting(driver, [
      ['one', 'steering'],
      ['two', 'steering'],
    ]);
    await driver.type('half');
    await driver.press('left', chord);
    expect(driver.draft).toBe('one\ntwo\nhalf');
    expect(driver.screen.prompt.editor.buffer.caret).toBe('one\ntwo\nhal'.length);
  }
});

test('what is held says why and with which keys it goes on, comes back or goes (decisions §10.5)', async () => {
  const driver = await drive();
  await waiting(driver, [['one', 'steering']], { because: 'failed', message: 'Held because the turn failed.' });
  const row = driver.region('below');
  expect(row).toContain('Held because the turn failed.');
  for (const key of ['[Alt-G] go on', '[Alt-T] try again', '[Alt-C] take back', '[Alt-X] discard'])
    expect(row).toContain(key);
  await driver.press('alt-t', 'alt-x');
  expect(driver.sentOf('retry')).toHaveLength(1);
  await driver.press('enter');
  expect(driver.sentOf('queue-discard')).toHaveLength(0);
  await driver.press('y');
  expect(driver.sentOf('queue-discard')).toEqual([{ type: 'queue-discard', inputs: 'all' }]);
  await driver.press('alt-g');
  expect(driver.sentOf('queue-resume')).toHaveLength(1);
});

test('Alt-S changes how the next one is sent and nothing after it', async () => {
  const driver = await drive();
  await driver.press('alt-s');
  expect(driver.region('hint')).toContain('next send: queue');
  await driver.type('one\n');
  await driver.type('two\n');
  expect(driver.sentOf('say').map((say) => say.delivery)).toEqual(['queue', 'steering']);
});

test('Ctrl-Enter interrupts mid-turn and is a new line at rest (QUE-13, PE-1)', async () => {
  const driver = await drive();
  await driver.type('a');
  await driver.press('ctrl-enter');
  expect(driver.draft).toBe('a\n');
  await driver.publish({ type: 'activity', activity: RUNNING });
  await driver.type('b');
  await driver.press('ctrl-enter');
  expect(driver.sentOf('say')).toMatchObject([{ text: 'a\nb', delivery: 'interrupt' }]);
});

test('what was refused comes back into the box whole (PE-10)', async () => {
  const driver = await drive({
    wrap: (session) => ({
      attach: (options, listener) => session.attach(options, listener),
      read: (query, client) => session.read(query, client),
      send: (intent, client) =>
        intent.type === 'say'
          ? Promise.resolve({ accepted: false, refusal: { identifier: 'not-saved', message: 'The disk is full' } })
          : session.send(intent, client),
    }),
  });
  await driver.paste('1\n2\n3\n4');
  await driver.type(' see');
  await driver.press('enter');
  expect(driver.draft).toBe('[Pasted #1 · 4 lines] see');
  expect(driver.screen.prompt.editor.buffer.atoms[0]?.payload).toBe('1\n2\n3\n4');
  expect(driver.region('hint')).toContain('The disk is full');
});

test('Alt-Q lists what waits: rows are moved, rewritten, sent another way and discarded, each by one key (UP-18)', async () => {
  const driver = await drive();
  await waiting(driver, [
    ['a', 'queue'],
    ['b', 'queue'],
    ['c', 'steering'],
  ]);
  await driver.press('alt-q');
  expect(driver.screenText()).toContain('What waits');
  await driver.press('down', 'e');
  await driver.type('!');
  await driver.press('enter');
  await driver.raw('\x1b[1;3A');
  await driver.press('down', 's', 'd');
  expect([...driver.sentOf('queue-edit'), ...driver.sentOf('queue-discard')]).toEqual([
    { type: 'queue-edit', input: 'q1', text: 'b!' },
    { type: 'queue-edit', input: 'q1', before: 'q0' },
    { type: 'queue-edit', input: 'q2', delivery: 'queue' },
    { type: 'queue-discard', inputs: ['q2'] },
  ]);
  await driver.press('escape');
  await driver.wait(50);
  expect(driver.screenText()).not.toContain('What waits');
  expect(driver.sentOf('cancel')).toEqual([]);
});

test('Esc leaves a row that is being rewritten as it was', async () => {
  const driver = await drive();
  await waiting(driver, [['a', 'queue']]);
  await driver.type('half');
  await driver.press('alt-q', 'e');
  await driver.type('bc');
  await driver.press('escape');
  await driver.wait(50);
  expect(driver.screenText()).toContain('❯ a');
  expect(driver.sentOf('queue-edit')).toEqual([]);
  expect(driver.draft).toBe('half');
});

test('Ctrl-Enter with an empty box sends what waits together (QUE-13)', async () => {
  const driver = await drive();
  await waiting(driver, [['one', 'queue']]);
  await driver.press('ctrl-enter');
  expect(driver.sentOf('say')).toMatchObject([{ text: '', delivery: 'interrupt', together: true }]);
  expect(driver.sentOf('cancel')).toEqual([]);
});

test('/theme waits behind a waiting line and is run here when its turn comes; with nothing waiting it runs at once (QUE-6, SC-5.9)', async () => {
  const driver = await drive();
  await driver.publish({ type: 'activity', activity: RUNNING });
  await driver.type('/theme light\n');
  expect(driver.screen.themeChoice).toBe('light');
  expect(driver.sentOf('command')).toEqual([]);
  await waiting(driver, [['one', 'queue']]);
  await driver.type('/theme dark\n');
  const [command] = driver.sentOf('command');
  expect(command).toMatchObject({ name: 'theme', argument: 'dark', here: true });
  expect(driver.screen.themeChoice).toBe('light');
  await driver.publish({ type: 'your-turn', client: 'me', ref: command!.ref, name: 'theme', argument: 'dark' });
  expect(driver.screen.themeChoice).toBe('dark');
  expect(driver.sentOf('command-done')).toEqual([{ type: 'command-done', ref: command!.ref }]);
});

test('a command that opens a list here is over when the list is closed: until then the line waits for it (SC-4.9, SC-5.9)', async () => {
  for (const key of ['escape', 'enter']) {
    const driver = await drive();
    await driver.publish({ type: 'your-turn', client: 'me', ref: 'r1', name: 'theme', argument: '' });
    await driver.wait(50);
    expect(driver.screen.modals).toHaveLength(1);
    await driver.press('down');
    await driver.wait(50);
    expect(driver.sentOf('command-done')).toEqual([]);
    await driver.press(key);
    await driver.wait(50);
    expect(driver.screen.modals).toEqual([]);
    expect(driver.sentOf('command-done')).toEqual([{ type: 'command-done', ref: 'r1' }]);
    // Once, whatever is opened and closed after that.
    await driver.type('/help\n');
    await driver.press('escape');
    await driver.wait(50);
    expect(driver.sentOf('command-done')).toHaveLength(1);
  }
});

test('rows a pause does not hold say where they go, held ones that they are held', async () => {
  const driver = await drive();
  await waiting(driver, [['kept', 'queue']], { because: 'stopped', message: 'Held because you stopped the turn.' });
  const { view } = driver.session;
  const [row] = view.queue.rows;
  const rows = [
    { ...row!, held: true },
    { ...row!, id: 'new', ref: 'new', text: 'fresh' },
  ];
  await driver.publish({ type: 'branch', view: { ...structuredClone(view), queue: { ...view.queue, rows } } });
  expect(driver.region('below')).toMatch(/○ kept +held/);
  expect(driver.region('below')).toMatch(/○ fresh +a new turn after this/);
});
