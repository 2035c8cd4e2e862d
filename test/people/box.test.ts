// The person at the box: keys mean the same at rest and while a turn runs, completions and hints help and never send.
import { expect, test } from 'bun:test';
import { FRONT_COMMANDS } from '../../src/front/commands/command-table.ts';
import { makeKeymap } from '../../src/front/commands/keymap.ts';
import { lineWidth } from '../../src/front/tui/draw.ts';
import { belowRows } from '../../src/front/tui/regions/below.ts';
import type { Dropped } from '../../src/front/tui/screen-event.ts';
import { TRUSTED_PUBLIC } from '../../src/protocol/label.ts';
import type { Session } from '../../src/protocol/session.ts';
import type { Change } from '../../src/protocol/update.ts';
import type { Activity } from '../../src/protocol/view.ts';
import { type Driver, type DriverOptions, drive, STOP_AND_GO_ON } from '../support/driver.ts';

const RUNNING: Activity = { phase: 'tools', turn: 1, since: 0, detail: '', retry: null };
const ROW = { client: 'me', attachments: [] };
const HISTORY = {
  load: async () => [{ text: 'sent before', time: 0, workspace: '/project' }],
  add: () => {},
};

async function running(options: DriverOptions = {}): Promise<Driver> {
  const driver = await drive(options);
  await driver.publish({ type: 'activity', activity: RUNNING });
  return driver;
}

const assistant = (parts: readonly object[]) => ({
  kind: 'assistant',
  turn: 1,
  round: 1,
  model: { provider: 'p', model: 'm' },
  parts,
  stop: 'calls',
  usage: { input: 1, output: 1, cacheRead: null, cacheWrite: null, reasoning: null },
  cost: 0,
  requestId: null,
  duration: 1,
});

/** A session that answers what is asked for after `@`. */
const paths = (answer: (typed: string) => string[]) => (session: Session) => ({
  attach: session.attach.bind(session),
  send: session.send.bind(session),
  read: ((query: { type: string; typed: string }, client: string) =>
    query.type === 'complete-path'
      ? Promise.resolve({ ok: true, value: { paths: answer(query.typed), complete: true } })
      : session.read(query as never, client)) as Session['read'],
});

test('every box key does mid-turn what it does at rest (BOX-10)', async () => {
  const strokes: (readonly string[])[] = [
    ['a', 'b', 'left', 'x', 'backspace'],
    ['o', 'n', 'e', ' ', 't', 'w', 'o', 'ctrl-w', 'ctrl-z', 'ctrl-y'],
    ['h', 'i', 'ctrl-a', 'ctrl-c'],
    ['l', '1', 'ctrl-j', 'l', '2', 'up', 'home', 'z', 'down', 'end', 'y'],
    ['p', 'u', 't', 'ctrl-s'],
    ['p', 'ctrl-s', 'ctrl-s'],
    ['up'],
    ['up', 'down'],
    ['?'],
    ['?', '?'],
    ['!', 'l', 's'],
    ['!', 'backspace'],
    ['shift-tab'],
    ['alt-e', 'alt-shift-e'],
    ['pageup', 'pagedown'],
    ['tab', 'tab', 'q'],
    ['ctrl-u', 'w', 'ctrl-k', 'ctrl-e', 'delete'],
  ];
  for (const keys of strokes) {
    const seen: unknown[] = [];
    for (const start of [drive, running]) {
      const driver = await start({ options: { history: HISTORY } });
      await driver.press(...keys);
      await driver.paste('pasted\ntext\nhere\n');
      const { prompt, keyList, focus, scroll, expandAll } = driver.screen;
      const { buffer } = prompt.editor;
      seen.push({ buffer, stash: prompt.stash, shell: prompt.shell, keyList, focus, scroll, expandAll });
      seen.push(driver.sent.filter((intent) => intent.type !== 'draft'));
    }
    expect([keys, ...seen.slice(0, 2)]).toEqual([keys, ...seen.slice(2)]);
  }
}, 20_000);

test('Ctrl-Enter mid-turn sends the box as an interruption; with an empty box it stops for what waits (BOX-5, QUE-13)', async () => {
  const driver = await running();
  await driver.type('now');
  await driver.press('ctrl-enter');
  expect(driver.sentOf('say')).toMatchObject([{ text: 'now', delivery: 'interrupt' }]);
  expect(driver.draft).toBe('');
  await driver.press('ctrl-enter');
  expect(driver.sentOf('cancel')).toEqual([]);
});

