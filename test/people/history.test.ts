// The person looks for what they said before: a search over the transcript, a walk in the box, a suggestion behind the caret.
import { expect, test } from 'bun:test';
import type { MissionControlOptions, PromptHistoryDoor } from '../../src/front/tui/app.ts';
import { DIM } from '../../src/front/tui/frame/cell.ts';
import type { Activity } from '../../src/protocol/view.ts';
import { type Driver, drive } from '../support/driver.ts';

const NOW = 1_700_000_000_000;
const MINUTE = 60_000;
const RUNNING: Activity = { phase: 'tools', turn: 1, since: 0, detail: '', retry: null };
const AT_REST: Activity = { phase: 'idle', turn: null, since: null, detail: '', retry: null };

interface Kept {
  text: string;
  time: number | null;
  workspace: string | null;
}

const kept = (text: string, minutesAgo: number | null = null, workspace: string | null = '/here'): Kept => ({
  text,
  time: minutesAgo,
  workspace,
});

/** `time` of the given records is minutes before now. */
async function withHistory(
  records: readonly (string | Kept)[],
  more: {
    columns?: number;
    environment?: Record<string, string>;
    options?: MissionControlOptions;
    history?: Partial<PromptHistoryDoor>;
  } = {},
): Promise<Driver> {
  let base = 0;
  const probe = await drive();
  base = probe.clock.now();
  const load = async () =>
    records.map((each) =>
      typeof each === 'string' ? each : { ...each, time: each.time === null ? null : base - each.time * MINUTE },
    );
  return drive({
    ...(more.columns === undefined ? {} : { columns: more.columns }),
    ...(more.environment === undefined ? {} : { environment: more.environment }),
    options: {
      ...more.options,
      history: { load, add: () => {}, workspace: Promise.resolve('/here'), ...more.history },
    },
  });
}

test('each row has its age; the chosen prompt is shown whole beside the list, with a count of what is hidden (HIST-3)', async () => {
  const long = Array.from({ length: 60 }, (_, line) => `long ${line}`).join('\n');
  const driver = await withHistory(
    [kept('from before times', null, null), kept('two days old', 2 * 1440), kept('an hour old', 61), kept(long, 5)],
    { columns: 110 },
  );
  await driver.press('ctrl-r');
  const row = (text: string) =>
    driver
      .screenText()
      .split('\n')
      .find((each) => each.includes(text))!;
  expect(row('two days old')).toMatch(/two days old\s+2d │/);
  expect(row('an hour old')).toMatch(/an hour old\s+1h │/);
  expect(row('❯ long 0 ⏎')).toMatch(/\s5m │/);
  expect(row('from before times')).toMatch(/from before times\s+│/);
  const preview = driver
    .screenText()
    .split('\n')
    .map((each) => each.split('│')[2]?.trim() ?? '');
  const shown = preview.filter((each) => /^long \d+$/.test(each));
  expect(shown.slice(0, 3)).toEqual(['long 0', 'long 1', 'long 2']);
  expect(preview).toContain(`⋮ ${60 - shown.length} more lines`);
  await driver.press('up');
  expect(driver.screenText()).not.toContain('more line');
  await driver.resize(60, 30);
  expect(row('an hour old')).toMatch(/an hour old\s+1h │$/);
  await driver.type('zzz');
  expect(driver.screenText()).toContain('Nothing you sent holds all of these words');
});

test('the newest stands at the bottom above the query, begun with the line being written, mid-turn too (HIST-1)', async () => {
  const driver = await withHistory(['old words', 'new words']);
  await driver.publish({ type: 'activity', activity: RUNNING });
  await driver.type('words');
  await driver.press('ctrl-r');
  const rows = driver.screenText().split('\n');
  const at = (text: string) => rows.findIndex((row) => row.includes(text));
  expect(at('old words')).toBeLessThan(at('❯ new words'));
  expect(at('❯ new words')).toBe(at('⌕ words') - 1);
  expect(driver.region('prompt')).toBe('');
  expect(driver.frame.cursor?.y).toBe(at('⌕ words'));
  await driver.press('escape');
  await driver.wait(50);
  expect(driver.draft).toBe('words');
  expect(driver.sentOf('cancel')).toEqual([]);
  await driver.press('ctrl-j');
  await driver.type('and more');
  await driver.press('ctrl-r');
  expect(driver.screenText()).toContain('2 of 2');
});

test('the search closes by Esc, Ctrl-C, its own chord and Backspace past the start; the box stays as it was (HIST-2, STOP-9)', async () => {
  for (const keys of [['escape'], ['ctrl-c'], ['ctrl-r'], ['backspace', 'backspace']]) {
    const driver = await withHistory(['something else']);
    await driver.type('h');
    await driver.press('ctrl-r', ...keys);
    await driver.wait(50);
    expect(driver.screen.modals).toEqual([]);
    expect(driver.draft).toBe('h');
  }
});

