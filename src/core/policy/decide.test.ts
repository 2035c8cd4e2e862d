import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Effect } from '../../protocol/effect.ts';
import { TRUSTED_PUBLIC } from '../../protocol/label.ts';
import type { PermissionMode } from '../../protocol/message.ts';
import { createBunFiles } from '../../system/bun/files.ts';
import { createBunProcesses } from '../../system/bun/processes.ts';
import { withAnswer } from './answers.ts';
import { decide } from './decide.ts';
import type { FactScope } from './facts.ts';
import { gatherFacts } from './gather-facts.ts';
import { type Decision, type DecisionInput, NO_ANSWERS } from './policy.ts';
import { parseRules } from './rules.ts';

const sources = { files: createBunFiles(), processes: createBunProcesses() };
let top = '';
let ws = '';
let scope: FactScope;

beforeAll(() => {
  top = realpathSync(mkdtempSync(join(tmpdir(), 'houston-policy-')));
  ws = join(top, 'ws');
  for (const folder of [
    'ws/src',
    'ws/sub',
    'ws/.git',
    'ws/.houston',
    'ws/bin',
    'outside',
    'state/outputs',
    'home/.ssh',
  ])
    mkdirSync(join(top, folder), { recursive: true });
  writeFileSync(join(ws, 'src/a.ts'), 'a\n');
  writeFileSync(join(ws, '.env'), 'secret\n');
  writeFileSync(join(ws, '.git/config'), '[core]\n\tbare = false\n[remote "origin"]\n\turl = x\n');
  writeFileSync(join(top, 'outside/o.txt'), 'o\n');
  writeFileSync(join(top, 'state/auth.json'), '{}\n');
  writeFileSync(join(top, 'state/outputs/c1.log'), 'out\n');
  writeFileSync(join(top, 'home/.ssh/id'), 'key\n');
  writeFileSync(join(ws, 'bin/wc'), '#!/bin/sh\n', { mode: 0o755 });
  symlinkSync('../outside', join(ws, 'out'));
  symlinkSync('../outside/new.txt', join(ws, 'dangling'));
  scope = {
    workspace: ws,
    roots: [],
    trust: new Map([[ws, true]]),
    home: join(top, 'home'),
    own: [join(top, 'state')],
    outputs: join(top, 'state/outputs'),
    path: process.env.PATH ?? '/usr/bin:/bin',
  };
});
afterAll(() => rmSync(top, { recursive: true, force: true }));

type Options = Partial<Omit<DecisionInput, 'effects' | 'facts' | 'rules'>> & {
  allow?: string[];
  ask?: string[];
  deny?: string[];
  scope?: Partial<FactScope>;
};

async function judge(effect: Effect, options: Options = {}): Promise<Decision> {
  const { allow, ask, deny, scope: other, ...rest } = options;
  const { rules } = parseRules({ allow: allow ?? [], ask: ask ?? [], deny: deny ?? [] }, 'test');
  const facts = await gatherFacts([effect], { ...scope, ...other }, sources);
  return decide({
    effects: [effect],
    facts,
    mode: 'ask',
    rules,
    answers: NO_ANSWERS,
    canAsk: true,
    contextTrusted: true,
    ...rest,
  });
}

/** `allow`, `ask` or `deny` with the first reason, such as `ask outside-workspace`. */
async function verdict(effect: Effect, options: Options = {}): Promise<string> {
  const decision = await judge(effect, options);
  return `${decision.verdict} ${decision.reasons[0]!.identifier}`;
}

const read = (path: string): Effect => ({ kind: 'read', path: join(ws, path), label: TRUSTED_PUBLIC });
const write = (path: string, change: 'create' | 'edit' = 'create'): Effect => ({
  kind: 'write',
  path: join(ws, path),
  content: { change, before: null, after: 'x', bytes: 1 },
  label: TRUSTED_PUBLIC,
});
const run = (line: string, folder = ws): Effect => ({
  kind: 'run',
  line,
  folder,
  background: false,
  terminal: false,
  timeoutMs: 1000,
  label: TRUSTED_PUBLIC,
});

