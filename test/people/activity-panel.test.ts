// What stands in the panels: what was done as a tree with a detail of each, the decisions, the files, the summary.
import { expect, test } from 'bun:test';
import { FRONT_COMMANDS } from '../../src/front/commands/command-table.ts';
import { makeKeymap } from '../../src/front/commands/keymap.ts';
import { drawScreen } from '../../src/front/tui/draw-screen.ts';
import { LayoutCache } from '../../src/front/tui/editor/layout.ts';
import { Frame } from '../../src/front/tui/frame/frame.ts';
import { KeptRegions } from '../../src/front/tui/kept-regions.ts';
import { promptColumns } from '../../src/front/tui/layout.ts';
import { createPanels } from '../../src/front/tui/panels/column.ts';
import { CardList } from '../../src/front/tui/regions/card-list.ts';
import { newScreen } from '../../src/front/tui/screen.ts';
import { makeTheme } from '../../src/front/tui/theme.ts';
import { TRUSTED_PRIVATE, TRUSTED_PUBLIC, UNTRUSTED_PUBLIC } from '../../src/protocol/label.ts';
import type { AnswerTo, TrailRow } from '../../src/protocol/query.ts';
import type { Session } from '../../src/protocol/session.ts';
import type { Item, View } from '../../src/protocol/view.ts';
import { type Driver, type DriverOptions, drive } from '../support/driver.ts';
import { createFakeSession, type FakeSession } from '../support/fake-session.ts';
import { sampleCall, sampleItem, sampleView } from '../support/sample-view.ts';

interface Answers {
  trail?: TrailRow[];
  files?: AnswerTo<'session-files'>['files'];
  output?: string[];
}

/** A session that answers these; `asked` are the queries it got. */
function answering(answers: Answers, asked: string[] = []): NonNullable<DriverOptions['wrap']> {
  return (session) => ({
    attach: (options, listener) => session.attach(options, listener),
    send: (intent, client) => session.send(intent, client),
    read: ((query: { type: string; from: number; count: number }, client: string) => {
      asked.push(query.type);
      if (query.type === 'trail') {
        const rows = answers.trail ?? [];
        return Promise.resolve({ ok: true, value: { total: rows.length, from: 0, rows } });
      }
      if (query.type === 'session-files') return Promise.resolve({ ok: true, value: { files: answers.files ?? [] } });
      if (query.type === 'output' && answers.output !== undefined) {
        const lines = answers.output.slice(query.from, query.from + query.count);
        const totalLines = answers.output.length;
        return Promise.resolve({ ok: true, value: { lines, totalLines, totalBytes: 0, label: TRUSTED_PUBLIC } });
      }
      return session.read(query as never, client);
    }) as Session['read'],
  });
}

async function show(driver: Driver, change: (view: View) => void): Promise<void> {
  const view = structuredClone(driver.session.view);
  change(view);
  view.transcript.total = view.transcript.first + view.transcript.items.length;
  await driver.publish({ type: 'branch', view: { ...view, seq: driver.session.view.seq + 1 } });
}

async function open(options: DriverOptions = {}, items?: Item[]): Promise<Driver> {
  const driver = await drive({ columns: 120, rows: 40, ...options });
  await driver.publish({ type: 'branch', view: { ...sampleView(), seq: driver.session.view.seq + 1 } });
  if (items !== undefined)
    await show(driver, (view) => {
      view.transcript.items = items;
    });
  await driver.press('alt-1', 'alt-a', 'tab', 'tab');
  expect(driver.screen.focus).toBe('tree');
  return driver;
}

/** Rows of the panel column without its borders. */
function column(driver: Driver): string[] {
  const rows: string[] = [];
  for (let y = 0; y < driver.frame.height; y++) {
    const x = Array.from({ length: driver.frame.width }, (_, at) => at).find(
      (at) => driver.frame.hitAt(at, y)?.region === 'panel',
    );
    if (x !== undefined)
      rows.push(
        driver.frame
          .rows()
          [y]!.slice(x + 2, -2)
          .trimEnd(),
      );
  }
  return rows.slice(1, -1).filter((row) => row !== '');
}