test('the stash chord narrows to this workspace and widens again, the scope is named; a moved chord answers (HIST-2, HIST-4, KEY-10)', async () => {
  const records = [kept('mine', 9), kept('elsewhere', 8, '/there'), kept('long ago', null, null)];
  const driver = await withHistory(records, { options: { keybindings: { stash: 'alt-o', history: 'alt-h' } } });
  await driver.press('alt-h');
  expect(driver.screenText()).toContain('all prompts • 3 of 3');
  expect(driver.screenText()).toContain('[Alt-O] This workspace');
  await driver.press('ctrl-s');
  expect(driver.screenText()).toContain('all prompts');
  await driver.press('alt-o');
  expect(driver.screenText()).toContain('this workspace • 1 of 3');
  expect(driver.screenText()).not.toContain('elsewhere');
  expect(driver.screenText()).not.toContain('long ago');
  await driver.press('alt-o');
  expect(driver.screenText()).toContain('elsewhere');
  await driver.press('alt-h');
  expect(driver.screen.modals).toEqual([]);
});

test('with nothing sent the key does nothing; a recalled prompt is no query (HIST-4)', async () => {
  const empty = await withHistory([]);
  await empty.press('ctrl-r');
  expect(empty.screen.modals).toEqual([]);
  const driver = await withHistory(['first', 'second']);
  await driver.press('up', 'ctrl-r');
  expect(driver.screenText()).toContain('2 of 2');
});

test('on a recalled prompt Ctrl-S searches this workspace with an empty query and leaves the stash; once more widens (STASH-2)', async () => {
  const driver = await withHistory([kept('elsewhere', 9, '/there'), kept('older', 8), kept('newer', 7)]);
  await driver.type('put away');
  await driver.press('ctrl-s', 'up', 'up', 'ctrl-s');
  expect(driver.screenText()).toContain('this workspace • 2 of 3');
  expect(driver.screenText()).toContain('❯ newer');
  expect(driver.screen.prompt.stash?.text).toBe('put away');
  await driver.press('ctrl-s');
  expect(driver.screenText()).toContain('all prompts • 3 of 3');
  await driver.press('enter');
  expect(driver.draft).toBe('newer');
  expect(driver.sentOf('say')).toEqual([]);
});

test('the border names the place in the walk and both chords; narrow, the one that narrows goes first (STASH-3, KEY-11)', async () => {
  const driver = await withHistory(['first', 'second'], { options: { keybindings: { history: 'alt-h' } } });
  await driver.press('up', 'up');
  expect(driver.region('prompt')).toContain('Sent before: 1 of 2 • [Alt-H] searches • [Ctrl-S] in this workspace');
  await driver.resize(56, 30);
  expect(driver.region('prompt')).toContain('[Alt-H] searches');
  expect(driver.region('prompt')).not.toContain('[Ctrl-S]');
  await driver.resize(34, 30);
  expect(driver.region('prompt')).toContain('Sent before: 1 of 2');
  expect(driver.region('prompt')).not.toContain('[Alt-H]');
});

test('the stash leaves the shell as it is, and what a line carries comes back with it, mid-turn too (STASH-4, STASH-5)', async () => {
  const driver = await withHistory([]);
  await driver.publish({ type: 'activity', activity: RUNNING });
  await driver.type('see ');
  await driver.paste('one\ntwo\nthree\nfour');
  await driver.press('ctrl-s');
  expect(driver.draft).toBe('');
  await driver.type('!');
  await driver.press('ctrl-s');
  expect(driver.region('prompt')).toContain('Shell');
  expect(driver.draft).toBe('see [Pasted #1 · 4 lines]');
  await driver.press('ctrl-s');
  expect(driver.region('prompt')).toContain('Shell');
  await driver.press('escape');
  await driver.wait(50);
  await driver.press('ctrl-s', 'enter');
  expect(driver.sentOf('say')).toMatchObject([{ delivery: 'steering', text: 'see one\ntwo\nthree\nfour' }]);
  await driver.press('ctrl-s');
  expect(driver.draft).toBe('');
});

test('a second put away replaces the first (STASH-1)', async () => {
  const driver = await withHistory([]);
  await driver.type('one');
  await driver.press('ctrl-s');
  await driver.type('two');
  await driver.press('ctrl-s', 'ctrl-s');
  expect(driver.draft).toBe('two');
  expect(driver.frame.cursor?.x).toBe(driver.find('❯ two')!.x + 5);
});

test('history keeps a paste as its words and a picture as nothing, once the prompt was accepted (HIST-7, PE-22)', async () => {
  const added: string[] = [];
  const driver = await withHistory([], {
    history: { add: (text) => void added.push(text) },
    environment: { WAYLAND_DISPLAY: 'w' },
  });
  driver.session.holdFlush();
  await driver.paste('one\ntwo\nthree\nfour');
  await driver.type(' and more');
  await driver.press('enter');
  expect(added).toEqual([]);
  driver.session.letFlush();
  await driver.wait(50);
  expect(added).toEqual(['one\ntwo\nthree\nfour and more']);
  driver.processes.script('wl-paste --list-types', { out: 'image/png\n' });
  driver.processes.script('wl-paste --type image/png', { out: new Uint8Array([137, 80, 78, 71]) });
  await driver.type('see ');
  await driver.press('ctrl-v');
  await driver.wait(100);
  expect(driver.draft).toBe('see [Image #1]');
  await driver.press('enter');
  expect(added.at(-1)).toBe('see ');
});

