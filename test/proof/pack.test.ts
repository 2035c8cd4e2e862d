// The package as npm lays it out, without asking a registry: bundled, with nothing beside it but Bun and ripgrep.
import { afterAll, beforeAll, expect, test } from 'bun:test';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { startFakeAnthropic } from '../support/fake-anthropic.ts';
import { HOUSTON, makePlace, type Place } from '../support/houston-place.ts';

const CHECKOUT = path.dirname(realpathSync(HOUSTON));
const MODULES = path.join(CHECKOUT, 'node_modules');
const root = mkdtempSync(path.join(tmpdir(), 'houston-pack-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

const modules = path.join(root, 'node_modules');
const installed = path.join(modules, '.bin', 'houston');

/** Bun where npm leaves it: moved by its install script, or still in its platform package where scripts are blocked. */
function layOutBun(modules: string, scripts: boolean): void {
  const platform = readdirSync(path.join(MODULES, '@oven')).find((name) => name.startsWith('bun-')) ?? '';
  for (const folder of [path.join('@oven', platform, 'bin'), path.join('bun', 'bin')]) {
    mkdirSync(path.join(modules, scripts && folder.startsWith('@oven') ? path.dirname(folder) : folder), {
      recursive: true,
    });
  }
  const outer = path.join(modules, 'bun', 'bin', 'bun.exe');
  const inner = path.join(modules, '@oven', platform, 'bin', 'bun');
  if (scripts) place(process.execPath, outer);
  else {
    place(process.execPath, inner);
    writeFileSync(outer, 'echo "Error: the install script was not run." >&2\nexit 1\n');
    chmodSync(outer, 0o755);
  }
}

/** A second name for the same file where the disk allows it. */
function place(file: string, at: string): void {
  try {
    linkSync(file, at);
  } catch {
    copyFileSync(file, at);
    chmodSync(at, 0o755);
  }
}

beforeAll(() => {
  const product = path.join(modules, 'houston');
  mkdirSync(path.join(modules, '.bin'), { recursive: true });
  mkdirSync(path.join(modules, '@vscode'));
  mkdirSync(product);
  const { files } = JSON.parse(readFileSync(path.join(CHECKOUT, 'package.json'), 'utf8')) as { files: string[] };
  expect(files).toContain('houston');
  expect(files).toContain('dist');
  for (const name of ['houston', 'package.json']) copyFileSync(path.join(CHECKOUT, name), path.join(product, name));
  const bundled = Bun.spawnSync(['sh', path.join(CHECKOUT, 'scripts', 'bundle.sh'), path.join(product, 'dist')]);
  expect(bundled.stderr.toString()).toBe('');
  expect(bundled.exitCode).toBe(0);
  for (const name of readdirSync(path.join(MODULES, '@vscode')))
    symlinkSync(path.join(MODULES, '@vscode', name), path.join(modules, '@vscode', name));
  symlinkSync('../houston/houston', installed);
  layOutBun(modules, true);
}, 60_000);

function run(program: string, words: readonly string[], { project, environment }: Place) {
  const ran = Bun.spawnSync([program, ...words], { cwd: project, env: environment, stdin: 'ignore' });
  return { code: ran.exitCode, out: ran.stdout.toString(), err: ran.stderr.toString() };
}

async function runAside(program: string, words: readonly string[], { project, environment }: Place) {
  const child = Bun.spawn([program, ...words], {
    cwd: project,
    env: environment,
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
  });
  const [out, err] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
  return { code: await child.exited, out, err };
}

test('the installed product names its version, answers with its tools, and opens its screen', async () => {
  const fake = await startFakeAnthropic([
    [{ tool: 'search_text', input: { pattern: 'small project', why: 'Looking.' } }],
    [{ text: 'Found it in the README.' }],
    [{ text: 'A second answer.' }],
  ]);
  const place = await makePlace(fake.url);
  try {
    const { version } = JSON.parse(readFileSync(path.join(CHECKOUT, 'package.json'), 'utf8')) as { version: string };
    expect(run(installed, ['--version'], place)).toEqual({ code: 0, out: `${version}\n`, err: '' });
    const asked = await runAside(installed, ['-m', 'anthropic:mock-model', '-p', 'where is it?'], place);
    expect(asked).toMatchObject({ code: 0, out: 'Found it in the README.\n' });
    // Proves that ripgrep was found beside the package: the result holds the line.
    expect(JSON.stringify(fake.requests.at(-1)?.body?.messages?.at(-1))).toContain('A small project.');
    const screen = place.open([], { argv: [installed, '-m', 'anthropic:mock-model'] });
    await screen.until('What shall be done?');
    await screen.say('go on');
    await screen.until('A second answer.');
    expect(place.hosts()).toHaveLength(1);
  } finally {
    await place.close();
    await fake.close();
  }
}, 60_000);

test.skipIf(!existsSync('/dev/full'))(
  'of the installed product too, output that cannot be written is exit code 1',
  async () => {
    const fake = await startFakeAnthropic([[{ text: 'A reply.' }]]);
    const place = await makePlace(fake.url);
    try {
      for (const words of ['--help', 'config path', '-m anthropic:mock-model -p hello']) {
        const line = `exec "$0" ${words} >/dev/full`;
        const { code, err } = await runAside('/bin/sh', ['-c', line, installed], place);
        expect({ words, code, err }).toEqual({
          words,
          code: 1,
          err: expect.stringMatching(/^houston: output-failed: the output could not be written: .*\n$/),
        });
      }
    } finally {
      await place.close();
      await fake.close();
    }
  },
  60_000,
);

test('installed without install scripts it finds Bun in its platform package', async () => {
  const other = path.join(root, 'no-scripts', 'node_modules');
  mkdirSync(other, { recursive: true });
  const copy = path.join(other, 'houston');
  mkdirSync(copy);
  for (const name of ['houston', 'package.json', 'dist']) {
    const from = path.join(modules, 'houston', name);
    if (name === 'dist') symlinkSync(from, path.join(copy, name));
    else copyFileSync(from, path.join(copy, name));
  }
  layOutBun(other, false);
  const place = await makePlace();
  try {
    expect(run(path.join(copy, 'houston'), ['--version'], place)).toMatchObject({ code: 0, err: '' });
    rmSync(path.join(other, '@oven'), { recursive: true });
    const { code, err } = run(path.join(copy, 'houston'), ['--version'], place);
    expect({ code, err: err.split(':').slice(0, 2) }).toEqual({ code: 3, err: ['houston', ' no-bun'] });
  } finally {
    await place.close();
  }
});

test('started through any link it finds its package, and from any folder', async () => {
  const product = path.join(modules, 'houston');
  // As npm lays out what is installed for all, with a link of the person's own to it.
  const prefix = path.join(root, 'prefix');
  mkdirSync(path.join(prefix, 'bin'), { recursive: true });
  mkdirSync(path.join(prefix, 'lib'));
  symlinkSync(modules, path.join(prefix, 'lib', 'node_modules'));
  symlinkSync('../lib/node_modules/houston/houston', path.join(prefix, 'bin', 'houston'));
  symlinkSync(path.join(prefix, 'bin', 'houston'), path.join(root, 'mine'));
  // As others lay it out: the package is a link to where it lies, beside what it needs.
  const linked = path.join(root, 'linked');
  mkdirSync(path.join(linked, '.bin'), { recursive: true });
  symlinkSync(product, path.join(linked, 'houston'));
  symlinkSync('../houston/houston', path.join(linked, '.bin', 'houston'));
  // Another program of the same name stands where npm's link would lead.
  const other = path.join(root, 'other');
  mkdirSync(path.join(other, 'houston'), { recursive: true });
  mkdirSync(path.join(other, 'bin'));
  writeFileSync(path.join(other, 'houston', 'houston'), '#!/bin/sh\nexit 9\n', { mode: 0o755 });
  symlinkSync(path.join(product, 'houston'), path.join(other, 'bin', 'houston'));
  const place = await makePlace();
  try {
    const ways: [string, string][] = [
      [path.join(prefix, 'bin', 'houston'), place.project],
      [path.join(root, 'mine'), place.project],
      [path.join(linked, '.bin', 'houston'), place.project],
      [path.join(linked, 'houston', 'houston'), place.project],
      [path.join(linked, '.bin', '..', 'houston', 'houston'), place.project],
      [path.join(other, 'bin', 'houston'), place.project],
      ['./houston', product],
      ['../houston/houston', product],
      ['./../.bin/houston', product],
    ];
    for (const [program, folder] of ways) {
      const ran = run('/bin/sh', ['-c', 'exec "$0" --version', program], { ...place, project: folder });
      expect({ program, ...ran }).toMatchObject({ program, code: 0, err: '' });
    }
  } finally {
    await place.close();
  }
});

test('a project runs no code and sets no variable by files that Bun would obey', async () => {
  const fake = await startFakeAnthropic([[{ text: 'Fine.' }], [{ text: 'Fine.' }], [{ text: 'Still fine.' }]]);
  const place = await makePlace(fake.url);
  const trap = path.join(place.project, 'trap.ts');
  const sprung = path.join(place.root, 'sprung');
  writeFileSync(trap, `require('node:fs').appendFileSync(${JSON.stringify(sprung)}, process.argv.join(' '));\n`);
  writeFileSync(path.join(place.project, 'bunfig.toml'), 'preload = ["./trap.ts"]\n');
  writeFileSync(
    path.join(place.project, 'tsconfig.json'),
    JSON.stringify({ compilerOptions: { baseUrl: '.', paths: { '*': ['./trap.ts'] } } }),
  );
  writeFileSync(path.join(place.project, '.env'), 'ANTHROPIC_BASE_URL=http://127.0.0.1:9\nANTHROPIC_API_KEY=stolen\n');
  try {
    const { ANTHROPIC_BASE_URL, ...without } = place.environment;
    for (const program of [installed, HOUSTON]) {
      const ran = await runAside(program, ['-m', 'anthropic:mock-model', '-p', 'hello'], place);
      expect(ran).toMatchObject({ code: 0, out: 'Fine.\n' });
      // Nothing of `.env` stands in for a variable that is not set.
      const doctor = await runAside(program, ['doctor'], { ...place, environment: without });
      expect(doctor.out).not.toContain('127.0.0.1:9');
      expect(ANTHROPIC_BASE_URL).toBe(fake.url);
    }
    // The host is started by ourselves, not by the launcher.
    const screen = place.open([], { argv: [installed, '-m', 'anthropic:mock-model'] });
    await screen.until('What shall be done?');
    await screen.say('go on');
    await screen.until('Still fine.');
    expect(existsSync(sprung)).toBe(false);
  } finally {
    await place.close();
    await fake.close();
  }
}, 60_000);