const prompt = (text: string, turn: number): Item =>
  sampleItem({ kind: 'user', text, attachments: [], as: 'prompt', turn, stopped: false });

const chosenRow = (driver: Driver) => {
  const { chosen } = driver.screen.panels;
  return driver.session.view.transcript.items.find((item) => item.id === chosen);
};

test('arrows choose and fold; Enter or a click opens the detail, and its end leads back to the tree (LA-30, AD-1, AD-3)', async () => {
  const driver = await open();
  await driver.press('up');
  expect(chosenRow(driver)).toMatchObject({ kind: 'user', turn: 2 });
  await driver.press('home');
  expect(chosenRow(driver)).toMatchObject({ kind: 'user', turn: 1 });
  expect(column(driver)[0]).toStartWith('▾ ● The clock test fails');
  const whole = column(driver).length;
  await driver.press('left');
  expect(column(driver)[0]).toStartWith('▸ ● The clock test fails');
  expect(column(driver)).toHaveLength(2);
  await driver.press('right');
  expect(column(driver)).toHaveLength(whole);
  await driver.press('right', 'down');
  expect(chosenRow(driver)).toMatchObject({ title: 'Run bun test test/clock.test.ts' });
  // From a row below it the way up leads to the turn.
  await driver.press('left');
  expect(chosenRow(driver)).toMatchObject({ kind: 'user', turn: 1 });
  await driver.press('down', 'enter');
  expect(driver.screenText()).toContain('Selected Activity Detail');
  expect(driver.screenText()).toContain('Tool • read_file • Read src/clock.ts');
  await driver.press('escape');
  expect(driver.screenText()).not.toContain('Selected Activity Detail');
  expect(driver.screen.focus).toBe('tree');
  const x = 90;
  const y = Array.from({ length: 40 }, (_, row) => row).find((row) =>
    driver.frame.rows()[row]!.slice(82).includes('⊘ Run rm -rf build'),
  )!;
  await driver.mouse('press', x, y);
  await driver.mouse('release', x, y);
  expect(driver.screenText()).toContain('Tool • run_shell • Run rm -rf build');
  await driver.press('escape');
  expect(driver.screen.focus).toBe('tree');
  expect(chosenRow(driver)).toMatchObject({ title: 'Run rm -rf build' });
});

test('the detail has its sections in order, and each state in words (AD-4)', async () => {
  const states = { ok: 'success', error: 'failed', denied: 'refused', stopped: 'stopped', running: 'running' } as const;
  for (const [state, words] of Object.entries(states)) {
    const call = sampleCall({
      title: 'Find it',
      tool: 'grep',
      state: state as 'ok',
      text: 'found\nit',
      tail: 'found\nit',
    });
    const driver = await open({}, [prompt('go', 1), call]);
    await driver.press('up', 'enter');
    const rows = driver
      .screenText()
      .split('\n')
      .map((row) => row.replaceAll('│', '').trim());
    const places = ['Status', 'Tool • grep • Find it', '▸ Metadata / Params', 'Sanitized Output', 'found'].map((text) =>
      rows.indexOf(text),
    );
    expect(places.every((place, at) => place > (places[at - 1] ?? 0))).toBe(true);
    expect(rows[places[0]! + 1]).toEndWith(words);
  }
});

