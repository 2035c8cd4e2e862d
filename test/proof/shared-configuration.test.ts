// Many programs write into one configuration at once, and one of them is killed on the way.
import { afterAll, expect, test } from 'bun:test';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

const root = mkdtempSync(path.join(tmpdir(), 'houston-shared-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

test('eight processes each set a setting of their own and add 50 prompts while a ninth is killed: the files can be read at any moment, and nothing is lost (UP-33)', async () => {
  const config = path.join(root, 'config');
  const state = path.join(root, 'state');
  for (const folder of [config, state]) mkdirSync(folder, { mode: 0o700 });
  const settings = path.join(config, 'settings.json');
  writeFileSync(settings, '{\n  // mine\n  "model": "a:b"\n}\n');
  const start = (number: number | string, ...more: string[]) =>
    Bun.spawn(
      [
        process.execPath,
        path.join(import.meta.dir, '..', 'support', 'share-configuration.ts'),
        config,
        state,
        String(number),
        ...more,
      ],
      { stdout: 'ignore', stderr: 'pipe' },
    );
  const doomed = start('doomed', 'stay');
  const all = Array.from({ length: 8 }, (_, number) => start(number));
  let running = true;
  const over = Promise.all(all.map(({ exited }) => exited)).then((codes) => {
    running = false;
    return codes;
  });
  let looks = 0;
  let killed = false;
  while (running) {
    const text = readFileSync(settings, 'utf8');
    expect(() => JSON.parse(text.replace('// mine', ''))).not.toThrow();
    looks++;
    if (!killed && text.includes('"own:')) {
      doomed.kill('SIGKILL');
      killed = true;
    }
    await Bun.sleep(1);
  }
  expect(await over).toEqual(Array.from({ length: 8 }, () => 0));
  await doomed.exited;
  expect(looks).toBeGreaterThan(20);
  const text = readFileSync(settings, 'utf8');
  expect(text).toContain('// mine');
  const { efforts } = JSON.parse(text.replace('// mine', '')) as { efforts: Record<string, string> };
  expect(
    Object.keys(efforts)
      .filter((name) => name !== 'own:doomed')
      .sort(),
  ).toEqual(Array.from({ length: 8 }, (_, number) => `own:${number}`));
  const prompts = readFileSync(path.join(state, 'history.jsonl'), 'utf8').trim().split('\n');
  // Each line begins with a break of its own, since a killed process may have left half of one before it.
  const said = new Set(prompts.flatMap((line) => (line === '' ? [] : (JSON.parse(line) as { text: string }).text)));
  for (let number = 0; number < 8; number++)
    for (let at = 0; at < 50; at++) expect(said.has(`${number} says ${at}`)).toBe(true);
  // Neither copies called broken nor a lock that stays.
  const names = [...readdirSync(config), ...readdirSync(state)];
  expect(names).toContain('settings.json');
  expect(names.filter((name) => /lock|corrupt|damage|broken|bak|old/.test(name))).toEqual([]);
}, 60_000);
