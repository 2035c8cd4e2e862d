// What is answered about a tool of an MCP server, and how long it holds.
import { expect, test } from 'bun:test';
import type { Effect } from '../../protocol/effect.ts';
import { TRUSTED_PUBLIC } from '../../protocol/label.ts';
import { createMemorySystem } from '../../system/memory/system.ts';
import { answeredTools, withAnswer } from './answers.ts';
import { decide } from './decide.ts';
import { type Decision, type DecisionInput, NO_ANSWERS } from './policy.ts';
import { openRememberedAnswers } from './remembered.ts';
import { parseRules } from './rules.ts';

const tool = (more: Partial<Extract<Effect, { kind: 'external' }>> = {}): Effect => ({
  kind: 'external',
  server: 's',
  tool: 't',
  pinned: 'as agreed',
  label: TRUSTED_PUBLIC,
  ...more,
});

function judge(effect: Effect, more: Partial<DecisionInput> & { allow?: string[]; ask?: string[] } = {}): Decision {
  const { allow = [], ask = [], ...rest } = more;
  return decide({
    effects: [effect],
    facts: { workspace: '/yard', home: null, trusted: true, paths: [], line: null } as never,
    mode: 'ask',
    rules: parseRules({ allow, ask }, 'x').rules,
    answers: NO_ANSWERS,
    canAsk: true,
    canRemember: true,
    contextTrusted: true,
    ...rest,
  });
}

function asked(decision: Decision): Extract<Decision, { verdict: 'ask' }> {
  if (decision.verdict !== 'ask') throw new Error(decision.verdict);
  return decision;
}

test('each call is asked: once, this tool in this project, or no (MCP-2)', () => {
  const question = asked(judge(tool()));
  expect(question.choices.map(({ key, name }) => `${key} ${name}`)).toEqual([
    'y once',
    'a session',
    'r remember',
    'n no',
  ]);
  expect(question.output).toBe('ref');
  const once = withAnswer(NO_ANSWERS, question, { kind: 'choice', choice: 'once' });
  expect(judge(tool(), { answers: once }).verdict).toBe('ask');
  for (const choice of ['session', 'remember'] as const) {
    const answers = withAnswer(NO_ANSWERS, question, { kind: 'choice', choice });
    expect(judge(tool(), { answers })).toMatchObject({ verdict: 'allow', by: 'session', output: 'ref' });
    // Of no other tool, server, project or thing that goes by the same names.
    for (const other of [tool({ tool: 'u' }), tool({ server: 'z' }), tool({ pinned: 'other' })])
      expect(judge(other, { answers }).verdict).toBe('ask');
    expect(
      judge(tool(), { answers, facts: { workspace: '/other', paths: [], line: null, trusted: true } as never }).verdict,
    ).toBe('ask');
    expect(judge(tool(), { answers, ask: ['Mcp(s)'] }).verdict).toBe('ask');
    expect(judge(tool(), { answers, mode: 'plan' }).verdict).toBe('deny');
    expect(judge(tool(), { answers, contextTrusted: false }).verdict).toBe('deny');
  }
  expect(asked(judge(tool(), { canRemember: false })).choices.map(({ name }) => name)).toEqual([
    'once',
    'session',
    'no',
  ]);
});

test('what may repeat what was released is asked about every single time, whatever was answered or ruled (SEC-13, RULE-6)', () => {
  const answers = withAnswer(NO_ANSWERS, asked(judge(tool())), { kind: 'choice', choice: 'session' });
  for (const more of [{ answers }, { allow: ['Mcp'] }, { allow: ['Mcp(s:t)'] }]) {
    const question = asked(judge(tool({ repeats: true }), more));
    expect(question.choices.map(({ name }) => name)).toEqual(['once', 'no']);
  }
  expect(judge(tool({ repeats: true }), { mode: 'bypass' }).verdict).toBe('allow');
  expect(judge(tool({ repeats: true }), { mode: 'plan' }).verdict).toBe('deny');
});

test('what is remembered of a tool is there in the next session, beside everything else', async () => {
  const system = createMemorySystem();
  system.files.seed(
    '/s/remembered.json',
    '{"version":1,"lines":[],"keyFolders":["/k"],"tools":[{"server":1},null,{"server":"a","tool":"b","pinned":"c","folder":"/d"}]}',
  );
  const store = openRememberedAnswers(system.files, '/s/remembered.json', (work) => work());
  expect(await store.loadTools()).toEqual([{ server: 'a', tool: 'b', pinned: 'c', folder: '/d' }]);
  const given = answeredTools(asked(judge(tool())), { kind: 'choice', choice: 'remember' });
  expect(await store.add([], [], given)).toBe(true);
  expect(await store.loadTools()).toEqual([
    { server: 'a', tool: 'b', pinned: 'c', folder: '/d' },
    { server: 's', tool: 't', pinned: 'as agreed', folder: '/yard' },
  ]);
  expect(await store.loadKeyFolders()).toEqual(['/k']);
});