describe('reads', () => {
  test.each([
    ['src/a.ts', 'allow inside-workspace'],
    ['src/not-there.ts', 'allow inside-workspace'],
    ['../outside/o.txt', 'ask outside-workspace'],
    ['out/o.txt', 'ask outside-workspace'],
    ['out/not-there.txt', 'ask outside-workspace'],
    ['../state/auth.json', 'ask protected-own'],
    ['../home/.ssh/id', 'ask protected-credentials'],
    ['../state/outputs/c1.log', 'allow own-output'],
    ['/proc/self/environ', 'ask protected-credentials'],
  ])('TRUST-6: %s → %s', async (path, expected) => {
    const effect: Effect = path.startsWith('/') ? { kind: 'read', path, label: TRUSTED_PUBLIC } : read(path);
    expect(await verdict(effect)).toBe(expected);
  });

  test('an untrusted workspace can be read, but is kept aside', async () => {
    expect(await judge(read('src/a.ts'), { scope: { trust: new Map() } })).toMatchObject({
      verdict: 'allow',
      output: 'ref',
    });
    expect(await judge(read('src/a.ts'))).toMatchObject({ verdict: 'allow', output: 'text' });
  });

  test('RULE-5: a deny holds in every mode, also through a link', async () => {
    for (const mode of ['ask', 'edits', 'plan', 'bypass'] as const)
      expect(await verdict(read('.env'), { mode, deny: ['Read(.env*)'] })).toBe('deny rule-deny');
    expect(await verdict(read('out/o.txt'), { mode: 'bypass', deny: [`Read(/${top}/outside/**)`] })).toBe(
      'deny rule-deny',
    );
  });

  test('an answer for the session covers what its label says and nothing else', async () => {
    const asked = await judge(read('../outside/o.txt'));
    if (asked.verdict !== 'ask') throw new Error('must ask');
    expect(asked.choices.map((choice) => choice.label)).toEqual([
      'Yes, once',
      `Yes, and reading ${top}/outside this session`,
      'No',
    ]);
    const answers = withAnswer(NO_ANSWERS, asked, { kind: 'choice', choice: 'session' });
    expect(await verdict(read('../outside/other.txt'), { answers })).toBe('allow session-answer');
    expect(await verdict(read('../home/x'), { answers })).toBe('ask outside-workspace');
    expect(withAnswer(NO_ANSWERS, asked, { kind: 'choice', choice: 'once' })).toBe(NO_ANSWERS);
  });

  test('keys are asked for each time, whatever was answered or allowed', async () => {
    const decision = await judge(read('../home/.ssh/id'), {
      allow: ['Read(~/.ssh/**)'],
      answers: { ...NO_ANSWERS, readsAllowed: [top] },
    });
    expect(decision).toMatchObject({ verdict: 'ask', choices: [{ key: 'y' }, { key: 'n' }] });
  });
});

