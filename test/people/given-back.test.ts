// A prompt that came back into the box by itself, and the commands typed behind it; refused commands.
import { expect, test } from 'bun:test';
import { gate, scriptedModel } from '../support/script.ts';
import { type Flight, withHouse } from '../support/with-house.ts';

async function undone(): Promise<Flight> {
  const flight = await withHouse(scriptedModel(['one', 'two', 'three', 'four', 'five']));
  await flight.say('first');
  await flight.say('second');
  await flight.say('/undo');
  expect(flight.driver.draft).toBe('second');
  return flight;
}

test('behind an undone prompt a command can be typed at once: /redo brings both back where they were, and nothing stays in the box', async () => {
  const flight = await undone();
  const { driver } = flight;
  expect(driver.region('transcript')).not.toContain('two');
  await driver.type('/');
  expect(driver.draft).toBe('/');
  expect(driver.region('below')).toContain('/help');
  await flight.say('redo');
  expect(driver.draft).toBe('');
  expect(driver.region('transcript')).toContain('two');
  // One undo has it in the box all the same: nothing was lost.
  await driver.press('ctrl-z');
  expect(driver.draft).toBe('second');
});

test('any other command leaves the prompt in the box when it is sent, and so does one that is taken away again', async () => {
  const flight = await undone();
  const { driver } = flight;
  await flight.say('/rename mine');
  expect(driver.draft).toBe('second');
  await driver.type('/st');
  expect(driver.draft).toBe('/st');
  await driver.press('backspace', 'backspace');
  expect(driver.draft).toBe('/');
  await driver.press('backspace');
  expect(driver.draft).toBe('second');
  await driver.type('/');
  await driver.press('ctrl-z');
  expect(driver.draft).toBe('second');
  // A command of the terminal, one that was pasted, one that is refused.
  await flight.say('/theme dark');
  expect(driver.draft).toBe('second');
  await driver.paste('/theme light');
  expect(driver.draft).toBe('/theme light');
  await driver.press('enter');
  await flight.rest();
  expect(driver.draft).toBe('second');
  await flight.say('/bring nowhere');
  expect(driver.draft).toBe('second');
  // It is what is said in the end.
  await driver.press('enter');
  await flight.rest();
  expect(driver.draft).toBe('');
  expect(driver.region('transcript')).toContain('three');
});

test('a second undo has the older prompt in the box, not both; a draft of one’s own is joined and never given away', async () => {
  const flight = await undone();
  const { driver } = flight;
  await flight.say('/undo');
  expect(driver.draft).toBe('first');
  await driver.type(' changed');
  await driver.type('/x');
  expect(driver.draft).toBe('first changed/x');
});

test('inside the prompt, or in front of it, a slash is a slash; so it is in a path that is pasted', async () => {
  const { driver } = await undone();
  await driver.press('left');
  await driver.type('/');
  expect(driver.draft).toBe('secon/d');
  const other = await undone();
  await other.driver.paste('/usr/bin');
  expect(other.driver.draft).toBe('second/usr/bin');
});

test('a prompt that was stopped before anything came makes room for a command too', async () => {
  const held = gate();
  const flight = await withHouse(scriptedModel([{ gate: held.opened, parts: ['one'] }]));
  const { driver } = flight;
  await driver.type('again?');
  await driver.press('enter');
  await driver.wait(50);
  await driver.press('escape');
  await flight.rest();
  expect(driver.draft).toBe('again?');
  await flight.say('/rename mine');
  expect(driver.draft).toBe('again?');
});

test('a refused command leaves the box, at once, at its turn or in the terminal; why is said, and Up has it whole (PE-10)', async () => {
  const flight = await withHouse(scriptedModel(['one']));
  const { driver } = flight;
  await flight.say('first');
  const cases = [
    ['/fast on', 'does not offer it'],
    ['/redo', 'nothing to redo'],
    ['/effort huge', 'No level huge'],
    ['/copy 99', 'No such reply'],
    ['/btw $bad:model why is that', 'bad'],
  ];
  for (const [line, why] of cases) {
    await flight.say(line!);
    expect([line, driver.draft]).toEqual([line, '']);
    expect(driver.region('hint')).toContain(why!);
    await driver.press('up');
    expect(driver.draft).toBe(line!);
    await driver.press('escape');
    expect(driver.draft).toBe('');
  }
  // Folded text keeps its label and what it stands for.
  await driver.type('/btw $bad:model ');
  await driver.paste('1\n2\n3\n4');
  await driver.press('enter');
  await flight.rest();
  expect(driver.draft).toBe('');
  await driver.press('up');
  expect(driver.draft).toBe('/btw $bad:model [Pasted #1 · 4 lines]');
  expect(driver.screen.prompt.editor.buffer.atoms[0]?.payload).toBe('1\n2\n3\n4');
});
