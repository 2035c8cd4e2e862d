// The column at the right edge: panels over the transcript or beside it, opened and closed by keys and mouse.
import { expect, test } from 'bun:test';
import '../../src/front/tui/panels/column.ts';
import { NO_STACK, type PanelStack } from '../../src/front/tui/panels/stack.ts';
import { makeTheme } from '../../src/front/tui/theme.ts';
import { type Driver, type DriverOptions, drive } from '../support/driver.ts';
import { sampleAsk, sampleCall, sampleItem, sampleView } from '../support/sample-view.ts';

async function sample(options: DriverOptions = {}): Promise<Driver> {
  const driver = await drive({ columns: 120, rows: 40, ...options });
  await driver.publish({ type: 'branch', view: { ...sampleView(), seq: driver.session.view.seq + 1 } });
  await driver.wait(500);
  return driver;
}

const TITLES: Readonly<Record<string, string>> = {
  'Activity Tree': 'tree',
  Activities: 'tree',
  Tree: 'tree',
  'Audit Trail': 'trail',
  Trail: 'trail',
  'Session Files': 'files',
  Files: 'files',
  Summary: 'summary',
};

/** The panels that are drawn, from top to bottom. */
function shown(driver: Driver): string[] {
  const found = driver
    .screenText()
    .matchAll(/╭─ (Activity Tree|Activities|Tree|Audit Trail|Trail|Session Files|Files|Summary) /g);
  return [...found].map((one) => TITLES[one[1]!]!);
}

/** The rectangle of a panel as it lies on the screen. */
function areaOf(driver: Driver, name: 'tree' | 'files' | 'summary') {
  const cells: { x: number; y: number }[] = [];
  for (let y = 0; y < driver.frame.height; y++)
    for (let x = 0; x < driver.frame.width; x++) {
      const target = driver.frame.hitAt(x, y);
      if (target?.region === 'panel' && target.item === name) cells.push({ x, y });
    }
  const [xs, ys] = [cells.map(({ x }) => x), cells.map(({ y }) => y)];
  const [x, y] = [Math.min(...xs), Math.min(...ys)];
  return { x, y, width: Math.max(...xs) - x + 1, height: Math.max(...ys) - y + 1 };
}

async function click(driver: Driver, x: number, y: number): Promise<void> {
  await driver.mouse('press', x, y);
  await driver.mouse('release', x, y);
  // The next click is one of its own.
  await driver.wait(500);
}

async function clickOn(driver: Driver, text: string, within = 0): Promise<void> {
  const at = driver.find(text)!;
  await click(driver, at.x + within, at.y);
}

const layout = ({ screen }: Driver): PanelStack => screen.panels.stack;
const transcriptRows = (driver: Driver) => driver.region('transcript').split('\n');

test('Alt-1, Alt-2 and Alt-3 open and close their panels, each below those that are open, in equal heights (LA-6, LA-8, LA-9)', async () => {
  const driver = await sample();
  expect(shown(driver)).toEqual([]);
  await driver.press('alt-3', 'alt-1', 'alt-2');
  expect(shown(driver)).toEqual(['summary', 'tree', 'files']);
  // Between header and prompt: 33 rows, so many for each.
  expect(areaOf(driver, 'summary')).toEqual({ x: 80, y: 3, width: 40, height: 11 });
  expect(areaOf(driver, 'tree')).toMatchObject({ y: 14, height: 11 });
  expect(areaOf(driver, 'files')).toMatchObject({ y: 25, height: 11 });
  expect(driver.find('╭─ Ready')!.y).toBe(36);
  await driver.resize(120, 42);
  // Two rows more: one each for the topmost.
  expect((['summary', 'tree', 'files'] as const).map((name) => areaOf(driver, name).height)).toEqual([12, 12, 11]);
  await driver.press('alt-1');
  expect(shown(driver)).toEqual(['summary', 'files']);
  expect((['summary', 'files'] as const).map((name) => areaOf(driver, name).height)).toEqual([18, 17]);
  await driver.press('alt-1');
  expect(shown(driver)).toEqual(['summary', 'files', 'tree']);
});

test('a panel is a third of the transcript wide, 27 columns at least, and no wider than there is room (LA-7)', async () => {
  const driver = await sample();
  await driver.press('alt-1');
  for (const columns of [200, 120, 90, 81, 80, 60, 40]) {
    await driver.resize(columns, 40);
    expect(areaOf(driver, 'tree').width).toBe(Math.max(27, Math.floor(columns / 3)));
  }
  await driver.resize(20, 40);
  expect(areaOf(driver, 'tree')).toMatchObject({ x: 0, width: 20 });
});