test('up, down, pages and the wheel move the detail alone; nothing behind it takes a key, a letter or a click (AD-2)', async () => {
  const text = Array.from({ length: 200 }, (_, line) => `line ${line}`).join('\n');
  const driver = await open({}, [prompt('go', 1), sampleCall({ title: 'Long', text })]);
  await driver.press('up', 'enter');
  const behind = { panels: driver.screen.panels, scroll: driver.screen.scroll, draft: driver.draft };
  const first = () => /line (\d+)/.exec(driver.screenText())?.[1];
  expect(first()).toBe('0');
  await driver.press('pagedown');
  expect(Number(first())).toBeGreaterThan(20);
  await driver.press('pageup', 'down', 'down', 'down', 'down', 'down', 'down');
  expect(Number(first())).toBeGreaterThan(0);
  await driver.press('up', 'up', 'up', 'up', 'up', 'up');
  expect(first()).toBe('0');
  await driver.mouse('wheel-down', 60, 20);
  await driver.mouse('wheel-down', 60, 20);
  await driver.mouse('wheel-down', 60, 20);
  expect(Number(first())).toBeGreaterThan(0);
  await driver.press('alt-1', 'alt-2', 'alt-a', 'ctrl-x', 'ctrl-t', 'tab');
  await driver.type('xyz');
  await driver.mouse('press', 10, 1);
  await driver.mouse('release', 10, 1);
  await driver.mouse('press', 110, 0);
  await driver.mouse('release', 110, 0);
  await driver.paste('pasted');
  expect(driver.screen.panels).toBe(behind.panels);
  expect(driver.screen.scroll).toBe(behind.scroll);
  expect(driver.draft).toBe('');
  expect(driver.screen.modals).toHaveLength(1);
});

test('a click unfolds what it was given and folds it again; another activity begins folded (AD-5)', async () => {
  const driver = await open({}, [
    prompt('go', 1),
    sampleCall({ title: 'One', input: { path: '/a/b' } }),
    sampleCall({ title: 'Two', input: { path: '/c/d' } }),
  ]);
  await driver.press('up', 'enter');
  const click = async (text: string) => {
    const at = driver.find(text)!;
    await driver.mouse('press', at.x + 3, at.y);
    await driver.mouse('release', at.x + 3, at.y);
    await driver.wait(500);
  };
  expect(driver.screenText()).not.toContain('path: /c/d');
  await click('▸ Metadata / Params');
  expect(driver.screenText()).toContain('▾ Metadata / Params');
  expect(driver.screenText()).toContain('path: /c/d');
  await click('▾ Metadata / Params');
  expect(driver.screenText()).not.toContain('path: /c/d');
  await click('▸ Metadata / Params');
  await driver.press('escape', 'up', 'enter');
  expect(driver.screenText()).toContain('Tool • read_file • One');
  expect(driver.screenText()).toContain('▸ Metadata / Params');
  await driver.press('escape', 'up', 'enter');
  expect(driver.screenText()).toContain('▸ Metadata');
  expect(driver.screenText()).not.toContain('Metadata / Params');
});

test('every parameter and all that is known of the result is there, without what a credential’s name stands over (AD-6)', async () => {
  const call = sampleCall({
    title: 'Ask',
    tool: 'fetch_url',
    input: {
      url: 'https://example.org',
      headers: { Authorization: 'Bearer abc123', accept: ['a', 'b'] },
      deep: [{ list: [{ api_key: 'sk-123', plain: 'seen' }] }],
      secrets: { one: 'hid1', two: ['hid2'] },
      odd: 'bell\u0007 and \u001b[31mred',
      limit: 7,
      nothing: null,
    },
    effects: [{ kind: 'network', url: 'https://example.org', host: 'example.org', label: TRUSTED_PRIVATE }],
    display: {
      kind: 'terminal',
      command: 'x',
      tail: 'the tail',
      totalLines: 12,
      totalBytes: 99_999,
      exit: 3,
      endedBy: 'timeout',
      label: TRUSTED_PUBLIC,
    },
    state: 'error',
    duration: 4200,
    output: 'o1',
  });
  const driver = await open({ wrap: answering({ output: ['all of it'] }) }, [prompt('go', 1), call]);
  await driver.press('up', 'enter', 'enter');
  const text = driver.screenText();
  for (const seen of [
    'url: https://example.org',
    '"accept":["a","b"]',
    'plain',
    'seen',
    'limit: 7',
    'nothing: null',
    'totalLines',
    '12',
    'totalBytes',
    '99999',
    '"exit":3',
    'timeout',
    'state: error',
    'duration: 4200',
    'example.org',
    'all of it',
  ])
    expect(text).toContain(seen);
  for (const hidden of ['abc123', 'sk-123', 'hid1', 'hid2']) expect(text).not.toContain(hidden);
  expect(text).toContain('bell␇ and ␛[31mred');
  expect(driver.terminal.output).not.toContain('\u001b[31mred');
});

