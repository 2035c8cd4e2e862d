// The person goes back in the conversation, takes an undo, and sees before each what it would do.
import { expect, test } from 'bun:test';
import { createTools } from '../../src/core/tools/registry.ts';
import { FOLDER, transcriptOf } from '../support/controller.ts';
import { gate, type ScriptEntry, scriptedModel } from '../support/script.ts';
import { type Flight, withHouse } from '../support/with-house.ts';

function writes(path: string, contents: string): ScriptEntry[] {
  return [[{ tool: 'write_file', input: { path, contents, why: 'asked' } }], `wrote ${path}`];
}

async function twoTurns(): Promise<Flight> {
  const flight = await withHouse(scriptedModel(['one', 'two', 'three', 'four', 'five']));
  await flight.say('first');
  await flight.say('second');
  return flight;
}

const shown = (flight: Flight): string[] => flight.driver.screenText().split('\n');

test('/tree lists every place, marks where one stands; Enter on a prompt goes before it with its words in the box (SC-25.2)', async () => {
  const flight = await twoTurns();
  const { driver } = flight;
  await flight.say('/tree');
  const rows = shown(flight).filter((row) => /you|↳|⌂/.test(row));
  expect(rows.some((row) => row.includes('you first'))).toBe(true);
  expect(rows.some((row) => row.includes('❯') && row.includes('two'))).toBe(true);
  await driver.press('up');
  expect(driver.screenText()).toContain('Leads to before this prompt');
  await driver.press('enter');
  await flight.rest();
  expect(driver.draft).toBe('second');
  expect(driver.region('transcript')).not.toContain('two');
  expect(driver.region('transcript')).toContain('one');
  expect(driver.screenText()).toContain('not undone');
  await driver.press('ctrl-a', 'backspace');
  await flight.say('other');
  await flight.say('/tree');
  const after = shown(flight).filter((row) => /you (second|other)/.test(row));
  expect(after.map((row) => row.indexOf('you'))).toEqual([after[0]!.indexOf('you'), after[0]!.indexOf('you')]);
  const first = shown(flight).find((row) => row.includes('you first'))!;
  expect(after[0]!.indexOf('you')).toBeGreaterThan(first.indexOf('you'));
});

test('while a turn runs the tree is to be looked at, says so, and what is chosen waits in line (SC-25.3)', async () => {
  const hold = gate();
  const model = scriptedModel(['one', [{ wait: hold.opened }, 'two']]);
  const flight = await withHouse(model);
  const { driver, house } = flight;
  await flight.say('first');
  await driver.type('second');
  await driver.press('enter');
  await model.received(2);
  await driver.type('/tree');
  await driver.press('enter');
  await driver.wait(100);
  await house.settle();
  await driver.wait(100);
  expect(driver.screenText()).toContain('waits in line');
  await driver.press('home', 'down', 'down', 'enter');
  await driver.wait(100);
  expect(driver.region('below')).toContain('/tree');
  hold.open();
  await flight.rest();
  expect(driver.region('transcript')).toContain('one');
  expect(driver.region('transcript')).not.toContain('second');
});

test('l names a place, m brings a reply of another branch here', async () => {
  const flight = await twoTurns();
  const { driver } = flight;
  await flight.say('/tree');
  await driver.press('l');
  expect(driver.draft).toStartWith('/label ');
  await driver.type('good');
  await driver.press('enter');
  await flight.rest();
  await flight.say('/tree');
  expect(driver.screenText()).toContain('two ★ good');
  await driver.press('up', 'enter');
  await flight.rest();
  await driver.press('ctrl-a', 'backspace');
  await flight.say('/tree');
  await driver.press('end', 'm');
  await flight.rest();
  expect(driver.region('transcript')).toContain('From another branch');
  expect(driver.region('transcript')).toContain('two');
});

test('/rewind shows each point and what becomes of every file; Enter goes there, the prompt comes back (UNDO-2)', async () => {
  const script = [...writes('a.txt', 'a1\n'), ...writes('b.txt', 'b1\n')];
  const flight = await withHouse(scriptedModel(script), { tools: createTools(), mode: 'edits' });
  const { driver, house } = flight;
  const read = async (name: string) =>
    new TextDecoder().decode(
      (await house.system.files.read(`${FOLDER}/${name}`).catch(() => null)) ?? new Uint8Array(),
    );
  await flight.say('make a');
  await flight.say('make b');
  await house.system.files.writeAtomic(`${FOLDER}/a.txt`, new TextEncoder().encode('mine\n'), {
    mode: 0o644,
    flush: true,
  });
  await flight.say('/rewind');
  expect(driver.screenText()).toContain('1 back make b');
  expect(driver.screenText()).toContain('Removed again: b.txt');
  await driver.press('down');
  expect(driver.screenText()).toContain('Left: changed since by another hand: a.txt');
  await driver.press('enter');
  await flight.rest();
  expect(driver.draft).toBe('make a');
  expect([await read('a.txt'), await read('b.txt')]).toEqual(['mine\n', '']);
  expect(driver.region('transcript')).not.toContain('make b');
  await driver.press('ctrl-a', 'backspace');
  await flight.say('/redo');
  expect(await read('b.txt')).toBe('b1\n');
  expect(driver.region('transcript')).toContain('make b');
});

test('a half-typed line stays when an undone prompt comes back', async () => {
  const flight = await twoTurns();
  const { driver, house } = flight;
  await driver.type('half');
  await house.session.send({ type: 'command', ref: 'x', name: 'undo', argument: '' }, 'me');
  await flight.rest();
  expect(driver.draft).toBe('second\nhalf');
  expect(transcriptOf(driver.session.view)).toEqual([]);
});