test('what lies over the transcript moves nothing: not its rows, not the focus, not the draft; each scrolls by itself (LA-10)', async () => {
  const driver = await sample();
  await driver.type('half a thought');
  const before = transcriptRows(driver).map((row) => row.slice(0, 80));
  for (const chord of ['alt-3', 'alt-2', 'alt-1']) {
    await driver.press(chord);
    expect(transcriptRows(driver).map((row) => row.slice(0, 80))).toEqual(before);
    expect(driver.draft).toBe('half a thought');
    expect(driver.screen.focus).toBe('prompt');
  }
  const summary = areaOf(driver, 'summary');
  await driver.mouse('wheel-down', summary.x + 5, summary.y + 5);
  const top = driver.frame.rows()[summary.y + 1]!.slice(summary.x);
  expect(top).not.toContain('Session ──');
  const tree = areaOf(driver, 'tree');
  expect(driver.frame.rows()[tree.y + 1]).toContain('▾ ●');
  await driver.press('alt-3', 'alt-3');
  const again = areaOf(driver, 'summary');
  expect(driver.frame.rows()[again.y + 1]!.slice(again.x)).toBe(top);
});

test('the key, the words at its top right and its button close one panel alone (LA-11, LA-14)', async () => {
  const driver = await sample();
  for (const close of ['[Alt-2] Hide', '[X]'] as const) {
    await driver.press('alt-1', 'alt-2', 'alt-3');
    const area = areaOf(driver, 'files');
    const y = close === '[X]' ? area.y + area.height - 1 : area.y;
    const x = driver.frame.rows()[y]!.indexOf(close, area.x);
    expect(x).toBeGreaterThan(area.x + area.width / 2);
    await click(driver, x + 1, y);
    expect(layout(driver).open).toEqual(['tree', 'summary']);
    await driver.press('alt-1', 'alt-3');
    expect(layout(driver).open).toEqual([]);
  }
});

test('each panel names the key that hides it, pinned or not; only the focused one names more, in the colour of the focus (LA-14)', async () => {
  const driver = await sample();
  const accent = makeTheme('dark', { background: null, foreground: null }, true).styles.accent.fg;
  for (const pinned of [false, true]) {
    if (pinned) await driver.press('alt-a');
    else await driver.press('alt-1', 'alt-2', 'alt-3');
    for (const columns of [120, 80, 54]) {
      await driver.resize(columns, 40);
      const rows = driver.frame.rows();
      for (const [name, words] of [
        ['tree', '[Alt-1] Hide ─╮'],
        ['files', '[Alt-2] Hide ─╮'],
        ['summary', '[Alt-3] Hide ─╮'],
      ] as const)
        expect(rows[areaOf(driver, name).y]).toEndWith(words);
      expect(driver.screenText()).not.toContain('[↑↓] ');
    }
    await driver.resize(120, 40);
    const tree = areaOf(driver, 'tree');
    expect(driver.cell(tree.x, tree.y).fg).not.toBe(accent!);
    await click(driver, tree.x + 5, tree.y);
    expect(driver.screen.focus).toBe('tree');
    expect(driver.cell(tree.x, tree.y).fg).toBe(accent!);
    expect(driver.frame.rows()[tree.y + tree.height - 1]).toContain('[Enter] Detail');
    expect(driver.frame.rows()[areaOf(driver, 'files').y + areaOf(driver, 'files').height - 1]).not.toContain('[↑↓]');
    await clickOn(driver, '❯ What shall');
  }
});

test('Esc closes the focused panel, else the last opened, once nothing is offered any more; the draft stays (LA-12)', async () => {
  const driver = await sample();
  await driver.press('alt-1', 'alt-2', 'alt-3');
  await driver.type('/he');
  expect(driver.screen.completion).not.toBeNull();
  await driver.press('escape');
  expect(driver.screen.completion).toBeNull();
  expect(layout(driver).open).toEqual(['tree', 'files', 'summary']);
  const tree = areaOf(driver, 'tree');
  await click(driver, tree.x + 4, tree.y);
  await driver.press('escape');
  expect(layout(driver).open).toEqual(['files', 'summary']);
  expect(driver.screen.focus).toBe('prompt');
  await driver.press('escape');
  expect(layout(driver).open).toEqual(['files']);
  await driver.press('escape');
  expect(layout(driver)).toEqual(NO_STACK);
  expect(driver.draft).toBe('/he');
  await driver.press('escape');
  expect(driver.draft).toBe('');
});

