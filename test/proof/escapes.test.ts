// Whatever others wrote is drawn and never obeyed: every text of a View, through the real screen, and every line of a
// one-shot run, read by what a terminal would make of it.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runPrint } from '../../src/front/print/print.ts';
import type { Ask } from '../../src/protocol/ask.ts';
import type { Entry } from '../../src/protocol/entry.ts';
import { emptyHead, emptyView } from '../../src/protocol/reduce.ts';
import type { Session } from '../../src/protocol/session.ts';
import type { Change, Update } from '../../src/protocol/update.ts';
import type { View } from '../../src/protocol/view.ts';
import { type Driver, drive } from '../support/driver.ts';
import { type GuardedPlace, type GuardedRun, guardedPlace } from '../support/guarded-session.ts';
import { foreignControls, HOSTILE } from '../support/hostile-text.ts';
import { sampleAsk, sampleView } from '../support/sample-view.ts';

/** Words of ours by which a View is told what it is; everything else may have come from anywhere. */
const OWN_WORDS = new Set(
  [
    'kind',
    'type',
    'state',
    'phase',
    'role',
    'name',
    'key',
    'id',
    'entry',
    'call',
    'ref',
    'client',
    'delivery',
    'as',
    'for',
  ].concat([
    'integrity',
    'confidentiality',
    'outcome',
    'reason',
    'level',
    'change',
    'mode',
    'effort',
    'stop',
    'endedBy',
    'because',
  ]),
);

/** The same value with `text` put into every text in it. */
function poisoned<T>(value: T, text: string): T {
  const walk = (part: unknown, key: string): unknown => {
    if (typeof part === 'string') return OWN_WORDS.has(key) ? part : `${text}${part}${text}`;
    if (Array.isArray(part)) return part.map((one) => walk(one, key));
    if (typeof part === 'object' && part !== null)
      return Object.fromEntries(Object.entries(part).map(([name, inner]) => [name, walk(inner, name)]));
    return part;
  };
  return walk(value, '') as T;
}

/** Everything written to the terminal while the screen shows it, in several sizes and under several modals. */
async function written(driver: Driver, view: View, asks: readonly Ask[]): Promise<string> {
  driver.terminal.takeOutput();
  await driver.publish({ type: 'snapshot', view, draft: null });
  for (const ask of asks) {
    await driver.publish({ type: 'ask', ask });
    await driver.press('tab');
    await driver.publish({ type: 'ask-closed', ask: ask.id, by: 'somebody', answer: 'no' });
  }
  await driver.press('alt-e');
  await driver.press('ctrl-o');
  await driver.press('escape');
  return driver.terminal.takeOutput();
}

describe('the screen', () => {
  let driver: Driver;
  beforeAll(async () => {
    driver = await drive({ rows: 50 });
  });

  test.each(HOSTILE)('SEC-40, UP-53: draws %j, wherever it stands', async (text) => {
    const view = poisoned({ ...sampleView(), asks: [] }, text);
    const bytes = await written(driver, view, [poisoned(sampleAsk(), text)]);
    expect(bytes.length).toBeGreaterThan(1000);
    expect(foreignControls(bytes)).toEqual([]);
  });

  test.each(HOSTILE)('UP-53: draws %j where it comes bit by bit, or is pasted', async (text) => {
    driver.terminal.takeOutput();
    await driver.publish(
      { type: 'live-start', turn: 9, round: 0 },
      { type: 'live-call', part: 2, call: 'c', tool: text, title: text, inputBytes: 1 },
      { type: 'flash', client: null, level: 'warning', text },
    );
    for (const piece of text) {
      await driver.publish(
        { type: 'delta', part: 0, kind: 'thinking', text: piece },
        { type: 'delta', part: 1, kind: 'text', text: piece },
      );
    }
    await driver.paste(text);
    await driver.publish({ type: 'live-end' });
    expect(foreignControls(driver.terminal.takeOutput())).toEqual([]);
    await driver.press('ctrl-c');
  });

  test('what would be obeyed is found in a stream that lets it through', () => {
    for (const text of HOSTILE.filter((one) => !one.startsWith('e\u0301')))
      expect(foreignControls(`a${text}b`)).not.toEqual([]);
  });
});

