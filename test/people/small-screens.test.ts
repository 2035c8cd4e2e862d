// A terminal in a corner: thirty columns and eight rows still show what a person needs to go on.
import { expect, test } from 'bun:test';
import type { Session } from '../../src/protocol/session.ts';
import type { QueueRow } from '../../src/protocol/view.ts';
import { type Driver, drive } from '../support/driver.ts';
import { sampleView } from '../support/sample-view.ts';

const SIZES = [
  [30, 8],
  [40, 10],
] as const;

async function small(columns: number, rows: number, change: Partial<ReturnType<typeof sampleView>> = {}) {
  const driver = await drive({ columns, rows, options: { reducedMotion: true } });
  await driver.publish({
    type: 'branch',
    view: { ...sampleView(), ...change, seq: driver.session.view.seq + 1 },
  });
  await driver.wait(500);
  return driver;
}

function waiting(...texts: readonly string[]): QueueRow[] {
  return texts.map((text, index) => ({
    client: 'me',
    attachments: [],
    id: `q${index}`,
    ref: `r${index}`,
    text,
    delivery: 'queue',
  })) as QueueRow[];
}

/** No word of a key is cut off at an edge, no key stands without its words. */
function expectWholeKeys(driver: Driver): void {
  for (const row of driver.screenText().split('\n'))
    expect(row).not.toMatch(/\[(?:Alt|Ctrl|Esc|Enter|Tab|PgDn)[^\]]*\](?:\s*[─╯│]|\s*$|\s+\[)/);
}

for (const [columns, rows] of SIZES) {
  const size = `${columns} by ${rows}`;

  test(`commands are offered in rows of their own, each cut with an ellipsis, ${size} (COMP-6, UI-3)`, async () => {
    const driver = await small(columns, rows);
    await driver.type('/');
    const offered = driver.region('below').split('\n');
    expect(offered.length).toBeGreaterThanOrEqual(4);
    expect(offered[0]).toMatch(/^ *❯ \/help/);
    for (const row of offered) expect(row).toMatch(/…$|[a-z]$/);
    await driver.press('down', 'down', 'down', 'down', 'down');
    expect(driver.region('below')).toContain('❯ ');
    expect(driver.region('prompt')).toContain('❯ /');
  });

  test(`the keys at a glance show some and lead to all, ${size}`, async () => {
    const driver = await small(columns, rows);
    await driver.press('?');
    expect(driver.region('below')).toContain('Ctrl-J');
    expect(driver.region('below')).toMatch(/\d+ more/);
  });

  test(`what waits is counted, with the key that shows it; held, with the one that lets it go on, ${size} (QUE-3)`, async () => {
    const queue = { rows: waiting('one', 'two', 'three'), paused: null };
    const driver = await small(columns, rows, { queue });
    expect(driver.region('below')).toContain('3 waiting  [Alt-Q] look');
    await driver.publish({
      type: 'branch',
      view: {
        ...sampleView(),
        queue: { ...queue, paused: { because: 'stopped', message: 'Held because you stopped the turn.' } },
        seq: driver.session.view.seq + 1,
      },
    });
    await driver.wait(500);
    expect(driver.region('below')).toContain('3 held  [Alt-G] go on');
    expectWholeKeys(driver);
  });

  test(`a dialog names whole keys or leaves them out, and wraps what it has to say, ${size}`, async () => {
    const driver = await small(columns, rows);
    await driver.press('alt-m');
    await driver.wait(500);
    expectWholeKeys(driver);
    await driver.press('escape', 'ctrl-r');
    expectWholeKeys(driver);
    await driver.press('escape', 'f1');
    expectWholeKeys(driver);
    await driver.press('escape');
    await driver.type('/theme');
    await driver.press('enter', 'enter');
    expectWholeKeys(driver);
  });

  test(`an empty session says first what is amiss, then that it is ready, ${size}`, async () => {
    const driver = await drive({ columns, rows });
    await driver.wait(500);
    expect(driver.region('transcript')).toContain('○ model');
    expect(driver.region('transcript')).toContain('Ready.');
  });
}

test('the paused row offers fewer keys where there is less room, and never one without its words', async () => {
  for (const columns of [34, 40, 48, 60, 80]) {
    const driver = await small(columns, 30, {
      queue: { rows: waiting('one'), paused: { because: 'stopped', message: 'Held because you stopped the turn.' } },
    });
    expect(driver.region('below')).toContain('[Alt-G] go on');
    expect(driver.region('below')).not.toMatch(/\][ │]*(?:\[|\n|$)/);
  }
});

test('names of other scripts keep the meanings of a list in one column', async () => {
  const { head } = sampleView();
  const commands = ['/zz状态', '/zzstate'].map((name) => ({
    name: name.slice(1),
    argument: '',
    description: 'MEANING',
  }));
  const driver = await small(80, 24, { head: { ...head, commands } });
  await driver.type('/zz');
  const columns = [0, 1].map((row) => {
    const y = driver.find('/zz')!.y + 2 + row;
    return Array.from({ length: 70 }, (_, x) => x).find((x) => driver.cell(x, y).text === 'M');
  });
  expect(columns[0]).toBeDefined();
  expect(columns[0]).toBe(columns[1]);
});

test('a long value of /status goes on under itself, none of it cut', async () => {
  const value = `standard (bubblewrap): ${'writes in workspace, '.repeat(6)}processes apart`;
  for (const columns of [40, 80, 200]) {
    const driver = await drive({
      columns,
      rows: 24,
      wrap: (session) => ({
        ...session,
        read: ((query: { type: string }, client: string) =>
          query.type === 'status'
            ? Promise.resolve({ ok: true, value: { rows: [{ name: 'Sandbox', value }] } })
            : session.read(query as never, client)) as Session['read'],
      }),
    });
    await driver.type('/status\n');
    await driver.wait(300);
    const shown = driver.screenText().replace(/[│\s]+/g, ' ');
    expect(shown).toContain(`Sandbox ${value}`);
  }
});
