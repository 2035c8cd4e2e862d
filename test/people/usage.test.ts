// What it costs, what is left, and where a prompt runs: as a person sees it.
import { expect, test } from 'bun:test';
import { BOLD, UNDERLINE } from '../../src/front/tui/frame/cell.ts';
import type { Session } from '../../src/protocol/session.ts';
import type { UsageReport, UsageRow } from '../../src/protocol/usage.ts';
import type { Activity, Head } from '../../src/protocol/view.ts';
import { type Driver, drive } from '../support/driver.ts';

const RUNNING: Activity = { phase: 'tools', turn: 1, since: 0, detail: '', retry: null };
const MODEL = { provider: 'acme', model: 'big' };
const FAILURE = {
  category: 'rate-limited',
  message: 'The usage limit of the account is reached (429)',
  status: 429,
  requestId: null,
  detail: null,
  retryAfterMs: 7_200_000,
  retryable: true,
  attempts: 1,
} as const;

function row(purpose: string, more: Partial<UsageRow> = {}): UsageRow {
  const counts = { requests: 10, input: 10_000, output: 1_000, cacheRead: 90_000, cacheWrite: 0 };
  return { model: MODEL, purpose, ...counts, cost: 0.072, unpriced: 0, ...more };
}

/** A session that knows these figures; `late` is what it is told when it asks anew. */
function knowing(first: UsageReport, late: Promise<UsageReport>) {
  const asked: boolean[] = [];
  const wrap = (session: Session): Session => ({
    attach: (options, listener) => session.attach(options, listener),
    send: (intent, client) => session.send(intent, client),
    read: (async (query: { type: string; fresh?: boolean }, client: string) => {
      if (query.type !== 'usage') return session.read(query as never, client);
      asked.push(query.fresh === true);
      return { ok: true, value: query.fresh === true ? await late : first };
    }) as Session['read'],
  });
  return { asked, wrap };
}

const NOTHING: UsageReport = { session: [], today: null, quotas: [], spending: [] };

function head(driver: Driver, more: Partial<Head>): Promise<void> {
  return driver.publish({ type: 'head', head: { model: MODEL, ...more } });
}

