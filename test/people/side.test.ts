// The side conversation, as a person has it: both sessions are by hand, the door between is the true one.
import { expect, test } from 'bun:test';
import '../../src/front/tui/side-part.ts';
import '../../src/protocol/side-of.ts';
import { done } from '../../src/base/refusal.ts';
import { createWithSide } from '../../src/link/side-session.ts';
import type { Intent } from '../../src/protocol/intent.ts';
import type { Activity } from '../../src/protocol/view.ts';
import { type DriverOptions, drive } from '../support/driver.ts';
import { createFakeSession, type FakeSession } from '../support/fake-session.ts';

const RUNNING: Activity = { phase: 'tools', turn: 1, since: 0, detail: '', retry: null };
const IDLE: Activity = { phase: 'idle', turn: null, since: 0, detail: '', retry: null };

async function withSide(options: Pick<DriverOptions, 'columns' | 'rows' | 'environment' | 'options'> = {}) {
  const sides: FakeSession[] = [];
  const heard: Intent[] = [];
  const primary = createFakeSession();
  const held = createWithSide(primary, primary.clientLost, async () => {
    const fake = createFakeSession();
    sides.push(fake);
    const session: FakeSession = {
      ...fake,
      send: (intent, client) => {
        heard.push(intent);
        return fake.send(intent, client);
      },
    };
    return done({ session, clientLost: fake.clientLost, close: async () => fake.end() });
  });
  const driver = await drive({ columns: 100, rows: 30, ...options, session: primary, wrap: () => held.session });
  await driver.publish({ type: 'head', head: { ready: true } });
  const settle = async () => {
    for (let turn = 0; turn < 12; turn++) await driver.wait(20);
  };
  const open = async () => {
    await driver.type('/side\n');
    // Its frame stands before it is there; only then is there a key to hide it.
    for (let turn = 0; turn < 300 && !driver.screenText().includes('[Esc] Hide'); turn++) await driver.wait(20);
    await settle();
  };
  return { driver, sides, heard, settle, open };
}

test('/side opens a conversation of its own while the main one runs, with its own box and cards (SI-1, SI-9)', async () => {
  const { driver, sides, heard, settle, open } = await withSide();
  await driver.publish({ type: 'activity', activity: RUNNING });
  await open();
  expect(sides).toHaveLength(1);
  sides[0]!.script([{ text: 'an answer beside' }]);
  await driver.type('what is this\n');
  await settle();
  expect(heard.filter(({ type }) => type === 'say')).toMatchObject([{ text: 'what is this' }]);
  expect(driver.sentOf('say')).toEqual([]);
  expect(driver.screenText()).toContain('an answer beside');
  // The draft of the main box is its own.
  await driver.type('half a side');
  await driver.press('escape');
  expect(driver.draft).toBe('');
  expect(driver.screenText()).not.toContain('half a side');
  await driver.type('/side\n');
  await settle();
  expect(driver.screenText()).toContain('half a side');
  expect(driver.screenText()).toContain('an answer beside');
  expect(sides).toHaveLength(1);
});

test('Esc hides it and its work goes on; how it stands is at the top right of the screen (SI-2, SI-4)', async () => {
  const { driver, sides, heard, settle, open } = await withSide();
  await open();
  const side = sides[0]!;
  side.publish([{ type: 'activity', activity: RUNNING }]);
  await settle();
  await driver.press('escape');
  await settle();
  expect(driver.region('header').split('\n')[0]).toMatch(/Side: working *$/);
  expect(heard.filter(({ type }) => type === 'cancel')).toEqual([]);
  side.publish([{ type: 'activity', activity: IDLE }]);
  await settle();
  expect(driver.region('header').split('\n')[0]).toMatch(/Side: unread *$/);
  await driver.type('/side\n');
  await settle();
  await driver.press('escape');
  await settle();
  expect(driver.region('header')).not.toContain('Side:');
});

test('Alt-C inside takes back what waits there, then stops that work alone (SI-3, SI-11)', async () => {
  const { driver, sides, heard, settle, open } = await withSide();
  await driver.publish({ type: 'activity', activity: RUNNING });
  await open();
  sides[0]!.publish([{ type: 'activity', activity: RUNNING }]);
  await settle();
  await driver.press('alt-c');
  await settle();
  expect(heard.filter(({ type }) => type === 'cancel')).toHaveLength(1);
  expect(driver.sentOf('cancel')).toEqual([]);
});

