// Bypass answers permission questions, and nothing else.
import { afterEach, expect, test } from 'bun:test';
import { parseRules } from '../../src/core/policy/rules.ts';
import { type GuardedPlace, guardedPlace } from '../support/guarded-session.ts';
import type { ScriptEntry } from '../support/script.ts';

let places: GuardedPlace[] = [];
afterEach(() => {
  for (const place of places) place.close();
  places = [];
});
const call = (tool: string, input: Record<string, unknown>): ScriptEntry => [
  { tool, input: { why: 'to see', ...input } as never },
];

test('PR-4: a question of the agent still reaches the person, while its effects are not asked about', async () => {
  const place = guardedPlace();
  places.push(place);
  place.write('a.txt', 'a\n');
  place.write('.env', 'b\n');
  const run = await place.run(
    [
      call('run_shell', { command: 'touch made' }),
      call('ask_person', { questions: [{ question: 'Which one?', options: ['red', 'blue'] }] }),
      call('write_file', { path: 'b.txt', contents: `key = ghp_${'A1b2'.repeat(9)}\n` }),
      call('read_file', { path: '.env' }),
      call('run_shell', { command: 'cat < .env' }),
    ],
    {
      mode: 'bypass',
      bypassOffered: true,
      rules: parseRules({ deny: ['Read(.env)'] }, '--settings').rules,
      answer: () => ({ kind: 'answers', answers: [['blue']] }),
    },
  );
  expect(run.asks.map(({ body }) => body.kind)).toEqual(['questions']);
  expect(run.told[1]).toContain('blue');
  expect(run.told[2]).toContain('declared-credential');
  expect(run.told[3]).toContain('rule-deny');
  expect(run.told[4]).toContain('rule-deny');
});
