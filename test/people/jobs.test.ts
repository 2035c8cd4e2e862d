// The person sees what runs beside the conversation, watches it, takes it over, gives it back, and ends it.
import { describe, expect, test } from 'bun:test';
import type { JobRow } from '../../src/protocol/view.ts';
import { drive } from '../support/driver.ts';

function row(id: string, more: Partial<JobRow> = {}): JobRow {
  return {
    id,
    label: `the ${id}`,
    command: `run ${id}`,
    state: 'running',
    exit: null,
    started: 0,
    ended: null,
    background: true,
    ...more,
  };
}
const jobs = (...rows: JobRow[]) => ({ type: 'jobs', jobs: rows }) as const;
const printed = (job: string, text: string, whole = false) => ({ type: 'job-output', job, text, whole }) as const;

describe('what the foot of the screen says', () => {
  test('JOB-1: while a command is waited for, the hint row names the key; it moves the command', async () => {
    const driver = await drive();
    expect(driver.region('hint')).not.toContain('to background');
    await driver.publish(jobs(row('j1', { background: false })));
    expect(driver.region('hint')).toContain('Ctrl-B to background');
    await driver.press('ctrl-b');
    expect(driver.sentOf('job')).toEqual([{ type: 'job', job: 'j1', action: 'background' }]);
    // What nobody waits for any more cannot be moved.
    await driver.publish(jobs(row('j1')));
    expect(driver.region('hint')).not.toContain('to background');
    await driver.press('ctrl-b');
    expect(driver.sentOf('job')).toHaveLength(1);
  });

  test('JOB-4, SC-15.2: the hint row counts what runs in the background, in shell mode too', async () => {
    const driver = await drive();
    await driver.publish(jobs(row('j1'), row('j2', { state: 'ended', exit: 0, ended: 1 }), row('j3')));
    expect(driver.region('hint')).toContain('2 in the background');
    await driver.press('!');
    expect(driver.region('hint')).toContain('2 in the background');
    await driver.press('backspace');
    // One that a tool waits for runs as well.
    await driver.publish(jobs(row('j1'), row('j2', { background: false })));
    expect(driver.region('hint')).toContain('2 running, 1 in the background');
    expect(driver.region('hint')).toContain('Ctrl-B to background');
    await driver.publish(jobs(row('j1', { background: false }), row('j2', { background: false })));
    expect(driver.region('hint')).toContain('2 running');
    expect(driver.region('hint')).not.toContain('in the background');
  });

  test('JOB-7: in the transcript and the reader the key pages back and moves nothing', async () => {
    const driver = await drive();
    await driver.type('hi');
    await driver.press('enter');
    await driver.publish(jobs(row('j1', { background: false })));
    await driver.press('tab', 'ctrl-b');
    expect(driver.sentOf('job')).toEqual([]);
    await driver.press('tab', 'ctrl-o', 'ctrl-b', 'escape');
    expect(driver.sentOf('job')).toEqual([]);
  });
});

describe('Ctrl-L and /jobs', () => {
  test('with none nothing opens, with one its own view, with several the list (VIEW-1, VIEW-3)', async () => {
    const driver = await drive();
    await driver.press('ctrl-l');
    expect(driver.screen.modals).toEqual([]);
    await driver.publish(jobs(row('j1')));
    await driver.press('ctrl-l');
    expect(driver.screen.modals).toMatchObject([{ kind: 'watch', job: 'j1' }]);
    await driver.press('escape');
    expect(driver.screen.modals).toEqual([]);
    await driver.publish(jobs(row('j1'), row('j2', { state: 'ended', exit: 3, ended: 1 })));
    await driver.press('ctrl-l');
    const text = driver.screenText();
    expect(text).toContain('… j1 the j1');
    expect(text).toContain('✗ j2 the j2');
    expect(text).toContain('exit 3');
  });

  test('Enter watches, Esc comes back to the row just left; what is printed is drawn as it comes (VIEW-12)', async () => {
    const driver = await drive();
    await driver.publish(jobs(row('j1'), row('j2')));
    await driver.type('/jobs');
    await driver.press('enter', 'home', 'enter');
    expect(driver.sentOf('job')).toEqual([{ type: 'job', job: 'j1', action: 'watch' }]);
    await driver.publish(printed('j1', 'before\n', true));
    await driver.publish(printed('j1', 'now\n'), printed('j2', 'another\n'));
    expect(driver.screenText()).toContain('j1 $ run j1');
    expect(driver.screenText()).toContain('before');
    expect(driver.screenText()).toContain('now');
    expect(driver.screenText()).not.toContain('another');
    await driver.press('escape');
    expect(driver.sentOf('job').at(-1)).toEqual({ type: 'job', job: 'j1', action: 'unwatch' });
    expect(driver.screenText()).toContain('❯ … j1');
    // A job more changes nothing about where one stands.
    await driver.publish(jobs(row('j1'), row('j2'), row('j3')));
    expect(driver.screenText()).toContain('❯ … j1');
    await driver.press('escape');
    expect(driver.screen.modals).toEqual([]);
  });

  test('SC-15.10: x stops the chosen one, X all, d forgets one that ended', async () => {
    const driver = await drive();
    await driver.publish(jobs(row('j1'), row('j2', { state: 'ended', exit: 0, ended: 1 })));
    await driver.press('ctrl-l', 'd', 'up', 'x', 'X');
    expect(driver.sentOf('job')).toEqual([
      { type: 'job', job: 'j2', action: 'remove' },
      { type: 'job', job: 'j1', action: 'stop' },
    ]);
    expect(driver.sentOf('command')).toMatchObject([{ name: 'jobs', argument: 'stop all' }]);
  });

  test('no key, paste or drop reaches the hidden box (VIEW-4)', async () => {
    const driver = await drive();
    await driver.type('half');
    await driver.publish(jobs(row('j1')));
    await driver.press('ctrl-l');
    await driver.type('zzz');
    await driver.paste('pasted');
    await driver.press('escape');
    expect(driver.draft).toBe('half');
  });

  test('a job that ended says how, and what it printed before and after a move is in one place (VIEW-8b)', async () => {
    const driver = await drive();
    await driver.publish(jobs(row('j1', { background: false })));
    await driver.press('ctrl-l');
    await driver.publish(printed('j1', 'one\n', true));
    await driver.press('ctrl-b');
    expect(driver.sentOf('job').at(-1)).toEqual({ type: 'job', job: 'j1', action: 'background' });
    await driver.publish(jobs(row('j1')), printed('j1', 'two\n'));
    await driver.publish(jobs(row('j1', { state: 'stopped', ended: 9000, note: 'stopped when the turn ended' })));
    const text = driver.screenText();
    expect(text).toContain('one');
    expect(text).toContain('two');
    expect(text).toContain('stopped when the turn ended');
  });
});

