// The settings, as a person changes them: the files are true, the session's catalogue is by hand.
import { expect, test } from 'bun:test';
// Loaded before, so that no test waits for the disk.
import 'jsonc-parser';
import '../../src/front/tui/modals/settings-part.ts';
import { createSettingsDoor } from '../../src/cli/settings-door.ts';
import type { Session } from '../../src/protocol/session.ts';
import { createMemoryClock } from '../../src/system/memory/clock.ts';
import { createMemoryFiles } from '../../src/system/memory/files.ts';
import { createMemorySystem } from '../../src/system/memory/system.ts';
import { type DriverOptions, drive } from '../support/driver.ts';

const OWN = '/config/settings.json';
const PROJECT = '/project/.houston/settings.json';
const FIRST = '{\n  // mine\n  "thinking": "status", // keep me\n  "editor": { "maxRows": 4 },\n}\n';

async function atSettings(
  options: Pick<DriverOptions, 'columns' | 'rows' | 'environment'> & {
    readonly own?: string;
    readonly project?: string;
    readonly models?: readonly string[];
    readonly refreshed?: readonly string[];
    readonly reached?: boolean;
  } = {},
) {
  const clock = createMemoryClock();
  const files = createMemoryFiles(clock);
  const system = { ...createMemorySystem(), clock, files };
  await files.makeFolder('/config', 0o700);
  await files.makeFolder('/project', 0o755);
  const put = (file: string, text: string) =>
    files.writeAtomic(file, new TextEncoder().encode(text), { mode: 0o600, flush: true });
  await put(OWN, options.own ?? FIRST);
  if (options.project !== undefined) {
    await files.makeFolder('/project/.houston', 0o755);
    await put(PROJECT, options.project);
  }
  let models = options.models ?? ['acme:big', 'acme:small', 'other:one'];
  const asked: boolean[] = [];
  const wrap = (session: Session): Session => ({
    attach: (attach, listener) => session.attach(attach, listener),
    send: (intent, client) => session.send(intent, client),
    read: (async (query: { type: string; refresh?: boolean }, client: string) => {
      if (query.type !== 'models') return session.read(query as never, client);
      asked.push(query.refresh === true);
      if (query.refresh === true) models = options.refreshed ?? models;
      const rows = models.map((value) => ({ value, description: value.split(':')[0] ?? '' }));
      return { ok: true, value: { models: rows, reached: options.reached ?? true } };
    }) as Session['read'],
  });
  const settings = createSettingsDoor(system, { config: '/config', project: '/project', argument: null });
  const { columns = 100, rows = 30, environment = {} } = options;
  const driver = await drive({ columns, rows, environment, wrap, options: { settings } });
  await driver.type('/settings\n');
  for (let turn = 0; turn < 200 && !driver.screenText().includes('● Context'); turn++) await driver.wait(20);
  await driver.wait(20);
  const settle = async () => {
    for (let turn = 0; turn < 20; turn++) await driver.wait(20);
  };
  return {
    driver,
    asked,
    settle,
    text: async (file = OWN) => new TextDecoder().decode(await files.read(file, 100_000)),
    exists: async (file: string) => (await files.stat(file)) !== null,
    write: (text: string, file = OWN) => put(file, text),
    /** Moves to a row by its words. */
    to: async (words: string) => {
      await driver.press('home');
      for (let turn = 0; turn < 60 && !chosenRow(driver.screenText()).includes(words); turn++)
        await driver.press('down');
      expect(chosenRow(driver.screenText())).toContain(words);
    },
    tab: async (name: string) => {
      for (let turn = 0; turn < 6 && !driver.screenText().includes(`● ${name}`); turn++) await driver.press('tab');
      expect(driver.screenText()).toContain(`● ${name}`);
    },
    save: async () => {
      await driver.press('ctrl-s');
      for (let turn = 0; turn < 200 && driver.screenText().includes('Saving…'); turn++) await driver.wait(20);
      await settle();
    },
  };
}

function chosenRow(text: string): string {
  return text.split('\n').find((line) => /^│ ❯ /.test(line)) ?? '';
}

test('six tabs; Tab goes through them and round (SE-1)', async () => {
  const { driver } = await atSettings();
  const names = ['Context', 'Agent settings', 'Models', 'Tools', 'Internal Tooling', 'Other'];
  const row =
    driver
      .screenText()
      .split('\n')
      .find((line) => line.includes('● Context')) ?? '';
  expect(row.replace(/[│●]/g, ' ').trim().split(/ {2,}/)).toEqual(names);
  for (const name of [...names.slice(1), 'Context']) {
    await driver.press('tab');
    expect(driver.screenText()).toContain(`● ${name}`);
  }
  await driver.press('shift-tab');
  expect(driver.screenText()).toContain('● Other');
});

