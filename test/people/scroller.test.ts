// The person reads the whole transcript: Ctrl-O gives it the terminal, keys page and search, nothing that arrives moves it.
import { expect, test } from 'bun:test';
import { UNDERLINE } from '../../src/front/tui/frame/cell.ts';
import type { Item } from '../../src/protocol/view.ts';
import { type Driver, drive } from '../support/driver.ts';
import { sampleItem } from '../support/sample-view.ts';

const reply = (text: string): Item => sampleItem({ kind: 'assistant', text, turn: 1, stop: 'end' });
const said = (text: string): Item =>
  sampleItem({ kind: 'user', text, attachments: [], as: 'prompt', turn: 1, stopped: false });

/** A hundred replies of one row each, one empty row between them: row `r` of the transcript holds `line r/2`. */
const lines = (count = 100) => Array.from({ length: count }, (_, line) => reply(`line ${line}.`));

async function open(items: Item[] = lines()): Promise<Driver> {
  const driver = await drive({ environment: { EDITOR: 'vi' } });
  const view = structuredClone(driver.session.view);
  const transcript = { total: items.length, first: 0, items, generation: view.transcript.generation };
  await driver.publish({ type: 'branch', view: { ...view, transcript } });
  return driver;
}

const rows = (driver: Driver) => driver.screenText().split('\n');
const footer = (driver: Driver) => rows(driver).at(-1)!;
/** The row of the transcript that stands at the top of the scroller. */
const topRow = (driver: Driver) => {
  const at = rows(driver).findIndex((row) => /line \d+\./.test(row));
  return Number(/line (\d+)\./.exec(rows(driver)[at]!)![1]) * 2 - at;
};

test('Ctrl-O opens on what is being looked at, every row in its place, with all rows but a footer (TR-1, SCR-1)', async () => {
  const driver = await open();
  await driver.type('half a line');
  for (const pages of [0, 2]) {
    for (let page = 0; page < pages; page++) await driver.press('pageup');
    const before = rows(driver).map((row, y) => [y, /line \d+\./.exec(row)?.[0]] as const);
    await driver.press('ctrl-o');
    for (const [y, text] of before) if (text !== undefined) expect(rows(driver)[y]).toContain(text);
    if (pages > 0)
      expect(
        rows(driver)
          .slice(0, 29)
          .filter((row) => /line \d+/.test(row)).length,
      ).toBeGreaterThan(13);
    expect(footer(driver)).toContain('of 199 rows');
    expect(driver.frame.cursor).toBeNull();
    await driver.paste('pasted\ntext');
    await driver.press('x');
    await driver.press('ctrl-o');
    expect(driver.draft).toBe('half a line');
  }
});

test('a running turn never moves the scroller; the footer counts what arrived below (SCR-1)', async () => {
  const driver = await open();
  await driver.press('ctrl-o', 'g', 'f');
  const before = rows(driver).slice(0, -1).join('\n').replaceAll('┃', ' ');
  const entry = { id: 'n1', parent: null, time: 0, kind: 'note', level: 'info', identifier: 'x', text: 'new' } as const;
  await driver.publish({ type: 'entry', entry }, { type: 'entry', entry: { ...entry, id: 'n2' } });
  await driver.publish(
    { type: 'live-start', turn: 2, round: 1 },
    { type: 'delta', part: 0, kind: 'text', text: 'word' },
  );
  expect(rows(driver).slice(0, -1).join('\n').replaceAll('┃', ' ')).toBe(before);
  expect(footer(driver)).toContain('▼ 2 new cards below');
});

test('every key of the scroller moves by its own measure (SCR-2)', async () => {
  const driver = await open();
  await driver.press('ctrl-o');
  const window = 29;
  const end = 199 - window;
  const moves: [number, string[]][] = [
    [-1, ['up', 'k', 'y', 'ctrl-y', 'ctrl-p']],
    [1, ['down', 'j', 'e', 'ctrl-e', 'ctrl-n']],
    [-14, ['ctrl-u', 'u']],
    [14, ['ctrl-d', 'd']],
    [-window, ['b', 'ctrl-b', 'pageup']],
    [window, [' ', 'f', 'ctrl-f', 'pagedown']],
  ];
  for (const [by, keys] of moves) {
    for (const key of keys) {
      await driver.press('g', '6', '0', 'j');
      expect(topRow(driver)).toBe(60);
      await driver.press(key);
      expect([key, topRow(driver)]).toEqual([key, 60 + by]);
    }
  }
  for (const [to, keys] of [
    [0, ['g', '<', 'home']],
    [end, ['G', '>', 'end']],
  ] as [number, string[]][]) {
    for (const key of keys) {
      await driver.press('g', '6', '0', 'j', key);
      expect([key, topRow(driver)]).toEqual([key, to]);
    }
  }
  await driver.press('g', '6', '0', 'j');
  await driver.mouse('wheel-up', 10, 10);
  expect(topRow(driver)).toBe(57);
});

test('{ and } go to what was said before and after (SCR-2)', async () => {
  const driver = await open([
    said('first ask'),
    ...lines(40),
    said('second ask'),
    ...lines(40),
    said('third ask'),
    ...lines(40),
  ]);
  await driver.press('ctrl-o', '{');
  expect(rows(driver).slice(0, 2).join('')).toContain('third ask');
  await driver.press('2', '{');
  expect(rows(driver).slice(0, 2).join('')).toContain('first ask');
  await driver.press('}');
  expect(rows(driver).slice(0, 2).join('')).toContain('second ask');
});

