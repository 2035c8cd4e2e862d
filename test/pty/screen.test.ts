// What the program does to the terminal it holds: a repainted screen, no scrollback, and keys the line would have kept.
import { afterEach, expect, test } from 'bun:test';
import { startFakeAnthropic } from '../support/fake-anthropic.ts';
import { makePlace } from '../support/houston-place.ts';

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

async function fly(steps: Parameters<typeof startFakeAnthropic>[0]) {
  const fake = await startFakeAnthropic(steps);
  const place = await makePlace(fake.url);
  closing.push(
    () => place.close(),
    () => fake.close(),
  );
  const screen = place.open(['-m', 'anthropic:mock-model']);
  await screen.until('What shall be done?');
  return screen;
}

test('Ctrl-S and Ctrl-Q are keys like others: the line puts nothing on hold (STASH-7)', async () => {
  const screen = await fly([]);
  await screen.type('put away');
  screen.write('\x13');
  await screen.until('put away: put away');
  await screen.type('drawn');
  await screen.until('❯ drawn');
  screen.write('\x11');
  await screen.type(' on');
  await screen.until('❯ drawn on');
}, 30_000);

test('the transcript is a repainted view: nothing of it lies in the scrollback, and the shell’s screen is untouched (TERM-5)', async () => {
  const screen = await fly(['row of a reply\n\n'.repeat(200)]);
  await screen.say('fill it');
  await screen.until('turn 1');
  await screen.until('Ready');
  const { active, normal } = screen.emulator.buffer;
  expect(active.type).toBe('alternate');
  expect([active.baseY, active.length]).toEqual([0, screen.emulator.rows]);
  expect(normal.baseY).toBe(0);
  await screen.say('/quit');
  await screen.exited;
  await screen.until(() => screen.emulator.buffer.active.type === 'normal');
  expect(screen.text()).not.toContain('row of a reply');
}, 30_000);
