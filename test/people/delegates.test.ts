// Delegates on the screen: the card of a batch, one's own view, and words for it.
import { expect, test } from 'bun:test';
import type { DelegateAct, DelegateRow } from '../../src/protocol/delegate.ts';
import { TRUSTED_PUBLIC, UNTRUSTED_PUBLIC } from '../../src/protocol/label.ts';
import type { Change } from '../../src/protocol/update.ts';
import { type Driver, drive } from '../support/driver.ts';
import { sampleCall, sampleView } from '../support/sample-view.ts';

type Told = Omit<DelegateRow, 'acts' | 'count'>;

function told(name: string, more: Partial<Told> = {}): Told {
  return {
    name,
    call: 'batch',
    kind: 'reader',
    agent: null,
    task: `Look about\n\nYours is this one: ${name}-land`,
    model: { provider: 'anthropic', model: 'claude-sonnet-4-5' },
    effort: 'high',
    state: 'running',
    started: 0,
    ended: null,
    ending: '',
    unread: [],
    ...more,
  };
}

const row = (name: string, more: Partial<Told> = {}): Change => ({ type: 'delegate', delegate: told(name, more) });
const act = (name: string, text: string, more: Partial<DelegateAct> = {}): Change => ({
  type: 'delegate-act',
  name,
  act: { kind: 'call', text, label: null, ...more },
});

/** A batch of three at work. */
async function atWork(
  size: { columns?: number; rows?: number; delegateRows?: number; recalled?: string } = {},
): Promise<Driver> {
  const { delegateRows, recalled, ...place } = size;
  const driver = await drive({
    ...place,
    ...(delegateRows === undefined ? {} : { options: { delegateRows } }),
    wrap: (session) => ({
      ...session,
      attach: (...given) => session.attach(...given),
      send: async (intent, client) => {
        const sent = await session.send(intent, client);
        if (intent.type !== 'recall-delegate' || recalled === undefined) return sent;
        return { accepted: true, value: { kind: 'recalled', drafts: [{ text: recalled, attachments: [] }] } };
      },
    }),
  });
  const view = sampleView();
  const items = [
    sampleCall({ call: 'before', title: 'Read a.txt' }),
    sampleCall({ call: 'batch', tool: 'spawn_agent', title: 'reader d1 to d3: Look about', state: 'running' }),
  ];
  view.transcript = { total: items.length, first: 0, items, generation: 1 };
  view.activity = { phase: 'tools', turn: 1, since: 0, detail: '', retry: null };
  await driver.publish({ type: 'branch', view }, row('d1'), row('d2'), row('d3'));
  return driver;
}

async function click(driver: Driver, words: string, at = 0): Promise<void> {
  const place = driver.find(words)!;
  await driver.mouse('press', place.x + at, place.y);
  await driver.mouse('release', place.x + at, place.y);
}

test('the card of a batch counts its tasks and shows the first: who it is, what it runs on, what it was told and did (SA-1, SA-3, SA-4)', async () => {
  const driver = await atWork();
  await driver.publish(
    act('d1', 'Read hill.txt'),
    act('d1', 'a hill', { kind: 'said', label: UNTRUSTED_PUBLIC }),
    act('d2', 'Read sea.txt'),
    row('d3', { state: 'failed', ending: '[d3 failed before it could report]' }),
  );
  const card = driver.region('transcript');
  expect(card).toContain('1 of 3 settled • 1 running • 1 failed • 0 waiting'.replace('1 running', '2 running'));
  expect(card).toContain('[View Subagent ↗]');
  expect(card).toMatch(/▸d1 ◌ +d2 ◌ +d3 ✗/);
  expect(card).toContain('d1 reader • anthropic:claude-sonnet-4-5 • high');
  expect(card).toContain('Yours is this one: d1-land');
  expect(card).toContain('│ Read hill.txt');
  expect(card).toMatch(/│ ▒ a hill/);
  expect(card).not.toContain('sea.txt');
  // A configured name stands for the number.
  await driver.publish(row('d2', { agent: 'scout' }));
  expect(driver.region('transcript')).toMatch(/▸d1 ◌ +scout ◌/);
});

test('those of one batch stand in the order of their numbers, whichever began first', async () => {
  const driver = await drive();
  const view = sampleView();
  const items = [sampleCall({ call: 'batch', tool: 'spawn_agent', title: 'reader d9 to d11: Look', state: 'running' })];
  view.transcript = { total: 1, first: 0, items, generation: 1 };
  await driver.publish({ type: 'branch', view }, row('d11'), row('d9'), row('d11.1'), row('d10'));
  expect(driver.region('transcript')).toMatch(/d9 ◌ +d10 ◌ +▸?d11 ◌ +d11\.1 ◌/);
});