describe('every tool', () => {
  let place: GuardedPlace;
  let run: GuardedRun;
  const all = HOSTILE.join('\n');
  const names = HOSTILE.filter((text) => !/[\0/]/.test(text) && text.isWellFormed() && Buffer.byteLength(text) < 200);
  beforeAll(async () => {
    place = guardedPlace();
    place.write('page.md', all);
    for (const name of names) writeFileSync(join(place.folder, `n${name}`), `needle ${name}\n`);
    const calls: [string, Record<string, unknown>][] = [
      ['read_file', { path: 'page.md' }],
      ['run_shell', { command: 'cat page.md; ls' }],
      ['run_shell', { command: `echo '${all.replaceAll("'", '').replaceAll('\0', '')}'` }],
      ['list_files', { directory: '.' }],
      ['find_files', { pattern: 'n*' }],
      ['search_text', { pattern: 'needle' }],
      ['write_file', { path: 'made.md', contents: all }],
      ['edit_file', { path: 'made.md', edits: [{ old_text: 'click', new_text: all }] }],
      ['ask_person', { questions: [{ question: all, options: [{ label: all }] }] }],
      ['todo_write', { items: [{ text: all, state: 'pending' }] }],
      ['fetch_url', { url: `http://127.0.0.1:9/${all}` }],
      ['load_skill', { name: all }],
      ...names.map((name): [string, Record<string, unknown>] => ['read_file', { path: `n${name}`, why: name }]),
    ];
    run = await place.run(
      [...calls.map(([tool, input], at) => [{ tool, input: { why: all, ...input } as never, call: `c${at}` }]), all],
      {
        answer: ({ body }) =>
          body.kind === 'questions' ? { kind: 'answers', answers: [[all]] } : { kind: 'choice', choice: 'once' },
      },
    );
  }, 60_000);
  afterAll(() => place.close());

  test('SEC-40, UP-53: what it found, its title and its question are drawn and not obeyed', async () => {
    expect(run.told.join('')).toContain('\u001b[2J');
    const driver = await drive({ rows: 50 });
    const bytes = await written(driver, run.view, run.asks);
    expect(foreignControls(bytes)).toEqual([]);
    for (let page = 0; page < 12; page++) await driver.press('pageup');
    await driver.resize(60, 20);
    await driver.resize(140, 50);
    expect(foreignControls(driver.terminal.takeOutput().replaceAll('\u001b[2J', ''))).toEqual([]);
  }, 60_000);
});

/** A session whose one turn makes a refused call; every text in what it says is `text`. */
function sessionSaying(text: string): Session {
  const head = { ...emptyHead('s', '/project', 'test'), ready: true, notSaved: text };
  const part = { type: 'call', call: 'c', tool: 't', title: text, why: null, input: {} } as const;
  const usage = { input: 0, output: 0, cacheRead: null, cacheWrite: null, reasoning: null };
  const base = { id: 'x', parent: null, time: 0, turn: 1 };
  const model = { provider: 'a', model: 'b' };
  const entries = [
    { ...base, kind: 'assistant', round: 0, model, parts: [part], stop: 'calls', usage, cost: null },
    { ...base, kind: 'result', call: 'c', tool: 't', title: text, outcome: 'denied', text, display: { kind: 'none' } },
  ] as unknown as readonly Entry[];
  const messages = [{ level: 'warning', identifier: 'warned', text }] as const;
  let tell: (update: Update) => void = () => {};
  return {
    attach: (_options, listener) => {
      tell = listener;
      listener({ seq: 1, changes: [{ type: 'snapshot', view: emptyView(head), draft: null }] });
      return { closed: new Promise(() => {}), close: () => {} };
    },
    send: async (intent) => {
      const outcome = { client: 'me', ref: 'r', state: 'failed', messages, refusals: 1, turn: 1 } as never;
      const changes: Change[] = entries.map((entry) => ({ type: 'entry', entry }));
      if (intent.type === 'say') tell({ seq: 2, changes: [...changes, { type: 'outcome', outcome }] });
      return { accepted: true, value: null };
    },
    read: () => Promise.reject(new Error('nothing is read')),
  };
}

test.each(HOSTILE)('UP-53: a one-shot run says %j in one line of its own', async (text) => {
  const err: string[] = [];
  await runPrint({
    session: sessionSaying(text),
    client: 'me',
    ref: 'r',
    prompt: 'go',
    attachments: [],
    format: 'text',
    out: () => {},
    err: (line) => void err.push(line),
    interrupted: new AbortController().signal,
  });
  expect(err.length).toBeGreaterThanOrEqual(4);
  for (const line of err) {
    expect(line.indexOf('\n')).toBe(line.length - 1);
    expect(foreignControls(line.slice(0, -1))).toEqual([]);
  }
});