describe('writes', () => {
  const table: readonly [string, Record<PermissionMode, string>][] = [
    [
      'src/a.ts',
      { ask: 'ask mode-ask', edits: 'allow mode-edits', plan: 'deny mode-plan', bypass: 'allow mode-bypass' },
    ],
    [
      '../outside/n.txt',
      {
        ask: 'ask outside-workspace',
        edits: 'ask outside-workspace',
        plan: 'deny mode-plan',
        bypass: 'allow mode-bypass',
      },
    ],
    [
      'out/n.txt',
      {
        ask: 'ask outside-workspace',
        edits: 'ask outside-workspace',
        plan: 'deny mode-plan',
        bypass: 'allow mode-bypass',
      },
    ],
    [
      'dangling',
      {
        ask: 'ask outside-workspace',
        edits: 'ask outside-workspace',
        plan: 'deny mode-plan',
        bypass: 'allow mode-bypass',
      },
    ],
    [
      '.git/hooks/pre-commit',
      { ask: 'ask protected-git', edits: 'ask protected-git', plan: 'deny mode-plan', bypass: 'allow mode-bypass' },
    ],
    [
      '.houston/settings.json',
      {
        ask: 'ask protected-settings',
        edits: 'ask protected-settings',
        plan: 'deny mode-plan',
        bypass: 'allow mode-bypass',
      },
    ],
    [
      '../state/auth.json',
      {
        ask: 'deny protected-own',
        edits: 'deny protected-own',
        plan: 'deny protected-own',
        bypass: 'deny protected-own',
      },
    ],
    [
      '../state/outputs/c1.log',
      {
        ask: 'deny protected-own',
        edits: 'deny protected-own',
        plan: 'deny protected-own',
        bypass: 'deny protected-own',
      },
    ],
  ];
  for (const [path, row] of table) {
    for (const mode of ['ask', 'edits', 'plan', 'bypass'] as const) {
      test(`PR-1: ${path} in mode ${mode} → ${row[mode]}`, async () => {
        expect(await verdict(write(path), { mode })).toBe(row[mode]);
      });
    }
  }

  test('PR-3: plan mode refuses although a rule allows it', async () => {
    expect(await verdict(write('src/a.ts'), { mode: 'plan', allow: ['Edit'] })).toBe('deny mode-plan');
  });

  test('an answer covers the workspace, not the protected places in it', async () => {
    const asked = await judge(write('src/a.ts'));
    if (asked.verdict !== 'ask') throw new Error('must ask');
    const answers = withAnswer(NO_ANSWERS, asked, { kind: 'choice', choice: 'session' });
    expect(await verdict(write('sub/b.ts'), { answers })).toBe('allow session-answer');
    expect(await verdict(write('.git/config'), { answers })).toBe('ask protected-git');
    expect(await verdict(write('../outside/x'), { answers })).toBe('ask outside-workspace');
    expect(await verdict(write('src/a.ts'), { answers, ask: ['Edit(src/**)'] })).toBe('ask rule-ask');
  });

  test('PR-12: where nobody can be asked, a question is a refusal that says so', async () => {
    const decision = await judge(write('src/a.ts'), { canAsk: false });
    expect(decision).toMatchObject({ verdict: 'deny', message: expect.stringContaining('cannot-ask') });
    expect(await verdict(write('src/a.ts'), { canAsk: false, mode: 'edits' })).toBe('allow mode-edits');
  });
});