test('pinned, all of them stand beside the transcript, which gives them its columns; Esc leaves them (LA-15, LA-21)', async () => {
  const driver = await sample();
  await driver.press('alt-1', 'alt-3', 'alt-a');
  expect(layout(driver)).toEqual({ open: ['tree', 'summary'], pinned: true, unpinCloses: false });
  expect(areaOf(driver, 'tree')).toMatchObject({ x: 80, width: 40 });
  for (const row of transcriptRows(driver).slice(1, -1)) expect(row.slice(79, 81)).toMatch(/^[│┃][│╭╰]/);
  for (const focus of ['prompt', 'tree']) {
    if (focus === 'tree') await driver.press('tab', 'tab');
    await driver.press('escape', 'escape');
    expect(layout(driver).open).toEqual(['tree', 'summary']);
    expect(driver.screen.focus).toBe('prompt');
  }
  await clickOn(driver, '[Alt-A] Pin', 9);
  expect(layout(driver)).toEqual({ open: ['tree', 'summary'], pinned: false, unpinCloses: false });
});

test('pinning none opens all three until they are let go; those that were open before stay as overlays (LA-16, LA-17)', async () => {
  const driver = await sample();
  await driver.press('alt-a');
  expect(shown(driver)).toEqual(['tree', 'files', 'summary']);
  expect(layout(driver).pinned).toBe(true);
  await driver.press('alt-a');
  expect(shown(driver)).toEqual([]);
  await driver.press('alt-2', 'alt-a', 'alt-a');
  expect(layout(driver)).toEqual({ open: ['files'], pinned: false, unpinCloses: false });
});

test('the last panel that closes takes the pin with it and gives the transcript its columns back (LA-18)', async () => {
  const driver = await sample();
  const before = driver.screenText();
  await driver.press('alt-1', 'alt-a');
  expect(driver.screenText()).not.toBe(before);
  await driver.press('alt-1');
  expect(layout(driver)).toEqual(NO_STACK);
  await driver.wait(1000);
  expect(driver.screenText()).toBe(before);
});

test('however narrow the terminal is, pinned panels leave the transcript half of it (LA-19)', async () => {
  const driver = await sample();
  await driver.press('alt-a');
  for (const columns of [120, 80, 60, 50, 41, 30, 20]) {
    await driver.resize(columns, 30);
    const { x, width } = areaOf(driver, 'tree');
    expect(x + width).toBe(columns);
    expect(x).toBeGreaterThanOrEqual(columns / 2);
    expect(width).toBe(Math.min(Math.max(27, Math.floor(columns / 3)), Math.floor(columns / 2)));
  }
});

test('the header’s entries are the toggles, marked while open, and the pin beside them; its key keeps its colour (LA-4, LA-6)', async () => {
  const driver = await sample();
  const { styles } = makeTheme('dark', { background: null, foreground: null }, true);
  const entries = () => driver.region('header').split('\n')[0]!;
  const colour = (text: string) => {
    const at = driver.find(text)!;
    return driver.cell(at.x + text.length - 1, at.y).fg;
  };
  expect(entries()).toEndWith('[Alt+1-3] [ ] Activities, [ ] Files, [ ] Summary • [Alt-A] Pin');
  const quiet = colour('[ ] Files');
  await clickOn(driver, '[ ] Files', 2);
  expect(layout(driver).open).toEqual(['files']);
  expect(entries()).toEndWith('[Alt+1-3] [ ] Activities, [•] Files, [ ] Summary • [Alt-A] Pin');
  expect(colour('[•] Files')).toBe(styles.signal.fg!);
  expect(colour('[ ] Summary')).toBe(quiet);
  await clickOn(driver, '[ ] Activities', 6);
  expect(layout(driver).open).toEqual(['files', 'tree']);
  const key = () => driver.cell(driver.find('[Alt-A]')!.x, 0).fg;
  expect([key(), colour('Pin')]).toEqual([styles.accent.fg!, quiet]);
  await clickOn(driver, ' Pin', 1);
  expect(layout(driver).pinned).toBe(true);
  expect([key(), colour('Pin')]).toEqual([styles.accent.fg!, styles.signal.fg!]);
  await clickOn(driver, '[•] Files', 0);
  expect(layout(driver).open).toEqual(['tree']);
});

