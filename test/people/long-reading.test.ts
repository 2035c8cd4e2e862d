// What must hold at once: a reply that streams, a person who reads back, a window that changes its size, tables of wide
// characters, and a session of thousands of cards.
import { expect, test } from 'bun:test';
import { UNTRUSTED_PUBLIC } from '../../src/protocol/label.ts';
import type { Activity, Item } from '../../src/protocol/view.ts';
import { type Driver, drive } from '../support/driver.ts';
import { sampleAsk, sampleCall, sampleItem } from '../support/sample-view.ts';

const WRITING: Activity = { phase: 'writing', turn: 1, since: null, detail: '', retry: null };

function reply(text: string): Item {
  return sampleItem({ kind: 'assistant', text, turn: 1, stop: 'end' });
}

async function show(driver: Driver, items: readonly Item[]): Promise<void> {
  const view = structuredClone(driver.session.view);
  const transcript = { total: items.length, first: 0, items: [...items], generation: view.transcript.generation };
  await driver.publish({ type: 'branch', view: { ...view, transcript } });
}

/** Every row of the transcript, read from its top to its end by the page. */
async function readThrough(driver: Driver, sought: RegExp): Promise<string[]> {
  if (driver.screen.focus === 'prompt') await driver.press('tab');
  await driver.press('home');
  const rows = () => driver.region('transcript').replaceAll('┃', '│').split('\n').slice(1, -1);
  let all = rows();
  for (let page = 0; page < 60; page++) {
    await driver.press('pagedown');
    const next = rows();
    let overlap = Math.min(all.length, next.length);
    while (overlap > 0 && all.slice(-overlap).join('\n') !== next.slice(0, overlap).join('\n')) overlap--;
    if (overlap === next.length) break;
    all = [...all, ...next.slice(overlap)];
  }
  return all.flatMap((row) => row.match(sought) ?? []);
}

const bare = (driver: Driver) => driver.screenText().replaceAll('┃', '│');

test('forty sizes in a storm while text streams leave what a fresh window shows, cell by cell; read back, each message is there once (UP-02)', async () => {
  const driver = await drive({ options: { reducedMotion: true } });
  await show(
    driver,
    Array.from({ length: 20 }, (_, index) => reply(`message ${index} ends`)),
  );
  await driver.publish({ type: 'activity', activity: WRITING }, { type: 'live-start', turn: 9, round: 1 });
  await driver.type('abc');
  for (let step = 0; step < 40; step++) {
    const [columns, rows] = [
      [40, 10],
      [120, 40],
      [20, 5],
    ][step % 3]!;
    await driver.resize(columns!, rows!);
    await driver.publish({ type: 'delta', part: 0, kind: 'text', text: `streamed ${step} ends\n\n` });
  }
  await driver.resize(100, 30);
  await driver.wait(500);
  const fresh = await drive({ client: 'other', session: driver.session, options: { reducedMotion: true } });
  await fresh.type('abc');
  await fresh.wait(500);
  expect(driver.frame.differsFrom(fresh.frame)).toBeNull();
  expect(driver.screenText().match(/❯ abc/g)).toHaveLength(1);
  expect(driver.screenText().split('\n').at(-1)).not.toBe('');
  const wanted = [
    ...Array.from({ length: 20 }, (_, index) => `message ${index} ends`),
    ...Array.from({ length: 40 }, (_, index) => `streamed ${index} ends`),
  ];
  expect(await readThrough(driver, /(?:message|streamed) \d+ ends/)).toEqual(wanted);
}, 20_000);

