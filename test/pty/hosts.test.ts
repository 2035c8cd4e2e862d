// Hosts as people meet them: windows that come and go, another machine, restarts, and prompts from scripts.
import { afterEach, expect, test } from 'bun:test';
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { type FakeAnthropic, startFakeAnthropic } from '../support/fake-anthropic.ts';
import { eventually, HOUSTON, isAlive, makePlace, type Place } from '../support/houston-place.ts';
import { hasOpenSsh, startOpenSsh } from '../support/open-ssh.ts';

const MODEL = ['-m', 'anthropic:mock-model'];
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

const stateOf = (place: Place): string => path.join(place.home, '.local', 'state', 'houston');

/** Everything a host leaves while it lives. */
function traces(place: Place): string[] {
  const hosts = path.join(stateOf(place), 'hosts');
  const locks = path.join(hosts, 'locks');
  return [hosts, locks].flatMap((folder) =>
    existsSync(folder) ? readdirSync(folder).filter((name) => name !== 'locks') : [],
  );
}

/** Bare `houston` until it is ready, in a window of its own. */
async function opened(place: Place, words: readonly string[] = []): Promise<ReturnType<Place['open']>> {
  const screen = place.open([...MODEL, ...words]);
  await screen.until('─ Ready ─');
  return screen;
}

test('a host is private, in an OS session of its own with this folder and environment, and says what it is (SC-28.1.1, SC-28.1.2, ST-1, UP-36)', async () => {
  const { place } = await prepare(['hello']);
  const screen = place.open([...MODEL, '--prompt', 'begin'], { environment: { MARK: 'from here' } });
  await screen.until('hello');
  const [host] = place.hosts();
  const proc = `/proc/${host!.pid}`;
  expect(readFileSync(`${proc}/environ`, 'utf8').split('\0')).toContain('MARK=from here');
  expect(
    Bun.spawnSync(['readlink', `${proc}/cwd`])
      .stdout.toString()
      .trim(),
  ).toBe(place.project);
  const session = (pid: number): string => readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ')[3]!;
  expect(session(host!.pid)).toBe(String(host!.pid));
  expect(session(host!.pid)).not.toBe(session(screen.pid));
  const folder = path.join(stateOf(place), 'hosts');
  expect(statSync(folder).mode & 0o777).toBe(0o700);
  for (const name of readdirSync(folder))
    if (name !== 'locks') expect(statSync(path.join(folder, name)).mode & 0o777).toBe(0o600);
  // Nobody can reach it over a network: it listens at no port.
  const inodes = new Set(
    readdirSync(`${proc}/fd`).map((fd) =>
      Bun.spawnSync(['readlink', `${proc}/fd/${fd}`])
        .stdout.toString()
        .trim(),
    ),
  );
  const listening = ['tcp', 'tcp6'].flatMap((kind) =>
    readFileSync(`${proc}/net/${kind}`, 'utf8')
      .split('\n')
      .slice(1)
      .map((line) => line.trim().split(/\s+/))
      .filter((row) => row[3] === '0A'),
  );
  expect(listening.filter((row) => inodes.has(`socket:[${row[9]}]`))).toEqual([]);
}, 30_000);

test('without a terminal nothing is drawn, the code is 2 and the line names the way that works (ST-2, ST-3)', async () => {
  const { place } = await prepare([]);
  const bare = await place.run(MODEL);
  expect([bare.code, bare.out]).toEqual([2, '']);
  expect(bare.err).toMatch(/^houston: no-terminal: .*houston -p.*\n$/);
  const attach = await place.run(['attach']);
  expect([attach.code, attach.out]).toEqual([2, '']);
  expect(attach.err).toMatch(/^houston: no-terminal: houston attach .*houston -p TEXT --attach.*\n$/);
  const empty = place.open([...MODEL, '--prompt', '  ']);
  expect(await empty.exited).toBe(2);
  expect(empty.raw).not.toContain('\x1b[?1049h');
  expect(traces(place)).toEqual([]);
}, 30_000);