test('a letter, a digit or a slash goes to the prompt from any panel, which stays open; so does a click there (LA-25)', async () => {
  const driver = await sample();
  await driver.press('alt-a');
  for (const name of ['tree', 'files', 'summary'] as const) {
    const area = areaOf(driver, name);
    await click(driver, area.x + 4, area.y);
    expect(driver.screen.focus).toBe(name);
    await driver.type('a7');
    expect(driver.screen.focus).toBe('prompt');
    expect(driver.draft).toEndWith('a7');
    await click(driver, area.x + 4, area.y);
    await clickOn(driver, '❯ a7');
    expect(driver.screen.focus).toBe('prompt');
    expect(layout(driver).open).toHaveLength(3);
  }
  await driver.press('ctrl-c', 'tab', 'tab');
  expect(driver.screen.focus).toBe('tree');
  await driver.type('/he');
  expect(driver.screen.completion).not.toBeNull();
  await driver.press('escape');
  await driver.paste('lp me');
  expect(driver.draft).toBe('/help me');
});

test('Tab goes round prompt, transcript and the pinned panels from top to bottom; overlays stay out of it (LA-26)', async () => {
  const driver = await sample();
  const round = async (count: number) => {
    const places: string[] = [];
    for (let step = 0; step < count; step++) {
      await driver.press('tab');
      places.push(driver.screen.focus);
    }
    return places;
  };
  await driver.press('alt-3', 'alt-1');
  expect(await round(4)).toEqual(['transcript', 'prompt', 'transcript', 'prompt']);
  await driver.press('alt-a');
  expect(await round(4)).toEqual(['transcript', 'summary', 'tree', 'prompt']);
  // A completion takes the key.
  await driver.type('/hel');
  await driver.press('tab');
  expect(driver.draft).toStartWith('/help');
  expect(driver.screen.focus).toBe('prompt');
});

test('a click focuses a panel where it stands; the transcript beside it can be clicked and scrolled (LA-27)', async () => {
  const driver = await sample();
  await driver.press('alt-a');
  const files = areaOf(driver, 'files');
  await click(driver, files.x + 5, files.y + 3);
  expect(driver.screen.focus).toBe('files');
  expect(layout(driver).open).toEqual(['tree', 'files', 'summary']);
  const first = transcriptRows(driver)[2]!.slice(0, 70);
  await driver.mouse('wheel-up', 10, 10);
  expect(transcriptRows(driver)[2]!.slice(0, 70)).not.toBe(first);
  expect(driver.screen.focus).toBe('files');
  await clickOn(driver, '+2 -1');
  expect(driver.screen.modals.at(-1)?.kind).toBe('scroller');
  await driver.press('escape');
  expect(driver.screen.focus).toBe('transcript');
});

test('keys move what has the focus, the wheel what lies under the pointer, whoever has the focus (LA-28)', async () => {
  const driver = await sample({ rows: 24 });
  await driver.press('alt-a');
  const rows = (name: 'tree' | 'files' | 'summary') => {
    const { x, y, height } = areaOf(driver, name);
    return driver.frame
      .rows()
      .slice(y, y + height)
      .map((row) => row.slice(x));
  };
  const summary = areaOf(driver, 'summary');
  await click(driver, summary.x + 4, summary.y);
  const [treeBefore, transcriptBefore] = [rows('tree'), transcriptRows(driver).map((row) => row.slice(0, 70))];
  const before = rows('summary');
  await driver.press('down');
  expect(rows('summary').slice(1, 3)).toEqual(
    before.slice(2, 4).map((row) => expect.stringContaining(row.slice(0, 30))),
  );
  await driver.press('end');
  expect(rows('summary').join('\n')).toContain('hides the panels');
  await driver.press('home', 'pagedown', 'pageup');
  expect(rows('summary')).toEqual(before);
  expect(rows('tree')).toEqual(treeBefore);
  expect(transcriptRows(driver).map((row) => row.slice(0, 70))).toEqual(transcriptBefore);
  const tree = areaOf(driver, 'tree');
  await driver.mouse('wheel-up', tree.x + 5, tree.y + 2);
  expect(rows('tree')).not.toEqual(treeBefore);
  expect(rows('summary')).toEqual(before);
  expect(driver.screen.focus).toBe('summary');
});