describe('commands', () => {
  test.each([
    ['ls -la src', 'allow proven'],
    ['cat src/a.ts | wc -l', 'allow proven'],
    ['git status', 'allow proven'],
    ['git log --oneline -5', 'allow proven'],
    ['git branch --list', 'allow proven'],
    ['find . -name a.ts', 'allow proven'],
    ['grep -rn x src 2>/dev/null', 'allow proven'],
    ['git branch new', 'ask mode-ask'],
    ['git -c core.pager=evil log', 'ask mode-ask'],
    ['git log --output=x', 'ask mode-ask'],
    ['git diff --ext-diff', 'ask mode-ask'],
    ['find . -delete', 'ask mode-ask'],
    ['find . -exec rm x', 'ask not-approved-step'],
    ['rg --pre evil x', 'ask mode-ask'],
    ['cat ../outside/o.txt', 'ask mode-ask'],
    ['cat out/o.txt', 'ask mode-ask'],
    ['bin/wc src/a.ts', 'ask mode-ask'],
    ['LD_PRELOAD=x git log', 'ask assignment'],
    ['ls > listing', 'ask redirection'],
    ['wc -l < src/a.ts', 'ask redirection'],
    ['cat src/*.ts', 'ask mode-ask'],
    ['echo $HOME', 'ask unparsed'],
    ['npm test', 'ask mode-ask'],
  ])('RUN-6: %s → %s', async (line, expected) => {
    expect(await verdict(run(line))).toBe(expected);
  });

  test('RUN-6: a program of the workspace is not the one we know', async () => {
    expect(await verdict(run('wc src/a.ts'), { scope: { path: `${ws}/bin:${scope.path}` } })).toBe('ask mode-ask');
  });

  test('a repository that names a helper program is not read by git unasked', async () => {
    writeFileSync(join(ws, '.git/config'), '[core]\n\tfsmonitor = ./evil.sh\n');
    expect(await verdict(run('git status'))).toBe('ask mode-ask');
    writeFileSync(join(ws, '.git/config'), '[core]\n\tbare = false\n');
    expect(await verdict(run('git status'))).toBe('allow proven');
  });

  test('UP-50: plan mode runs what is proven and refuses the rest, also what a rule allows', async () => {
    const lines = ['cat <<X > f', 'git commit --amend -m z', 'sed -i s/a/b/ README', 'ls > f', 'npm test'];
    for (const line of lines)
      expect(await verdict(run(line), { mode: 'plan', allow: ['Bash'] })).toBe('deny mode-plan');
    for (const line of ['ls', 'git log']) expect(await verdict(run(line), { mode: 'plan' })).toBe('allow proven');
  });

  test('UP-48: an allowed first word carries nothing else, and the unapproved part is named', async () => {
    const allow = ['Bash(git status*)', 'Bash(cd *)', 'Bash(grep *)'];
    const lines = [
      'git status && touch X1',
      'cd sub && git push --dry-run',
      'cd . ; touch X2',
      'git status | tee X3',
      'git status\ntouch X4',
      'git status & touch X5',
    ];
    for (const line of lines)
      expect(await judge(run(line), { allow, ask: ['Bash(git push*)'] })).toMatchObject({ verdict: 'ask' });
    expect((await judge(run('git status | tee X3'), { allow })).reasons).toEqual([
      { identifier: 'not-approved-step', text: 'not approved: tee X3' },
    ]);
    expect(await verdict(run("grep -n 'a && b' f"), { allow })).toStartWith('allow');
    const asked = await judge(run('cd sub && python3 -c 1 | grep x'), { allow });
    expect(asked).toMatchObject({ verdict: 'ask', remember: ['cd sub && python3 -c 1 | grep x', 'python3 -c 1'] });
  });

  test('UP-49: what a rule forbids to read, a command cannot name either', async () => {
    const deny = ['Read(.env*)', 'Edit(//outside/**)'];
    for (const line of ['cat .env', 'cat < .env', 'cd . && cat .env', 'cat ./.en""v', 'cat --file=.env']) {
      expect(await verdict(run(line), { deny, mode: 'bypass' })).toBe('deny rule-deny');
    }
    for (const line of ['f=.env && cat "$f"', 'cat .e*v', 'grep -r TOKEN .'])
      expect(await judge(run(line), { deny, allow: ['Bash(cat *)', 'Bash(grep *)'] })).toMatchObject({
        verdict: 'ask',
      });
  });

  test('RULE-5: bypass asks where a deny rule cannot be checked', async () => {
    expect(await verdict(run('f=.env; cat "$f"'), { mode: 'bypass', deny: ['Read(.env)'] })).toBe('ask unparsed');
    expect(await verdict(run('f=.env; cat "$f"'), { mode: 'bypass' })).toBe('allow mode-bypass');
    expect(await verdict(run('rm x; rm y'), { mode: 'bypass', deny: ['Bash(rm *)'] })).toBe('deny rule-deny');
  });

  test('an ask rule for a file also asks when a proven command names it', async () => {
    expect(await verdict(run('cat src/a.ts'), { ask: ['Read(src/**)'] })).toBe('ask rule-ask');
  });

  test('an exact answer covers this line in this folder; a pattern covers its steps', async () => {
    const asked = await judge(run('npm test'));
    if (asked.verdict !== 'ask') throw new Error('must ask');
    expect(asked.choices.map(({ key }) => key)).toEqual(['y', 'a', 'p', 'n']);
    const exact = withAnswer(NO_ANSWERS, asked, { kind: 'choice', choice: 'session' });
    expect(await verdict(run('npm test'), { answers: exact })).toBe('allow session-answer');
    expect(await verdict(run('npm test -- a'), { answers: exact })).toBe('ask mode-ask');
    expect(await verdict(run('npm test', join(ws, 'sub')), { answers: exact })).toBe('ask mode-ask');
    const wide = withAnswer(NO_ANSWERS, asked, { kind: 'choice', choice: 'session', wide: true });
    expect(await verdict(run('npm test -- a'), { answers: wide })).toBe('allow session-answer');
    expect(await verdict(run('npm test && rm x'), { answers: wide })).toBe('ask not-approved-step');
    expect(await verdict(run('A=1 npm test'), { answers: wide })).toBe('ask assignment');
    expect(await verdict(run('npm test > f'), { answers: wide })).toBe('ask redirection');
  });

  test('PR-10: no standing answer for redirections, dangerous names and what cannot be read', async () => {
    for (const line of ['ls > f', 'wc < f', 'PATH=. ls', 'echo $X', 'sleep 1 &']) {
      expect(await judge(run(line))).toMatchObject({ verdict: 'ask', choices: [{ key: 'y' }, { key: 'n' }] });
    }
    expect(await judge(run('A="" npm test'))).toMatchObject({ choices: [{ key: 'y' }, { key: 'a' }, { key: 'n' }] });
  });

  test('a rule for every command also speaks for what cannot be read; no other does', async () => {
    expect(await verdict(run('echo $HOME'), { allow: ['Bash'], canAsk: false })).toBe('allow rule-allow');
    expect(await verdict(run('echo $HOME'), { allow: ['Bash(echo *)'], canAsk: false })).toBe('deny cannot-ask');
  });

  test('what comes from the network or from outside is kept aside unless chosen otherwise', async () => {
    expect(await judge(run('npm test'))).toMatchObject({ output: 'text' });
    expect(await judge(run('curl https://example.com'))).toMatchObject({ output: 'ref' });
    expect(await judge(run('for i in 1; do curl x; done'))).toMatchObject({ output: 'ref' });
    expect(await judge(run('sort ../outside/o.txt'))).toMatchObject({ output: 'ref' });
    expect(await judge(run('curl x'), { mode: 'bypass' })).toMatchObject({ verdict: 'allow', output: 'text' });
  });

  test('UP-53: every hidden character of a line is shown as text, with a warning, and every row is there', async () => {
    const asked = await judge(run('touch UP_EVIL #\r\x1b[2Kls -la \u202e\u200b'));
    if (asked.verdict !== 'ask') throw new Error('must ask');
    expect(asked.rows[0]!.role).toBe('warning');
    expect(asked.rows[1]!.shown.text).toBe('touch UP_EVIL #␍␛[2Kls -la ‹U+202E›‹U+200B›');
    const long = await judge(
      run(Array.from({ length: 300 }, (_, index) => (index === 249 ? 'touch UP_EVIL' : 'ls')).join('\n')),
    );
    if (long.verdict !== 'ask') throw new Error('must ask');
    expect(long.rows.filter((row) => row.role === 'line')).toHaveLength(300);
    expect(long.rows.some((row) => row.shown.text === '300 lines')).toBe(true);
  });
});

