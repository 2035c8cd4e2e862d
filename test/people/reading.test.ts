// The person reads: back through everything that was said, while more arrives below; they open a card, select, copy.
import { expect, test } from 'bun:test';
import type { Display } from '../../src/protocol/display.ts';
import { TRUSTED_PUBLIC } from '../../src/protocol/label.ts';
import { NO_TOTALS } from '../../src/protocol/message.ts';
import type { Session } from '../../src/protocol/session.ts';
import type { Activity, Item } from '../../src/protocol/view.ts';
import { type Driver, drive, STOP_AND_GO_ON } from '../support/driver.ts';
import { sampleCall, sampleItem } from '../support/sample-view.ts';

const WRITING: Activity = { phase: 'writing', turn: 1, since: 0, detail: '', retry: null };

function reply(text: string): Item {
  return sampleItem({ kind: 'assistant', text, turn: 1, stop: 'end' });
}

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

const lines = (count: number) => Array.from({ length: count }, (_, line) => reply(`line ${line}`));

/** The upper rows of what one reads: they tell two places apart. */
function topRow(driver: Driver): string {
  return driver.region('transcript').split('\n').slice(1, 9).join('\n');
}

test('reading back stands still while text streams, says that more is below, and leaves the history alone (UP-03)', async () => {
  const driver = await drive();
  await driver.type('sent before\n');
  await show(driver, lines(200));
  await driver.publish({ type: 'activity', activity: WRITING }, { type: 'live-start', turn: 9, round: 1 });
  await driver.press('pageup', 'pageup', 'pageup');
  const top = topRow(driver);
  for (let word = 0; word < 40; word++) {
    await driver.publish({ type: 'delta', part: 0, kind: 'text', text: `word${word}\n\n` });
    expect(topRow(driver)).toBe(top);
  }
  expect(driver.region('transcript')).toContain('▼ more below');
  await driver.raw('\x1b[<64;10;5M\x1b[<64;10;5M');
  expect(topRow(driver)).not.toBe(top);
  await driver.type('x');
  expect(driver.draft).toBe('x');
  await driver.press('home');
  expect(driver.region('transcript')).toContain('line 0');
  await driver.press('end');
  expect(driver.region('transcript')).toContain('word39');
});

test('new cards below are counted until one goes there (UP-03)', async () => {
  const driver = await drive();
  await show(driver, lines(60));
  await driver.press('pageup');
  const entry = {
    id: 'n1',
    parent: null,
    time: 0,
    kind: 'note',
    level: 'info',
    identifier: 'x',
    text: 'a note',
  } as const;
  await driver.publish({ type: 'entry', entry }, { type: 'entry', entry: { ...entry, id: 'n2' } });
  expect(driver.region('transcript')).toContain('2 new cards below');
  await driver.press('ctrl-end');
  expect(driver.region('transcript')).not.toContain('below');
  expect(driver.region('transcript')).toContain('a note');
});

test('the thumb shows the true share of what can be seen, also of cards nobody looked at; then all is quiet (TC-2)', async () => {
  const driver = await drive();
  const long = reply(Array.from({ length: 90 }, (_, line) => `row ${line}`).join('\n\n'));
  await show(driver, [long, { ...long, id: 'other' }, ...lines(100)]);
  await driver.wait(2000);
  expect(driver.clock.timers).toBe(0);
  const rows = driver.region('transcript').split('\n').slice(1, -1);
  const thumb = rows.filter((row) => row.endsWith('┃')).length;
  const total = 2 * 179 + 1 + 100 * 2;
  expect(thumb).toBe(Math.round((rows.length / total) * rows.length));
  expect(rows.at(-1)).toEndWith('┃');
  await driver.press('home');
  expect(driver.region('transcript').split('\n')[1]).toEndWith('┃');
});