test('/quit, Ctrl-D twice and the window of another end the host and leave nothing; /detach and a closed window leave it (SC-28.4.1, SC-28.4.7)', async () => {
  const { place } = await prepare(['one'], { repeatLast: true });
  for (const leave of ['/quit', 'Ctrl-D']) {
    const screen = await opened(place);
    const [host] = place.hosts();
    if (leave === '/quit') await screen.say('/quit');
    else {
      screen.write('\x04');
      await screen.until('again ends the session');
      screen.write('\x04');
    }
    expect(await screen.exited).toBe(0);
    await eventually('no host', () => !isAlive(host!.pid));
    expect(traces(place)).toEqual([]);
  }
  for (const leave of ['/detach', 'closed']) {
    const screen = await opened(place);
    await screen.say('begin');
    await screen.until('turn 1');
    const [host] = place.hosts();
    if (leave === '/detach') await screen.say('/detach');
    else screen.closeWindow();
    await screen.exited;
    if (leave === '/detach') expect(screen.text()).toContain(`houston attach ${host!.session.slice(0, 13)}`);
    expect(isAlive(host!.pid)).toBe(true);
    const other = place.open(['attach', host!.session]);
    await other.until('turn 1');
    // Stopped from elsewhere: the window says so, and how to go on.
    const stopped = await place.run(['hosts', 'stop', 'idle']);
    expect(stopped.out).toContain(`${host!.host}  stopped`);
    expect(await other.exited).toBe(0);
    await eventually('its last line', () => other.text().includes('houston --resume'));
    expect(traces(place)).toEqual([]);
  }
}, 60_000);

test('hosts stop: one that works is left alone and named; all of them takes it too (SC-28.4.7, SC-28.1.4)', async () => {
  const { place, fake } = await prepare([[{ wait: 60_000 }], 'second'], { repeatLast: true });
  const busy = await opened(place);
  await busy.say('work');
  await fake.received(1);
  const idle = await opened(place);
  expect(place.hosts()).toHaveLength(2);
  const listed = await place.run(['hosts']);
  expect(listed.out.split('\n').filter((line) => line !== '')).toHaveLength(2);
  expect(listed.out).toContain('working');
  // Unless told so, a window somebody looks at is closed by nobody.
  const bare = await place.run(['hosts', 'stop']);
  expect(bare.out).toMatch(/left alone: one window on it/);
  expect(bare.out).toMatch(/left alone: working/);
  expect(place.hosts()).toHaveLength(2);
  const stopped = await place.run(['hosts', 'stop', 'idle']);
  expect(stopped.out).toMatch(/stopped/);
  expect(stopped.out).toMatch(/left alone: working/);
  await idle.exited;
  expect(place.hosts()).toHaveLength(1);
  expect((await place.run(['hosts', 'stop', 'ffffffff'])).err).toContain('no-such-host');
  await place.run(['hosts', 'stop', 'all']);
  await busy.exited;
  expect(traces(place)).toEqual([]);
}, 60_000);

test('/switch: another session in this window, back with “-”, one in the background, and stopping takes two presses (SC-28.4.11)', async () => {
  const { place } = await prepare(['first here', 'second here', 'in the background'], { repeatLast: true });
  const screen = await opened(place);
  await screen.say('begin');
  await screen.until('first here');
  await screen.say('/switch new');
  await screen.until(() => !screen.text().includes('first here') && screen.text().includes('─ Ready ─'));
  await screen.say('go');
  await screen.until('second here');
  expect(place.hosts()).toHaveLength(2);
  await screen.say('/switch -');
  await screen.until('first here');
  await screen.until(() => !screen.text().includes('second here'));
  await screen.say('/switch new look around');
  await screen.until('It works in the background');
  await eventually('three hosts', () => place.hosts().length === 3);
  // What nobody saw comes first; this window stayed.
  await eventually('a reply nobody saw', () => JSON.stringify(place.hosts()).includes('"unseen":true'));
  await screen.say('/switch');
  await screen.until('new reply');
  const rows = screen.lines().filter((line) => /new reply|idle/.test(line));
  expect(rows[0]).toContain('new reply');
  screen.write('\x1b[B');
  await Bun.sleep(100);
  screen.write('\x1bx');
  await screen.until('Stop this session?');
  expect(place.hosts()).toHaveLength(3);
  screen.write('y');
  await eventually('two hosts', () => place.hosts().length === 2);
}, 60_000);

