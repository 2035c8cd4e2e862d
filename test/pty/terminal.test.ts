// The terminal is borrowed: seen from a real shell on a real terminal.
import { afterEach, expect, test } from 'bun:test';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { type FakeAnthropic, startFakeAnthropic } from '../support/fake-anthropic.ts';
import { eventually, isAlive, makePlace, type Place } from '../support/houston-place.ts';
import { openShell } from '../support/in-shell.ts';

const MODEL = '-m anthropic:mock-model';
const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

async function prepare(
  ...given: Parameters<typeof startFakeAnthropic>
): Promise<{ place: Place; fake: FakeAnthropic }> {
  const fake = await startFakeAnthropic(...given);
  const place = await makePlace(fake.url);
  closing.push(
    () => place.close(),
    () => fake.close(),
  );
  return { place, fake };
}

test('quit, two Ctrl-C, TERM, HUP and an uncaught error each leave the terminal as it was found (UP-10)', async () => {
  const { place } = await prepare([]);
  const injected = path.join(place.root, 'throw-on-usr2.ts');
  writeFileSync(injected, "process.on('SIGUSR2', () => { throw new Error('injected'); });\n");
  const shell = await openShell(place, { environment: { BUN_OPTIONS: `--preload ${injected}` } });
  const { screen } = shell;
  const ways: [string, (pid: number) => Promise<void>][] = [
    ['/quit', () => screen.say('/quit')],
    [
      'Ctrl-C twice',
      async () => {
        screen.write('\x03');
        await screen.until('again ends the session');
        screen.write('\x03');
      },
    ],
    ['TERM', async (pid) => void process.kill(pid, 'SIGTERM')],
    ['HUP', async (pid) => void process.kill(pid, 'SIGHUP')],
    ['uncaught error', async (pid) => void process.kill(pid, 'SIGUSR2')],
  ];
  await shell.run('stty -a > before');
  for (const [name, leave] of ways) {
    const { pid } = await shell.houston(MODEL);
    await screen.until('What shall be done?');
    expect(screen.modesOn()).toContain('1049');
    await screen.until(() => screen.title.includes('houston'));
    await leave(pid);
    await shell.back();
    // The shell itself wants marked pastes while it reads a line.
    const modes = screen.modesOn().filter((mode) => mode !== '2004');
    expect({ name, modes, title: screen.title }).toEqual({ name, modes: ['25', '7'], title: 'orig' });
    if (name === 'uncaught error') expect(screen.text()).toContain('houston: internal: Error: injected');
    await shell.run('stty -a > after');
    expect(readFileSync(path.join(place.project, 'after'), 'utf8')).toBe(
      readFileSync(path.join(place.project, 'before'), 'utf8'),
    );
    expect(isAlive(pid)).toBe(false);
  }
}, 60_000);

test('suspended it gives the shell its prompt at once; brought back it shows what came meanwhile, and the draft (UP-10)', async () => {
  const words = Array.from({ length: 120 }, (_, index) => `word${index}`).join(' ');
  const { place } = await prepare([[{ text: words, piece: 8, every: 20 }]]);
  place.settings({ keybindings: { suspend: 'alt-z' } });
  const shell = await openShell(place);
  const { screen } = shell;
  await shell.run('stty -a > before');
  const { pid } = await shell.houston(MODEL);
  await screen.until('What shall be done?');
  await screen.say('go');
  await screen.until('word5');
  screen.write('abc');
  await screen.until('❯ abc');
  const stopped = performance.now();
  screen.write('\x1bz');
  await shell.back();
  expect(performance.now() - stopped).toBeLessThan(1500);
  expect(screen.modesOn().filter((mode) => mode !== '2004')).toEqual(['25', '7']);
  expect(screen.title).toBe('orig');
  await shell.run('stty -a > after');
  expect(readFileSync(path.join(place.project, 'after'), 'utf8')).toBe(
    readFileSync(path.join(place.project, 'before'), 'utf8'),
  );
  expect(isAlive(pid)).toBe(true);
  await Bun.sleep(3000);
  screen.write('fg\r');
  await screen.until('word119');
  expect(screen.text()).toContain('❯ abc');
  expect(screen.text()).toContain('HOUSTON v');
  expect(screen.emulator.buffer.active.type).toBe('alternate');
  screen.write('d');
  await screen.until('❯ abcd');
}, 60_000);

