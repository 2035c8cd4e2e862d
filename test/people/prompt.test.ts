// The person writes in the box. They press keys and see them in the box at once; Enter sends, everything else does not.
import { expect, test } from 'bun:test';
import { drive, STOP_AND_HOLD } from '../support/driver.ts';

test('the first frame stands before the session is reached, and what is typed then is kept (ST-5)', async () => {
  const driver = await drive({
    wrap: (session) => ({
      ...session,
      attach: () => ({ close: () => {}, closed: new Promise(() => {}) }),
      send: (intent, client) => session.send(intent, client),
      read: (query, client) => session.read(query, client),
    }),
  });
  expect(driver.screenText()).toContain('Reaching the session');
  await driver.type('hello');
  expect(driver.draft).toBe('hello');
});

test('Enter sends the draft and empties the box; an empty box sends nothing (BOX-2)', async () => {
  const driver = await drive();
  await driver.press('enter');
  expect(driver.sentOf('say')).toHaveLength(0);
  await driver.type('hello');
  expect(driver.region('prompt')).toContain('❯ hello');
  await driver.press('enter');
  expect(driver.sentOf('say')).toMatchObject([{ text: 'hello', delivery: 'steering' }]);
  expect(driver.draft).toBe('');
  expect(driver.region('transcript')).toContain('❯ hello');
});

test('newlines by Ctrl-J, Shift-Enter in every spelling and Esc CR never send (UP-13, BOX-3)', async () => {
  for (const spelling of ['\x1b[13;2u', '\x1b[27;2;13~', '\x1b\r', '\n', '\x1b[13;2:1u\x1b[13;2:3u']) {
    const driver = await drive();
    await driver.type('a');
    await driver.raw(spelling);
    await driver.type('b');
    expect(driver.draft).toBe('a\nb');
    expect(driver.sentOf('say')).toHaveLength(0);
  }
});

test('a marked paste folds, sends nothing by itself, and goes out whole (UP-11)', async () => {
  const driver = await drive();
  const lines = Array.from({ length: 300 }, (_, index) => `row\t${index}  x  `);
  await driver.paste(lines.map((line, index) => line + (index % 2 === 0 ? '\r\n' : '\n')).join(''));
  expect(driver.sentOf('say')).toHaveLength(0);
  expect(driver.region('prompt')).toContain('[Pasted #1 · 300 lines]');
  await driver.wait(1000);
  await driver.press('enter');
  expect(driver.sentOf('say').map((say) => say.text)).toEqual([lines.map((line) => `${line}\n`).join('')]);
});

test('an unmarked paste sends nothing either, and the row below says why (UP-11, BOX-4)', async () => {
  const driver = await drive();
  await driver.raw('alpha\rbeta\rgamma\r');
  expect(driver.sentOf('say')).toHaveLength(0);
  expect(driver.region('hint')).toContain('Enter by itself sends it');
  await driver.wait(300);
  await driver.press('enter');
  expect(driver.sentOf('say').map((say) => say.text.trimEnd())).toEqual(['alpha\nbeta\ngamma']);
});

test('what is typed fast by hand is sent at its Enter (UP-11)', async () => {
  const driver = await drive();
  await driver.type('hi\n');
  expect(driver.sentOf('say').map((say) => say.text)).toEqual(['hi']);
});

test('Enter and Ctrl-C in one read: the prompt is sent and cancelled, the draft untouched (INV-3)', async () => {
  const driver = await drive();
  driver.session.script([{ hold: true }]);
  await driver.type('go');
  await driver.raw('\r\x03');
  expect(driver.sent.map((intent) => intent.type).filter((type) => type !== 'draft')).toEqual(['say', 'cancel']);
  expect(driver.sentOf('cancel')).toEqual([STOP_AND_HOLD]);
  expect(driver.draft).toBe('');
});