test('older cards are fetched when one reads back to them, and none is missing', async () => {
  const everything = lines(500);
  const driver = await drive({
    wrap: (session) => ({
      attach: (options, listener) => session.attach(options, listener),
      send: (intent, client) => session.send(intent, client),
      read: ((query: { type: string; from: number; count: number }, client: string) =>
        query.type === 'page'
          ? Promise.resolve({
              ok: true,
              value: { generation: 1, from: query.from, items: everything.slice(query.from, query.from + query.count) },
            })
          : session.read(query as never, client)) as Session['read'],
    }),
  });
  await show(driver, everything.slice(400), 400);
  const seen = new Set<string>();
  const look = () => {
    for (const found of driver.region('transcript').matchAll(/line (\d+)\b/g)) seen.add(found[1]!);
  };
  look();
  for (let page = 0; page < 80 && !seen.has('0'); page++) {
    await driver.press('pageup');
    look();
  }
  expect(seen.size).toBe(500);
});

test('a drag selects source text: no border, no padding, no newline of a wrap; Ctrl-C sends it raw (UP-17)', async () => {
  for (const environment of [{}, { TMUX: '/tmp/tmux-1000/default,1,0' }]) {
    const driver = await drive({ columns: 80, environment });
    const code = Array.from({ length: 150 }, (_, at) => 'abcdefghij'[at % 10]).join('');
    await show(driver, [reply(`Here:\n\n\`\`\`\n${code}\n\`\`\``)]);
    const from = driver.find('abcdefghij')!;
    await driver.mouse('press', from.x, from.y);
    await driver.mouse('drag', from.x + 20, from.y + 1);
    await driver.mouse('drag', 79, from.y + 2);
    await driver.mouse('release', 79, from.y + 2);
    expect(driver.region('hint')).toContain('Ctrl-C');
    await driver.press('ctrl-c');
    expect(driver.terminal.output).toContain(`\x1b]52;c;${btoa(code)}\x07`);
    expect(driver.region('hint')).toContain('Sent to the clipboard');
    expect(driver.region('hint')).not.toContain('opied');
  }
});

test('a wrapped paragraph is copied as the one line it is, list marks as they were written (UP-17)', async () => {
  const driver = await drive({ columns: 50 });
  const text = 'one two three four five six seven eight nine ten eleven twelve';
  await show(driver, [reply(`${text}\n\n- first\n- second`)]);
  const from = driver.find('one two')!;
  const to = driver.find('second')!;
  await driver.mouse('press', from.x, from.y);
  await driver.mouse('drag', to.x + 10, to.y);
  await driver.mouse('release', to.x + 10, to.y);
  await driver.press('ctrl-c');
  const sent = /\x1b\]52;c;([^\x07]*)\x07/.exec(driver.terminal.output)?.[1] ?? '';
  expect(atob(sent)).toBe(`${text}\n\n- first\n- second`);
});

function lastCopied(driver: Driver): string {
  const sent = [...driver.terminal.output.matchAll(/\x1b\]52;c;([^\x07]*)\x07/g)].at(-1)?.[1] ?? '';
  return new TextDecoder().decode(Uint8Array.from(atob(sent), (letter) => letter.charCodeAt(0)));
}

test('two clicks choose a word, three the whole line however it is wrapped (UP-17, KY-12)', async () => {
  const driver = await drive({ columns: 50 });
  const text = 'one two three_3 four five six seven eight nine ten eleven twelve';
  await show(driver, [reply(`${text}\n\nanother`)]);
  const at = driver.find('three_3')!;
  const click = async () => {
    await driver.mouse('press', at.x + 2, at.y);
    await driver.mouse('release', at.x + 2, at.y);
  };
  await click();
  await click();
  await driver.press('ctrl-c');
  expect(lastCopied(driver)).toBe('three_3');
  await driver.wait(1000);
  for (let presses = 0; presses < 3; presses++) await click();
  await driver.press('ctrl-c');
  expect(lastCopied(driver)).toBe(text);
  await driver.wait(1000);
  await click();
  await driver.wait(1000);
  await click();
  await driver.press('ctrl-c');
  expect(lastCopied(driver)).toBe(text);
});

