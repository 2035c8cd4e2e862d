// The built-in pilot against the real tools, gates and journal: what a newcomer sees first must work.
import { expect, test } from 'bun:test';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DEMO_BUG } from '../../src/core/models/demo-project.ts';
import { FRONT_COMMANDS } from '../../src/front/commands/command-table.ts';
import { makeKeymap, readChord } from '../../src/front/commands/keymap.ts';

const HOUSTON = path.join(import.meta.dir, '..', '..', 'houston');

test('the demo tour finds its bug, mends it with the real tools and sees the tests pass', async () => {
  const root = mkdtempSync(path.join(tmpdir(), 'houston-demo-test-'));
  try {
    const run = Bun.spawn([HOUSTON, '--demo', '-p', '--dangerously-skip-permissions', '--json'], {
      cwd: root,
      env: { PATH: process.env.PATH ?? '', HOME: root, TMPDIR: root },
      stdin: 'ignore',
      stdout: 'pipe',
      stderr: 'pipe',
    });
    const [out, err, code] = await Promise.all([
      new Response(run.stdout).text(),
      new Response(run.stderr).text(),
      run.exited,
    ]);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    const report = JSON.parse(out) as {
      status: string;
      tool_calls: { name: string; refused: boolean }[];
      reply: string;
    };
    expect(report.status).toBe('done');
    expect(report.tool_calls.map((call) => call.name)).toEqual(
      expect.arrayContaining(['todo_write', 'read_file', 'edit_file', 'run_shell']),
    );
    expect(report.tool_calls.filter((call) => call.refused)).toEqual([]);
    const project = readdirSync(root).find((name) => name.startsWith('houston-demo-'))!;
    expect(existsSync(path.join(root, project))).toBe(true);
    const mended = Bun.spawn(['node', '--test'], {
      cwd: path.join(root, project),
      env: { PATH: process.env.PATH ?? '' },
      stdout: 'ignore',
      stderr: 'ignore',
    });
    expect(await mended.exited).toBe(0);
    expect(readFileSync(path.join(root, project, DEMO_BUG.file), 'utf8')).toContain(DEMO_BUG.after);
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}, 30_000);

test('every key the pilot tells a newcomer to try is one the keymap knows', () => {
  const models = path.join(import.meta.dir, '..', '..', 'src', 'core', 'models');
  const keymap = makeKeymap(FRONT_COMMANDS);
  const chords = readdirSync(models)
    .filter((name) => name.startsWith('pilot') && !name.endsWith('.test.ts'))
    .flatMap((name) => [
      ...readFileSync(path.join(models, name), 'utf8').matchAll(/`((?:Ctrl|Alt|Shift)-[\w-]+|F\d+)\\?`/g),
    ])
    .map(([, chord]) => chord!);
  expect(chords).toContain('F1');
  expect(chords.filter((chord) => keymap.commandOf(readChord(chord) ?? '') === null)).toEqual([]);
});