test('a slash command of the session goes out as a command, unknown words as a prompt (CMD-1, QUE-6)', async () => {
  const driver = await drive();
  await driver.publish({
    type: 'head',
    head: { commands: [{ name: 'compact', argument: '[focus]', description: 'Summarise' }] },
  });
  await driver.type('/renamed x\n');
  expect(driver.sentOf('say').map((say) => say.text)).toEqual(['/renamed x']);
  await driver.type('/compact the tests');
  await driver.press('enter');
  expect(driver.sentOf('command')).toMatchObject([{ name: 'compact', argument: 'the tests' }]);
});

test('typing / offers commands, Tab takes one, Esc puts the list away and keeps the text (COMP-1, AC-6)', async () => {
  const driver = await drive();
  await driver.type('/th');
  expect(driver.region('below')).toContain('/theme');
  await driver.press('escape');
  expect(driver.region('below')).not.toContain('/theme');
  expect(driver.draft).toBe('/th');
  await driver.type('e');
  await driver.press('tab');
  expect(driver.draft).toBe('/theme ');
});

test('@ offers paths from the session and Enter completes a half-typed one instead of sending (COMP-2, COMP-3)', async () => {
  const driver = await drive({
    wrap: (session) => ({
      attach: (options, listener) => session.attach(options, listener),
      send: (intent, client) => session.send(intent, client),
      read: ((query: { type: string }, client: string) =>
        query.type === 'complete-path'
          ? Promise.resolve({ ok: true, value: { paths: ['src/', 'src/clock.ts'], complete: true } })
          : session.read(query as never, client)) as typeof session.read,
    }),
  });
  await driver.type('look at @sr');
  expect(driver.region('below')).toContain('src/clock.ts');
  await driver.press('down', 'enter');
  expect(driver.draft).toBe('look at @src/clock.ts ');
  expect(driver.sentOf('say')).toHaveLength(0);
  await driver.press('enter');
  expect(driver.sentOf('say').map((say) => say.text.trim())).toEqual(['look at @src/clock.ts']);
});

test('! arms the shell: the line goes to it as typed, and Backspace past the start leaves it (SH-1, SH-2)', async () => {
  const driver = await drive();
  await driver.type('!');
  expect(driver.region('prompt')).toContain('Shell');
  await driver.press('backspace');
  expect(driver.region('prompt')).not.toContain('Shell');
  await driver.type('!ls -l\n');
  expect(driver.sentOf('say')).toMatchObject([{ text: 'ls -l', delivery: 'shell' }]);
  // For one command alone; an empty line is none.
  expect(driver.region('prompt')).not.toContain('Shell');
  await driver.type('!\n');
  expect(driver.sentOf('say')).toHaveLength(1);
  expect(driver.region('prompt')).toContain('Shell');
  await driver.type('hello');
  await driver.press('escape');
  await driver.wait(50);
  expect(driver.region('prompt')).not.toContain('Shell');
  expect(driver.draft).toBe('hello');
  await driver.press('enter');
  expect(driver.sentOf('say')[1]?.delivery).not.toBe('shell');
});

test('a line for the shell can have several rows; its mark is no character of it (SH-1)', async () => {
  const driver = await drive();
  await driver.press('!');
  const armed = driver.region('hint') + driver.region('prompt');
  expect(driver.draft).toBe('');
  await driver.type('for i in 1 2; do');
  await driver.press('ctrl-j');
  await driver.type('echo; done');
  expect(driver.draft).toBe('for i in 1 2; do\necho; done');
  await driver.press('enter');
  expect(driver.sentOf('say')).toMatchObject([{ text: 'for i in 1 2; do\necho; done', delivery: 'shell' }]);
  expect(driver.region('hint') + driver.region('prompt')).not.toBe(armed);
});

test('!! is for the person alone (DSH-3)', async () => {
  const driver = await drive();
  await driver.type('!!env\n');
  expect(driver.sentOf('say')).toMatchObject([{ text: 'env', delivery: 'shell', private: true }]);
  await driver.press('up');
  expect(driver.draft).toBe('');
});

test('Ctrl-S puts the line away and brings it back (STASH-1, STASH-6)', async () => {
  const driver = await drive();
  await driver.type('half a thought');
  await driver.press('ctrl-s');
  expect(driver.draft).toBe('');
  expect(driver.region('below')).toContain('put away: half a thought');
  await driver.press('ctrl-s');
  expect(driver.draft).toBe('half a thought');
  expect(driver.region('below')).not.toContain('put away');
});