describe('taking over a terminal', () => {
  const shell = row('j1', { terminal: true });

  test('every key goes to the job until the chord hands it back, and the screen is as it was', async () => {
    const driver = await drive();
    await driver.type('half');
    await driver.publish(jobs(shell));
    const before = driver.region('prompt');
    await driver.press('ctrl-l', 't');
    expect(driver.sentOf('job-size')).toHaveLength(1);
    await driver.press('y', 'escape', 'ctrl-c', 'up', 'enter', 'tab', 'q');
    await driver.paste('a\nb');
    expect(driver.sentOf('job-input').map(({ text }) => text)).toEqual([
      'y',
      '\x1b',
      '\x03',
      '\x1b[A',
      '\r',
      '\t',
      'q',
      'a\rb',
    ]);
    expect(driver.screenText()).toContain('Your keys go to this command');
    await driver.raw('\x1d');
    await driver.press('q');
    expect(driver.sentOf('job-input')).toHaveLength(8);
    expect(driver.screen.modals).toEqual([]);
    expect(driver.draft).toBe('half');
    expect(driver.region('prompt')).toBe(before);
    expect(driver.sentOf('cancel')).toEqual([]);
  });

  test('keys and pastes are sent as the program asked for them', async () => {
    const driver = await drive();
    await driver.publish(jobs(shell));
    await driver.press('ctrl-l', 't');
    await driver.publish(printed('j1', '\x1b[?1h\x1b[?2004h'));
    await driver.press('up');
    await driver.paste('x');
    expect(driver.sentOf('job-input').map(({ text }) => text)).toEqual(['\x1bOA', '\x1b[200~x\x1b[201~']);
  });

  test('another size is passed on', async () => {
    const driver = await drive({ columns: 100, rows: 30 });
    await driver.publish(jobs(shell));
    await driver.press('ctrl-l', 't');
    await driver.resize(80, 24);
    expect(driver.sentOf('job-size').map(({ columns, rows }) => [columns, rows])).toEqual([
      [98, 24],
      [78, 18],
    ]);
  });

  test('what a program draws never reaches the terminal as control (SEC-40)', async () => {
    const driver = await drive();
    await driver.publish(jobs(shell));
    await driver.press('ctrl-l', 't');
    driver.terminal.takeOutput();
    await driver.publish(printed('j1', '\x1b]52;c;aGFjaw==\x07\x1b]0;mine\x07\x1b[?1049h\x1b[31mred\x1b[?1003h', true));
    const out = driver.terminal.takeOutput();
    expect(driver.screenText()).toContain('red');
    for (const sequence of [']52', ']0;mine', '1049', '1003']) expect(out).not.toContain(sequence);
  });

  test('one that ends gives the keys back by itself; one without a terminal is not taken over', async () => {
    const driver = await drive();
    await driver.publish(jobs(shell));
    await driver.press('ctrl-l', 't');
    await driver.publish(jobs({ ...shell, state: 'ended', exit: 0, ended: 5 }));
    await driver.press('q');
    expect(driver.sentOf('job-input')).toEqual([]);
    expect(driver.screen.modals).toEqual([]);
    await driver.publish(jobs(row('j2')));
    await driver.press('ctrl-l', 't');
    expect(driver.screenText()).toContain('It has no terminal');
  });
});