test('the output is there to its last line, fetched as it is looked at; how it was cut stands in the metadata (AD-7)', async () => {
  const output = Array.from({ length: 3000 }, (_, line) => `printed ${line}`);
  const call = sampleCall({
    title: 'Print',
    tool: 'run_shell',
    output: 'o1',
    display: {
      kind: 'terminal',
      command: 'x',
      tail: 'printed 2999',
      totalLines: 3000,
      totalBytes: 50_000,
      exit: 0,
      endedBy: 'exit',
      label: TRUSTED_PUBLIC,
    },
  });
  const asked: string[] = [];
  const driver = await open({ wrap: answering({ output }, asked) }, [prompt('go', 1), call]);
  await driver.press('up', 'enter');
  expect(driver.screenText()).toContain('printed 0');
  await driver.press('end');
  expect(driver.screenText()).toContain('printed 2999');
  expect(asked.filter((type) => type === 'output').length).toBeLessThan(6);
  await driver.press('home', 'enter');
  expect(driver.screenText()).toContain('"totalLines":3000');
});

test('a change that was made before the eyes of this window is shown, one that was loaded is not (AD-8)', async () => {
  const edit = (title: string) =>
    sampleCall({
      title,
      tool: 'edit_file',
      text: 'Edited.',
      display: {
        kind: 'diff',
        files: [
          {
            path: 'src/a.ts',
            change: 'edit',
            added: 1,
            removed: 1,
            complete: true,
            label: TRUSTED_PUBLIC,
            hunks: [{ oldStart: 1, newStart: 1, lines: ['-old words', '+new words'] }],
          },
        ],
      },
    });
  // Loaded: it is there with the first snapshot.
  const driver = await drive({ columns: 120, rows: 40, session: sessionWith([prompt('go', 1), edit('Edit loaded')]) });
  await driver.press('alt-1', 'alt-a', 'tab', 'tab', 'up', 'enter');
  expect(driver.screenText()).toContain('Edit loaded');
  expect(driver.screenText()).not.toContain('Applied Diff');
  expect(driver.screenText()).not.toContain('new words');
  await driver.press('escape');
  await show(driver, (view) => {
    view.transcript.items.push(edit('Edit live'));
  });
  await driver.press('end', 'enter');
  expect(driver.screenText()).toContain('Edit live');
  expect(driver.screenText()).toContain('Applied Diff');
  expect(driver.screenText()).toContain('new words');
});

test('what hooks told the model stands below the call or the message it belongs to, where it is wanted, in words or in figures (HK-3)', async () => {
  const call = sampleCall({ call: 'c77', title: 'Called', turn: 1 });
  const hook = (label: string, of: string | null, turn: number, trusted = true): Item =>
    sampleItem({
      ...{ kind: 'hook', turn, phase: 'after', label, tool: null, call: of, status: 'ok' },
      injected: {
        ...{ text: `${label} says\nthis`, ref: null, label: trusted ? TRUSTED_PUBLIC : UNTRUSTED_PUBLIC },
        ...{ items: 2, bytes: 2048 },
      },
    });
  const items = [prompt('go', 1), call, hook('lint', 'c77', 1), hook('mood', null, 1, false), hook('lost', null, 99)];
  const tree = async (inTree?: 'content' | 'metadata') => {
    const hooks = { rows: false, injected: 'hidden', ...(inTree === undefined ? {} : { inTree }) } as const;
    return column(await open({ options: { hooks } }, items));
  };
  expect(await tree()).toEqual(['▾ ○ go', '    ● Called']);
  expect(await tree('content')).toEqual([
    ...['▾ ○ go', '  ▾ ● Called', '      ↳ lint: lint says ⏎ this'],
    ...['    ▒ mood: mood says ⏎ this', '  ↳ lost: lost says ⏎ this'],
  ]);
  expect(await tree('metadata')).toEqual([
    ...['▾ ○ go', '  ▾ ● Called', '      ↳ lint: ok • 2 items • 2 KB'],
    ...['    ↳ mood: ok • 2 items • 2 KB', '  ↳ lost: ok • 2 items • 2 KB'],
  ]);
});