test('Ctrl-Z undoes, Ctrl-Y redoes, Ctrl-A and Ctrl-C copy the whole line (KY-6, KY-7)', async () => {
  const driver = await drive();
  await driver.type('one two');
  await driver.press('ctrl-z');
  expect(driver.draft).toBe('one ');
  await driver.press('ctrl-y');
  expect(driver.draft).toBe('one two');
  await driver.press('ctrl-a', 'ctrl-c');
  expect(driver.terminal.output).toContain(`\x1b]52;c;${btoa('one two')}\x07`);
  expect(driver.region('hint')).toContain('Sent to the clipboard');
  expect(driver.draft).toBe('one two');
});

test('the real cursor stands at the caret, six cells behind the mark, also while a reply streams (UP-04)', async () => {
  const driver = await drive();
  await driver.type('한글ab');
  const start = driver.find('❯ 한')!;
  expect(driver.frame.cursor).toMatchObject({ x: start.x + 2 + 6, y: start.y });
  await driver.publish({ type: 'live-start', turn: 1, round: 1 });
  for (let word = 0; word < 20; word++) {
    await driver.publish({ type: 'delta', part: 0, kind: 'text', text: `word${word} ` });
    expect(driver.frame.cursor).toMatchObject({ x: start.x + 2 + 6, y: start.y });
  }
});

test('the draft is told to the session a moment after the last key, and comes back when attaching (UP-14)', async () => {
  const first = await drive({ client: 'same' });
  await first.type('never lose this');
  await first.wait(400);
  expect(first.sentOf('draft').at(-1)?.draft.text).toBe('never lose this');
  const second = await drive({ client: 'same', session: first.session });
  expect(second.draft).toBe('never lose this');
});

test('? on an empty line lists the keys, typing hides them, mid-sentence it is text (HINT-1, HINT-2)', async () => {
  const driver = await drive();
  await driver.type('?');
  expect(driver.draft).toBe('');
  expect(driver.region('below')).toContain('Ctrl-J');
  for (const hides of ['?', 'escape']) {
    await driver.press(hides);
    await driver.wait(50);
    expect([hides, driver.draft, driver.region('below')]).toEqual([hides, '', '']);
    await driver.press('?');
    expect(driver.region('below')).toContain('Ctrl-J');
  }
  await driver.type('a?');
  expect(driver.draft).toBe('a?');
  expect(driver.region('below')).toBe('');
  // To a shell it is a pattern.
  await driver.press('ctrl-c');
  await driver.type('!?');
  expect(driver.draft).toBe('?');
  expect(driver.region('below')).toBe('');
});

test('Shift-Tab asks for the next mode and completes nothing, with bypass only where it was offered (MODEKEY-1, MODEKEY-2)', async () => {
  const driver = await drive();
  await driver.type('/sta');
  await driver.press('shift-tab');
  expect(driver.draft).toBe('/sta');
  expect(driver.sentOf('set-mode')).toEqual([{ type: 'set-mode', mode: 'edits' }]);
  await driver.publish({ type: 'head', head: { mode: 'plan' } });
  expect(driver.region('hint')).toContain('plan only');
  await driver.press('shift-tab');
  expect(driver.sentOf('set-mode').at(-1)?.mode).toBe('ask');
});

test('a skill typed as a command is sent the way a prompt would be, once after Alt-S too', async () => {
  const driver = await drive();
  const review = {
    name: 'review',
    argument: '[what for]',
    description: 'About it',
    during: 'now',
    says: true,
  } as const;
  await driver.publish({ type: 'head', head: { commands: [review] } });
  await driver.type('/review the diff\n');
  await driver.press('alt-s');
  await driver.type('/review\n');
  await driver.type('/review more\n');
  expect(driver.sentOf('command')).toMatchObject([
    { name: 'review', argument: 'the diff', delivery: 'steering' },
    { name: 'review', argument: '', delivery: 'queue' },
    { name: 'review', argument: 'more', delivery: 'steering' },
  ]);
});