test('/restart: the old process ends, the same session goes on in a new one, no draft comes back that was sent (SC-28.4.6)', async () => {
  const { place } = await prepare(['before', 'after']);
  const screen = await opened(place);
  await screen.say('begin');
  await screen.until('before');
  const second = place.open(['attach']);
  await second.until('before');
  const [old] = place.hosts();
  await screen.say('/restart');
  await eventually('a new host', () => place.hosts().some((host) => host.pid !== old!.pid));
  await eventually('the old host gone', () => !isAlive(old!.pid));
  await screen.until('Restarted on the installed code');
  await screen.until('❯ What shall be done?');
  await eventually('one host', () => place.hosts().length === 1);
  expect(place.hosts().map((host) => host.session)).toEqual([old!.session]);
  await second.until('─ Ready ─');
  await second.say('go on');
  await screen.until('after');
  const restarted = await place.run(['restart', old!.session.slice(0, 13)]);
  expect(restarted.out).toContain('restarted by the windows on it');
  await eventually('another one', () => place.hosts().length === 1 && isAlive(place.hosts()[0]!.pid));
  expect(place.sessions()).toHaveLength(1);
}, 60_000);

test('/detach in a session of this very window moves it into a host and stays; while a turn runs it waits (SC-28.4.2)', async () => {
  const { place, fake } = await prepare(['said here', [{ wait: 60_000 }]], { repeatLast: true });
  const screen = await opened(place, ['--no-host']);
  expect(place.hosts()).toEqual([]);
  await screen.say('begin');
  await screen.until('said here');
  await screen.say('/detach');
  await screen.until('runs in a host now');
  await screen.until('said here');
  expect(place.hosts()).toHaveLength(1);
  await screen.say('go on');
  await fake.received(2);
  await screen.say('/detach');
  expect(await screen.exited).toBe(0);
  expect(place.hosts()).toHaveLength(1);
  const alone = await opened(place, ['--no-host']);
  await alone.say('work');
  await fake.received(3);
  await alone.say('/detach');
  await alone.until('Not while a turn runs');
}, 60_000);