test('the rows under the box stand in their order: attachments, the stash, what waits, completions (MARK-1)', async () => {
  const driver = await running({ environment: { WAYLAND_DISPLAY: 'w' } });
  driver.processes.script('wl-paste --list-types', { out: 'image/png\n' });
  driver.processes.script('wl-paste --type image/png', { out: new Uint8Array([137, 80, 78, 71]) });
  await driver.type('kept');
  await driver.press('ctrl-s');
  await driver.publish({
    type: 'entry',
    entry: {
      id: 'i',
      parent: null,
      time: 0,
      kind: 'input',
      ref: 'r',
      text: 'waiting one',
      delivery: 'steering',
      target: null,
      ...ROW,
    },
  });
  await driver.press('ctrl-v');
  await driver.wait(100);
  await driver.press('home');
  await driver.type('/th');
  const rows = driver.region('below').split('\n');
  const at = (text: string) => rows.findIndex((row) => row.includes(text));
  expect([at('[Image #1]'), at('put away: kept'), at('waiting one'), at('/theme')]).toEqual([0, 1, 2, 3]);
  await driver.press('escape', 'end', 'backspace');
  expect(driver.region('below')).not.toContain('[Image #1]');
});

test('Delete just behind a marker takes the whole marker and what it stands for (MARK-3)', async () => {
  const driver = await drive();
  await driver.paste('one\ntwo\nthree\nfour');
  await driver.type('x');
  await driver.press('left', 'delete');
  expect(driver.draft).toBe('x');
  await driver.press('ctrl-z', 'home', 'delete');
  expect(driver.draft).toBe('x');
});

