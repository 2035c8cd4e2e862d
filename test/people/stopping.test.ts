// The person stops things and leaves. Esc stops and never leaves; Ctrl-C copies, stops, clears, offers, leaves, in that
// order; nothing they typed is ever lost.
import { expect, test } from 'bun:test';
import type { Session } from '../../src/protocol/session.ts';
import type { Activity } from '../../src/protocol/view.ts';
import { type Driver, drive, STOP_AND_GO_ON, STOP_AND_HOLD } from '../support/driver.ts';

const RUNNING: Activity = { phase: 'tools', turn: 1, since: 0, detail: '', retry: null };
const IDLE: Activity = { phase: 'idle', turn: null, since: null, detail: '', retry: null };

async function running(driver: Driver): Promise<void> {
  await driver.publish({ type: 'activity', activity: RUNNING });
}

const DRAFT = 'first line\nsecond line\nthird';

async function write(driver: Driver): Promise<void> {
  for (const [index, line] of DRAFT.split('\n').entries()) {
    if (index > 0) await driver.press('ctrl-j');
    await driver.type(line);
  }
}

async function pressEscape(driver: Driver): Promise<void> {
  await driver.press('escape');
  await driver.wait(50);
}

test('Esc stops the turn and leaves the draft alone (UP-14, STOP-1, BOX-7)', async () => {
  const driver = await drive();
  await running(driver);
  await write(driver);
  await pressEscape(driver);
  expect(driver.sentOf('cancel')).toEqual([STOP_AND_GO_ON]);
  expect(driver.draft).toBe(DRAFT);
  await driver.publish({ type: 'activity', activity: IDLE });
  for (let press = 0; press < 5; press++) await pressEscape(driver);
  expect(driver.left).toBeNull();
});

test('Up past the first line and Down again: all lines and the caret are back (UP-14, HIST-6)', async () => {
  const driver = await drive();
  await driver.type('sent before\n');
  await driver.wait(100);
  await write(driver);
  await driver.press('up', 'up');
  const { caret } = driver.screen.prompt.editor.buffer;
  await driver.press('up');
  expect(driver.draft).toBe('sent before');
  await driver.press('down');
  expect(driver.draft).toBe(DRAFT);
  expect(driver.screen.prompt.editor.buffer.caret).toBe(caret);
});

test('Ctrl-C at rest clears the draft, undo brings it back (UP-14, STOP-2)', async () => {
  const driver = await drive();
  await write(driver);
  await driver.press('ctrl-c');
  expect(driver.draft).toBe('');
  expect(driver.region('hint')).toContain('again ends the session');
  await driver.press('ctrl-z');
  expect(driver.draft).toBe(DRAFT);
});

test('Ctrl-C twice within 300 ms with a draft does not leave and says how to (UP-14)', async () => {
  const driver = await drive();
  await driver.type('draft');
  await driver.press('ctrl-c');
  await driver.wait(200);
  await driver.press('ctrl-c');
  await driver.wait(100);
  expect(driver.left).toBeNull();
  expect(driver.region('hint')).toContain('again ends the session');
});

test('leaving takes two presses of their own; anything between withdraws the offer (STOP-2, STOP-3, STOP-4)', async () => {
  const driver = await drive();
  await driver.raw('\x03\x03');
  await driver.wait(50);
  expect(driver.left).toBeNull();
  await driver.press('ctrl-c');
  await driver.type('x');
  await driver.press('backspace', 'ctrl-c');
  await driver.wait(50);
  expect(driver.left).toBeNull();
  await driver.press('ctrl-d');
  await driver.wait(50);
  expect(driver.left).toMatchObject({ reason: 'quit' });
  expect(driver.sentOf('end')).toHaveLength(1);
});

test('the offer names the key and stands until any other input, a report of the mouse and a new size too; a key that is let go is none (STOP-3)', async () => {
  const driver = await drive();
  const offer = async (): Promise<void> => {
    await driver.press('ctrl-c');
    expect(driver.region('hint')).toContain('Ctrl-C or Ctrl-D again ends the session');
  };
  for (const other of [
    () => driver.mouse('drag', 5, 5),
    () => driver.mouse('wheel-up', 5, 5),
    () => driver.resize(90, 30),
    () => driver.press('left'),
    () => driver.paste(' '),
  ]) {
    await offer();
    await other();
    expect(driver.region('hint')).not.toContain('again ends the session');
    await driver.press('ctrl-a', 'backspace');
  }
  await offer();
  await driver.raw('\x1b[99;5:3u');
  expect(driver.region('hint')).toContain('again ends the session');
  await driver.press('ctrl-c');
  await driver.wait(50);
  expect(driver.left).toMatchObject({ reason: 'quit' });
});

test('Ctrl-C in one read with other bytes clears the line and offers nothing (STOP-4)', async () => {
  const driver = await drive();
  await driver.type('half');
  await driver.raw('x\x03');
  expect(driver.draft).toBe('');
  expect(driver.region('hint')).not.toContain('again ends the session');
});

test('Ctrl-C stops what runs with one press and holds what waits; the draft stays (STOP-2)', async () => {
  const driver = await drive();
  await running(driver);
  await driver.type('draft');
  await driver.press('ctrl-c');
  expect(driver.sentOf('cancel')).toEqual([STOP_AND_HOLD]);
  expect(driver.draft).toBe('draft');
});

test('Esc at rest discards the half-typed line and Ctrl-Z restores it (BOX-7)', async () => {
  const driver = await drive();
  await driver.type('half');
  await pressEscape(driver);
  expect(driver.draft).toBe('');
  await driver.press('ctrl-z');
  expect(driver.draft).toBe('half');
});