test('houston -p --attach: a turn of its own behind what runs, its reply alone on stdout; Ctrl-C only leaves (SC-28.5.1, SC-28.5.2, SC-28.5.6, SC-28.5.7)', async () => {
  const { place, fake } = await prepare([[{ wait: 1_500 }, 'the first one'], 'for the script', [{ wait: 60_000 }]]);
  const screen = await opened(place);
  await screen.say('begin');
  await fake.received(1);
  const [host] = place.hosts();
  // What would choose a model or another session does not count here.
  const said = await place.run(['-p', 'and this', '--attach', host!.session.slice(0, 13), '-m', 'demo:pilot', '-c']);
  expect([said.code, said.out]).toEqual([0, 'for the script\n']);
  expect(said.err).not.toContain('the first one');
  expect(fake.requests).toHaveLength(2);
  await screen.until('for the script');
  expect(place.sessions()).toHaveLength(1);
  const left = Bun.spawn([HOUSTON, '-p', 'a long one', '--attach'], {
    cwd: place.project,
    env: place.environment,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  await fake.received(3);
  left.kill('SIGINT');
  expect(await left.exited).toBe(130);
  await screen.until('Esc stops');
  expect(place.hosts()).toHaveLength(1);
  // A session that lies on the disk alone is gone on with; nobody's is a refusal.
  await place.run(['hosts', 'stop', 'all']);
  expect((await place.run(['-p', 'x', '--attach', 'ffffffff'])).err).toContain('no-such-host');
}, 60_000);

test('houston -p --attach /command: carried out, refused where it needs a window, and /stop ends the host (SC-28.5.4, SC-28.5.5)', async () => {
  const { place } = await prepare(['one']);
  const screen = await opened(place);
  await screen.say('begin');
  await screen.until('turn 1');
  const [host] = place.hosts();
  const named = await place.run(['-p', '/rename a better name', '--attach']);
  expect(named).toMatchObject({ code: 0, out: '' });
  await screen.until('a better name');
  const picker = await place.run(['-p', '/theme', '--attach']);
  expect(picker.code).toBe(2);
  expect(picker.err).toContain('needs-a-window');
  const wrong = await place.run(['-p', '/autocompact sideways', '--attach']);
  expect(wrong.code).not.toBe(0);
  const stopped = await place.run(['-p', '/stop', '--attach']);
  expect(stopped.code).toBe(0);
  await screen.exited;
  // The window goes a moment before the process that told it to.
  await eventually('no host', () => !isAlive(host!.pid));
  expect(traces(place)).toEqual([]);
}, 60_000);

test('a window that may look only sees all, sends nothing and ends nothing', async () => {
  const { place } = await prepare(['one', 'two']);
  const screen = await opened(place);
  await screen.say('begin');
  await screen.until('turn 1');
  const looking = place.open(['attach', '--read-only']);
  await looking.until('This window looks on');
  await looking.until('turn 1');
  await looking.say('let me in');
  await looking.until('may look but not send');
  await screen.say('go on');
  await looking.until('turn 2');
  looking.write('\x15');
  await looking.until(() => !looking.text().includes('let me in'));
  looking.write('\x04');
  await looking.until('again');
  looking.write('\x04');
  expect(await looking.exited).toBe(0);
  await eventually('its last line', () => looking.text().includes('The session goes on'));
  expect(place.hosts()).toHaveLength(1);
  expect(screen.text()).not.toContain('let me in');
}, 60_000);

/** A clipboard with a picture in it, as the desktop's tool would hand it over. */
function pictureClipboard(place: Place, png: Uint8Array): Record<string, string> {
  const bin = path.join(place.root, 'clipboard');
  Bun.spawnSync(['mkdir', '-p', bin]);
  writeFileSync(path.join(bin, 'picture.png'), png);
  const script = `#!/bin/sh\ncase "$*" in *TARGETS*) echo image/png;; *) cat ${bin}/picture.png;; esac\n`;
  writeFileSync(path.join(bin, 'xclip'), script, { mode: 0o755 });
  return { PATH: `${bin}:${place.environment.PATH}`, DISPLAY: ':7' };
}

const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

if (hasOpenSsh) {
  test('from another machine over OpenSSH: the session is shown, a picture of this clipboard goes along, a cut wire comes back, a wrong name is one line', async () => {
    const { place, fake } = await prepare(['said at home', 'seen from afar', 'after the cut'], { repeatLast: true });
    const ssh = await startOpenSsh({
      HOME: place.home,
      TMPDIR: place.root,
      ANTHROPIC_BASE_URL: place.environment.ANTHROPIC_BASE_URL!,
      ANTHROPIC_API_KEY: 'sk-test',
      BUN_RUNTIME_TRANSPILER_CACHE_PATH: place.environment.BUN_RUNTIME_TRANSPILER_CACHE_PATH!,
    });
    closing.push(async () => ssh.close());
    const elsewhere = await makePlace();
    closing.push(() => elsewhere.close());
    elsewhere.settings({ placements: { box: { bridge: ssh.argv(HOUSTON, 'bridge') } } });

    const home = await opened(place);
    await home.say('begin');
    await home.until('said at home');
    const afar = elsewhere.open(['attach', 'box://'], { environment: pictureClipboard(elsewhere, PNG) });
    await afar.until('said at home');
    await afar.until('─ Ready ─');
    afar.write('\x16');
    await afar.until('[Image #1]');
    afar.write('look');
    await afar.until('look');
    await Bun.sleep(50);
    afar.write('\r');
    await afar.until('seen from afar');
    expect(JSON.stringify(fake.requests[1]!.body.messages)).toContain('image/png');
    await home.until('seen from afar');

    const [host] = place.hosts();
    for (const pid of ssh.carriers()) process.kill(pid, 'SIGKILL');
    await afar.say('still there');
    await afar.until('after the cut', 30_000);
    await home.until('after the cut');
    expect(place.entries().filter((entry) => entry.kind === 'input' && entry.text === 'still there')).toHaveLength(1);
    await afar.say('/detach');
    expect(await afar.exited).toBe(0);
    expect(isAlive(host!.pid)).toBe(true);

    const wrong = elsewhere.open(['attach', 'box://ffffffff']);
    await wrong.until('there is no session ffffffff');
    // One that lies on the disk alone is started where it is.
    await home.say('/quit');
    await home.exited;
    await eventually('no host', () => !isAlive(host!.pid));
    const again = elsewhere.open(['attach', `box://${host!.session.slice(0, 13)}`]);
    await again.until('after the cut');
    expect(place.hosts().map((one) => one.session)).toEqual([host!.session]);
    // Whoever is bound to look by the far end cannot get round it.
    elsewhere.settings({ placements: { box: { bridge: ssh.argv(HOUSTON, 'bridge', '--read-only') } } });
    const bound = elsewhere.open(['attach', 'box://']);
    await bound.until('after the cut');
    await bound.say('let me in');
    await bound.until('may look but not send');
  }, 120_000);
} else {
  test.skip('attaching over OpenSSH: no server is installed here', () => {});
}