test('Ctrl-G turns between the two scopes; Project shows what is inherited beside its own (SE-2, SE-8)', async () => {
  const { driver, tab, to, save, text } = await atSettings({ project: '{"run": {"scrubEnv": ["SECRET"]}}\n' });
  expect(driver.screenText()).toContain('Settings • Global');
  await tab('Other');
  await to('editor.maxRows');
  expect(chosenRow(driver.screenText())).toMatch(/editor\.maxRows +4 /);
  await driver.press('ctrl-g');
  expect(driver.screenText()).toContain('Settings • Project');
  expect(chosenRow(driver.screenText())).toMatch(/editor\.maxRows +4 \(global\)/);
  // The person's alone: a project does not say it.
  await driver.press('enter');
  expect(driver.screenText()).toContain('editor.maxRows can be set by you only, not by a project');
  await tab('Tools');
  await to('run.scrubEnv');
  expect(chosenRow(driver.screenText())).toMatch(/run\.scrubEnv +\["SECRET"\] /);
  await to('run.network');
  await driver.press('enter');
  expect(chosenRow(driver.screenText())).toMatch(/run\.network +\* closed/);
  await save();
  expect(await text(PROJECT)).toContain('"network": "closed"');
  expect(await text()).toBe(FIRST);
  await driver.press('ctrl-g');
  expect(driver.screenText()).toContain('Settings • Global');
});

test('every edit is a draft until Ctrl-S; comments stay, and it is read again as /reload does (SE-3)', async () => {
  const { driver, tab, to, save, text, settle } = await atSettings();
  await tab('Agent settings');
  await to('thinking');
  await driver.press('right');
  expect(chosenRow(driver.screenText())).toMatch(/thinking +\* transcript/);
  expect(driver.screenText()).toContain('1 not saved');
  await tab('Other');
  await to('editor.maxRows');
  await driver.press('enter', 'ctrl-u');
  await driver.type('77\n');
  expect(driver.screenText()).toContain('editor.maxRows is a whole number, 1 to 50');
  await driver.press('backspace', 'enter');
  expect(chosenRow(driver.screenText())).toMatch(/editor\.maxRows +\* 7/);
  await settle();
  expect(await text()).toBe(FIRST);
  expect(driver.sentOf('command')).toEqual([]);
  await save();
  expect(await text()).toBe(FIRST.replace('"status"', '"transcript"').replace('4', '7'));
  expect(driver.sentOf('command').map(({ name }) => name)).toEqual(['reload']);
  // What waits is named; what holds at once is not.
  expect(driver.screenText()).toContain('Saved • for sessions opened from now on: thinking');
  expect(driver.screenText()).not.toContain('not saved');
  await driver.press('escape');
  expect(driver.screen.modals).toEqual([]);
});

test('leaving over what is not saved is asked about once; what cannot be written stays a draft', async () => {
  const { driver, tab, to, save, text, write } = await atSettings();
  await tab('Other');
  await to('interface.reducedMotion');
  await driver.press(' ');
  await write('{ half');
  await save();
  expect(driver.screenText()).toContain('Not saved: /config/settings.json can not be written, or is not understood');
  expect(driver.screenText()).toContain('1 not saved');
  await driver.press('escape');
  expect(driver.screenText()).toContain('1 change is not saved: Esc once more forgets it');
  await driver.press('up');
  expect(driver.screenText()).not.toContain('once more');
  await driver.press('escape', 'escape');
  expect(driver.screen.modals).toEqual([]);
  expect(await text()).toBe('{ half');
});

test('Del takes a setting out of its file, and what another wrote meanwhile stays', async () => {
  const { driver, tab, to, save, text, write } = await atSettings();
  await tab('Other');
  await to('editor.maxRows');
  await driver.press('delete');
  expect(chosenRow(driver.screenText())).toMatch(/editor\.maxRows +10 \(initial\)/);
  await write('{ "editor": { "maxRows": 4 }, "effort": "high" /* theirs */ }');
  await save();
  expect(await text()).toContain('"effort": "high" /* theirs */');
  expect(await text()).not.toContain('maxRows');
});

test('the catalogue is read, and asked only by its button: clicked, or reached by a key and entered (SE-4)', async () => {
  const more = ['acme:big', 'acme:small', 'other:one', 'new:born'];
  const { driver, tab, asked, settle } = await atSettings({ refreshed: more });
  await tab('Models');
  expect(driver.screenText()).toContain('other:one');
  // Enter on what one comes to first, and Home, are not the button.
  await driver.press('home');
  expect(chosenRow(driver.screenText())).not.toContain('Refresh');
  expect(asked).toEqual([false]);
  await driver.press('up', ' ');
  expect(chosenRow(driver.screenText())).toContain('Refresh catalog');
  expect(asked).toEqual([false]);
  await driver.press('enter');
  await settle();
  expect(asked).toEqual([false, true]);
  expect(driver.screenText()).toContain('new:born');
  expect(driver.screenText()).toContain('The catalog is fresh');
  const button = driver.find('Refresh catalog')!;
  await driver.mouse('press', button.x, button.y);
  await settle();
  expect(asked).toEqual([false, true, true]);
});

