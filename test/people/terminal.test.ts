// The terminal is borrowed: calm while it is used, given back on every way out, taken again after a stop.
import { expect, test } from 'bun:test';
import { Terminal } from '@xterm/headless';
import { INVERSE } from '../../src/front/tui/frame/cell.ts';
import { color256, contrast } from '../../src/front/tui/frame/color.ts';
import { ENTER_SCREEN, LEAVE_SCREEN } from '../../src/front/tui/frame/screen-modes.ts';
import type { Activity } from '../../src/protocol/view.ts';
import { type Driver, drive } from '../support/driver.ts';
import { poorContrast } from '../support/frame.ts';
import { sampleAsk, sampleView } from '../support/sample-view.ts';

const WRITING: Activity = { phase: 'writing', turn: 1, since: 0, detail: '', retry: null };
const IDLE: Activity = { phase: 'idle', turn: null, since: null, detail: '', retry: null };

async function sample(driver: Driver): Promise<void> {
  await driver.publish({ type: 'branch', view: { ...sampleView(), seq: driver.session.view.seq + 1 } });
}

test('a stream is drawn calmly and idling writes nothing and sets no timer (UP-01)', async () => {
  const driver = await drive();
  await sample(driver);
  driver.terminal.takeOutput();
  await driver.publish({ type: 'activity', activity: WRITING }, { type: 'live-start', turn: 9, round: 1 });
  for (let word = 0; word < 500; word++) {
    driver.session.publish([{ type: 'delta', part: 0, kind: 'text', text: `word${word} ` }]);
    await driver.wait(10);
  }
  const stream = driver.terminal.takeOutput();
  expect(stream).not.toMatch(/\x1b\[[23]J|\x1b\[\?1049/);
  expect(stream.length).toBeLessThan(200_000);
  expect(stream.split('\x1b[?2026h').length).toBe(stream.split('\x1b[?2026l').length);
  await driver.publish({ type: 'live-end' }, { type: 'activity', activity: IDLE });
  await driver.wait(2000);
  driver.terminal.takeOutput();
  expect(driver.clock.timers).toBe(0);
  await driver.wait(60_000);
  expect(driver.terminal.output).toBe('');
});

test('after a storm of sizes the screen equals one freshly attached, the draft is there (UP-02)', async () => {
  const driver = await drive();
  await sample(driver);
  await driver.type('abc');
  for (let turn = 0; turn < 40; turn++) {
    const [columns, rows] = [
      [40, 10],
      [120, 40],
      [20, 5],
      [100, 30],
    ][turn % 4]!;
    await driver.resize(columns!, rows!);
  }
  await driver.resize(100, 30);
  await driver.wait(500);
  const fresh = await drive({ client: 'other', session: driver.session });
  await fresh.type('abc');
  expect(driver.screenText()).toBe(fresh.screenText());
  expect(
    driver
      .screenText()
      .split('\n')
      .filter((row) => row.includes('HOUSTON v')).length,
  ).toBe(1);
  expect(driver.draft).toBe('abc');
});

test('every size draws something right: the prompt always has a row, nothing is drawn outside (UI-3)', async () => {
  const driver = await drive();
  await sample(driver);
  await driver.publish({ type: 'ask', ask: sampleAsk() });
  for (const columns of [1, 2, 5, 9, 20, 33, 80, 200]) {
    for (const rows of [1, 2, 3, 4, 5, 7, 9, 12, 24, 60]) {
      await driver.resize(columns, rows);
      expect(driver.left).toBeNull();
      if (columns >= 20) expect(driver.screenText()).toContain('❯');
      if (columns >= 20 && rows >= 5) expect(driver.screenText()).toContain('rm -rf');
    }
  }
});

test('on white and on black every cell can be read; a selection and a dialog too (UP-05)', async () => {
  for (const [fg, bg, reply] of [
    [0x000000, 0xffffff, 'ffff/ffff/ffff'],
    [0xffffff, 0x000000, '0000/0000/0000'],
  ] as const) {
    const driver = await drive({ rows: 50 });
    const ink = fg === 0 ? '0000/0000/0000' : 'ffff/ffff/ffff';
    await driver.raw(`\x1b]11;rgb:${reply}\x07\x1b]10;rgb:${ink}\x07\x1b]4;8;rgb:d0d0/d0d0/d0d0\x07`);
    await sample(driver);
    expect(poorContrast(driver.frame, { fg, bg })).toEqual([]);
    await driver.publish({ type: 'ask', ask: sampleAsk() });
    const at = driver.find('Fetch')!;
    await driver.mouse('press', at.x, at.y);
    await driver.mouse('drag', at.x + 30, at.y + 3);
    expect(poorContrast(driver.frame, { fg, bg })).toEqual([]);
    await driver.press('f1');
    expect(poorContrast(driver.frame, { fg, bg })).toEqual([]);
  }
});

test('with 256 colours too every cell can be read on the ground the terminal told, whatever it is (UP-05)', async () => {
  for (const [bg, fg] of [
    ['ffffff', '000000'],
    ['d7dfe6', '101010'],
    ['fdf6e3', '586e75'],
    ['2b303b', 'c0c5ce'],
    ['000000', 'ffffff'],
  ] as const) {
    const driver = await drive({ rows: 50, environment: { TERM: 'xterm-256color', COLORTERM: '' } });
    await sample(driver);
    const told = (color: string) => `rgb:${color.slice(0, 2)}/${color.slice(2, 4)}/${color.slice(4)}`;
    await driver.raw(`\x1b]11;${told(bg)}\x07\x1b]10;${told(fg)}\x07`);
    await driver.publish({ type: 'ask', ask: sampleAsk() });
    const at = driver.find('Fetch')!;
    await driver.mouse('press', at.x, at.y);
    await driver.mouse('drag', at.x + 30, at.y + 3);
    const shown = new Terminal({ cols: 100, rows: 50, allowProposedApi: true });
    await new Promise<void>((written) => shown.write(driver.terminal.output, written));
    const poor: string[] = [];
    for (let y = 0; y < 50; y++) {
      for (let x = 0; x < 100; x++) {
        const cell = shown.buffer.active.getLine(y)!.getCell(x)!;
        if (cell.getChars().trim() === '') continue;
        const ink = cell.isFgPalette() ? color256(cell.getFgColor()) : Number.parseInt(fg, 16);
        const ground = cell.isBgPalette() ? color256(cell.getBgColor()) : Number.parseInt(bg, 16);
        const needed = /[─│╭╮╰╯┃]/.test(cell.getChars()) ? 3 : 4.5;
        if (contrast(ink, ground) < needed) poor.push(`${bg} ${x},${y} ${cell.getChars()} ${contrast(ink, ground)}`);
      }
    }
    expect(poor).toEqual([]);
    shown.dispose();
  }
});

test('with NO_COLOR no colour code is written and a selection is still seen (UP-05)', async () => {
  const driver = await drive({ environment: { NO_COLOR: '1' } });
  await sample(driver);
  const at = driver.find('Fetch')!;
  await driver.mouse('press', at.x, at.y);
  await driver.mouse('drag', at.x + 8, at.y);
  expect(driver.terminal.output).not.toMatch(/\x1b\[(?:\d+;)*(?:[34][0-8]|9[0-7]|10[0-7])(?:;\d+)*m/);
  expect(driver.cell(at.x + 1, at.y).attributes).not.toBe(driver.cell(at.x + 30, at.y).attributes);
});

test('with NO_COLOR a chosen row is turned over from one end to the other, in every list (UP-05)', async () => {
  const inverse = (driver: Driver, y: number) =>
    Array.from({ length: 94 }, (_, x) => x + 3).filter((x) => (driver.cell(x, y).attributes & INVERSE) !== 0).length;
  for (const open of [
    (driver: Driver) => driver.type('/co'),
    (driver: Driver) => driver.type('/theme\n'),
    (driver: Driver) => driver.press('ctrl-r'),
  ]) {
    const driver = await drive({
      environment: { NO_COLOR: '1' },
      options: { history: { load: async () => ['한글 first', 'second'], add: () => {} } },
    });
    await sample(driver);
    await open(driver);
    const rows = Array.from({ length: driver.frame.height }, (_, y) => inverse(driver, y)).filter((cells) => cells > 0);
    expect(rows).toHaveLength(1);
    const row = Array.from({ length: driver.frame.height }, (_, y) => y).find((y) => inverse(driver, y) > 0)!;
    const turned = Array.from({ length: driver.frame.width }, (_, x) => x).filter(
      (x) => (driver.cell(x, row).attributes & INVERSE) !== 0,
    );
    expect(turned).toEqual(Array.from({ length: turned.length }, (_, index) => turned[0]! + index));
  }
});

test('quit, detach, SIGTERM, SIGHUP and a bug each give the terminal back (UP-10, TERM-4)', async () => {
  const ways: [string, (driver: Driver) => Promise<void>, string][] = [
    ['quit', (driver) => driver.type('/quit\n'), 'quit'],
    ['detach', (driver) => driver.type('/detach\n'), 'detached'],
    ['TERM', async (driver) => driver.terminal.raise('TERM'), 'signal'],
    ['HUP', async (driver) => driver.terminal.raise('HUP'), 'terminal-gone'],
    [
      'bug',
      async (driver) =>
        driver.session.publish([{ type: 'ask', ask: { ...sampleAsk(), body: { kind: 'permission' } as never } }]),
      'crashed',
    ],
  ];
  for (const [name, leave, reason] of ways) {
    const driver = await drive();
    expect(driver.terminal.output).toContain(ENTER_SCREEN);
    expect(driver.terminal.isRaw).toBe(true);
    await leave(driver);
    await driver.wait(2000);
    expect({ name, reason: driver.left?.reason }).toEqual({ name, reason: reason as never });
    expect(driver.terminal.output.endsWith(LEAVE_SCREEN)).toBe(true);
    expect(driver.terminal.isRaw).toBe(false);
    driver.terminal.takeOutput();
    await driver.wait(10_000);
    expect(driver.terminal.output).toBe('');
    expect(driver.clock.timers).toBe(0);
  }
});

test('the terminal’s late answers are waited for on leaving, so that none stands on the shell’s line (UP-10)', async () => {
  const driver = await drive({ silent: true });
  await driver.type('/quit\n');
  expect(driver.terminal.output.endsWith(LEAVE_SCREEN)).toBe(true);
  expect(driver.terminal.isRaw).toBe(true);
  await driver.raw('\x1b]11;rgb:0000/0000/0000\x07\x1b[?2027;2$y');
  expect(driver.terminal.isRaw).toBe(true);
  await driver.raw('\x1b[?62;22c');
  expect(driver.terminal.isRaw).toBe(false);
  expect(driver.left?.reason).toBe('quit');
  expect(driver.terminal.output.endsWith(LEAVE_SCREEN)).toBe(true);
  expect(driver.clock.timers).toBe(0);

  // One that never answers holds nobody up, and none is waited for long after the question.
  const mute = await drive({ silent: true });
  await mute.type('/quit\n');
  await mute.wait(200);
  expect([mute.terminal.isRaw, mute.left?.reason]).toEqual([false, 'quit']);
  const late = await drive({ silent: true });
  await late.wait(3000);
  await late.type('/quit\n');
  expect([late.terminal.isRaw, late.left?.reason]).toEqual([false, 'quit']);
});

test('a terminal that is gone ends it within two seconds, whatever the session does (UP-10)', async () => {
  const driver = await drive();
  await driver.publish({ type: 'activity', activity: WRITING });
  driver.terminal.write = () => {
    throw new Error('EIO');
  };
  await driver.wait(2000);
  expect(driver.left?.reason).toBe('terminal-gone');
  expect(driver.sentOf('end')).toHaveLength(0);
});

test('the terminal is given back before anything is waited for; a session that does not end holds nobody longer than two seconds (EX-1, EX-2)', async () => {
  const driver = await drive({
    wrap: (session) => ({
      attach: (options, listener) => session.attach(options, listener),
      read: (query, client) => session.read(query, client),
      send: (intent, client) => (intent.type === 'end' ? new Promise(() => {}) : session.send(intent, client)),
    }),
  });
  await driver.type('/quit\n');
  expect(driver.terminal.output.endsWith(LEAVE_SCREEN)).toBe(true);
  expect(driver.left).toBeNull();
  await driver.wait(2000);
  expect(driver.left?.reason).toBe('quit');
});

test('/suspend gives the terminal back; continuing draws everything anew, what streamed meanwhile too (UP-10)', async () => {
  const driver = await drive();
  await sample(driver);
  await driver.type('/suspend\n');
  await driver.type('abc');
  expect(driver.terminal.suspended).toBe(1);
  expect(driver.terminal.isRaw).toBe(false);
  expect(driver.terminal.takeOutput().endsWith(LEAVE_SCREEN)).toBe(true);
  await driver.publish({
    type: 'entry',
    entry: { id: 'n', parent: null, time: 0, kind: 'note', level: 'info', identifier: 'x', text: 'came meanwhile' },
  });
  expect(driver.terminal.output).toBe('');
  driver.terminal.resume();
  await driver.wait(50);
  const drawn = driver.terminal.takeOutput();
  expect(drawn).toContain(ENTER_SCREEN);
  expect(drawn).toContain('came meanwhile');
  expect(drawn).toContain('Transcript');
});

test('Ctrl-G hands the line to the person’s editor on the terminal and takes back what was saved (EDITR-1, EDITR-3, EDITR-10)', async () => {
  const driver = await drive({ environment: { VISUAL: 'vi' } });
  let removed = false;
  driver.processes.script((argv) => argv[0] === 'sh' && argv[2]!.startsWith('umask'), {
    out: '/tmp/houston-1/prompt.md',
  });
  driver.processes.script(
    (argv) => argv[0] === 'sh' && argv[2] === 'vi "$1"',
    async (run) => {
      run.write('EDITOR SCREEN');
      const typed = await run.read();
      return new TextDecoder().decode(typed ?? new Uint8Array()) === 'ZZ' ? 0 : 1;
    },
  );
  driver.processes.script('cat', { out: 'a better line\n' });
  driver.processes.script('rm', () => {
    removed = true;
    return 0;
  });
  await driver.type('a line');
  driver.terminal.takeOutput();
  await driver.press('ctrl-g');
  expect(driver.terminal.output).toContain(LEAVE_SCREEN);
  expect(driver.terminal.output).toContain('EDITOR SCREEN');
  await driver.raw('ZZ');
  await driver.wait(100);
  expect(driver.draft).toBe('a better line');
  expect(removed).toBe(true);
  expect(driver.terminal.output).toContain(ENTER_SCREEN);
});

test('the editor is given folded pastes in full; saved untouched they stay folded, pictures stay what they are (EDITR-2, PE-9)', async () => {
  const driver = await drive({ environment: { EDITOR: 'ed', WAYLAND_DISPLAY: 'w' } });
  driver.processes.script('wl-paste --list-types', { out: 'image/png\n' });
  driver.processes.script('wl-paste --type image/png', { out: new Uint8Array([137, 80, 78, 71]) });
  let given = '';
  let saved = '';
  driver.processes.script(
    (argv) => argv[0] === 'sh' && argv[2]!.startsWith('umask'),
    async (run) => {
      for (let bytes = await run.read(); bytes !== null; bytes = await run.read())
        given += new TextDecoder().decode(bytes);
      run.write('/tmp/houston-1/prompt.md');
      return 0;
    },
  );
  driver.processes.script((argv) => argv[0] === 'sh' && argv[2] === 'ed "$1"', { exit: 0 });
  driver.processes.script('cat', async (run) => {
    run.write(saved);
    return 0;
  });
  driver.processes.script('rm', {});
  await driver.paste('one\ntwo\nthree');
  await driver.press('ctrl-v');
  await driver.wait(100);
  expect(driver.draft).toBe('[Pasted #1 · 3 lines][Image #1]');
  saved = 'one\ntwo\nthree[Image #1]\n';
  await driver.press('ctrl-g');
  await driver.wait(100);
  expect(given).toBe('one\ntwo\nthree[Image #1]');
  expect(driver.draft).toBe('[Pasted #1 · 3 lines][Image #1]');
  saved = 'see [Image #1]: one\ntwo\nfour\n';
  await driver.press('ctrl-g');
  await driver.wait(100);
  expect(driver.draft).toBe('see [Image #1]: one\ntwo\nfour');
  await driver.press('enter');
  expect(driver.sentOf('say').at(-1)).toMatchObject({
    text: 'see [Image #1]: one\ntwo\nfour',
    attachments: [{ kind: 'image' }],
  });
});

test('an editor that fails or cannot start leaves the line byte for byte, and says which one (EDITR-2, EDITR-6)', async () => {
  for (const exit of [1, 127]) {
    const driver = await drive({ environment: { EDITOR: 'nope' } });
    driver.processes.script((argv) => argv[0] === 'sh' && argv[2]!.startsWith('umask'), {
      out: '/tmp/houston-1/prompt.md',
    });
    driver.processes.script((argv) => argv[0] === 'sh' && argv[2] === 'nope "$1"', { exit });
    driver.processes.script('cat', { out: 'changed' });
    driver.processes.script('rm', {});
    await driver.type('a line');
    await driver.press('ctrl-g');
    await driver.wait(100);
    expect(driver.draft).toBe('a line');
    expect(driver.region('hint')).toContain('nope');
  }
});

test('Ctrl-V takes a picture from the clipboard before text, as one marker that goes out with the prompt (ADD-5, MARK-3)', async () => {
  const driver = await drive({ environment: { WAYLAND_DISPLAY: 'wayland-0' } });
  driver.processes.script('wl-paste --list-types', { out: 'text/plain\nimage/png\n' });
  driver.processes.script('wl-paste --type image/png', { out: new Uint8Array([137, 80, 78, 71]) });
  await driver.type('see ');
  await driver.press('ctrl-v');
  await driver.wait(100);
  expect(driver.draft).toBe('see [Image #1]');
  await driver.press('enter');
  expect(driver.sentOf('say')).toMatchObject([
    { text: 'see [Image #1]', attachments: [{ kind: 'image', mediaType: 'image/png', base64: btoa('\x89PNG') }] },
  ]);
});

test('before the session is there the border names the model that was chosen for it, and claims none where none was', async () => {
  const model = { provider: 'anthropic', model: 'claude-sonnet-4-5' };
  for (const head of [{ model }, {}]) {
    const driver = await drive({
      options: { head },
      wrap: (session) => ({
        ...session,
        attach: () => ({ close: () => {}, closed: new Promise<never>(() => {}) }),
      }),
    });
    await driver.type('typed already');
    const named = /anthropic:claude-sonnet-4-5/.test(driver.region('prompt'));
    expect({ head, named }).toEqual({ head, named: head.model !== undefined });
    expect(driver.screenText()).not.toContain('no model');
    expect(driver.draft).toBe('typed already');
  }
});

test('a session out of reach is said, tried again, and everything typed stays', async () => {
  let drop: () => void = () => {};
  let attached = 0;
  const driver = await drive({
    wrap: (session) => ({
      send: (intent, client) => session.send(intent, client),
      read: (query, client) => session.read(query, client),
      attach: (options, listener) => {
        attached++;
        const inner = session.attach(options, listener);
        const lost = new Promise<'lost'>((resolve) => {
          drop = () => {
            inner.close();
            resolve('lost');
          };
        });
        return { close: inner.close, closed: Promise.race([lost, inner.closed]) };
      },
    }),
  });
  await driver.type('keep');
  drop();
  await driver.wait(50);
  expect(driver.region('hint')).toContain('out of reach');
  await driver.wait(500);
  expect(attached).toBe(2);
  expect(driver.region('hint')).not.toContain('out of reach');
  expect(driver.draft).toBe('keep');
});

test('where the title is to be left alone it is, the bell rings all the same (TERM-7)', async () => {
  const driver = await drive({ options: { terminalTitle: false } });
  await driver.publish({ type: 'head', head: { title: 'Fix it' } }, { type: 'activity', activity: WRITING });
  await driver.raw('\x1b[O');
  await driver.publish({ type: 'ask', ask: sampleAsk() });
  expect(driver.terminal.output).not.toContain('\x1b]0;');
  expect(driver.terminal.output).toContain('\x07');
});

test('the title names the session and says what goes on; a bell rings for who looks elsewhere (TERM-7)', async () => {
  const driver = await drive();
  await driver.publish({ type: 'head', head: { title: 'Fix it' } });
  expect(driver.terminal.output).toContain('\x1b]0;houston · Fix it\x07');
  await driver.publish({ type: 'activity', activity: WRITING });
  expect(driver.terminal.output).toContain('\x1b]0;✦ houston · Fix it\x07');
  await driver.raw('\x1b[O');
  driver.terminal.takeOutput();
  await driver.publish({ type: 'ask', ask: sampleAsk() });
  expect(driver.terminal.output).toContain('\x1b]0;[!] houston · Fix it\x07');
  expect(driver.terminal.output.replace(/\x1b\]0;[^\x07]*\x07/g, '')).toContain('\x07');
});

test('control characters in content are drawn as glyphs and never written (TR-6, SEC-40)', async () => {
  const driver = await drive();
  driver.terminal.takeOutput();
  const text = 'a\x1b]0;pwned\x07b\x9bc\u202ed';
  await driver.publish({
    type: 'entry',
    entry: { id: 'n', parent: null, time: 0, kind: 'note', level: 'info', identifier: 'x', text },
  });
  await driver.publish({ type: 'head', head: { title: text, gitBranch: text } });
  expect(driver.terminal.output.replace(/\x1b\]0;[^\x07]*\x07/g, '')).not.toMatch(/\]0;pwned\x07|\x9b|\u202e/);
  expect(driver.region('transcript')).toContain('a␛]0;pwned␇b');
});