test('two clicks choose a word of the draft, three its line (KY-12)', async () => {
  const driver = await drive();
  await driver.type('say hello');
  await driver.press('ctrl-j');
  await driver.type('there');
  const at = driver.find('hello')!;
  for (const expected of ['', 'hello', 'say hello']) {
    await driver.mouse('press', at.x + 1, at.y);
    await driver.mouse('release', at.x + 1, at.y);
    const { anchor, caret, text } = driver.screen.prompt.editor.buffer;
    expect(text.slice(anchor ?? caret, caret)).toBe(expected);
  }
});

test('a part of a row is copied as it was written: its tab, its list mark (UP-17)', async () => {
  const driver = await drive();
  await show(driver, [
    sampleCall({
      title: 'Read x',
      display: { kind: 'text', text: 'a\tb\tcc dd', end: 'head', totalLines: 1, label: TRUSTED_PUBLIC },
    }),
    reply('* first item'),
  ]);
  const row = driver.find('cc dd')!;
  const start = driver.find('│ a')!;
  await driver.mouse('press', start.x + 2, row.y);
  await driver.mouse('drag', row.x + 2, row.y);
  await driver.mouse('release', row.x + 2, row.y);
  await driver.press('ctrl-c');
  expect(lastCopied(driver)).toBe('a\tb\tcc');
  const item = driver.find('first item')!;
  await driver.mouse('press', item.x - 2, item.y);
  await driver.mouse('drag', item.x + 5, item.y);
  await driver.mouse('release', item.x + 5, item.y);
  await driver.press('ctrl-c');
  expect(lastCopied(driver)).toBe('* first');
});

test('Shift and arrows select in the transcript without a mouse, and the view follows (UP-17)', async () => {
  const driver = await drive();
  await show(driver, lines(100));
  await driver.press('tab', 'home');
  await driver.raw('\x1b[1;2C\x1b[1;2C\x1b[1;2C\x1b[1;2C');
  await driver.press('ctrl-c');
  expect(lastCopied(driver)).toBe('line');
  for (let step = 0; step < 60; step++) await driver.raw('\x1b[1;2B');
  expect(driver.region('transcript')).toContain('line 30');
  expect(driver.region('transcript')).not.toContain('line 0 ');
  await driver.raw('\x1b[1;2F');
  await driver.press('ctrl-c');
  const copied = lastCopied(driver).split('\n\n');
  expect(copied).toEqual(
    Array.from({ length: copied.length }, (_, line) => `line ${line + Number(copied[0]!.slice(5))}`),
  );
  expect(copied.length).toBe(31);
});

test('more than 100 KB is offered as a file, and written only at a yes (UP-17)', async () => {
  const driver = await drive();
  driver.processes.script((argv) => argv[0] === 'sh', { out: '/tmp/houston-x/copy.txt' });
  await show(driver, [reply('word '.repeat(25_000))]);
  await driver.type('/copy');
  await driver.press('enter');
  expect(driver.screenText()).toContain('Too long for the clipboard');
  expect(driver.terminal.output).not.toContain(']52;');
  await driver.press('y');
  await driver.wait(100);
  expect(driver.region('hint')).toContain('Written to /tmp/houston-x/copy.txt');
});

test('a command shows its last five lines, a read its first five, each with the count of the rest, and why it was called (TR-4, TC-11)', async () => {
  const driver = await drive({ rows: 40 });
  const text = (count: number) => Array.from({ length: count }, (_, line) => `row${line}.`).join('\n');
  const read: Display = { kind: 'text', text: text(9), end: 'head', totalLines: 30, label: TRUSTED_PUBLIC };
  const ran: Display = {
    kind: 'terminal',
    command: 'x',
    tail: text(9),
    totalLines: 40,
    totalBytes: 400,
    exit: 0,
    endedBy: 'exit',
    label: TRUSTED_PUBLIC,
  };
  await show(driver, [sampleCall({ title: 'Read a', display: read, why: 'to see it' })]);
  expect(driver.region('transcript')).toContain('to see it');
  expect([...driver.region('transcript').matchAll(/row(\d)\./g)].map((found) => found[1])).toEqual([
    '0',
    '1',
    '2',
    '3',
    '4',
  ]);
  expect(driver.region('transcript')).toContain('25 more lines [Alt-I]');
  await show(driver, [sampleCall({ title: 'Run b', display: ran })]);
  expect([...driver.region('transcript').matchAll(/row(\d)\./g)].map((found) => found[1])).toEqual([
    '4',
    '5',
    '6',
    '7',
    '8',
  ]);
  expect(driver.region('transcript')).toContain('35 more lines [Alt-I]');
});