test('a closed window takes the screen away in two seconds; the host finishes the turn, attach shows reply and draft (UP-10, UP-14)', async () => {
  let release = (): void => {};
  const held = new Promise<void>((done) => {
    release = done;
  });
  const { place, fake } = await prepare([['first half', { wait: held }, 'second half']]);
  const shell = await openShell(place);
  const { screen } = shell;
  const { pid } = await shell.houston(MODEL);
  await screen.until('What shall be done?');
  await screen.say('go on');
  await screen.until('first half');
  screen.write('a draft');
  await screen.until('❯ a draft');
  const [host] = place.hosts();
  expect(isAlive(host!.pid)).toBe(true);
  screen.closeWindow();
  await eventually('the screen to end', () => !isAlive(pid), 2000);
  release();
  await eventually('the host to finish the turn', () => place.entries().some((entry) => entry.kind === 'turn-end'));
  expect(fake.requests).toHaveLength(1);

  const again = place.open(['attach']);
  await again.until('second half');
  await again.until('❯ a draft');
  expect(place.hosts().map((one) => one.pid)).toEqual([host!.pid]);
}, 60_000);

test('a screen that is killed outright harms nothing either: the draft is there on attaching (UP-14)', async () => {
  const { place } = await prepare(['hello']);
  const screen = place.open(['-m', 'anthropic:mock-model']);
  await screen.until('What shall be done?');
  await screen.type('half a thought');
  await eventually('the draft to be kept', () => place.hosts().length === 1);
  await Bun.sleep(600);
  screen.kill('SIGKILL');
  await screen.exited;
  const again = place.open(['attach']);
  await again.until('❯ half a thought');
}, 60_000);

test('a long stream is drawn calmly and within bounds; at rest nothing is written and nothing computed (UP-01)', async () => {
  const words = Array.from({ length: 600 }, (_, index) => `w${index}`).join(' ');
  const { place } = await prepare(['line\n\n'.repeat(40), [{ text: words, piece: 6, every: 4 }]]);
  const screen = place.open(['-m', 'anthropic:mock-model']);
  await screen.until('What shall be done?');
  await screen.say('fill it');
  await screen.until('turn 1');
  await screen.until('Ready');
  const from = screen.raw.length;
  await screen.say('go');
  await screen.until('w599');
  await screen.until('Ready');
  await Bun.sleep(1000);
  const stream = screen.raw.slice(from);
  expect(screen.raw.slice(screen.raw.indexOf('\x1b[?2026h'))).not.toMatch(/\x1b\[[23]J|\x1b\[\?1049/);
  expect(stream.split('\x1b[?2026h').length).toBe(stream.split('\x1b[?2026l').length);
  expect(stream.split('\x1b[?2026h').length).toBeGreaterThan(10);
  expect(stream.length).toBeLessThan(300_000);
  // At rest.
  const pids = [screen.pid, ...place.hosts().map((host) => host.pid)];
  expect(pids).toHaveLength(2);
  await Bun.sleep(1000);
  const written = screen.raw.length;
  const before = pids.map(cpuSeconds);
  await Bun.sleep(3000);
  expect(screen.raw.length).toBe(written);
  const used = pids.map((pid, index) => cpuSeconds(pid) - before[index]!);
  // Only the language's own clean-up runs, about once a second and in the end twice a minute.
  expect(Math.max(...used)).toBeLessThan(0.09);
}, 60_000);

/** User and system time of a process so far. */
function cpuSeconds(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ');
  return (Number(fields[11]) + Number(fields[12])) / 100;
}