test('a prompt stopped at once leaves the kept history, no other does (HIST-8, STOP-7)', async () => {
  const removed: string[] = [];
  const driver = await withHistory([], { history: { remove: (text) => void removed.push(text) } });
  await driver.type('fine\n');
  await driver.publish({
    type: 'outcome',
    outcome: { client: 'me', ref: driver.sentOf('say')[0]!.ref, state: 'done', turn: 1, refusals: 0, messages: [] },
  });
  await driver.type('not this\n');
  expect(removed).toEqual([]);
  await driver.publish({
    type: 'outcome',
    outcome: { client: 'me', ref: driver.sentOf('say')[1]!.ref, state: 'stopped', turn: 2, refusals: 0, messages: [] },
  });
  expect(removed).toEqual(['not this']);
  await driver.press('up');
  expect(driver.draft).toBe('fine');
});

test('a marker that comes back from the kept history stands for nothing (MARK-7, MARK-6)', async () => {
  const driver = await withHistory(['look at [Image #1]']);
  await driver.press('up', 'backspace');
  expect(driver.draft).toBe('look at [Image #1');
  await driver.type(']\n');
  expect(driver.sentOf('say')).toMatchObject([{ text: 'look at [Image #1]', attachments: [] }]);
});

test('a suggestion is dim behind the caret, the most frequent first, then the newest; case counts (PE-19)', async () => {
  const driver = await withHistory([
    kept('run all tests', 9),
    kept('run all tests', 8),
    kept('run the build', 7),
    kept('Run away', 6),
  ]);
  await driver.type('run');
  const at = driver.find('❯ run all tests')!;
  expect(driver.draft).toBe('run');
  expect(driver.cell(at.x + 5, at.y).fg).not.toBe(driver.cell(at.x + 2, at.y).fg);
  await driver.type(' t');
  expect(driver.region('prompt')).toContain('❯ run the build');
  await driver.type('x');
  expect(driver.region('prompt')).not.toContain('build');
});

test('Right at the end takes it as one step of undo, Esc puts it away until the draft changes, Enter sends what was typed (PE-20)', async () => {
  const driver = await withHistory([kept('run all tests', 9)]);
  await driver.type('run');
  await driver.press('left', 'right');
  expect(driver.draft).toBe('run');
  await driver.press('right');
  expect(driver.draft).toBe('run all tests');
  await driver.press('ctrl-z');
  expect(driver.draft).toBe('run');
  await driver.press('escape');
  await driver.wait(50);
  expect(driver.draft).toBe('run');
  expect(driver.region('prompt')).not.toContain('all tests');
  await driver.type(' ');
  expect(driver.region('prompt')).toContain('run all tests');
  await driver.press('enter');
  expect(driver.sentOf('say').map((say) => say.text)).toEqual(['run ']);
});

test('none stands where a completion is open, and none is longer than 4 KiB (PE-20, PE-22)', async () => {
  const driver = await withHistory([kept('/theme in other colours', 9), kept(`long ${'x '.repeat(2_048)}`, 8)]);
  await driver.type('/th');
  expect(driver.screen.completion).not.toBeNull();
  expect(driver.region('prompt')).not.toContain('other colours');
  await driver.press('escape');
  await driver.wait(50);
  expect(driver.region('prompt')).toContain('other colours');
  await driver.press('ctrl-a', 'backspace');
  await driver.type('lon');
  expect(driver.region('prompt')).not.toContain('long');
});

test('nothing of another project, of several lines, with a path or a secret is suggested (PE-21, PE-22)', async () => {
  const driver = await withHistory([
    kept('go north', 99),
    kept('go elsewhere', 9, '/there'),
    kept('go\nfor lines', 8),
    kept('go to /etc/passwd', 7),
    kept('go with password=hunter2', 6),
    kept('go sk-ant-REDACTED', 5),
  ]);
  await driver.type('go');
  expect(driver.region('prompt')).toContain('❯ go north');
});

test('under NO_COLOR a suggestion is still told from what was typed (PE-19, UP-05)', async () => {
  const driver = await drive({
    environment: { NO_COLOR: '1' },
    options: { history: { load: async () => [{ text: 'run it', time: NOW, workspace: '/project' }], add: () => {} } },
  });
  await driver.type('run');
  const at = driver.find('❯ run it')!;
  expect(driver.cell(at.x + 6, at.y).attributes & DIM).toBe(DIM);
  expect(driver.cell(at.x + 2, at.y).attributes & DIM).toBe(0);
  await driver.publish({ type: 'activity', activity: AT_REST });
});
