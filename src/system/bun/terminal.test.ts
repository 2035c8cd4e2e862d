// The terminal, seen from both sides: a program that uses it runs on a pseudo-terminal which the test holds.
import { afterAll, expect, test } from 'bun:test';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const folder = mkdtempSync(join(tmpdir(), 'terminal-test-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const terminalModule = join(import.meta.dir, 'terminal.ts');
let programs = 0;

/** Runs `body` with `terminal` and `say(text)` at hand; `under` is put before the program's own words. */
function run(body: string, under: (program: string) => string[] = (program) => [process.execPath, program]) {
  const program = join(folder, `program${programs++}.ts`);
  writeFileSync(
    program,
    `import { createBunTerminal } from ${JSON.stringify(terminalModule)};
     const terminal = createBunTerminal();
     const say = (text: string) => terminal.write(text + ';');
     const later = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
     ${body}`,
  );
  let output = '';
  const terminal = new Bun.Terminal({
    cols: 91,
    rows: 33,
    data(_terminal, bytes) {
      output += new TextDecoder().decode(bytes);
    },
  });
  // A shell that opens the terminal as leader of its session gets it for its controlling terminal, then is the program.
  const argv = ['/bin/sh', '-c', 'exec "$@" <>"$(tty)"', 'sh', ...under(program)];
  const child = Bun.spawn(argv, { terminal, detached: true, cwd: folder });
  return {
    terminal,
    child,
    output: () => output,
    async sees(wanted: string | RegExp) {
      const found = () => (typeof wanted === 'string' ? output.includes(wanted) : wanted.test(output));
      const deadline = performance.now() + 4000;
      while (!found()) {
        if (performance.now() > deadline) throw new Error(`not seen: ${wanted}; there is: ${JSON.stringify(output)}`);
        await Bun.sleep(2);
      }
    },
    async end() {
      child.kill('SIGKILL');
      await child.exited;
      terminal.close();
    },
  };
}

/** The flags of the terminal, as `stty` sees them from the other end. */
const ICANON = 2;
const ECHO = 8;
const ISIG = 1;
const IXON = 0o2000;

test('size, input as bytes, raw mode and back', async () => {
  const seen = run(`
    say(JSON.stringify([terminal.isInteractive, terminal.size()]));
    terminal.raw(true);
    const stop = terminal.onInput((bytes) => {
      say([...bytes].join(' '));
      if (bytes[0] === 113) { stop(); terminal.raw(false); say('bye'); }
    });
    say('raw');
  `);
  await seen.sees('[{"input":true,"output":true},{"columns":91,"rows":33}]');
  await seen.sees('raw;');
  if (process.platform === 'linux') {
    expect(seen.terminal.localFlags & (ICANON | ECHO | ISIG)).toBe(0);
    expect(seen.terminal.inputFlags & IXON).toBe(0);
  }
  seen.terminal.write('\x03é');
  await seen.sees('3 195 169;');
  seen.terminal.write('\x1b[A');
  await seen.sees('27 91 65;');
  seen.terminal.write('q');
  await seen.sees('bye;');
  if (process.platform === 'linux') expect(seen.terminal.localFlags & (ICANON | ECHO)).toBe(ICANON | ECHO);
  // Nobody listens any more, so nothing keeps the program.
  expect(await seen.child.exited).toBe(0);
  seen.terminal.close();
});

test('a resize is told, and the size is then the new one', async () => {
  const seen = run(`
    terminal.onResize(() => say('now ' + terminal.size().columns + 'x' + terminal.size().rows));
    terminal.onInput(() => {});
    say('ready');
  `);
  await seen.sees('ready;');
  seen.terminal.resize(40, 10);
  await seen.sees('now 40x10;');
  await seen.end();
});

test('signals are taken over while somebody listens', async () => {
  const seen = run(`
    const stop = terminal.onSignal((name) => { if (name === 'INT') stop(); say('got ' + name); });
    terminal.onInput(() => {});
    say('ready');
  `);
  await seen.sees('ready;');
  for (const name of ['TERM', 'HUP', 'INT'] as const) {
    seen.child.kill(`SIG${name}`);
    await seen.sees(`got ${name};`);
  }
  seen.child.kill('SIGTERM');
  await seen.child.exited;
  expect(seen.child.signalCode).toBe('SIGTERM');
  seen.terminal.close();
});

test('a terminal that goes away is a hang-up, and writing to it throws nothing', async () => {
  const log = join(folder, 'lost');
  const seen = run(`
    process.on('SIGHUP', () => {});
    terminal.raw(true);
    terminal.onSignal((name) => { if (name === 'HUP') Bun.write(${JSON.stringify(log)}, name).then(() => process.exit(4)); });
    terminal.onInput(() => {});
    say('ready');
    setInterval(() => { say('x'.repeat(100)); terminal.raw(true); }, 5);
  `);
  await seen.sees('ready;');
  seen.terminal.close();
  expect(await seen.child.exited).toBe(4);
  expect(await Bun.file(log).text()).toBe('HUP');
});

test('a large write arrives whole though the reader is slow', async () => {
  const seen = run(`terminal.raw(true); terminal.write('a'.repeat(300000)); say('end'); terminal.raw(false);`);
  await seen.sees(/a{300000}end;/);
  await seen.child.exited;
  seen.terminal.close();
});

test('suspending stops the process for its shell and resolves when it is continued', async () => {
  const seen = run(
    `
    say('running');
    await terminal.suspend();
    say('back');
    `,
    (program) => ['bash', '--norc', '-ic', `${process.execPath} ${program}; echo "stopped:$?"; fg; echo over`],
  );
  await seen.sees(/stopped:1(46|48)/);
  await seen.sees('back;');
  await seen.sees('over');
  expect(seen.output().indexOf('back;')).toBeGreaterThan(seen.output().indexOf('stopped:'));
  await seen.end();
});

test('without a shell that could continue it, suspending comes back at once', async () => {
  const seen = run(`say('running'); await terminal.suspend(); say('back');`);
  await seen.sees('back;');
  expect(await seen.child.exited).toBe(0);
  seen.terminal.close();
});

test('while nobody listens, keys are left for whoever has the terminal next', async () => {
  const seen = run(`
    terminal.raw(true);
    const stop = terminal.onInput((bytes) => {
      if (bytes[0] !== 101) return;
      stop();
      terminal.raw(false);
      say('editor');
      const editor = Bun.spawnSync(['sh', '-c', 'read a; read b; echo "$a+$b"'], { stdin: 'inherit', stdout: 'inherit' });
      terminal.raw(true);
      terminal.onInput((bytes) => { say('again ' + bytes[0]); });
      say('open');
    });
    say('ready');
  `);
  await seen.sees('ready;');
  seen.terminal.write('e');
  await seen.sees('editor;');
  seen.terminal.write('one\n');
  await Bun.sleep(20);
  seen.terminal.write('two\n');
  await seen.sees('one+two');
  await seen.sees('open;');
  seen.terminal.write('z');
  await seen.sees('again 122;');
  await seen.end();
});