test('Ctrl-X puts the whole column away and brings it back as it was; /panel does the same while a turn runs (PAN-1)', async () => {
  const driver = await sample();
  await driver.press('ctrl-x');
  expect(shown(driver)).toEqual(['summary']);
  await driver.press('alt-2', 'alt-a', 'ctrl-x');
  expect(shown(driver)).toEqual([]);
  await driver.publish({
    type: 'activity',
    activity: { phase: 'writing', turn: 3, since: 0, detail: '', retry: null },
  });
  await driver.type('/panel\n');
  expect(layout(driver)).toEqual({ open: ['summary', 'files'], pinned: true, unpinCloses: false });
  expect(driver.sentOf('say')).toEqual([]);
  await driver.type('/panel\n');
  expect(shown(driver)).toEqual([]);
});

test('a question lies over the panels and can be answered beside them', async () => {
  const driver = await sample();
  await driver.press('alt-1', 'alt-2', 'alt-3');
  await driver.publish({ type: 'ask', ask: sampleAsk() });
  const dialog = driver.find('[y]')!;
  expect(driver.frame.hitAt(dialog.x, dialog.y)?.region).toBe('question');
  const rows = driver.frame.rows();
  const top = rows.findIndex((_, y) => driver.frame.hitAt(1, y)?.region === 'question');
  for (let y = top; y < dialog.y; y++) expect(driver.frame.hitAt(118, y)?.region).toBe('question');
  expect(shown(driver)).toEqual(['tree', 'files', 'summary']);
});

test('where it cannot be, nothing is drawn and nothing breaks: any size, pinned or not, open or with a question', async () => {
  const driver = await sample();
  for (const keys of [['alt-1', 'alt-2', 'alt-3'], ['alt-a'], ['tab', 'tab', 'up', 'up']]) {
    await driver.press(...keys);
    for (const [columns, rows] of [
      [1, 1],
      [2, 30],
      [30, 2],
      [27, 8],
      [28, 5],
      [300, 3],
      [3, 100],
      [120, 40],
    ] as const) {
      await driver.resize(columns, rows);
      for (const [x, y] of [
        [0, 0],
        [columns - 1, 0],
        [columns - 1, rows - 1],
        [columns >> 1, rows >> 1],
      ] as const) {
        await driver.mouse('wheel-down', x, y);
        await driver.mouse('wheel-up', x, y);
      }
      expect(driver.left).toBeNull();
    }
  }
  await driver.publish({ type: 'ask', ask: sampleAsk() });
  for (const [columns, rows] of [
    [1, 1],
    [40, 9],
    [120, 12],
    [120, 40],
  ] as const)
    await driver.resize(columns, rows);
  expect(driver.left).toBeNull();
});

test('every cell may be clicked with panels open over and beside the transcript, and what stays as drawn is what would be drawn', async () => {
  for (const keys of [['alt-1', 'alt-2', 'alt-3'], ['alt-a']]) {
    const driver = await sample({ columns: 66, rows: 22 });
    for (let y = 0; y < 22; y += 1)
      for (let x = (y * 7) % 11; x < 66; x += 11) {
        if (driver.screen.modals.length > 0) await driver.press('escape');
        if (layout(driver).open.length === 0) await driver.press(...keys);
        await driver.mouse('press', x, y);
        await driver.mouse('release', x, y);
        expect(driver.left).toBeNull();
      }
  }
});

test('wide glyphs, control characters and long words in titles stay inside their panel', async () => {
  const driver = await sample({ columns: 61, rows: 20 });
  const view = structuredClone(driver.session.view);
  view.head.title = '全角'.repeat(40);
  view.transcript.items.push(
    sampleCall({ title: `Read ${'全角文字'.repeat(30)}.ts`, effects: [] }),
    sampleCall({ title: `Run \x1b[31mred\x1b[0m\x07 ${'x'.repeat(500)}` }),
    sampleItem({ kind: 'user', text: '👩‍🚀'.repeat(60), attachments: [], as: 'prompt', turn: 9, stopped: false }),
  );
  view.transcript.total = view.transcript.items.length;
  await driver.publish({ type: 'branch', view: { ...view, seq: driver.session.view.seq + 1 } });
  await driver.press('alt-1', 'alt-3', 'alt-2');
  for (const columns of [61, 60, 59, 45]) {
    await driver.resize(columns, 20);
    const { x, y, width, height } = areaOf(driver, 'tree');
    for (let row = y + 1; row < y + height - 1; row++) {
      expect(driver.cell(x, row).text).toBe('│');
      expect(driver.cell(x + width - 1, row).text).toMatch(/[│┃]/);
    }
  }
  expect(driver.terminal.output).not.toContain('\x1b[31mred');
});