test('a clicked chip stays chosen whatever any of them does, and changes nothing else (SA-4, SA-6)', async () => {
  const driver = await atWork();
  await driver.publish(act('d2', 'Read sea.txt'));
  await click(driver, ' d2 ◌', 1);
  expect(driver.region('transcript')).toContain('Read sea.txt');
  await driver.publish(act('d1', 'Read hill.txt'), row('d1', { state: 'reported', ending: 'reported' }), row('d4'));
  const card = driver.region('transcript');
  expect(card).toContain('d2 reader');
  expect(card).not.toContain('hill.txt');
  expect(driver.sent.filter(({ type }) => type !== 'seen')).toEqual([]);
});

test('as many rows of what it did last as the setting says (SA-2)', async () => {
  const acts = Array.from({ length: 20 }, (_, at) => act('d1', `act-${at + 1}.`));
  for (const [delegateRows, first] of [
    [1, 20],
    [5, 16],
    [undefined, 5],
  ] as const) {
    const driver = await atWork({ rows: 44, ...(delegateRows === undefined ? {} : { delegateRows }) });
    await driver.publish(...acts);
    expect(driver.region('transcript').match(/act-\d+\./g)?.[0]).toBe(`act-${first}.`);
    expect(driver.region('transcript')).toContain('act-20.');
  }
});

test('its own view has a tab for each of the batch and all it did; closing it leaves the card and the transcript as they were (SA-5, SA-12)', async () => {
  const driver = await atWork();
  await driver.publish(act('d1', 'Read hill.txt'), act('d2', 'Read sea.txt'));
  await click(driver, ' d2 ◌', 1);
  // What turns is not what stands.
  const still = (): string => driver.region('transcript').replace(/[\u2800-\u28ff]/g, '');
  const before = still();
  await click(driver, '[View Subagent ↗]', 3);
  expect(driver.screenText()).toContain('Subagent d2 • reader');
  expect(driver.screenText()).toMatch(/ d1 +◌ +▸d2 +◌ +d3/);
  expect(driver.screenText()).toContain('Read sea.txt');
  await driver.press('tab');
  expect(driver.screenText()).toContain('Subagent d3 • reader');
  await driver.press('tab');
  expect(driver.screenText()).toContain('Subagent d1 • reader');
  await driver.press('shift-tab', 'shift-tab');
  expect(driver.screenText()).toContain('Subagent d2 • reader');
  await click(driver, ' d1 ');
  expect(driver.screenText()).toContain('Subagent d1 • reader');
  await driver.publish(...Array.from({ length: 60 }, (_, at) => act('d1', `act-${at + 1}.`)));
  expect(driver.screenText()).toContain('act-60.');
  await driver.press('pageup');
  expect(driver.screenText()).not.toContain('act-60.');
  await driver.press('pagedown');
  await driver.mouse('wheel-up', 20, 10);
  expect(driver.screenText()).not.toContain('act-60.');
  await driver.press('escape');
  expect(still()).toBe(before);
});

test('the box below it is an editor with a draft of its own for each; Enter steers that one and nobody else (SA-7, SA-9)', async () => {
  const driver = await atWork();
  await driver.type('for the session');
  await click(driver, '[View Subagent ↗]', 3);
  await driver.type('/nort');
  await driver.press('enter');
  expect(driver.sentOf('tell-delegate')).toEqual([]);
  expect(driver.screenText()).toContain('❯ /nort');
  await driver.press('ctrl-a');
  await driver.type('!north');
  await driver.press('ctrl-j');
  await driver.paste('and\nsouth\n'.repeat(20));
  await driver.press('tab');
  expect(driver.screenText()).not.toContain('!north');
  await driver.type('other');
  await driver.press('ctrl-z', 'ctrl-y', 'shift-tab', 'enter');
  const [sent] = driver.sentOf('tell-delegate');
  expect(sent).toMatchObject({ delegate: 'd1', text: `!north\n${'and\nsouth\n'.repeat(20)}` });
  expect(driver.sentOf('say')).toEqual([]);
  await driver.press('tab');
  expect(driver.screenText()).toContain('❯ other');
  await driver.press('escape');
  expect(driver.draft).toBe('for the session');
});

