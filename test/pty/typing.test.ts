// What a person's keys become, byte by byte, in the real program: pastes, new lines, drafts, and questions they never answer.
import { afterEach, expect, test } from 'bun:test';
import { existsSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { type FakeAnthropic, startFakeAnthropic } from '../support/fake-anthropic.ts';
import { makePlace, type OpenOptions, type Place } from '../support/houston-place.ts';
import type { PtyProgram } from '../support/pty-program.ts';

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

interface Flight {
  readonly place: Place;
  readonly fake: FakeAnthropic;
  readonly screen: PtyProgram;
}

async function fly(
  steps: Parameters<typeof startFakeAnthropic>[0],
  words: string[] = [],
  options?: OpenOptions,
): Promise<Flight> {
  const fake = await startFakeAnthropic(steps);
  const place = await makePlace(fake.url);
  const screen = place.open(['-m', 'anthropic:mock-model', ...words], options);
  closing.push(
    () => place.close(),
    () => fake.close(),
  );
  await screen.until('What shall be done?');
  return { place, fake, screen };
}

/** What the person said, as the service was told it. */
function said(fake: FakeAnthropic, request: number): string {
  const last = fake.requests[request]?.body.messages?.at(-1);
  const content = last?.content;
  if (typeof content === 'string') return content;
  return (content ?? []).map((block) => ('text' in block ? String(block.text) : '')).join('');
}

test('a marked paste of 300 lines folds, stays whole and is sent only by Enter (UP-11)', async () => {
  const { fake, screen } = await fly(['ok']);
  const rows = Array.from({ length: 300 }, (_, index) => `row\t${String(index + 1).padStart(3, '0')}  x  `);
  const pasted = rows.map((row, index) => row + (index % 2 === 0 ? '\r\n' : '\n')).join('');
  screen.write(`\x1b[200~${pasted}\x1b[201~`);
  await screen.until(/\[Pasted #1 · 30[01] lines\]/);
  await Bun.sleep(300);
  expect(fake.requests).toHaveLength(0);
  screen.write('\r');
  await fake.received(1);
  expect(said(fake, 0)).toContain(rows.join('\n'));
  expect(said(fake, 0)).not.toContain('\r');
  await screen.until('turn 1');
}, 30_000);

test('lines that arrive as a burst of keys are one prompt, at once or a byte a millisecond; typed keys are sent at once (UP-11)', async () => {
  const { fake, screen } = await fly(['one', 'two', 'three']);
  screen.write('alpha\rbeta\rgamma');
  await screen.until('[Pasted #1 · 3 lines]');
  await Bun.sleep(300);
  expect(fake.requests).toHaveLength(0);
  screen.write('\r');
  await fake.received(1);
  expect(said(fake, 0)).toContain('alpha\nbeta\ngamma');
  await screen.until('turn 1');
  for (const byte of 'alpha\rbeta\rgamma') {
    screen.write(byte);
    const until = performance.now() + 1;
    while (performance.now() < until);
  }
  await screen.until('❯ alpha');
  await screen.until('gamma');
  await Bun.sleep(300);
  expect(fake.requests).toHaveLength(1);
  screen.write('\r');
  await fake.received(2);
  expect(said(fake, 1)).toContain('alpha\nbeta\ngamma');
  await screen.until('turn 2');
  await screen.type('hi', 30);
  const pressed = performance.now();
  screen.write('\r');
  await fake.received(3);
  expect(performance.now() - pressed).toBeLessThan(1000);
  expect(said(fake, 2)).toContain('hi');
}, 30_000);

test('Shift-Enter in every spelling is a new line, on a terminal that answers nothing too (UP-13)', async () => {
  for (const background of ['dark', null] as const) {
    const { fake, screen } = await fly([], [], { background });
    for (const spelling of ['\x1b[13;2u', '\x1b[27;2;13~', '\x1b\r', '\n', '\x1b[13;2:1u\x1b[13;2:3u']) {
      await screen.type('a');
      screen.write(spelling);
      await Bun.sleep(30);
      await screen.type('b');
      await screen.until(/❯ a +│\n│ {3}b +│/);
      screen.write('\x01');
      await Bun.sleep(30);
      screen.write('\x7f');
      await screen.until('What shall be done?');
    }
    expect(fake.requests).toHaveLength(0);
  }
}, 30_000);

test('Esc, walking through history, Ctrl-C and its double never cost a draft (UP-14)', async () => {
  const { place, fake, screen } = await fly(
    [[{ tool: 'run_shell', input: { command: 'sleep 30', why: 'Wait' } }], 'fine'],
    ['--allow', 'Bash(sleep 30)'],
  );
  const draft = /❯ first +│\n│ {3}second +│\n│ {3}third +│/;
  await screen.say('go');
  await screen.until('$ sleep 30');
  await screen.type('first\nsecond\nthird', 30);
  await screen.until(draft);
  screen.write('\x1b');
  await screen.until('Ready');
  expect(screen.text()).toMatch(draft);
  for (const key of ['\x1b[A', '\x1b[A', '\x1b[A']) {
    screen.write(key);
    await Bun.sleep(40);
  }
  await screen.until('❯ go');
  screen.write('\x1b[B');
  await screen.until(draft);
  screen.write('\x03');
  await screen.until('What shall be done?');
  screen.write('\x1a');
  await screen.until(draft);
  screen.write('\x03');
  await Bun.sleep(100);
  screen.write('\x03');
  await screen.until('again ends the session');
  await Bun.sleep(300);
  expect(screen.exitCode).toBeUndefined();
  screen.write('\x1a');
  await screen.until(draft);
  expect(fake.requests).toHaveLength(1);
  expect(place.hosts()).toHaveLength(1);
}, 30_000);

test('typing never approves: what was being typed is sent or stays in the draft, and an explicit answer works (UP-15)', async () => {
  const call = { tool: 'run_shell', input: { command: 'rm -f victim.txt', why: 'Clean up' } };
  const { place, fake, screen } = await fly([[{ wait: 1500 }, call], 'done', 'and the rest']);
  const victim = path.join(place.project, 'victim.txt');
  writeFileSync(victim, 'alive\n');
  await screen.say('clean up');
  await fake.received(1);
  const loop = 'yes please 1 2 y n p ';
  let typed = '';
  let sentAt = -1;
  const from = performance.now();
  while (performance.now() - from < 3000) {
    if (sentAt < 0 && performance.now() - from >= 2000) {
      screen.write('\r');
      sentAt = typed.length;
    } else {
      const key = loop[typed.length % loop.length]!;
      typed += key;
      screen.write(key);
    }
    await Bun.sleep(50);
  }
  screen.write('\x1b[200~y\n\x1b[201~');
  await Bun.sleep(300);
  expect(screen.text()).toContain('rm -f victim.txt');
  expect(screen.text()).toContain('[Tab] answers');
  expect(existsSync(victim)).toBe(true);
  const queued = typed.slice(0, sentAt);
  expect(screen.text()).toContain(`❯ ${typed.slice(sentAt).trimEnd()}`.slice(0, 60));
  expect(place.entries().some((entry) => entry.kind === 'input' && entry.text.trim() === queued.trim())).toBe(true);
  await screen.answerAsk('y');
  await screen.until(() => !existsSync(victim));
  await fake.received(2);
  expect(JSON.stringify(fake.requests.flatMap((request) => request.body.messages))).toContain(queued.trim());
  await screen.until('Ready');
}, 30_000);