test('a catalogue that cannot be reached says so and leaves what was known', async () => {
  const { driver, tab, settle } = await atSettings({ reached: false });
  await tab('Models');
  await driver.press('up', 'enter');
  await settle();
  expect(driver.screenText()).toContain('The catalog could not be reached');
  expect(driver.screenText()).toContain('other:one');
});

test('the picker of a model offers what is enabled, drafts included; Enter takes into the draft, Esc nothing (SE-6)', async () => {
  const { driver, tab, to, save, text, asked } = await atSettings();
  await tab('Models');
  await to('acme:small');
  await driver.press(' ');
  expect(chosenRow(driver.screenText())).toContain('● acme:small');
  await to('other:one');
  await driver.press(' ');
  await tab('Agent settings');
  expect(chosenRow(driver.screenText())).toMatch(/❯ model +unset/);
  await driver.press('enter');
  expect(driver.screenText()).toContain('acme:small');
  expect(driver.screenText()).toContain('other:one');
  expect(driver.screenText()).not.toContain('acme:big');
  await driver.press('escape');
  expect(chosenRow(driver.screenText())).toMatch(/❯ model +unset/);
  await driver.press('enter');
  await driver.type('other\n');
  expect(chosenRow(driver.screenText())).toMatch(/❯ model +\* other:one/);
  expect(asked).toEqual([false]);
  await save();
  expect(await text()).toContain('"model": "other:one"');
  expect(await text()).toMatch(/"enabled": \[\s*"acme:small",\s*"other:one"\s*\]/);
});

test('Tab and Ctrl-G leave a choice that was not taken, then do what they do; nothing is asked of the catalogue (SE-7)', async () => {
  const { driver, tab, asked, text, save } = await atSettings();
  await tab('Agent settings');
  await driver.press('enter', 'down', 'tab');
  expect(driver.screenText()).toContain('● Models');
  await driver.press('shift-tab', 'enter', 'down', 'ctrl-g');
  expect(driver.screenText()).toContain('Settings • Project');
  expect(driver.screenText()).not.toContain('⌕');
  await save();
  expect(driver.screenText()).toContain('Nothing was changed');
  expect(await text()).toBe(FIRST);
  expect(asked).toEqual([false]);
});

test('a click chooses a row and the next one changes it; tabs and the scope are clicked too', async () => {
  const { driver } = await atSettings();
  const other = driver.find('Other')!;
  await driver.mouse('press', other.x, other.y);
  const row = driver.find('interface.reducedMotion')!;
  await driver.mouse('press', row.x, row.y);
  expect(chosenRow(driver.screenText())).toMatch(/reducedMotion +off/);
  await driver.mouse('press', row.x, row.y);
  expect(chosenRow(driver.screenText())).toMatch(/reducedMotion +\* on/);
  const scope = driver.find('Global')!;
  await driver.mouse('press', scope.x, scope.y);
  expect(driver.screenText()).toContain('Settings • Project');
});

test('what a project keeps outside of itself is not written', async () => {
  const clock = createMemoryClock();
  const files = createMemoryFiles(clock);
  await files.makeFolder('/config', 0o700);
  await files.makeFolder('/project/.houston', 0o755);
  await files.writeAtomic(OWN, new TextEncoder().encode(FIRST), { mode: 0o600, flush: true });
  await files.makeLink('/config/settings.json', PROJECT);
  const door = createSettingsDoor(
    { ...createMemorySystem(), clock, files },
    { config: '/config', project: '/project', argument: null },
  );
  const edit = { scope: 'project', key: 'run.scrubEnv', value: ['A'] } as const;
  expect(await door.save([edit])).toBe('Not saved: the settings of a project must lie in it');
  expect(new TextDecoder().decode(await files.read(OWN, 10_000))).toBe(FIRST);
});

test('without colour the tab, the chosen row and a draft are told by their glyphs; in few rows one can still choose and save', async () => {
  const { driver, tab, to, save, text } = await atSettings({ environment: { NO_COLOR: '1' }, columns: 44, rows: 9 });
  await tab('Other');
  expect(driver.screenText()).toContain('● Other 6 of 6');
  await to('interface.reduc');
  await driver.press(' ');
  expect(chosenRow(driver.screenText())).toContain('* on');
  await save();
  expect(await text()).toContain('"reducedMotion": true');
});

test('where the session lies elsewhere its settings are not changed from here', async () => {
  const driver = await drive();
  await driver.type('/settings\n');
  await driver.wait(50);
  expect(driver.screen.modals).toEqual([]);
  expect(driver.screenText()).toContain('The settings of a session elsewhere are changed where it runs');
});