test('a whole command has the prompt’s colour, its argument stands dim behind it until one is typed, control characters as glyphs (COMP-1)', async () => {
  const driver = await drive();
  const argument = '[what to\x1bkeep]';
  await driver.publish({ type: 'head', head: { commands: [{ name: 'compact', argument, description: 'x' }] } });
  await driver.type('/compac');
  const at = () => driver.find('❯ /compac')!;
  const plain = driver.cell(at().x + 3, at().y).fg;
  await driver.type('t ');
  expect(driver.region('prompt')).toContain('/compact [what to␛keep]');
  expect(driver.cell(at().x + 3, at().y).fg).not.toBe(plain);
  expect(driver.draft).toBe('/compact ');
  expect(driver.frame.cursor?.x).toBe(at().x + 2 + 9);
  await driver.type('t');
  expect(driver.region('prompt')).not.toContain('keep');
  await driver.press('backspace');
  await driver.resize(27, 20);
  expect(driver.region('prompt')).toMatch(/\/compact \[what to␛k?e?e?p?…/);
});

test('commands are offered mid-turn, each with when it runs (COMP-1)', async () => {
  const driver = await running();
  await driver.publish({ type: 'head', head: { commands: [{ name: 'compact', argument: '', description: 'x' }] } });
  await driver.type('/com');
  expect(driver.region('below')).toMatch(/\/compact .*after this turn/);
  await driver.press('ctrl-u');
  await driver.type('/the');
  expect(driver.region('below')).toMatch(/\/theme .*now/);
});

test('Enter on a half-typed command takes the highlighted one, on a whole command it runs it (COMP-5)', async () => {
  const driver = await drive();
  await driver.publish({ type: 'head', head: { commands: [{ name: 'clear', argument: '', description: 'x' }] } });
  await driver.type('/cle');
  await driver.press('enter');
  expect(driver.draft).toBe('/clear');
  expect(driver.sentOf('command')).toEqual([]);
  await driver.press('enter');
  expect(driver.sentOf('command')).toMatchObject([{ name: 'clear' }]);
});

test('folders first, / goes down, Tab leaves the words around alone; an address is no reference (COMP-2, COMP-3, AC-2)', async () => {
  const tree: Record<string, string[]> = { '': ['src/', 'a.ts'], s: ['src/'], 'src/': ['src/core/', 'src/x.ts'] };
  const driver = await drive({ wrap: paths((typed) => tree[typed] ?? []) });
  await driver.type('see  here');
  for (let step = 0; step < 5; step++) await driver.press('left');
  await driver.type('@');
  expect(driver.region('below').indexOf('src/')).toBeLessThan(driver.region('below').indexOf('a.ts'));
  await driver.type('s');
  await driver.press('tab');
  expect(driver.draft).toBe('see @src/ here');
  expect(driver.region('below')).toContain('src/x.ts');
  await driver.press('down', 'tab');
  expect(driver.draft).toBe('see @src/x.ts here');
  const other = await drive({ wrap: paths(() => ['b.ts']) });
  await other.type('mail a@b');
  expect(other.region('below')).toBe('');
  await other.press('enter');
  expect(other.sentOf('say')).toMatchObject([{ text: 'mail a@b' }]);
});

test('a list too long for the screen loses rows, the box none (COMP-6, BOX-9)', async () => {
  const driver = await drive({ rows: 10, wrap: paths(() => Array.from({ length: 40 }, (_, at) => `file${at}.ts`)) });
  await driver.type('@f');
  expect(driver.region('prompt')).toContain('❯ @f');
  expect(driver.region('below')).toContain('file0.ts');
  expect(driver.region('below')).not.toContain('file7.ts');
  for (let step = 0; step < 5; step++) await driver.press('down');
  expect(driver.region('below')).toContain('❯ file5.ts');
  await driver.type('ile39.ts ');
  expect(driver.draft).toBe('@file39.ts ');
});

test('completions and dialogs get keys before the editor does (PE-2)', async () => {
  const driver = await drive();
  await driver.type('/t');
  await driver.press('down', 'up');
  expect(driver.screen.completion?.cursor).toBe(0);
  expect(driver.draft).toBe('/t');
  await driver.press('f1');
  await driver.type('x');
  await driver.press('backspace');
  expect(driver.draft).toBe('/t');
});

test('completion sees the label of a paste and never what it stands for (PE-11)', async () => {
  const asked: string[] = [];
  const driver = await drive({
    wrap: paths((typed) => {
      asked.push(typed);
      return ['a.ts'];
    }),
  });
  await driver.paste('SECRET\n@SECRET\n@s\nfour');
  await driver.type(' @a');
  expect(asked).toEqual(['', 'a']);
  expect(JSON.stringify(driver.screen.prompt.editor.buffer.text)).toBe('"[Pasted #1 · 4 lines] @a"');
});

test('a line that comes into the box by any way closes the key list (HINT-3)', async () => {
  const driver = await drive({ options: { history: HISTORY } });
  const ways: (() => Promise<void>)[] = [
    () => driver.press('up'),
    async () => {
      await driver.press('ctrl-a', 'backspace');
      await driver.type('put');
      await driver.press('ctrl-s', '?', 'ctrl-s');
    },
    () => driver.paste('pasted'),
  ];
  for (const way of ways) {
    await driver.press('ctrl-a', 'backspace', '?');
    expect(driver.screen.keyList).toBe(true);
    await way();
    expect(driver.screen.keyList).toBe(false);
  }
});

test('with the key list open, Tab and the arrows do what they do without it, also while a turn runs (HINT-1, HINT-2)', async () => {
  const driver = await running({ options: { history: HISTORY } });
  await driver.press('?', 'up');
  expect(driver.draft).toBe('sent before');
  await driver.press('ctrl-a', 'backspace', '?', 'tab');
  expect(driver.screen.focus).toBe('transcript');
});

test('a note about the last key stands at the right and takes its room before all parts (HINT-7)', async () => {
  const driver = await drive();
  await driver.publish({ type: 'head', head: { mode: 'plan' } });
  await driver.publish({ type: 'flash', client: 'me', level: 'info', text: 'a note about it' });
  expect(driver.region('hint')).toEndWith('a note about it');
  await driver.resize(38, 20);
  expect(driver.region('hint')).toEndWith('a note about it');
  expect(driver.region('hint')).toContain('plan only');
  expect(driver.region('hint')).not.toContain('shortcuts');
  await driver.press('x');
  expect(driver.region('hint')).not.toContain('a note');
});

test('the mode changes mid-turn and the turn goes on (MODEKEY-3)', async () => {
  const driver = await running();
  await driver.press('shift-tab');
  expect(driver.sentOf('set-mode')).toEqual([{ type: 'set-mode', mode: 'edits' }]);
  expect(driver.sentOf('cancel')).toEqual([]);
  expect(driver.session.view.activity.phase).toBe('tools');
  expect(driver.region('hint')).toContain('accept edits');
});

test('Up moves rows first and reaches what was sent only from the top row; with nothing there it scrolls (QUE-17)', async () => {
  const driver = await drive({ options: { history: HISTORY } });
  await driver.type('one');
  await driver.press('ctrl-j');
  await driver.type('two');
  await driver.press('up');
  expect(driver.draft).toBe('one\ntwo');
  expect(driver.screen.prompt.editor.buffer.caret).toBe(3);
  await driver.press('up');
  expect(driver.draft).toBe('sent before');
  const bare = await drive();
  for (let line = 0; line < 40; line++) {
    const entry = {
      id: `n${line}`,
      parent: null,
      time: 0,
      kind: 'note',
      level: 'info',
      identifier: 'x',
      text: 'x',
    } as const;
    bare.session.publish([{ type: 'entry', entry }]);
  }
  await bare.press('up');
  expect(bare.screen.scroll.follow).toBe(false);
  const waiting = await running({ options: { history: HISTORY } });
  const row = { ...ROW, id: 'q1', ref: 'q1', text: 'queued', delivery: 'queue' } as const;
  const view = structuredClone(waiting.session.view);
  await waiting.publish({ type: 'branch', view: { ...view, queue: { paused: null, rows: [row] } } });
  await waiting.press('up');
  expect(waiting.sentOf('recall')).toHaveLength(1);
  expect(waiting.draft).toBe('');
});

test('a shell line taken back is plain words (QUE-19)', async () => {
  const driver = await running({
    wrap: (session) => ({
      attach: session.attach.bind(session),
      read: session.read.bind(session),
      send: (intent, client) =>
        intent.type === 'recall'
          ? Promise.resolve({
              accepted: true,
              value: { kind: 'recalled', drafts: [{ text: 'ls -l', attachments: [] }] },
            } as never)
          : session.send(intent, client),
    }),
  });
  await driver.publish({
    type: 'entry',
    entry: {
      id: 'i',
      parent: null,
      time: 0,
      kind: 'input',
      ref: 'r',
      text: 'ls -l',
      delivery: 'shell',
      target: null,
      ...ROW,
    },
  });
  expect(driver.region('below')).toContain('run in your shell');
  await driver.press('up');
  expect(driver.draft).toBe('ls -l');
  expect(driver.screen.prompt.shell).toBe('off');
});

test('without the modifier the same is reached by Up, Esc and Enter (QUE-21)', async () => {
  const driver = await running({
    wrap: (session) => ({
      attach: session.attach.bind(session),
      read: session.read.bind(session),
      send: (intent, client) =>
        intent.type === 'recall'
          ? Promise.resolve({
              accepted: true,
              value: {
                kind: 'recalled',
                drafts: [
                  { text: 'first', attachments: [] },
                  { text: 'second', attachments: [] },
                ],
              },
            } as never)
          : session.send(intent, client),
    }),
  });
  for (const text of ['first', 'second'])
    await driver.publish({
      type: 'entry',
      entry: {
        id: text,
        parent: null,
        time: 0,
        kind: 'input',
        ref: text,
        text,
        delivery: 'queue',
        target: null,
        ...ROW,
      },
    });
  await driver.press('up', 'escape');
  await driver.wait(50);
  expect(driver.sentOf('cancel')).toEqual([STOP_AND_GO_ON]);
  expect(driver.draft).toBe('first\nsecond');
  await driver.press('enter');
  expect(driver.sentOf('say')).toMatchObject([{ text: 'first\nsecond' }]);
});

test('the border says what runs at the upper left, shell mode too, the model at the upper right with its key at rest (FO-1, FO-14)', async () => {
  const driver = await drive();
  await driver.publish({ type: 'head', head: { model: { provider: 'p', model: 'm' }, effort: 'high' } });
  expect(driver.region('prompt').split('\n')[0]).toMatch(/^╭─ Ready ─.*─ p:m • high \[Alt-M\] ─╮$/);
  await driver.publish({ type: 'activity', activity: { ...RUNNING, since: driver.clock.now() } });
  expect(driver.region('prompt').split('\n')[0]).toMatch(
    /^╭─ . At work • 0s • \[Alt-C\] to cancel • Esc stops ─.*─ p:m • high ─╮$/,
  );
  await driver.type('!');
  expect(driver.region('prompt').split('\n')[0]).toMatch(/^╭─ Shell • /);
  const bare = await drive();
  await bare.publish({ type: 'head', head: { model: null } });
  expect(bare.region('prompt').split('\n')[0]).toContain('no model  /model');
  await bare.publish({ type: 'head', head: { commands: [{ name: 'login', argument: '', description: '' }] } });
  expect(bare.region('prompt').split('\n')[0]).toContain('no model  /login');
});

test('the clock of the border ticks while something runs, with reduced motion too, and stands at rest (FO-9)', async () => {
  const driver = await drive({ columns: 140, options: { reducedMotion: true } });
  await driver.publish({ type: 'activity', activity: { ...RUNNING, since: driver.clock.now() } });
  const shown = () => Number(/Session: +(\d+)s/.exec(driver.region('prompt'))?.[1] ?? Number.NaN);
  for (const seconds of [3, 6]) {
    await driver.wait(3_000);
    expect(shown()).toBeGreaterThanOrEqual(seconds - 1);
    expect(shown()).toBeLessThanOrEqual(seconds);
  }
  await driver.publish({ type: 'activity', activity: { ...RUNNING, phase: 'idle', turn: null, since: null } });
  const before = driver.region('prompt');
  await driver.wait(5_000);
  expect(driver.region('prompt')).toBe(before);
});

test('while the model writes a call its name stands beside the orbit with a count that moves (TR-3)', async () => {
  const driver = await running();
  const call = { type: 'live-call', part: 0, call: 'c', tool: 'write_file', title: 'Write src/a.ts' } as const;
  await driver.publish({ type: 'live-start', turn: 1, round: 1 }, { ...call, inputBytes: 400 });
  expect(driver.region('prompt')).toContain('Writing Write src/a.ts');
  expect(driver.region('prompt')).toContain('100 tokens');
  await driver.publish({ ...call, inputBytes: 800 });
  expect(driver.region('prompt')).toContain('200 tokens');
});

test('a call has one card, one header row, and changes in place from written to done (TC-1, TC-4)', async () => {
  const driver = await running();
  const call = {
    type: 'call',
    call: 'c1',
    input: { path: 'a' },
    tool: 'write_file',
    title: 'Write a.ts',
    why: null,
  } as const;
  const body = { turn: 1, call: 'c1', tool: 'write_file', title: 'Write a.ts' };
  const entry = (id: string, rest: object) =>
    ({ type: 'entry', entry: { id, parent: null, time: 0, ...rest } }) as Extract<Change, { type: 'entry' }>;
  const cards = () =>
    driver
      .region('transcript')
      .split('\n')
      .filter((row) => row.includes('a.ts'));
  const marks: string[] = [];
  const look = () => {
    expect(cards()).toHaveLength(1);
    marks.push(/│ (\S) Write/.exec(cards()[0]!)?.[1] ?? '');
    const at = driver.find('Write a.ts')!;
    expect(driver.region('transcript').split('\n')[2]?.replace(/[│┃ ]/g, '')).toBe('');
    expect(at.y).toBe(4);
  };
  await driver.publish(
    { type: 'live-start', turn: 1, round: 1 },
    { type: 'live-call', part: 0, call: 'c1', tool: 'write_file', title: 'Write a.ts', inputBytes: 9 },
  );
  look();
  await driver.publish(entry('a', assistant([call])));
  look();
  await driver.publish({ type: 'call', call: 'c1', state: 'running', started: 0 });
  look();
  const done = {
    kind: 'result',
    outcome: 'ok',
    text: '',
    images: [],
    ref: null,
    label: TRUSTED_PUBLIC,
    output: null,
    job: null,
    duration: 5,
  };
  await driver.publish(entry('r', { ...body, ...done, display: { kind: 'none' } }));
  look();
  expect([marks[0], marks[1], marks[3]]).toEqual(['◌', '○', '●']);
  expect(marks[2]).toMatch(/[⠀-⣿◐]/);
});

test('the finished message mends what was lost on the way (TC-10)', async () => {
  const driver = await running();
  await driver.publish(
    { type: 'live-start', turn: 1, round: 1 },
    { type: 'delta', part: 0, kind: 'text', text: 'half of' },
  );
  await driver.publish({
    type: 'entry',
    entry: { id: 'a', parent: null, time: 0, ...assistant([{ type: 'text', text: 'half of it was lost' }]) } as never,
  });
  expect(driver.region('transcript').match(/half of.*/g)).toHaveLength(1);
  expect(driver.region('transcript')).toContain('half of it was lost');
});

test('each key of the box does its own thing: paste, editor, stash, search, completion, mode, keys, history (BOX-6)', async () => {
  const driver = await drive({ options: { history: HISTORY }, environment: { EDITOR: 'ed', WAYLAND_DISPLAY: 'w' } });
  driver.processes.script('wl-paste --list-types', { out: 'text/plain\n' });
  driver.processes.script('wl-paste --no-newline', { out: 'from the clipboard' });
  driver.processes.script((argv) => argv[0] === 'sh' && argv[2]!.startsWith('umask'), {
    out: '/tmp/houston-1/prompt.md',
  });
  driver.processes.script((argv) => argv[0] === 'sh' && argv[2] === 'ed "$1"', { exit: 0 });
  driver.processes.script('cat', { out: 'edited\n' });
  driver.processes.script('rm', {});
  await driver.press('ctrl-v');
  await driver.wait(100);
  expect(driver.draft).toBe('from the clipboard');
  await driver.press('ctrl-g');
  await driver.wait(200);
  expect(driver.draft).toBe('edited');
  await driver.press('ctrl-s');
  expect(driver.draft).toBe('');
  await driver.press('?');
  expect(driver.screen.keyList).toBe(true);
  await driver.press('?', 'up');
  expect(driver.draft).toBe('sent before');
  await driver.press('down');
  expect(driver.draft).toBe('');
  await driver.press('ctrl-r');
  expect(driver.screenText()).toContain('What you sent before');
  await driver.press('ctrl-r');
  await driver.type('/the');
  await driver.press('tab', 'shift-tab');
  expect(driver.draft).toBe('/theme ');
  expect(driver.sentOf('set-mode')).toHaveLength(1);
});

test('a folded paste under the caret opens for editing with a key the foot names, and Ctrl-Z folds it again (UP-11)', async () => {
  const driver = await drive();
  await driver.type('see ');
  await driver.paste('one\ntwo\nthree');
  expect(driver.region('hint')).toContain('Alt-E unfolds the paste');
  await driver.press('alt-e');
  expect(driver.draft).toBe('see one\ntwo\nthree');
  expect(driver.region('prompt')).toContain('three');
  expect(driver.region('hint')).not.toContain('unfolds');
  expect(driver.screen.expandAll).toBe(false);
  await driver.press('ctrl-z');
  expect(driver.draft).toBe('see [Pasted #1 · 3 lines]');
  await driver.type(' x');
  expect(driver.region('hint')).not.toContain('unfolds');
  await driver.press('alt-e');
  expect(driver.screen.expandAll).toBe(true);
});

test('a reply streams where it will stand, and a try that was void takes its tail away (TR-2)', async () => {
  const driver = await running();
  await driver.publish(
    { type: 'live-start', turn: 1, round: 1 },
    { type: 'delta', part: 0, kind: 'text', text: 'the answer' },
  );
  const place = driver.find('the answer')!;
  await driver.publish({ type: 'live-end' });
  expect(driver.region('transcript')).not.toContain('the answer');
  await driver.publish(
    { type: 'live-start', turn: 1, round: 1 },
    { type: 'delta', part: 0, kind: 'text', text: 'the answer' },
  );
  await driver.publish({
    type: 'entry',
    entry: {
      id: 'a',
      parent: null,
      time: 0,
      kind: 'assistant',
      turn: 1,
      round: 1,
      model: { provider: 'p', model: 'm' },
      parts: [{ type: 'text', text: 'the answer' }],
      stop: 'end',
      usage: { input: 1, output: 1, cacheRead: null, cacheWrite: null, reasoning: null },
      cost: 0,
      requestId: null,
      duration: 1,
    },
  });
  expect(driver.find('the answer')).toEqual(place);
  expect(driver.region('transcript').split('the answer')).toHaveLength(2);
});

test('the wheel, pages, Home and End scroll at rest, the wheel by as many rows as the setting says (TR-7, TERM-8)', async () => {
  for (const wheelRows of [1, 3, 7]) {
    const driver = await drive({ options: { wheelRows } });
    for (let line = 0; line < 90; line++) {
      const entry = {
        id: `n${line}`,
        parent: null,
        time: 0,
        kind: 'note',
        level: 'info',
        identifier: 'x',
        text: `row ${line}.`,
      } as const;
      driver.session.publish([{ type: 'entry', entry }]);
    }
    await driver.wait(100);
    const first = () => Number(/row (\d+)\./.exec(driver.region('transcript'))![1]);
    const tail = first();
    await driver.mouse('wheel-up', 10, 8);
    expect(first()).toBe(tail - wheelRows);
    await driver.press('pageup');
    expect(first()).toBeLessThan(tail - wheelRows - 10);
    await driver.press('home');
    expect(first()).toBe(0);
    await driver.press('end');
    expect(first()).toBe(tail);
    // Also with a line half-typed, once one reads back.
    await driver.type('half');
    await driver.mouse('wheel-up', 10, 8);
    await driver.press('home');
    expect(first()).toBe(0);
    await driver.press('end');
    expect(first()).toBe(tail);
    expect(driver.draft).toBe('half');
  }
});

test('coming back to the window looks once whether the clipboard holds a picture, and only says so (TERM-3)', async () => {
  const driver = await drive({ environment: { WAYLAND_DISPLAY: 'w' } });
  let looks = 0;
  driver.processes.script('wl-paste --list-types', (run) => {
    looks++;
    run.write('text/plain\nimage/png\n');
    return 0;
  });
  await driver.wait(60_000);
  expect(looks).toBe(0);
  await driver.raw('\x1b[O');
  await driver.raw('\x1b[I');
  await driver.wait(50);
  expect(looks).toBe(1);
  expect(driver.region('hint')).toContain('The clipboard holds a picture: Ctrl-V takes it');
  expect(driver.draft).toBe('');
});

test('no row under the box is wider than the terminal, whatever waits (BOX-9)', async () => {
  const driver = await running();
  await driver.type('x'.repeat(300));
  await driver.press('ctrl-s');
  for (let width = 20; width < 140; width += 7) {
    await driver.resize(width, 30);
    for (const row of belowRows(driver.session.view, driver.screen, makeKeymap(FRONT_COMMANDS)))
      expect(lineWidth(row.line)).toBeLessThanOrEqual(width);
  }
});

/** What was asked for, and a window onto which files can be dropped. */
function dropping(found: Dropped) {
  const asked: (readonly string[])[] = [];
  const readDropped = async (paths: readonly string[]): Promise<Dropped> => {
    asked.push(paths);
    return found;
  };
  return { asked, options: { readDropped } };
}
const picture = { kind: 'image', name: 'a b.png', mediaType: 'image/png', base64: btoa('png') } as const;
const notes = { kind: 'file', name: 'notes.md', mediaType: 'text/plain', base64: btoa('words') } as const;

test('a file dropped onto the window becomes one marker, numbered, deleted and undone whole, and goes with the prompt (ADD-1, MARK-2)', async () => {
  const { asked, options } = dropping({ kind: 'files', files: [picture, notes] });
  const driver = await drive({ options });
  await driver.type('see ');
  await driver.paste("'/tmp/a b.png' /tmp/notes.md ");
  expect(asked).toEqual([['/tmp/a b.png', '/tmp/notes.md']]);
  expect(driver.draft).toBe('see [Image #1] [File #1 notes.md] ');
  await driver.type('and ');
  await driver.paste('/tmp/a\\ b.png');
  expect(driver.draft).toBe('see [Image #1] [File #1 notes.md] and [Image #2] [File #2 notes.md]');
  await driver.press('backspace');
  expect(driver.draft).toBe('see [Image #1] [File #1 notes.md] and [Image #2] ');
  await driver.press('ctrl-z', 'ctrl-z');
  expect(driver.draft).toBe('see [Image #1] [File #1 notes.md] and /tmp/a\\ b.png');
  await driver.press('ctrl-z');
  expect(driver.draft).toBe('see [Image #1] [File #1 notes.md] and ');
  await driver.press('enter');
  expect(driver.sentOf('say')).toMatchObject([
    { text: 'see [Image #1] [File #1 notes.md] and ', attachments: [picture, notes] },
  ]);
});

test('who types on while a dropped file is read stays where they are; words that were changed meanwhile stay words (ADD-1)', async () => {
  const { promise, resolve } = Promise.withResolvers<Dropped>();
  const driver = await drive({ options: { readDropped: () => promise } });
  await driver.paste('/tmp/a.png');
  await driver.type(' it is');
  await driver.press('left');
  resolve({ kind: 'files', files: [picture] });
  await driver.wait(50);
  expect(driver.draft).toBe('[Image #1] it is');
  expect(driver.screen.prompt.editor.buffer.caret).toBe('[Image #1] it i'.length);
  const later = Promise.withResolvers<Dropped>();
  const other = await drive({ options: { readDropped: () => later.promise } });
  await other.paste('/tmp/a.png');
  await other.press('backspace');
  later.resolve({ kind: 'files', files: [picture] });
  await other.wait(50);
  expect(other.draft).toBe('/tmp/a.pn');
});

test('what cannot be carried stays its path, and why is said; a shell line keeps paths as they are (ADD-1, SH-5)', async () => {
  const none = dropping({ kind: 'none' });
  const driver = await drive({ options: none.options });
  await driver.paste('/usr/bin/ls');
  expect(driver.draft).toBe('/usr/bin/ls');
  await driver.press('ctrl-a', 'backspace');
  await driver.paste('look at /usr/bin/ls');
  await driver.paste('/tmp/one\n/tmp/two');
  expect(none.asked).toEqual([['/usr/bin/ls']]);
  const refused = await drive({ options: dropping({ kind: 'refused', why: 'huge.png has 11.0 MB' }).options });
  await refused.paste('/tmp/huge.png');
  expect(refused.draft).toBe('/tmp/huge.png');
  expect(refused.region('hint')).toContain('huge.png has 11.0 MB');
  const shell = dropping({ kind: 'files', files: [picture] });
  const armed = await drive({ options: shell.options });
  await armed.type('!open ');
  await armed.paste("'/tmp/a b.png'");
  expect(armed.draft).toBe("open '/tmp/a b.png'");
  expect(shell.asked).toEqual([]);
});

const SKILLED = [
  { value: 'rust-dev', description: 'skill: Rust' },
  { value: 'rust-fmt', description: 'skill: Format' },
];

const skills = (asked: string[]) => (session: Session) => ({
  attach: session.attach.bind(session),
  send: session.send.bind(session),
  read: ((query: { type: string; typed: string; command: string }, client: string) => {
    if (query.type !== 'complete-argument') return session.read(query as never, client);
    asked.push(query.command);
    return Promise.resolve({
      ok: true,
      value: { choices: SKILLED.filter(({ value }) => value.startsWith(query.typed)) },
    });
  }) as Session['read'],
});

test('$ anywhere offers skills, and what is taken is a word of the prompt and nothing else (AC-3)', async () => {
  const asked: string[] = [];
  const driver = await drive({ wrap: skills(asked) });
  await driver.type('do it with $ru');
  expect(asked.at(-1)).toBe('$skill');
  expect(driver.region('below')).toContain('rust-dev');
  expect(driver.region('below')).toContain('skill: Format');
  await driver.press('down', 'enter');
  expect(driver.draft).toBe('do it with $rust-fmt ');
  expect(driver.sentOf('say')).toEqual([]);
  await driver.type('now\n');
  expect(driver.sentOf('say')).toMatchObject([{ text: 'do it with $rust-fmt now', attachments: [] }]);
  const says = driver.sent.filter(({ type }) => type !== 'draft' && type !== 'seen');
  expect(says.map(({ type }) => type)).toEqual(['say']);
  // Behind letters it is no tag.
  await driver.type('costs5$ru');
  expect(driver.region('below')).toBe('');
});

test('# anywhere offers what can be put in, and taking one only writes it', async () => {
  const driver = await drive();
  await driver.type('look at #');
  expect(driver.region('below')).toContain('#tree');
  expect(driver.region('below')).toContain('#git-status');
  await driver.type('g');
  expect(driver.region('below')).not.toContain('#tree');
  await driver.press('tab');
  expect(driver.draft).toBe('look at #git-status ');
  expect(driver.sentOf('say')).toEqual([]);
  await driver.type('and issue #12\n');
  expect(driver.sentOf('say')).toMatchObject([{ text: 'look at #git-status and issue #12' }]);
});
