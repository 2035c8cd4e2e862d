// The person edits the way of vi: Escape makes letters commands, and the line stays what it was.
import { expect, test } from 'bun:test';
import '../../src/front/tui/editor/vi.ts';
import { type Driver, type DriverOptions, drive, STOP_AND_GO_ON, STOP_AND_HOLD } from '../support/driver.ts';
import { createFakeSession } from '../support/fake-session.ts';

async function driveVi(options: DriverOptions = {}): Promise<Driver> {
  const driver = await drive({ ...options, options: { ...options.options, vi: true } });
  await loaded(driver);
  return driver;
}

/** The part for vi is loaded behind the first frame. */
async function loaded(driver: Driver): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
  await driver.wait(40);
}

const running = {
  type: 'activity',
  activity: { phase: 'writing', turn: 1, since: 0, detail: '', retry: null },
} as const;

test('a session opens in INSERT: letters are written, `!` arms the shell and `?` shows the keys (VI-1)', async () => {
  const driver = await driveVi();
  expect(driver.region('hint')).toContain('INSERT');
  await driver.type('dw');
  expect(driver.draft).toBe('dw');
});

test('Escape enters NORMAL and leaves the line; again it leaves it too; Ctrl-C discards it (VI-2)', async () => {
  const driver = await driveVi();
  await driver.type('one two');
  await driver.press('escape');
  expect(driver.region('hint')).toContain('NORMAL');
  expect(driver.draft).toBe('one two');
  await driver.press('escape', 'escape');
  expect(driver.draft).toBe('one two');
  await driver.press('b', 'd', 'w');
  expect(driver.draft).toBe('one ');
  await driver.press('ctrl-c');
  expect(driver.draft).toBe('');
});

test('Ctrl-[ is Escape, also where the terminal tells them apart (VI-2)', async () => {
  const driver = await driveVi();
  await driver.type('one');
  await driver.raw('\x1b[91;5u');
  expect(driver.region('hint')).toContain('NORMAL');
  expect(driver.draft).toBe('one');
});

test('during a turn Escape goes to NORMAL, then abandons what is half typed, then stops the turn (VI-3)', async () => {
  for (const keys of [['escape'], ['escape', 'v', 'escape'], ['escape', 'R', 'escape']]) {
    const driver = await driveVi();
    await driver.publish(running);
    await driver.type('one');
    await driver.press(...keys);
    expect(driver.sentOf('cancel')).toEqual([]);
    expect(driver.region('hint')).toContain('NORMAL');
    await driver.press('2', 'd', 'escape');
    expect(driver.sentOf('cancel')).toEqual([]);
    await driver.press('escape');
    expect(driver.sentOf('cancel')).toEqual([STOP_AND_GO_ON]);
    expect(driver.draft).toBe('one');
  }
});

test('Ctrl-C stops the turn at once from every mode (VI-3)', async () => {
  for (const keys of [[], ['escape'], ['escape', 'v', 'h'], ['escape', 'R'], ['escape', '2', 'd']]) {
    const driver = await driveVi();
    await driver.publish(running);
    await driver.type('one');
    await driver.press(...keys, 'ctrl-c');
    expect(driver.sentOf('cancel')).toEqual([STOP_AND_HOLD]);
    expect(driver.draft).toBe('one');
  }
});

test('the mode and the half-typed keys stand beside the permission mode; the ordinary box says nothing (VI-4)', async () => {
  const driver = await driveVi();
  await driver.publish({ type: 'head', head: { mode: 'plan' } });
  await driver.type('one');
  await driver.press('escape', '2', 'd', '3');
  expect(driver.region('hint')).toMatch(/NORMAL 2d3 .*plan only/);
  await driver.press('w');
  expect(driver.region('hint')).toMatch(/NORMAL .*plan only/);
  const ordinary = await drive();
  expect(ordinary.region('hint')).not.toMatch(/INSERT|NORMAL/);
});

test('in NORMAL no letter is written, no shell armed and no list of keys shown (VI-5)', async () => {
  const driver = await driveVi();
  await driver.press('escape', '!', '?', '!', 'Q');
  expect(driver.draft).toBe('');
  expect(driver.screen.prompt.shell).toBe('off');
  expect(driver.screen.keyList).toBe(false);
});

test('k walks back through what was sent and j forward again (VI-6)', async () => {
  const driver = await driveVi();
  await driver.type('first\n');
  await driver.type('sec');
  await driver.press('escape', 'k');
  expect(driver.draft).toBe('first');
  expect(driver.frame.cursor).toMatchObject({ shape: 'block' });
  await driver.press('j');
  expect(driver.draft).toBe('sec');
});