test('a count stands in the footer, at most 1000; any other key drops it, Esc abandons it (SCR-2, SCR-4)', async () => {
  const driver = await open(lines(1000));
  await driver.press('ctrl-o', 'g', '1', '2');
  expect(footer(driver)).toMatch(/^ 12 • /);
  await driver.press('x');
  expect(footer(driver)).not.toMatch(/^ 12 • /);
  await driver.press('j');
  expect(topRow(driver)).toBe(1);
  await driver.press('5', 'escape');
  await driver.wait(50);
  expect(footer(driver)).toContain('rows');
  expect(footer(driver)).not.toMatch(/^ 5 • /);
  await driver.press('j');
  expect(topRow(driver)).toBe(2);
  await driver.press('g', '9', '9', '9', '9', 'j');
  expect(topRow(driver)).toBe(1000);
});

test('/ searches drawn rows; two on a row are two, n and N go round, nothing found is said (SCR-3)', async () => {
  const driver = await open([...lines(50), reply('needle and Needle'), ...lines(50), reply('a needle')]);
  await driver.press('ctrl-o', 'g', '/');
  await driver.type('needle');
  expect(footer(driver)).toContain('/needle');
  await driver.press('enter');
  const marked = (text: string) => {
    const at = driver.find(text)!;
    return (driver.cell(at.x, at.y).attributes & UNDERLINE) !== 0;
  };
  expect(driver.screenText()).toContain('needle and Needle');
  expect([marked('needle and'), marked('Needle')]).toEqual([true, false]);
  const both = driver.find('needle and')!;
  expect(driver.cell(both.x, both.y).bg).not.toBeNull();
  expect(driver.cell(both.x + 11, both.y).bg).toBe(driver.cell(both.x, both.y).bg);
  expect(driver.cell(both.x + 8, both.y).bg).toBeNull();
  await driver.press('n');
  expect([marked('needle and'), marked('Needle')]).toEqual([false, true]);
  await driver.press('n');
  expect(driver.screenText()).toContain('a needle');
  await driver.press('n');
  expect(driver.screenText()).toContain('needle and Needle');
  expect(footer(driver)).toContain('went round');
  await driver.press('N');
  expect(driver.screenText()).toContain('a needle');
  await driver.press('g', '/');
  await driver.type('Needle\n');
  expect([marked('needle and'), marked('Needle')]).toEqual([false, true]);
  await driver.press('/');
  await driver.type('nowhere at all\n');
  expect(footer(driver)).toContain('not found');
  expect(footer(driver)).not.toContain('nowhere');
});

test('q, Esc, Ctrl-O and Ctrl-C close it and do nothing else; Esc clears a search first; ? lists keys and the next key is spent (SCR-4, STOP-9)', async () => {
  for (const key of ['q', 'escape', 'ctrl-o', 'ctrl-c']) {
    const driver = await open();
    await driver.publish({
      type: 'activity',
      activity: { phase: 'tools', turn: 1, since: 0, detail: '', retry: null },
    });
    await driver.press('ctrl-o', key);
    await driver.wait(50);
    expect(driver.screen.modals).toEqual([]);
    expect(driver.sentOf('cancel')).toEqual([]);
    expect(driver.screen.exit).toBeNull();
  }
  const driver = await open();
  await driver.press('ctrl-o', '/');
  await driver.type('line 9\n');
  await driver.press('escape');
  await driver.wait(50);
  expect(driver.screen.modals).toHaveLength(1);
  await driver.press('g', '?');
  expect(driver.screenText()).toContain('half a page');
  await driver.press('q');
  expect(driver.screenText()).not.toContain('half a page');
  expect(driver.screen.modals).toHaveLength(1);
  await driver.press('escape');
  await driver.wait(50);
  expect(driver.screen.modals).toEqual([]);
});

test('v shows the drawn rows, margins and all, in the editor from a private file; not while a turn runs (SCR-5)', async () => {
  const driver = await open([said('fix it'), reply('- one\n- two')]);
  await driver.type('draft');
  let written = '';
  let removed = '';
  driver.processes.script(
    (argv) => argv[0] === 'sh' && argv[2]!.startsWith('umask 077'),
    async (run) => {
      for (let piece = await run.read(); piece !== null; piece = await run.read())
        written += new TextDecoder().decode(piece);
      run.write('/tmp/houston-1/transcript.txt');
      return 0;
    },
  );
  driver.processes.script((argv) => argv[0] === 'sh' && argv[2] === 'vi "$1"', { exit: 0 });
  driver.processes.script('cat', { out: 'changed there' });
  driver.processes.script('rm', (run) => {
    removed = run.argv.join(' ');
    return 0;
  });
  driver.processes.script((argv) => argv[0] === 'which', { exit: 1 });
  await driver.press('ctrl-o');
  await driver.publish({ type: 'activity', activity: { phase: 'tools', turn: 1, since: 0, detail: '', retry: null } });
  await driver.press('v');
  expect(written).toBe('');
  await driver.publish({
    type: 'activity',
    activity: { phase: 'idle', turn: null, since: null, detail: '', retry: null },
  });
  await driver.press('v');
  await driver.wait(200);
  expect(written).toBe('❯ fix it\n\n• one\n• two\n');
  expect(removed).toContain('/tmp/houston-1');
  expect(driver.draft).toBe('draft');
  expect(driver.screen.modals).toHaveLength(1);
});