test('reading back, not a row moves while text arrives; afterwards the first streamed line and all others are there (UP-03)', async () => {
  const driver = await drive({ options: { reducedMotion: true } });
  await show(
    driver,
    Array.from({ length: 100 }, (_, index) => reply(`line ${index}`)),
  );
  await driver.publish({ type: 'activity', activity: WRITING }, { type: 'live-start', turn: 9, round: 1 });
  await driver.press('pageup', 'pageup');
  const rows = () =>
    bare(driver)
      .split('\n')
      .filter((row) => /line \d/.test(row));
  const stood = rows();
  let text = '';
  for (let word = 0; word < 120; word++) {
    const more = `streamed ${word} ends\n\n`;
    text += more;
    await driver.publish({ type: 'delta', part: 0, kind: 'text', text: more });
    expect(rows()).toEqual(stood);
  }
  const id = 'finished';
  const parts = [{ type: 'text', text }] as const;
  const usage = { input: 1, output: 1, cacheRead: null, cacheWrite: null, reasoning: null };
  const model = { provider: 'p', model: 'm' };
  await driver.publish(
    {
      type: 'entry',
      entry: {
        kind: 'assistant',
        turn: 9,
        round: 1,
        model,
        parts,
        stop: 'end',
        usage,
        cost: 0,
        requestId: null,
        duration: 1,
        id,
        parent: null,
        time: 0,
      },
    } as never,
    { type: 'activity', activity: { ...WRITING, phase: 'idle' } },
  );
  expect(rows()).toEqual(stood);
  const found = await readThrough(driver, /streamed \d+ ends/);
  expect(found).toEqual(Array.from({ length: 120 }, (_, index) => `streamed ${index} ends`));
}, 20_000);

for (const columns of [80, 40]) {
  test(`a table of wide cells and clusters stands straight at ${columns} columns, its last row is there, nothing is spilt (UP-04)`, async () => {
    const driver = await drive({ columns, rows: 40, options: { reducedMotion: true } });
    const table = [
      '| 名前 | state | flag |',
      '|---|---|---|',
      '| 状态 | ✅ 完了 | 🇨🇭 |',
      '| 👩‍🚀 | e\u0301 | x |',
      '| a | b | c |',
      '| one | two | end |',
    ].join('\n');
    await show(driver, [reply(table)]);
    await driver.wait(500);
    const { height } = driver.frame;
    const columnsOfBars = Array.from({ length: height }, (_, y) => y)
      .filter((y) => /状态|👩|two|名前/u.test(driver.frame.rows()[y]!))
      .map((y) => Array.from({ length: columns - 4 }, (_, x) => x + 2).filter((x) => driver.cell(x, y).text === '│'));
    expect(columnsOfBars).toHaveLength(4);
    for (const bars of columnsOfBars) expect(bars).toEqual(columnsOfBars[0]!);
    expect(columnsOfBars[0]).toHaveLength(2);
    expect(driver.region('transcript')).toContain('end');
    expect(driver.region('transcript')).not.toMatch(/\[\d+[;mHK]/);
  });
}

test('in a session of 5,800 cards a line of 4,700 characters is asked at once and whole, and answers once all of it was read (UP-07)', async () => {
  const items = Array.from({ length: 5_800 }, (_, index) =>
    index % 7 === 0 ? sampleCall({ title: `Read file${index}.ts` }) : reply(`message ${index}`),
  );
  const driver = await drive();
  await show(driver, items);
  const line = `echo ${'A1b+'.repeat(1_175)} | base64 -d | wc -c`;
  const ask = sampleAsk();
  const rows = [{ role: 'line', shown: { text: line, label: UNTRUSTED_PUBLIC } }] as const;
  await driver.publish(
    { type: 'activity', activity: { ...WRITING, phase: 'asking' } },
    { type: 'ask', ask: { ...ask, body: { ...ask.body, rows } as typeof ask.body } },
  );
  // Within one frame of its coming.
  expect(driver.region('dialog')).toContain('echo A1b+');
  await driver.press('tab');
  let shown = '';
  for (let page = 0; page < 20 && driver.sentOf('answer').length === 0; page++) {
    shown += driver.region('dialog');
    await driver.press('y', 'pagedown');
  }
  expect(driver.sentOf('answer')).toHaveLength(1);
  expect(shown.replace(/[^\w|+ -]/g, '').replace(/\s/g, '')).toContain('wc-c');
}, 20_000);