test('/reset is the only command inside; it begins anew and the rest is refused with the words kept (SI-5, SI-6)', async () => {
  const { driver, sides, heard, settle, open } = await withSide();
  await open();
  for (const line of ['/help', '/model', '/quit', '/reset now']) {
    await driver.type(`${line}\n`);
    await settle();
    expect(driver.screenText()).toContain('The only command of a side conversation is /reset');
    expect(driver.screenText()).toContain(line);
    await driver.press('ctrl-u');
  }
  expect(driver.left).toBeNull();
  expect(driver.screen.modals).toHaveLength(1);
  sides[0]!.script([{ text: 'old answer' }]);
  await driver.type('old\n');
  await settle();
  expect(driver.screenText()).toContain('old answer');
  await driver.type('/reset\n');
  await settle();
  expect(sides).toHaveLength(2);
  expect(driver.screenText()).not.toContain('old answer');
  expect(driver.screenText()).toContain('A new side conversation');
  expect(heard.filter(({ type }) => type === 'command')).toEqual([]);
  // A path is no command.
  await driver.type('/tmp is full\n');
  await settle();
  expect(heard.filter(({ type }) => type === 'say').at(-1)).toMatchObject({ text: '/tmp is full' });
});

test('it stands in the middle, three fifths wide and high, without header or panels; a small terminal gives it more (SI-10)', async () => {
  const { driver, open } = await withSide({ columns: 150, rows: 50 });
  await open();
  const corner = driver.find('╭─ Side conversation')!;
  expect(corner).toEqual({ x: 30, y: 10 });
  expect(driver.cell(119, 10).text).toBe('╮');
  const before = driver.screenText().split('╭').length;
  await driver.press('alt-1', 'alt-2', 'alt-a');
  expect(driver.screenText().split('╭').length).toBe(before);
  expect(driver.screen.panels.stack.open).toEqual([]);
  await driver.resize(50, 14);
  expect(driver.find('╭─ Side conversation')).toEqual({ x: 0, y: 0 });
  await driver.press('escape');
  expect(driver.screen.modals).toEqual([]);
});

test('a session that is not saved has none, and before it is ready it is refused (SI-8)', async () => {
  const refusal = { identifier: 'no-side', message: 'A session that is not saved has no side conversation.' };
  const driver = await drive({
    wrap: (session) => ({
      ...session,
      send: async (intent, client) =>
        intent.type === 'side-open' ? { accepted: false, refusal } : session.send(intent, client),
    }),
  });
  await driver.publish({ type: 'head', head: { ready: false } });
  await driver.type('/side\n');
  await driver.wait(40);
  expect(driver.screenText()).toContain('Not before the session is ready');
  expect(driver.sentOf('side-open')).toEqual([]);
  await driver.publish({ type: 'head', head: { ready: true } });
  await driver.press('ctrl-u');
  await driver.type('/side\n');
  for (let turn = 0; turn < 5; turn++) await driver.wait(20);
  expect(driver.sentOf('side-open')).toHaveLength(1);
  expect(driver.screen.modals).toEqual([]);
  expect(driver.screenText()).toContain(refusal.message);
});

test('a click inside goes where it points, and Esc closes what lies over it first', async () => {
  const { driver, sides, settle, open } = await withSide();
  await open();
  await driver.type('some words');
  const at = driver.find('words')!;
  await driver.mouse('press', at.x, at.y);
  await driver.type('X');
  expect(driver.screenText()).toContain('some Xwords');
  await driver.press('ctrl-u', 'ctrl-k');
  await driver.type('?');
  await settle();
  const keys = driver.screenText();
  await driver.press('escape');
  expect(driver.screenText()).not.toBe(keys);
  expect(driver.screen.modals).toHaveLength(1);
  expect(sides).toHaveLength(1);
});

test('the keys of the panels reveal none over the side conversation, and change none of those behind it (SI-10)', async () => {
  const saved: unknown[] = [];
  const { driver, open } = await withSide({
    columns: 120,
    rows: 40,
    options: { savePanels: (stack) => saved.push(stack) },
  });
  await open();
  const before = driver.screenText();
  for (const chord of ['alt-1', 'alt-2', 'alt-3', 'alt-a', 'ctrl-x', 'ctrl-t']) {
    await driver.press(chord);
    expect(driver.screenText()).toBe(before);
  }
  await driver.wait(500);
  for (const title of ['Activity Tree', 'Session Files', 'Summary', 'Audit Trail'])
    expect(driver.screenText()).not.toContain(`╭─ ${title}`);
  expect(saved).toEqual([]);
  expect(driver.screen.panels.stack.open).toEqual([]);
});
