import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { hookCommandText, matchesHook, readHooks } from './hooks.ts';

const FILE = '/home/me/.config/houston/hooks.json';
const read = (hooks: readonly unknown[]) => readHooks(JSON.stringify({ hooks }), FILE);

describe('reading hooks', () => {
  test('an entry has a phase, a label and a command; tools only in phases of tools (HR-1)', () => {
    const { hooks, problems } = read([
      { phase: 'before_tool', label: 'lint', command: 'npm run lint', include_tools: ['edit_file'] },
      { phase: 'after_reasoning', label: 'log', command: ['tee', '-a', 'log'], timeout: 600, inject: true },
      { phase: 'after_assistant', label: 'x', command: 'x', exclude_tools: ['run_shell'] },
    ]);
    expect(hooks).toEqual([
      {
        ...{ source: FILE, phase: 'before_tool', label: 'lint', command: 'npm run lint', include: ['edit_file'] },
        ...{ exclude: [], timeout: 30, inject: false },
      },
      {
        ...{ source: FILE, phase: 'after_reasoning', label: 'log', command: ['tee', '-a', 'log'], include: null },
        ...{ exclude: [], timeout: 600, inject: true },
      },
    ]);
    expect(problems).toEqual([
      `${FILE}: hook 3: include_tools and exclude_tools have no meaning for after_assistant; it is no hook`,
    ]);
  });

  test('a bad entry is no hook, is named in one line, and the others hold (HOOK-1)', () => {
    const good = { phase: 'turn_started', label: 'good', command: ['true'] };
    const bad: readonly unknown[] = [
      null,
      { ...good, phase: 'tool-finished' },
      { ...good, label: 'two\nlines' },
      { ...good, label: '' },
      { ...good, command: [] },
      { ...good, command: ['a', 1] },
      { ...good, command: 'a\u0000b' },
      { ...good, timeout: 0 },
      { ...good, timeout: 601 },
      { ...good, inject: true },
      { ...good, payload: 'raw' },
      { ...good, failure_policy: 'block' },
      { ...good, comand: 'typo' },
    ];
    for (const entry of bad) {
      const { hooks, problems } = read([good, entry, good]);
      expect(hooks.length).toBe(2);
      expect(problems.length).toBe(1);
      expect(problems[0]).toStartWith(`${FILE}: hook 2: `);
    }
    const commented = '// mine\n{ "hooks": [{ "phase": "turn_finished", "label": "x", "command": "true", }, ], }';
    expect(readHooks(commented, FILE).hooks.length).toBe(1);
  });

  test('whatever stands in the file, reading it ends in hooks and lines and never throws (HOOK-1)', () => {
    const { constantFrom } = fc;
    const near = fc.record(
      {
        phase: fc.oneof(constantFrom('before_tool', 'after_tool', 'turn_started'), fc.jsonValue()),
        label: fc.oneof(constantFrom('a', ''), fc.jsonValue()),
        command: fc.oneof(constantFrom('true', ['true']), fc.jsonValue()),
        include_tools: fc.jsonValue(),
        timeout: fc.oneof(constantFrom(1, 600, 1e9), fc.jsonValue()),
        inject: fc.jsonValue(),
      },
      { requiredKeys: [] },
    );
    const check = (text: string): void => {
      const { hooks, problems } = readHooks(text, FILE);
      for (const { timeout, label } of hooks) {
        expect(timeout >= 1 && timeout <= 600).toBe(true);
        expect(label).not.toContain('\n');
      }
      for (const problem of problems) expect(problem.split('\n').length).toBe(1);
    };
    fc.assert(
      fc.property(
        fc.oneof(
          fc.jsonValue().map((value) => JSON.stringify(value)),
          fc.string(),
        ),
        check,
      ),
    );
    fc.assert(fc.property(fc.array(near), (hooks) => check(JSON.stringify({ hooks }))));
    check('['.repeat(60_000));
    check(`{"hooks": ${'['.repeat(30_000)}${']'.repeat(30_000)}}`);
  });
});

describe('which hooks are meant', () => {
  const [all, some, others] = read([
    { phase: 'after_tool', label: 'all', command: 'x' },
    { phase: 'after_tool', label: 'some', command: 'x', include_tools: ['edit_file', '!'] },
    { phase: 'after_tool', label: 'others', command: 'x', exclude_tools: ['run_shell'] },
  ]).hooks;

  test('by phase, and by the names of the tool; what is excluded is so under any of its names (HR-1)', () => {
    const which = (phase: 'before_tool' | 'after_tool', ...names: string[]) =>
      [all!, some!, others!].filter((hook) => matchesHook(hook, phase, names)).map(({ label }) => label);
    expect(which('after_tool', 'edit_file')).toEqual(['all', 'some', 'others']);
    expect(which('after_tool', 'run_shell')).toEqual(['all']);
    expect(which('after_tool', 'run_shell', '!')).toEqual(['all', 'some']);
    expect(which('before_tool', 'edit_file')).toEqual([]);
    expect(hookCommandText({ command: ['a', 'b c'] })).toBe('["a","b c"]');
  });
});