test('quarantined bytes have the fog at every row, in the card and unfolded (SEC-40)', async () => {
  const driver = await drive({ columns: 60 });
  const preview = {
    text: 'evil '.repeat(60).trim(),
    label: { integrity: 'untrusted', confidentiality: 'public' } as const,
  };
  await show(driver, [
    sampleCall({
      title: 'Fetch it',
      display: { kind: 'quarantined', ref: 'ref:1', origin: 'web', lines: 1, bytes: 300, preview },
    }),
  ]);
  for (const chord of ['alt-e', 'alt-shift-e']) {
    const rows = driver
      .region('transcript')
      .split('\n')
      .filter((row) => /vil/.test(row));
    expect(rows.length).toBeGreaterThan(3);
    for (const row of rows) expect(row).toMatch(/│ ▒ /);
    await driver.press(chord);
  }
});

test('thinking is folded to a row and a count; Alt-E unfolds all, Alt-Shift-E folds', async () => {
  const driver = await drive();
  await show(driver, [sampleItem({ kind: 'thinking', text: 'first thought\nsecond thought\nthird thought', turn: 1 })]);
  expect(driver.region('transcript')).toContain('✦ first thought');
  expect(driver.region('transcript')).toContain('+2 rows');
  await driver.press('alt-e');
  expect(driver.region('transcript')).toContain('third thought');
  await driver.press('alt-shift-e');
  expect(driver.region('transcript')).not.toContain('third thought');
});

test('a failed turn says why in Houston’s words, with status and attempts; the service’s own words open on demand (TR-5, UP-26)', async () => {
  const driver = await drive();
  const failure = {
    category: 'rate-limited',
    message: 'The service asks to wait',
    status: 429,
    requestId: 'req_1',
    detail: 'slow \x1b[31mdown',
    retryAfterMs: 3000,
    retryable: true,
    attempts: 3,
  } as const;
  await show(driver, [
    sampleItem({
      kind: 'turn-end',
      turn: 4,
      reason: 'failed',
      failure,
      message: null,
      duration: 100,
      usage: NO_TOTALS,
    }),
  ]);
  expect(driver.region('transcript')).toContain('The service asks to wait (HTTP 429), after 3 attempts');
  expect(driver.region('transcript')).toContain('turn 4 ✗ failed');
  expect(driver.region('transcript')).not.toContain('req_1');
  await driver.press('alt-e');
  expect(driver.region('transcript')).toContain('req_1');
  expect(driver.region('transcript')).toContain('▒ slow ␛[31mdown');
});

test('why a turn failed is told once, where it ended, with one key beside what waits; read back, the foot tells it (TR-5)', async () => {
  const driver = await drive();
  const message = 'The service rejected the request (400)';
  const failure = {
    category: 'request-rejected',
    message,
    status: 400,
    requestId: null,
    detail: 'field x is unknown',
    retryAfterMs: null,
    retryable: false,
    attempts: 1,
  } as const;
  const ending = {
    kind: 'turn-end',
    turn: 4,
    reason: 'failed',
    failure,
    message: null,
    duration: 1,
    usage: NO_TOTALS,
  } as const;
  await show(driver, [...lines(40), sampleItem(ending)]);
  const view = structuredClone(driver.session.view);
  const fail = (ref: string) => ({
    type: 'outcome' as const,
    outcome: {
      client: 'me',
      ref,
      state: 'failed' as const,
      turn: 4,
      refusals: 0,
      messages: [{ level: 'error' as const, identifier: 'turn-failed', text: message }],
    },
  });
  await driver.publish(
    { type: 'branch', view: { ...view, queue: { rows: [], paused: { because: 'failed', message } } } },
    fail('r1'),
  );
  expect(driver.screenText().split(message)).toHaveLength(2);
  expect(driver.region('transcript')).toContain('+2 rows');
  expect(driver.region('below')).toMatch(/■ The turn failed +\[Alt-T\] try again/);
  expect(driver.region('below')).not.toContain('go on');
  await driver.press('pageup', 'pageup');
  await driver.publish(fail('r2'));
  expect(driver.region('hint')).toContain(message);
});

