// The key table of the box and the transcript: each key once, as a person at an ordinary terminal presses it.
import { expect, test } from 'bun:test';
import type { Item, QueueRow } from '../../src/protocol/view.ts';
import { type Driver, drive, STOP_AND_GO_ON } from '../support/driver.ts';
import { sampleCall, sampleItem, sampleView } from '../support/sample-view.ts';

function row(id: string, text: string, delivery: QueueRow['delivery'] = 'steering'): QueueRow {
  return { id, client: 'me', ref: `ref-${id}`, text, attachments: [], delivery, held: false, target: null } as QueueRow;
}

async function at(driver: Driver, phase: 'idle' | 'tools', rows: readonly QueueRow[] = []): Promise<void> {
  const view = { ...sampleView(), seq: driver.session.view.seq + 1 };
  view.activity = { ...view.activity, phase };
  view.queue = { rows: [...rows], paused: null };
  await driver.publish({ type: 'branch', view });
  await driver.wait(500);
}

test('the border offers Alt-C to edit steering while some waits, else to cancel, and nothing at rest (KY-1)', async () => {
  const driver = await drive();
  await at(driver, 'idle');
  expect(driver.region('prompt')).not.toContain('[Alt-C]');
  await at(driver, 'tools');
  expect(driver.region('prompt')).toContain('[Alt-C] to cancel');
  await at(driver, 'tools', [row('a', 'one')]);
  expect(driver.region('prompt')).toContain('[Alt-C] to edit steering');
});

test('Alt-C takes back what waits and lets the turn run; with nothing waiting it stops the turn; the draft is never sent (KY-1, KY-10, CX-10)', async () => {
  const driver = await drive();
  await at(driver, 'tools', [row('a', 'one')]);
  await driver.type('half a line');
  await driver.press('alt-c');
  expect(driver.sentOf('recall')).toEqual([{ type: 'recall', inputs: 'all' }]);
  expect(driver.sentOf('cancel')).toEqual([]);
  await at(driver, 'tools');
  await driver.press('alt-c');
  expect(driver.sentOf('cancel')).toEqual([STOP_AND_GO_ON]);
  await at(driver, 'idle');
  await driver.press('alt-c');
  expect(driver.sentOf('cancel')).toHaveLength(1);
  expect(driver.sentOf('recall')).toHaveLength(1);
  expect(driver.sentOf('say')).toEqual([]);
  expect(driver.draft).toBe('half a line');
});

test('Alt-E unfolds every card, Alt-C at rest folds them again (KY-10)', async () => {
  const driver = await drive();
  await at(driver, 'idle');
  const folded = driver.screenText();
  await driver.press('alt-e');
  expect(driver.screenText()).not.toBe(folded);
  await driver.press('ctrl-home');
  expect(driver.region('transcript')).toContain('Then at the formatter');
  await driver.press('alt-c');
  expect(driver.region('transcript')).not.toContain('Then at the formatter');
});

test('what waits and would not fit into the box stays where it is, and so does the draft, by Alt-C and by Up (KY-3, CX-10)', async () => {
  const long = 'x'.repeat(700_000);
  const driver = await drive();
  await at(driver, 'tools', [row('a', 'short'), row('b', long)]);
  await driver.paste(`y${'é'.repeat(200_000)}`);
  const before = driver.draft;
  for (const chord of ['alt-c', 'up']) {
    await driver.press(chord);
    expect(driver.sentOf('recall')).toEqual([]);
    expect(driver.sentOf('cancel')).toEqual([]);
    expect(driver.draft).toBe(before);
    expect(driver.region('hint')).toContain('Too long for the prompt');
    expect(driver.region('below')).toContain('short');
  }
  await at(driver, 'tools', [row('a', 'short')]);
  await driver.press('alt-c');
  expect(driver.sentOf('recall')).toHaveLength(1);
});

/** Words of a draft with a mark where the caret stands. */
function caretIn(driver: Driver): string {
  const { caret, text } = driver.screen.prompt.editor.buffer;
  const words = text.toString();
  return `${words.slice(0, caret)}|${words.slice(caret)}`;
}

const CTRL_LEFT = '\x1b[1;5D';
const CTRL_RIGHT = '\x1b[1;5C';