describe('rules of every family', () => {
  const url: Effect = { kind: 'network', url: 'https://a.example/x', host: 'a.example', label: TRUSTED_PUBLIC };
  const tool: Effect = { kind: 'external', server: 's', tool: 't', label: TRUSTED_PUBLIC };
  const families: readonly [string, () => Effect, string, string, string][] = [
    ['Read', () => read('../outside/o.txt'), 'Read', '//**/outside/**', '//**/o.txt'],
    ['Edit', () => write('src/a.ts', 'edit'), 'Edit', 'src/**', 'src/a.ts'],
    ['Bash', () => run('touch x'), 'Bash', 'touch *', 'touch x'],
    ['WebFetch', () => url, 'WebFetch', 'domain:example', 'domain:a.example'],
    ['Mcp', () => tool, 'Mcp', 's', 's:t'],
  ];
  test.each(families)(
    'RULE-1: %s: deny, then ask, then allow, however special the others are',
    async (_, effect, family, wide, exact) => {
      const of = (spec: string | null) => [spec === null ? family : `${family}(${spec})`];
      for (const spec of [null, wide, exact]) {
        const special = of(exact);
        expect(await verdict(effect(), { deny: of(spec), ask: special, allow: special })).toBe('deny rule-deny');
        const asked = await judge(effect(), { ask: of(spec), allow: special, mode: 'edits' });
        expect(asked.verdict).toBe('ask');
        expect(asked.reasons.map(({ identifier }) => identifier)).toContain('rule-ask');
        expect(await verdict(effect(), { allow: of(spec) })).toBe('allow rule-allow');
      }
    },
  );
});