test('Alt-C takes back what one has not read, above the draft; with nothing to take back it asks about that one alone (SA-10, SA-13)', async () => {
  const driver = await atWork({ recalled: 'first' });
  await click(driver, '[View Subagent ↗]', 3);
  await driver.type('later');
  await driver.publish(row('d1', { unread: [{ client: 'me', ref: 'x', text: 'first' }] }));
  expect(driver.screenText()).toContain('first  not read yet');
  await driver.press('alt-c');
  expect(driver.sentOf('recall-delegate')).toMatchObject([{ delegate: 'd1' }]);
  await driver.publish(row('d1'));
  expect(driver.screenText()).toMatch(/❯ first.*\n.*later/);
  await driver.press('alt-c');
  expect(driver.screenText()).toContain('Stop d1?');
  await driver.press('y');
  expect(driver.sentOf('stop-delegate')).toMatchObject([{ delegate: 'd1' }]);
  expect(driver.sentOf('cancel')).toEqual([]);
  // One that has ended takes no more, but gives back what it never read.
  await driver.publish(
    row('d1', { state: 'failed', ending: '[d1 failed]', unread: [{ client: 'me', ref: 'y', text: 'never' }] }),
  );
  expect(driver.screenText()).toContain('never  never read');
  await driver.type('abc');
  expect(driver.screenText()).not.toContain('abc');
  await driver.press('alt-c');
  expect(driver.sentOf('recall-delegate')).toHaveLength(2);
});

test('words one was cut short with stand above what waits, with the keys that take them back or drop them (SA-14)', async () => {
  const driver = await atWork();
  await driver.publish(
    row('d2', {
      state: 'stopped',
      ending: '[d2 was stopped]',
      unread: [{ client: 'me', ref: 'y', text: 'never heard' }],
    }),
    { type: 'activity', activity: { phase: 'idle', turn: null, since: null, detail: '', retry: null } },
  );
  expect(driver.screenText()).toContain('d2 never read: never heard');
  expect(driver.screenText()).toContain('[Alt-C] take back');
  await driver.press('alt-x');
  expect(driver.sentOf('recall-delegate')).toMatchObject([{ delegate: 'd2', discard: true }]);
  await driver.press('alt-c');
  expect(driver.sentOf('recall-delegate')).toHaveLength(2);
  expect(driver.sentOf('queue-discard')).toEqual([]);
});

test('Ctrl-L lists them with the commands and is there to read: no key of it speaks to one (VIEW-3, VIEW-4)', async () => {
  const driver = await atWork();
  await driver.publish(act('d2', 'Read sea.txt'));
  await driver.press('ctrl-l', 'home', 'down', 'enter');
  expect(driver.screenText()).toContain('Subagent d2 • reader');
  await driver.raw('n');
  expect(driver.screenText()).toContain('Subagent d3 • reader');
  await driver.raw('n');
  expect(driver.screenText()).toContain('Subagent d3 • reader');
  await driver.raw('p');
  await driver.type('hello');
  await driver.press('enter');
  await driver.paste('words');
  expect([driver.sentOf('tell-delegate'), driver.draft]).toEqual([[], '']);
  await driver.press('escape');
  expect(driver.screenText()).toContain('Delegates and commands');
  await driver.press('escape');
  expect(driver.screenText()).not.toContain('Delegates and commands');
});

test('what is drawn of one is never a command to the terminal, at any size', async () => {
  for (const [columns, rows] of [
    [40, 12],
    [20, 6],
    [5, 3],
    [200, 60],
  ] as const) {
    const driver = await atWork({ columns, rows });
    await driver.publish(
      row('d1', { agent: 'a\u001b[2Jb\nc', task: '\u001b]0;x\u0007 日本語 '.repeat(30) }),
      act('d1', '\u001b[31mred\nline', { kind: 'said', label: TRUSTED_PUBLIC }),
    );
    driver.terminal.takeOutput();
    await click(driver, '[View', 2).catch(() => undefined);
    await driver.press('ctrl-l');
    await driver.resize(Math.max(1, columns - 3), rows);
    expect(driver.screenText()).not.toContain('\u001b');
    expect(driver.left).toBeNull();
  }
});

test('the head of what is looked at names its kind: a delegate by kind and number, a command by its line, an aside as aside; no foot quotes a model (VIEW-11)', async () => {
  const driver = await atWork();
  await driver.publish(
    act('d2', 'zebra words', { kind: 'said', label: TRUSTED_PUBLIC }),
    row('d2', { agent: 'scout' }),
    {
      type: 'jobs',
      jobs: [
        {
          id: 'j1',
          label: 'zebra label',
          command: 'make all\n# more',
          state: 'running',
          exit: null,
          started: 0,
          ended: null,
          background: true,
        },
      ],
    },
  );
  const lines = (): string[] => driver.screenText().split('\n');
  const headAndFoot = (): string => {
    const drawn = lines().filter((line) => /^[╭╰]/.test(line));
    return drawn.join('\n');
  };
  await driver.press('ctrl-l', 'home', 'down', 'enter');
  expect(headAndFoot()).toContain('Subagent d2 • scout, reader');
  expect(headAndFoot()).not.toContain('zebra');
  await driver.press('escape', 'end', 'enter');
  expect(headAndFoot()).toContain('j1 $ make all');
  expect(headAndFoot()).not.toContain('zebra');
  await driver.press('ctrl-c');
  await driver.type('/btw');
  await driver.press('enter');
  expect(headAndFoot()).toContain('Beside the conversation');
});