test('Enter sends from every mode, r and Enter too, and the next line begins in INSERT (VI-1, VI-8)', async () => {
  const driver = await driveVi();
  await driver.type('one');
  await driver.press('escape', 'r', 'enter');
  expect(driver.sentOf('say').map(({ text }) => text)).toEqual(['one']);
  expect(driver.region('hint')).toContain('INSERT');
  await driver.type('two');
  expect(driver.draft).toBe('two');
});

test('what VISUAL chose is drawn, across rows, without a selection of the mouse (VI-10)', async () => {
  const driver = await driveVi();
  await driver.type('zebra');
  await driver.press('ctrl-j');
  await driver.type('yak');
  const at = driver.find('zebra')!;
  const plain = driver.cell(at.x + 2, at.y);
  await driver.press('escape', 'v', 'k');
  expect(driver.cell(at.x + 2, at.y)).not.toEqual(plain);
  await driver.press('d');
  expect(driver.draft).toBe('ze');
});

test('what was sent, cleared, put away or fetched whole is no change that u takes back (VI-12)', async () => {
  const driver = await driveVi();
  await driver.type('sent\n');
  await driver.press('escape', 'u');
  expect(driver.draft).toBe('');
  await driver.press('i');
  await driver.type('cleared');
  await driver.press('escape', 'ctrl-c', 'u');
  expect(driver.draft).toBe('');
  await driver.press('i');
  await driver.type('put away');
  await driver.press('escape', 'ctrl-s', 'u');
  expect(driver.draft).toBe('');
  await driver.press('ctrl-s', 'u');
  expect(driver.draft).toBe('put away');
  await driver.press('x', 'u');
  expect(driver.draft).toBe('put away');
});

test('what came from a list is not typed again by the dot; what was pasted as plain text is (VI-12)', async () => {
  const driver = await driveVi();
  await driver.press('escape', 'i');
  await driver.type('/stat');
  await driver.press('tab', 'escape', 'escape', '.');
  expect(driver.draft).toBe('/status');
  await driver.press('d', 'd', 'i');
  await driver.paste('ab');
  await driver.press('escape', '.');
  expect(driver.draft).toBe('aabb');
});

test('a folded paste is one thing to vi: crossed, deleted and put back whole, and sent in full (VI-14)', async () => {
  const driver = await driveVi();
  await driver.paste('1\n2\n3\n4');
  await driver.press('escape', 'x');
  expect(driver.draft).toBe('');
  await driver.press('p');
  await driver.wait(1000);
  await driver.press('enter');
  expect(driver.sentOf('say').map(({ text }) => text)).toEqual(['1\n2\n3\n4']);
});

test('/config picks vi or the ordinary editing, at once, keeps the choice, and an unknown word is refused (VI-1)', async () => {
  const saved: boolean[] = [];
  const session = createFakeSession();
  const driver = await drive({
    session,
    options: {
      saveEditing: async (vi) => {
        saved.push(vi);
        return true;
      },
    },
  });
  await driver.type('/config\n');
  expect(driver.screenText()).toContain('Editing in the prompt');
  await driver.press('down', 'enter');
  await loaded(driver);
  expect(driver.region('hint')).toContain('INSERT');
  await driver.type('one');
  await driver.press('escape', 'x');
  expect(driver.draft).toBe('on');
  await driver.press('d', 'd', 'i');
  await driver.type('/config emacs\n');
  await loaded(driver);
  expect(driver.region('hint')).not.toMatch(/INSERT|NORMAL/);
  await driver.type('/config word\n');
  expect(driver.region('hint')).toContain('No editing word');
  expect(saved).toEqual([true, false]);
});

test('vi editing has modes, motions, counts, operators and text objects, and each knows markers (VI-15)', async () => {
  const driver = await driveVi();
  await driver.type('call(a, b) now ');
  await driver.paste('1\n2\n3\n4');
  await driver.press('escape', '0', 'c', 'i', '(');
  await driver.type('x');
  await driver.press('escape', '2', 'w', 'd', 'w');
  expect(driver.draft).toBe('call(x) [Pasted #1 · 4 lines]');
  await driver.press('v', '$', 'U');
  expect(driver.draft).toBe('call(x) [Pasted #1 · 4 lines]');
  await driver.press('$', 'x');
  expect(driver.draft).toBe('call(x) ');
});