test('a wait for the service counts down and Esc ends it (UP-26)', async () => {
  const driver = await drive();
  const failure = {
    category: 'overloaded',
    message: 'The service is overloaded',
    status: 529,
    requestId: null,
    detail: null,
    retryAfterMs: null,
    retryable: true,
    attempts: 1,
  } as const;
  await driver.publish({
    type: 'activity',
    activity: {
      ...WRITING,
      phase: 'retrying',
      retry: { at: driver.clock.now() + 3000, attempt: 2, attempts: 5, failure },
    },
  });
  expect(driver.region('prompt')).toContain('The service is overloaded • again in 3s • try 2 of 5');
  await driver.wait(1500);
  expect(driver.region('prompt')).toContain('again in 2s');
  await driver.press('escape');
  await driver.wait(50);
  expect(driver.sentOf('cancel')).toEqual([STOP_AND_GO_ON]);
});

test('Alt-I opens a whole output, fetched as it is read, with a search of its own', async () => {
  const all = Array.from({ length: 1000 }, (_, line) => `out ${line}`);
  const driver = await drive({
    wrap: (session) => ({
      attach: (options, listener) => session.attach(options, listener),
      send: (intent, client) => session.send(intent, client),
      read: ((query: { type: string; from: number; count: number }, client: string) =>
        query.type === 'output'
          ? Promise.resolve({
              ok: true,
              value: {
                lines: all.slice(query.from, query.from + query.count),
                totalLines: 1000,
                totalBytes: 8000,
                label: TRUSTED_PUBLIC,
              },
            })
          : session.read(query as never, client)) as Session['read'],
    }),
  });
  const display: Display = {
    kind: 'terminal',
    command: 'x',
    tail: 'out 999',
    totalLines: 1000,
    totalBytes: 8000,
    exit: 0,
    endedBy: 'exit',
    label: TRUSTED_PUBLIC,
  };
  await show(driver, [sampleCall({ title: 'Run it', output: 'c1', display, input: { command: 'x' } })]);
  await driver.type('draft');
  await driver.press('alt-i');
  expect(driver.screenText()).toContain('command: x');
  expect(driver.screenText()).toContain('out 0');
  await driver.press('end');
  await driver.wait(50);
  expect(driver.screenText()).toContain('out 999');
  await driver.press('g', '/');
  await driver.type('OUT 15');
  await driver.press('escape');
  await driver.wait(50);
  await driver.press('/');
  await driver.type('out 150\n');
  expect(driver.screenText()).toContain('out 150');
  await driver.press('q');
  expect(driver.draft).toBe('draft');
});

test('Tab goes between prompt and transcript; a letter goes back to the prompt and is entered (LA-25, LA-26)', async () => {
  const driver = await drive();
  await show(driver, lines(100));
  await driver.press('tab', 'up');
  expect(driver.screen.focus).toBe('transcript');
  await driver.type('x');
  expect(driver.screen.focus).toBe('prompt');
  expect(driver.draft).toBe('x');
});

test('a branch that moved is drawn anew from its own tail', async () => {
  const driver = await drive();
  await show(driver, lines(100));
  await driver.press('pageup');
  await show(driver, [reply('another branch')]);
  expect(driver.region('transcript')).toContain('another branch');
  expect(driver.region('transcript')).not.toContain('line 9');
});
