import { expect, test } from 'bun:test';
import { parseArguments } from './arguments.ts';

function parsed(...words: string[]) {
  const outcome = parseArguments(words);
  if (!outcome.ok) throw new Error(outcome.refusal.message);
  return outcome.value;
}
function refused(...words: string[]): string {
  const outcome = parseArguments(words);
  return outcome.ok ? 'accepted' : outcome.refusal.identifier;
}

test('words are the prompt', () => {
  expect(parsed('fix', 'the', 'tests')).toMatchObject({ run: 'mission-control', prompt: 'fix the tests' });
  expect(parsed('-p', '2+2')).toMatchObject({ run: 'print', prompt: '2+2' });
  expect(parsed('--', '--json')).toMatchObject({ prompt: '--json' });
});

test('a subcommand counts only where the whole line parses under its grammar', () => {
  expect(parsed('sessions')).toMatchObject({ run: 'subcommand', subcommand: { name: 'sessions' } });
  expect(parsed('sessions', 'are', 'lost')).toMatchObject({ run: 'mission-control', prompt: 'sessions are lost' });
  expect(parsed('config', 'the', 'linter')).toMatchObject({ prompt: 'config the linter' });
  expect(parsed('attach', 'the', 'debugger')).toMatchObject({ prompt: 'attach the debugger' });
  expect(parsed('check', 'git status')).toMatchObject({ subcommand: { name: 'check', words: ['git status'] } });
  expect(parsed('check', 'git', 'status')).toMatchObject({ prompt: 'check git status' });
  expect(parsed('export')).toMatchObject({ subcommand: { name: 'export', words: [] } });
  expect(parsed('export', '0198abcd')).toMatchObject({ subcommand: { words: ['0198abcd'] } });
  expect(parsed('export', 'csv')).toMatchObject({ prompt: 'export csv' });
  expect(parsed('-p', 'doctor')).toMatchObject({ run: 'print', prompt: 'doctor' });
});

test('optional ids are taken with = or when the next word looks like one', () => {
  expect(parsed('-c', 'go', 'on')).toMatchObject({ continueSession: true, prompt: 'go on' });
  expect(parsed('-c', '0198abcd', 'go on')).toMatchObject({ continueSession: '0198abcd', prompt: 'go on' });
  expect(parsed('--resume=abc')).toMatchObject({ resume: 'abc', prompt: null });
  expect(parsed('-c=abc', 'go')).toMatchObject({ continueSession: 'abc', prompt: 'go', hint: null });
  expect(parsed('-m=demo:pilot')).toMatchObject({ model: 'demo:pilot' });
});

test('a word alone behind -c or -r that is no id is the prompt, and that is said; words of a sentence are not in doubt', () => {
  const hint = '"zzz" is the prompt: a session is named by eight or more digits of its id, or as -c=zzz';
  expect(parsed('-c', 'zzz')).toMatchObject({ continueSession: true, prompt: 'zzz', hint });
  expect(parsed('-p', '--resume', 'zzz').hint).toContain('--resume=zzz');
  expect(parsed('-c', 'go', 'on').hint).toBeNull();
  expect(parsed('-c', 'go on').hint).toBeNull();
  expect(parsed('-c', '-p', 'zzz').hint).toBeNull();
  expect(parsed('zzz').hint).toBeNull();
});

test('bad lines are refused with their identifier (ST-3)', () => {
  expect(refused('--wat')).toBe('unknown-flag');
  expect(refused('-m')).toBe('missing-value');
  expect(refused('--model', ' ')).toBe('bad-value');
  expect(refused('--effort', 'enormous')).toBe('bad-value');
  expect(refused('--prompt', '  ')).toBe('empty-prompt');
  expect(refused('   ')).toBe('empty-prompt');
  expect(refused('--json', 'hi')).toBe('bad-value');
  expect(refused('-c', '--fork', '0198abcd')).toBe('bad-value');
});