test('a gap in the numbers is noticed and everything is read anew', async () => {
  let swallow = false;
  const driver = await drive({
    wrap: (session) => ({
      send: (intent, client) => session.send(intent, client),
      read: (query, client) => session.read(query, client),
      attach: (options, listener) => session.attach(options, (update) => (swallow ? undefined : listener(update))),
    }),
  });
  swallow = true;
  await driver.publish({ type: 'head', head: { title: 'missed' } });
  swallow = false;
  await driver.publish({ type: 'jobs', jobs: [] });
  expect(driver.region('header')).toContain('missed');
});

test('/redraw draws everything anew here and tells the session nothing (SC-28.3.8)', async () => {
  const driver = await drive();
  await sample(driver);
  await driver.type('/redraw');
  const before = driver.sent.filter((intent) => intent.type !== 'draft').length;
  driver.terminal.takeOutput();
  await driver.press('enter');
  expect(driver.terminal.takeOutput().length).toBeGreaterThan(1_000);
  await driver.wait(2_000);
  expect(driver.sent.filter((intent) => intent.type !== 'draft')).toHaveLength(before);
});

test('Ctrl-L mends a spoilt screen, whether it has a command to show or not, and tells the session nothing for that', async () => {
  const driver = await drive();
  await sample(driver);
  driver.terminal.takeOutput();
  await driver.press('left');
  expect(driver.terminal.takeOutput().length).toBeLessThan(200);
  const before = driver.screenText();
  await driver.press('ctrl-l');
  expect(driver.terminal.takeOutput().length).toBeGreaterThan(1_000);
  expect(driver.screenText()).toBe(before);
  expect(driver.screen.modals).toEqual([]);
  expect(driver.sentOf('job')).toEqual([]);
});

test('from a key in the process to the finished frame it takes less than 50 ms, with cards on the screen (ST-12)', async () => {
  const driver = await drive();
  await sample(driver);
  const attempt = async (): Promise<number> => {
    const times: number[] = [];
    for (const character of 'what is seen after each key of an ordinary line') {
      const from = performance.now();
      await driver.type(character);
      times.push(performance.now() - from);
    }
    expect(driver.draft).toContain('ordinary line');
    return times.sort((a, b) => a - b)[Math.floor(times.length * 0.9)]!;
  };
  // The machine may be busy with something else for a while, not three times.
  const tries = [await attempt(), await attempt(), await attempt()];
  expect(Math.min(...tries)).toBeLessThan(50);
});