test('Ctrl with an arrow goes by words, with Backspace and Delete takes the word before or after (KY-4)', async () => {
  const driver = await drive();
  await driver.type('one two-three four');
  await driver.raw(CTRL_LEFT);
  expect(caretIn(driver)).toBe('one two-three |four');
  await driver.raw(CTRL_LEFT);
  await driver.raw(CTRL_LEFT);
  expect(caretIn(driver)).toBe('one |two-three four');
  await driver.raw(CTRL_RIGHT);
  expect(caretIn(driver)).toMatch(/^one two\|-?/);
  await driver.raw('\x1b[127;5u');
  expect(caretIn(driver)).toBe('one |-three four');
  await driver.press('end');
  await driver.raw(CTRL_LEFT);
  await driver.raw('\x1b[3;5~');
  expect(caretIn(driver)).toBe('one -three |');
});

test('Shift with an arrow grows and shrinks the selection, Ctrl-A takes all; what is typed replaces it (KY-5)', async () => {
  const driver = await drive();
  const selected = () => {
    const { caret, anchor, text } = driver.screen.prompt.editor.buffer;
    return anchor === null ? '' : text.toString().slice(Math.min(caret, anchor), Math.max(caret, anchor));
  };
  await driver.type('abcd');
  for (let key = 0; key < 3; key++) await driver.raw('\x1b[1;2D');
  expect(selected()).toBe('bcd');
  await driver.raw('\x1b[1;2C');
  expect(selected()).toBe('cd');
  await driver.press('ctrl-j');
  await driver.type('second');
  await driver.raw('\x1b[1;2A');
  expect(selected()).toBe('\nsecond');
  await driver.press('ctrl-a');
  expect(selected()).toBe('ab\nsecond');
  await driver.type('z');
  expect(driver.draft).toBe('z');
});

test('in the box arrows go by character and by row; with the transcript in focus Up and Down scroll it (KY-13)', async () => {
  const driver = await drive({ rows: 18 });
  await at(driver, 'idle');
  await driver.type('ab');
  await driver.press('ctrl-j');
  await driver.type('한글');
  await driver.press('left');
  expect(caretIn(driver)).toBe('ab\n한|글');
  await driver.press('up');
  expect(caretIn(driver)).toBe('ab|\n한글');
  await driver.press('left', 'right', 'right', 'down');
  expect(caretIn(driver)).toBe('ab\n|한글');
  await driver.press('tab');
  const before = driver.region('transcript');
  await driver.press('up', 'up');
  expect(driver.region('transcript')).not.toBe(before);
  expect(caretIn(driver)).toBe('ab\n|한글');
  await driver.press('down', 'down');
  expect(driver.region('transcript')).toBe(before);
});

test('Alt-F goes to the first call that failed, Alt-R to the first that runs; pressed again, to the next, and round (KY-11)', async () => {
  const driver = await drive({ rows: 20, options: { reducedMotion: true } });
  const filler = (from: number): Item[] =>
    Array.from({ length: 12 }, (_, index) => sampleCall({ title: `Read file${from + index}.ts` }));
  const view = { ...sampleView(), seq: driver.session.view.seq + 1 };
  const items = [
    ...filler(0),
    sampleCall({ title: 'Run first', state: 'error' }),
    ...filler(20),
    sampleCall({ title: 'Run second', state: 'error' }),
    ...filler(40),
    sampleCall({ title: 'Run third', state: 'running', duration: null }),
    ...filler(60),
    sampleItem({ kind: 'assistant', text: 'the end', turn: 1, stop: 'end' }),
  ];
  view.transcript = { total: items.length, first: 0, items, generation: 1 };
  await driver.publish({ type: 'branch', view });
  await driver.wait(500);
  const top = () => driver.region('transcript').split('\n')[1];
  await driver.press('alt-f');
  expect(top()).toContain('Run first');
  expect(driver.region('hint')).toContain('Failed call 1 of 2');
  await driver.press('alt-f');
  expect(top()).toContain('Run second');
  await driver.press('alt-f');
  expect(top()).toContain('Run first');
  await driver.press('alt-r');
  expect(top()).toContain('Run third');
  await driver.press('alt-f');
  expect(top()).toContain('Run first');
});