test('Ctrl-T shows the decisions in the activity panel, then the tree, and back; a turn’s are there once it has ended (AUD-1)', async () => {
  const row = (text: string, refused: boolean, delegate: string | null = null): TrailRow => ({
    time: 0,
    event: 'decision',
    text,
    refused,
    call: null,
    delegate,
  });
  const answers: Answers = { trail: [row('allowed reading src/a.ts', false)] };
  const driver = await drive({ columns: 120, rows: 40, wrap: answering(answers) });
  await driver.publish({ type: 'branch', view: { ...sampleView(), seq: driver.session.view.seq + 1 } });
  expect(driver.region('hint')).not.toContain('trail');
  await driver.press('ctrl-t');
  expect(driver.screenText()).toContain('╭─ Audit Trail ');
  expect(driver.screenText()).toContain('● allowed reading src/a.ts');
  expect(driver.screen.focus).toBe('prompt');
  answers.trail = [...answers.trail!, row('refused writing /etc/passwd', true, 'd1')];
  const usage = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, cost: 0, requests: 0 };
  await driver.publish({
    type: 'entry',
    entry: {
      id: 'end',
      parent: null,
      time: 0,
      kind: 'turn-end',
      turn: 3,
      reason: 'done',
      failure: null,
      message: null,
      duration: 5,
      usage,
    },
  });
  expect(driver.screenText()).toContain('⊘ d1 refused writing /etc/passwd');
  expect(driver.region('hint')).toContain('Ctrl-T trail');
  await driver.press('ctrl-t');
  expect(driver.screenText()).toContain('╭─ Activity Tree ');
  await driver.press('ctrl-t');
  expect(driver.screenText()).toContain('╭─ Audit Trail ');
  // Alt-1 opens the tree, whatever it showed.
  await driver.press('alt-1', 'alt-1');
  expect(driver.screenText()).toContain('╭─ Activity Tree ');
});

test('files are those that were read or changed, in this window or long before, and are scrolled by keys and wheel', async () => {
  const known = Array.from({ length: 60 }, (_, at) => ({ path: `/project/old/${at}.ts`, changed: at % 2 === 0 }));
  const driver = await drive({ columns: 120, rows: 24, wrap: answering({ files: known }) });
  const write = {
    kind: 'write',
    path: '/project/src/new.ts',
    content: { change: 'create', before: null, after: 'x', bytes: 1 },
    label: TRUSTED_PUBLIC,
  } as const;
  await show(driver, (view) => {
    view.head.folder = '/project';
    view.transcript.items = [
      prompt('go', 1),
      sampleCall({ effects: [{ kind: 'read', path: '/etc/hosts', label: TRUSTED_PUBLIC }] }),
      sampleCall({ effects: [write] }),
      sampleCall({ state: 'denied', effects: [{ ...write, path: '/project/never.ts' }] }),
    ];
  });
  await driver.press('alt-2', 'alt-a', 'tab', 'tab');
  expect(driver.screen.focus).toBe('files');
  const rows = column(driver);
  expect(rows.slice(0, 4).map((row) => row.replace(/ +/g, ' '))).toEqual([
    'src/new.ts changed',
    '/etc/hosts read',
    'old/59.ts read',
    'old/58.ts changed',
  ]);
  expect(rows.join('\n')).not.toContain('never.ts');
  await driver.press('down');
  expect(column(driver)[0]).toStartWith('/etc/hosts');
  await driver.press('pagedown');
  expect(column(driver)[0]).toStartWith('old/');
  await driver.press('end');
  expect(column(driver).at(-1)).toStartWith('old/0.ts');
  await driver.press('pageup', 'up', 'home');
  expect(column(driver)[0]).toStartWith('src/new.ts');
  await driver.mouse('wheel-down', 100, 8);
  expect(column(driver)[0]).toStartWith('old/');
});