test('F1 over another text leaves it open: the Esc after it closes that and stops nothing (STOP-9)', async () => {
  const rows = [{ name: 'Model', value: 'demo:pilot' }];
  const driver = await drive({
    wrap: (session) => ({
      attach: (options, listener) => session.attach(options, listener),
      send: (intent, client) => session.send(intent, client),
      read: ((query: { type: string }, client: string) =>
        query.type === 'status'
          ? Promise.resolve({ ok: true, value: { rows } })
          : session.read(query as never, client)) as Session['read'],
    }),
  });
  await running(driver);
  await driver.type('/status\n');
  await driver.wait(50);
  await driver.press('f1');
  expect(driver.screenText()).toMatch(/Model +demo:pilot/);
  await pressEscape(driver);
  expect(driver.screenText()).not.toMatch(/Model +demo:pilot/);
  expect(driver.sentOf('cancel')).toHaveLength(0);
});

test('an open dialog takes Esc and Ctrl-C first and the turn is not touched (STOP-9)', async () => {
  const driver = await drive();
  await running(driver);
  await driver.press('f1');
  expect(driver.screenText()).toContain('Every key and command');
  await pressEscape(driver);
  expect(driver.screenText()).not.toContain('Every key and command');
  await driver.press('f1', 'ctrl-c');
  expect(driver.screenText()).not.toContain('Every key and command');
  expect(driver.sentOf('cancel')).toHaveLength(0);
});

test('Ctrl-D deletes forward in a text and offers to leave an empty box', async () => {
  const driver = await drive();
  await driver.type('ab');
  await driver.press('left', 'ctrl-d');
  expect(driver.draft).toBe('a');
  await driver.press('backspace', 'ctrl-d');
  expect(driver.region('hint')).toContain('again ends the session');
});

test('a prompt stopped before anything came of it returns to the box and leaves the history (STOP-6, STOP-7)', async () => {
  const driver = await drive();
  driver.session.script([{ hold: true }]);
  await driver.type('too early\n');
  const { ref } = driver.sentOf('say')[0]!;
  const item = driver.session.view.transcript.items[0]!;
  const end = {
    id: 'end',
    parent: null,
    time: 0,
    kind: 'turn-end',
    turn: item.kind === 'user' ? item.turn : 1,
    reason: 'stopped',
    failure: null,
    message: null,
    duration: 1,
    usage: driver.session.view.head.totals,
  } as const;
  await driver.publish(
    { type: 'entry', entry: end },
    { type: 'activity', activity: IDLE },
    { type: 'outcome', outcome: { client: 'me', ref, state: 'stopped', turn: 1, refusals: 0, messages: [] } },
  );
  expect(driver.draft).toBe('too early');
  expect(driver.sentOf('withdraw')).toEqual([{ type: 'withdraw', ref }]);
  expect(driver.screen.prompt.sent).toHaveLength(0);
  expect(driver.sentOf('seen')).toEqual([{ type: 'seen', refs: [ref] }]);
});

test('a prompt stopped after something came of it stays in the transcript and leaves the history all the same (SES-1, STOP-7)', async () => {
  const driver = await drive();
  driver.session.script([{ hold: true }]);
  await driver.type('asked too much\n');
  const { ref } = driver.sentOf('say')[0]!;
  const reply = {
    id: 'reply',
    parent: null,
    time: 0,
    kind: 'assistant',
    turn: 1,
    round: 1,
    model: { provider: 'script', model: 'one' },
    parts: [{ type: 'text', text: 'It begins so' }],
    stop: 'aborted',
    usage: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, reasoning: 0 },
    cost: null,
    requestId: null,
    duration: 1,
  } as const;
  const end = {
    id: 'end',
    parent: null,
    time: 0,
    kind: 'turn-end',
    turn: 1,
    reason: 'stopped',
    failure: null,
    message: null,
    duration: 1,
    usage: driver.session.view.head.totals,
  } as const;
  await driver.publish(
    { type: 'entry', entry: reply },
    { type: 'entry', entry: end },
    { type: 'activity', activity: IDLE },
    { type: 'outcome', outcome: { client: 'me', ref, state: 'stopped', turn: 1, refusals: 0, messages: [] } },
  );
  expect(driver.region('transcript')).toContain('❯ asked too much');
  expect(driver.sentOf('withdraw')).toEqual([]);
  expect(driver.draft).toBe('');
  await driver.press('up');
  expect(driver.draft).toBe('');
});

test('a command that ends the session is no draft of it, however slowly it was typed', async () => {
  const driver = await drive();
  await driver.type('/quit');
  await driver.wait(3000);
  expect(driver.sentOf('draft').at(-1)?.draft.text).toBe('/quit');
  await driver.press('enter');
  await driver.wait(50);
  expect(driver.left).toMatchObject({ reason: 'quit' });
  expect(driver.sentOf('draft').at(-1)?.draft.text).toBe('');
  expect(driver.sent.at(-1)?.type).toBe('end');
});

test('/quit ends the session, /detach leaves it running with its draft', async () => {
  const quits = await drive();
  await quits.type('/quit\n');
  await quits.wait(50);
  expect(quits.left).toMatchObject({ reason: 'quit' });
  const detaches = await drive();
  await detaches.type('/detach');
  await detaches.press('enter');
  await detaches.wait(50);
  expect(detaches.left).toMatchObject({ reason: 'detached' });
  expect(detaches.sentOf('end')).toHaveLength(0);
});