test('without colours an open panel, the chosen row and the focused panel can be told apart', async () => {
  const driver = await sample({ environment: { NO_COLOR: '1' } });
  await driver.press('alt-a', 'tab', 'tab', 'up', 'up');
  expect(driver.region('header')).toContain('[•] Activities');
  const at = driver.find('▲ AGENTS.md changed: the cache')!;
  const y = areaOf(driver, 'tree').y + 8;
  expect(driver.cell(areaOf(driver, 'tree').x + 4, y).attributes).not.toBe(0);
  expect(at.y).toBeGreaterThan(0);
  expect(driver.terminal.output).not.toContain('[38;2;');
});

test('a saved layout stands from the start, with the prompt focused; one that goes on keeps its focus, and its contents start over (LA-8, LA-22, LA-23)', async () => {
  const panels: PanelStack = { open: ['summary', 'tree'], pinned: true, unpinCloses: true };
  const restarted = await sample({ options: { panels } });
  expect(shown(restarted)).toEqual(['summary', 'tree']);
  expect(restarted.screen.focus).toBe('prompt');
  await restarted.press('alt-a');
  expect(layout(restarted)).toEqual(NO_STACK);

  const saved: PanelStack[] = [];
  const first = await sample({ rows: 20, options: { panels, savePanels: (stack) => saved.push(stack) } });
  await first.press('alt-2', 'tab', 'tab', 'tab', 'up', 'up', 'up');
  expect(first.screen.focus).toBe('tree');
  const { chosen } = first.screen.panels;
  expect(chosen).not.toBeNull();
  await first.type('/detach\n');
  const report = await first.exit;
  expect(report).toMatchObject({ panels: { open: ['summary', 'tree', 'files'], pinned: true, unpinCloses: true } });
  expect(saved.at(-1)).toEqual(report.panels);
  const next = await sample({ options: { panels: report.panels, panelFocus: 'tree' } });
  expect(shown(next)).toEqual(['summary', 'tree', 'files']);
  expect(next.screen.focus).toBe('tree');
  expect(next.screen.panels).toMatchObject({ chosen: null, tops: { tree: null, files: 0, summary: 0 } });
});

test('panels are nobody’s but this window’s: whatever is done with them, the session hears nothing of it (LA-24)', async () => {
  const driver = await sample();
  const before = driver.sent.length;
  await driver.press(
    'alt-1',
    'alt-2',
    'alt-3',
    'alt-a',
    'tab',
    'tab',
    'up',
    'enter',
    'escape',
    'ctrl-t',
    'ctrl-x',
    'ctrl-x',
    'alt-a',
    'escape',
  );
  await clickOn(driver, '[ ] Summary');
  expect(driver.sent.slice(before)).toEqual([]);
});

test('without a panel the screen is what it was before there were any, and nothing of them is loaded or asked for', async () => {
  const asked: string[] = [];
  const driver = await sample({
    wrap: (session) => ({
      attach: (options, listener) => session.attach(options, listener),
      send: (intent, client) => session.send(intent, client),
      read: (query, client) => {
        asked.push(query.type);
        return session.read(query, client);
      },
    }),
  });
  await driver.type('hello\n');
  await driver.wait(1000);
  expect(asked).not.toContain('trail');
  expect(asked).not.toContain('session-files');
  expect(driver.region('transcript')).not.toContain('[X]');
});

test('the header says where the session is: folder and branch, each where it is known (LA-5)', async () => {
  const driver = await sample();
  expect(driver.region('header').split('\n')[1]).toStartWith(' Cwd: ~/code/orbit • Branch: main ');
  await driver.publish({ type: 'head', head: { gitBranch: null } });
  expect(driver.region('header').split('\n')[1]).toMatch(/^ Cwd: ~\/code\/orbit +\[/);
  await driver.publish({ type: 'head', head: { folder: '', gitBranch: 'fix' } });
  expect(driver.region('header').split('\n')[1]).toStartWith(' Branch: fix ');
});