test('the summary tells of the session, of what stands, of the context and of what is to be done, and nothing of replies', async () => {
  const driver = await drive({ columns: 120, rows: 50 });
  await driver.publish({ type: 'branch', view: { ...sampleView(), seq: driver.session.view.seq + 1 } });
  await show(driver, (view) => {
    view.head.title = 'word '.repeat(60);
    view.head.gitBranch = `feature/${'long-'.repeat(20)}end`;
    view.head.standing = {
      loop: null,
      goal: { text: 'All tests pass', state: 'active', rounds: 2, reason: 'the reason is a reply' },
      watches: [],
    };
    view.todo = [
      { text: 'Find it', state: 'done' },
      { text: 'Mend it', state: 'active' },
    ];
  });
  await driver.press('alt-3');
  const rows = column(driver);
  const text = rows.join('\n');
  const places = [
    'Session ─',
    'Folder   ~/code/orbit',
    'Goal ─',
    'All tests pass',
    'Context ─',
    'Context  43%',
    'Plan ─',
    '● Find it',
    '◍ Mend it',
    '[Ctrl-X] hides the panels',
  ].map((words) => rows.findIndex((row) => row.includes(words)));
  expect(places.every((place, at) => place > (places[at - 1] ?? -1))).toBe(true);
  expect(places.at(-1)).toBe(rows.length - 1);
  expect(rows.filter((row) => row.includes('word word'))).toHaveLength(3);
  expect(rows.find((row) => row.startsWith('Branch'))).toMatch(/^Branch +….*end$/);
  for (const foreign of ['the reason is', 'The parser', 'leap-seconds.list']) expect(text).not.toContain(foreign);
  await show(driver, (view) => {
    delete view.head.standing;
    view.todo = [];
  });
  expect(column(driver).join('\n')).not.toMatch(/Goal|Plan/);
});

test('a stream draws neither the tree nor what stands beside it anew; of 20,000 rows only those in sight are looked at', async () => {
  let looked = 0;
  const items: Item[] = [prompt('go', 1)];
  for (let at = 0; at < 20_000; at++) {
    const call = sampleCall({ title: `Read ${at}` });
    Object.defineProperty(call, 'title', {
      get: () => {
        looked++;
        return `Read ${at}`;
      },
      enumerable: true,
    });
    items.push(call);
  }
  const view = sampleView();
  view.head.thinking = 'off';
  view.transcript = { total: items.length, first: 0, items, generation: 0 };
  const screen = newScreen({
    ...{ columns: 120, rows: 40, client: 'me', workspace: '/project', refPrefix: '', themeChoice: 'dark', color: true },
    ...{ reducedMotion: true, sendMode: 'steering', maxPromptRows: 10, wheelRows: 3 },
    panels: { open: ['tree', 'files', 'summary'], pinned: true, unpinCloses: false },
    hooks: { rows: false, injected: 'hidden' },
  });
  const frame = new Frame(120, 40);
  const regions = new KeptRegions(frame);
  const scene = {
    ...{ view, screen, keymap: makeKeymap(FRONT_COMMANDS), cards: new CardList(), panels: createPanels() },
    ...{
      theme: makeTheme('dark', { background: null, foreground: null }, true),
      now: 0,
      side: null,
      onCode: () => undefined,
    },
  };
  const text = new LayoutCache().of(screen.prompt.editor.buffer.text, promptColumns(120));
  const draw = (all: number, settled: number): void => {
    regions.begin(false);
    drawScreen(frame.painter(), scene, text, regions, { all, settled });
    frame.flush({ depth: 'truecolor', synchronized: false });
  };
  draw(1, 1);
  expect(frame.rows().join('\n')).toContain('Read 19999');
  const cards = looked;
  expect(cards).toBeLessThan(400);
  // More of a stream: the cards are drawn anew, from what is kept of them.
  looked = 0;
  for (let frames = 2; frames < 20; frames++) draw(frames, 1);
  expect(looked).toBe(0);
  draw(30, 2);
  expect(looked).toBeGreaterThan(0);
  expect(looked).toBeLessThan(100);
});

function sessionWith(items: Item[]): FakeSession {
  const session = createFakeSession();
  session.view.transcript = { total: items.length, first: 0, items, generation: 0 };
  return session;
}
