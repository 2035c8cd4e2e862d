// Cards of calls: what was done in one row, what came of it in as few rows as say it.
import { expect, test } from 'bun:test';
import { textWidth } from '../../src/base/text-width.ts';
import { createTools } from '../../src/core/tools/registry.ts';
import { TRUSTED_PUBLIC } from '../../src/protocol/label.ts';
import type { Item } from '../../src/protocol/view.ts';
import { type Driver, drive } from '../support/driver.ts';
import { sampleCall, sampleItem } from '../support/sample-view.ts';

async function show(driver: Driver, items: Item[], first = 0): Promise<void> {
  const view = structuredClone(driver.session.view);
  await driver.publish({
    type: 'branch',
    view: {
      ...view,
      transcript: { total: first + items.length, first, items, generation: view.transcript.generation },
    },
  });
}

test('a card tells what each tool does in one row of plain text, however long or hostile its input is (TC-3)', async () => {
  const driver = await drive({ columns: 80 });
  const hostile = `x\x1b[31m\u202e\nrow two ${'long '.repeat(400)}`;
  const fields = [
    'path',
    'directory',
    'pattern',
    'command',
    'url',
    'symbol',
    'query',
    'question',
    'name',
    'ref',
    'output',
    'task',
  ];
  for (const tool of createTools()) {
    const plain = tool.title(Object.fromEntries(fields.map((field) => [field, 'what-it-acts-on'])) as never);
    const title = tool.title(Object.fromEntries(fields.map((field) => [field, hostile])) as never);
    await show(driver, [
      sampleCall({ tool: tool.name, title: plain, state: 'running', display: { kind: 'none' }, why: null }),
    ]);
    const whole = driver.region('transcript').split('\n')[1]!;
    expect(whole).toContain(plain);
    await show(driver, [
      sampleCall({ tool: tool.name, title, state: 'running', display: { kind: 'none' }, why: null }),
    ]);
    const rows = driver
      .region('transcript')
      .split('\n')
      .slice(1, -1)
      .filter((row) => row.replace(/[│┃ ]/g, '') !== '');
    expect(rows).toHaveLength(1);
    expect(rows[0]).not.toMatch(/[\x00-\x1f\u202e]/);
    expect(textWidth(rows[0]!)).toBe(80);
  }
  // What it acts on is named, wherever a call has one thing it acts on.
  const named = createTools().filter((tool) =>
    tool.title({ path: 'P', directory: 'P', pattern: 'P', command: 'P', url: 'P' } as never).includes('P'),
  );
  for (const name of [
    'read_file',
    'list_files',
    'find_files',
    'search_text',
    'edit_file',
    'write_file',
    'run_shell',
    'fetch_url',
  ])
    expect(named.map((tool) => tool.name)).toContain(name);
});

test('the card of an edit shows four changed lines and says that more are there; a shorter one is whole (TC-5)', async () => {
  const driver = await drive();
  const edit = (lines: readonly string[]) =>
    sampleCall({
      tool: 'edit_file',
      title: 'Edit a.ts',
      display: {
        kind: 'diff',
        files: [
          {
            path: 'a.ts',
            change: 'edit',
            added: 3,
            removed: 3,
            hunks: [{ oldStart: 1, newStart: 1, lines }],
            complete: true,
            label: TRUSTED_PUBLIC,
          },
        ],
      },
    });
  await show(driver, [
    edit([' same', '-one', '+ONE', ' between', '-two', '+TWO', ' after', '-three', '+THREE', ' end']),
  ]);
  const cut = driver.region('transcript');
  for (const shown of ['- one', '+ ONE', 'between', '- two', '+ TWO']) expect(cut).toContain(shown);
  for (const hidden of ['three', 'THREE', 'after', 'end']) expect(cut).not.toContain(hidden);
  expect(cut).toContain('⋮ 4 more rows');
  await driver.press('alt-e');
  expect(driver.region('transcript')).toContain('+ THREE');
  await driver.press('alt-shift-e');
  await show(driver, [edit([' same', '-one', '+ONE', '-two', '+TWO', ' after', ' end'])]);
  expect(driver.region('transcript')).toContain('end');
  expect(driver.region('transcript')).not.toContain('more row');
});

test('pictures a reply names stay text, on a terminal that could draw them too; nothing far away or spelled out is loaded (TC-6)', async () => {
  for (const environment of [{ TERM: 'xterm-kitty' }, { TERM_PROGRAM: 'ghostty' }, { TERM: 'xterm-256color' }]) {
    const driver = await drive({ environment });
    driver.terminal.takeOutput();
    const sources = ['https://example.org/far.png', 'data:image/png;base64,iVBORw0KGgo=', 'near.png'];
    const text = sources.map((source, at) => `![picture ${at}](${source})`).join('\n\n');
    await show(driver, [sampleItem({ kind: 'assistant', text, turn: 1, stop: 'end' })]);
    for (const at of [0, 1, 2]) expect(driver.region('transcript')).toContain(`picture ${at}`);
    expect(driver.terminal.output).not.toMatch(/\x1b_G|\x1b\]1337|\x1bP/);
    expect(driver.processes.spawned).toEqual([]);
  }
});