describe('the rest', () => {
  test('TRUST-5: the write table decides what is asked beside the mode, and no rule answers for it', async () => {
    const untrusted = { integrity: 'untrusted', confidentiality: 'private' } as const;
    const over = (path: string, label = TRUSTED_PUBLIC as Effect['label']): Effect => ({
      kind: 'write',
      path: join(ws, path),
      content: { change: 'overwrite', before: 'y', after: 'x', bytes: 1 },
      label,
    });
    const page = {
      trust: new Map([
        [ws, true],
        [join(ws, 'src/a.ts'), false],
      ]),
    };
    for (const options of [{ mode: 'edits' }, { allow: ['Edit'] }] satisfies Options[]) {
      const allowed = 'allow' in options ? 'allow rule-allow' : 'allow mode-edits';
      expect(await verdict(over('.env'), options)).toBe(allowed);
      expect(await verdict(over('.env', untrusted), options)).toBe('ask untrusted-content');
      expect(await verdict(over('src/a.ts'), { ...options, scope: page })).toBe(allowed);
      expect(await verdict(over('src/a.ts', untrusted), { ...options, scope: page })).toBe(allowed);
      expect(await verdict(over('new.ts', untrusted), options)).toBe('ask untrusted-content');
    }
  });

  test('SEC-10: once untrusted content was shown, nothing with an effect is decided by the planner', async () => {
    const effects: Effect[] = [
      run('ls'),
      write('src/a.ts', 'edit'),
      { kind: 'delegate', agent: 'a', task: 't', label: TRUSTED_PUBLIC },
      { kind: 'question', label: TRUSTED_PUBLIC },
    ];
    for (const effect of effects)
      expect(await verdict(effect, { contextTrusted: false, mode: 'bypass' })).toBe('deny context-untrusted');
    expect(await verdict(read('src/a.ts'), { contextTrusted: false })).toBe('allow inside-workspace');
  });

  test('nothing is decided without facts', () => {
    const facts = { workspace: ws, roots: [], trusted: true, home: null, paths: [], line: null };
    const { rules } = parseRules({}, 'x');
    const input = { facts, mode: 'bypass', rules, answers: NO_ANSWERS, canAsk: true, contextTrusted: true } as const;
    for (const effect of [read('src/a.ts'), write('x'), run('ls')])
      expect(decide({ ...input, effects: [effect] })).toMatchObject({ verdict: 'deny' });
  });

  test('an MCP tool and a fetch ask, and plan mode refuses the tool', async () => {
    const external: Effect = { kind: 'external', server: 's', tool: 't', label: TRUSTED_PUBLIC };
    expect(await verdict(external)).toBe('ask leaves-machine');
    expect(await verdict(external, { mode: 'plan' })).toBe('deny mode-plan');
    expect(await verdict(external, { allow: ['Mcp(s)'] })).toBe('allow rule-allow');
    const fetched: Effect = {
      kind: 'network',
      url: 'https://docs.example.com/x',
      host: 'docs.example.com',
      label: TRUSTED_PUBLIC,
    };
    expect(await verdict(fetched, { allow: ['WebFetch(domain:example.com)'] })).toBe('allow rule-allow');
  });
});