test('/usage opens at once in the middle of a turn; what is known stands there, what is asked for follows (FO-19, UP-56)', async () => {
  const { promise, resolve } = Promise.withResolvers<UsageReport>();
  const delegate = row('delegate', { requests: 3, input: 3_000, cacheRead: 27_000, output: 300, cost: 0.0216 });
  const odd = row('turn', { model: { provider: 'acme', model: 'odd' }, requests: 2, cost: 0, unpriced: 2 });
  const known: UsageReport = {
    ...NOTHING,
    session: [row('turn'), delegate, odd],
    spending: [
      { what: 'session', spent: 4.5, limit: 5, unpriced: 2 },
      { what: 'day', spent: 4.5, limit: null, unpriced: 2 },
    ],
  };
  const { asked, wrap } = knowing(known, promise);
  const driver = await drive({ wrap });
  await driver.publish({ type: 'activity', activity: RUNNING });
  await driver.type('/usage\n');
  await driver.wait(50);
  const rows = driver.screenText();
  expect(rows).toMatch(/acme:big +\$0\.09 +130k in +90% cached +1\.3k out +13 requests/);
  expect(rows).toMatch(/delegates +\$0\.02 +30k in/);
  expect(rows).toMatch(/acme:odd +\$ unknown/);
  expect(rows).toMatch(/together +\$0\.09 \+ \?/);
  expect(rows).toMatch(/this session +\$4\.50 of \$5\.00 +and 2 requests of unknown price/);
  expect(driver.sent.filter(({ type }) => type === 'command' || type === 'say')).toEqual([]);
  expect(asked).toEqual([false, true]);
  const windows = [{ name: 'w', used: 72, resetsAt: driver.clock.now() + 3 * 3_600_000 }];
  resolve({ ...known, quotas: [{ label: 'Codex', plan: 'pro', windows, at: driver.clock.now() }] });
  await driver.wait(50);
  expect(driver.screenText()).toMatch(/Codex pro.*\n.*a week +72% \[#{14}\.{6}\] +starts over in (?:3h00m|2h59m)/);
});

test('what comes after the dialog was closed opens nothing', async () => {
  const { promise, resolve } = Promise.withResolvers<UsageReport>();
  const driver = await drive({ wrap: knowing(NOTHING, promise).wrap });
  await driver.type('/usage\n');
  await driver.wait(50);
  expect(driver.screenText()).toContain('nothing yet');
  await driver.press('escape');
  resolve(NOTHING);
  await driver.wait(50);
  expect(driver.screen.modals).toEqual([]);
});

test('the allowance stands before the model on the upper right border, and goes when its account does (FO-16, FO-20)', async () => {
  const driver = await drive();
  await head(driver, { quota: { label: 'Codex', used: 72, window: 'w' } });
  expect(driver.region('prompt')).toMatch(/─ Codex 72\/100%\(w\) • acme:big \[Alt-M\] ─╮/);
  await head(driver, { quota: null });
  expect(driver.region('prompt')).not.toContain('Codex');
});

test.each([{}, { NO_COLOR: '1' }])(
  'fast mode is seen by the name of the model alone, with and without colour (FA-6, FA-8) %p',
  async (environment) => {
    const driver = await drive({ environment });
    const marks = (): number[] => {
      const at = driver.find('acme:big • high')!;
      return [0, 7, 8, 11].map((column) => driver.cell(at.x + column, at.y).attributes & (BOLD | UNDERLINE));
    };
    await head(driver, { effort: 'high', fast: { on: true, offered: false } });
    expect(marks()).toEqual([0, 0, 0, 0]);
    await head(driver, { fast: { on: true, offered: true } });
    expect(marks()).toEqual([BOLD | UNDERLINE, BOLD | UNDERLINE, 0, 0]);
    expect(driver.region('prompt')).not.toContain('Fast');
  },
);

test('while a turn runs in fast mode the key of the model is gone, and the name costs no frame at rest (FA-6, FA-9)', async () => {
  const driver = await drive();
  await head(driver, { effort: 'high', fast: { on: true, offered: true } });
  expect(driver.region('prompt')).toContain('acme:big • high [Alt-M] ─');
  await driver.wait(100);
  const drawn = driver.terminal.output.length;
  await driver.wait(5_000);
  expect(driver.terminal.output.length).toBe(drawn);
  await driver.publish({ type: 'activity', activity: RUNNING });
  expect(driver.region('prompt')).toContain('acme:big • high ─');
  expect(driver.region('prompt')).not.toContain('Alt-M');
  const at = driver.find('acme:big • high')!;
  expect(driver.cell(at.x, at.y).attributes & (BOLD | UNDERLINE)).toBe(BOLD | UNDERLINE);
});

test('a sleeping turn counts down in whole seconds and says which key ends it', async () => {
  const driver = await drive();
  const at = driver.clock.now() + 90_000;
  const retry = { at, attempt: 1, attempts: 1, failure: FAILURE };
  await driver.publish({
    type: 'activity',
    activity: { phase: 'sleeping', turn: 1, since: driver.clock.now(), detail: '', retry },
  });
  expect(driver.region('prompt')).toContain('asleep, goes on in 1m30s • Esc ends it');
  await driver.wait(100);
  const drawn = driver.terminal.output.length;
  await driver.wait(800);
  expect(driver.terminal.output.length).toBe(drawn);
  await driver.wait(80_000);
  expect(driver.region('prompt')).toMatch(/asleep, goes on in \d+s/);
  await driver.press('escape');
  expect(driver.sentOf('cancel')).toHaveLength(1);
});

test('where one prompt runs is seen on its row while it waits and on its card after (SC-10.4)', async () => {
  const driver = await drive();
  const target = { model: { provider: 'other', model: 'two' }, effort: 'high' } as const;
  const input = { kind: 'input', client: 'me', ref: 'r', text: 'look', attachments: [], delivery: 'queue' } as const;
  const entry = (id: string, body: object) =>
    ({ type: 'entry', entry: { id, parent: null, time: 1, ...body } }) as never;
  await driver.publish({ type: 'activity', activity: RUNNING }, entry('i1', { ...input, target }));
  expect(driver.region('below')).toMatch(/look +→ other:two \+high • a new turn after this/);
  await driver.publish(entry('t1', { kind: 'taken', input: 'i1', turn: 1, as: 'prompt' }));
  expect(driver.region('transcript')).toMatch(/❯ look +→ other:two \+high/);
});

test('a refused target leaves the text in the box under one line that says why (SC-10.4)', async () => {
  const message = 'No provider is called "nobody"';
  const driver = await drive({
    wrap: (session) => ({
      attach: (options, listener) => session.attach(options, listener),
      send: async (intent, client) =>
        intent.type === 'say'
          ? { accepted: false, refusal: { identifier: 'unknown-provider', message } }
          : session.send(intent, client),
      read: session.read,
    }),
  });
  await driver.type('$nobody:x go\n');
  await driver.wait(20);
  expect(driver.draft).toBe('$nobody:x go');
  expect(driver.region('hint')).toContain(message);
});

test('a dollar at the very start offers models for this turn and skills, each labelled; elsewhere it offers nothing', async () => {
  const choices = [
    { value: 'acme:big', description: 'model, for this turn: Acme' },
    { value: 'release', description: 'skill: how we release' },
  ];
  const driver = await drive({
    wrap: (session) => ({
      attach: (options, listener) => session.attach(options, listener),
      send: (intent, client) => session.send(intent, client),
      read: (async (query: { type: string; command?: string }, client: string) =>
        query.type === 'complete-argument' && query.command === '$'
          ? { ok: true, value: { choices } }
          : session.read(query as never, client)) as Session['read'],
    }),
  });
  await driver.type('$');
  await driver.wait(20);
  expect(driver.region('below')).toMatch(/acme:big +model, for this turn: Acme/);
  expect(driver.region('below')).toMatch(/release +skill: how we release/);
  await driver.press('tab');
  expect(driver.draft).toBe('$acme:big');
  await driver.type(' pay $');
  await driver.wait(20);
  expect(driver.region('below')).toBe('');
});
