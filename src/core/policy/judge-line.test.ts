// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are words of a shell
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import type { Effect } from '../../protocol/effect.ts';
import { TRUSTED_PUBLIC } from '../../protocol/label.ts';
import { createBunFiles } from '../../system/bun/files.ts';
import { createBunProcesses } from '../../system/bun/processes.ts';
import { answeredLines, outputAfter, withAnswer } from './answers.ts';
import { decide } from './decide.ts';
import type { FactScope } from './facts.ts';
import { gatherFacts } from './gather-facts.ts';
import { findChange } from './line-facts.ts';
import { type AnsweredLine, type Decision, type DecisionInput, NO_ANSWERS } from './policy.ts';
import { parseRules } from './rules.ts';

// A busy machine takes its time over what is tried many times.
setDefaultTimeout(60_000);

const sources = { files: createBunFiles(), processes: createBunProcesses() };
let top = '';
let ws = '';
let scope: FactScope;

beforeAll(() => {
  top = realpathSync(mkdtempSync(join(tmpdir(), 'houston-lines-')));
  ws = join(top, 'ws');
  for (const folder of ['ws/src', 'ws/sub', 'ws/bin', 'outside', 'tools'])
    mkdirSync(join(top, folder), { recursive: true });
  writeFileSync(join(ws, 'src/a.ts'), 'a\n');
  writeFileSync(join(ws, '.env'), 'secret\n');
  writeFileSync(join(top, 'outside/o.txt'), 'o\n');
  symlinkSync('../.env', join(ws, 'src/link'));
  scope = {
    workspace: ws,
    roots: [],
    trust: new Map([[ws, true]]),
    home: null,
    own: [],
    outputs: null,
    path: `${join(top, 'tools')}:${process.env.PATH ?? '/usr/bin:/bin'}`,
  };
});
afterAll(() => rmSync(top, { recursive: true, force: true }));

type Options = Partial<Omit<DecisionInput, 'effects' | 'facts' | 'rules'>> & {
  allow?: string[];
  ask?: string[];
  deny?: string[];
  readsStayInWorkspace?: boolean;
  scope?: Partial<FactScope>;
  folder?: string;
};

async function judge(line: string, options: Options = {}): Promise<Decision> {
  const { allow, ask, deny, scope: other, folder, readsStayInWorkspace, ...rest } = options;
  const { rules } = parseRules({ allow: allow ?? [], ask: ask ?? [], deny: deny ?? [] }, 'test');
  const effect: Effect = {
    kind: 'run',
    line,
    folder: folder ?? ws,
    background: false,
    terminal: false,
    timeoutMs: 1000,
    label: TRUSTED_PUBLIC,
  };
  const facts = await gatherFacts([effect], { ...scope, ...other }, sources);
  return decide({
    effects: [effect],
    facts,
    mode: 'ask',
    rules: { ...rules, readsStayInWorkspace: readsStayInWorkspace ?? false },
    answers: NO_ANSWERS,
    canAsk: true,
    contextTrusted: true,
    ...rest,
  });
}

async function verdict(line: string, options: Options = {}): Promise<string> {
  const decision = await judge(line, options);
  return `${decision.verdict} ${decision.reasons[0]!.identifier}`;
}

/** Every place the shell's grammar has for a command. */
const SYNTAX = [
  'X',
  '  X  # said',
  'ls; X',
  'ls\nX',
  'ls && X',
  'ls || X',
  'ls | X',
  'ls |& X',
  'ls & X',
  'X &',
  '! X',
  'time X',
  '(X)',
  '{ X; }',
  '( (ls; X) )',
  'if ls; then X; fi',
  'if X; then ls; fi',
  'if ls; then ls; elif X; then ls; fi',
  'if ls; then ls; else X; fi',
  'for i in 1 2; do X; done',
  'for i in $(X); do ls; done',
  'while ls; do X; done',
  'until X; do ls; done',
  'case a in a) X;; esac',
  'case $(X) in a) ls;; esac',
  'f() { X; }; f',
  'function f { X; }',
  'coproc X',
  'echo $(X)',
  'echo "$(X)"',
  'echo `X`',
  'echo "`X`"',
  'echo ${a:-$(X)}',
  'echo "${a:=`X`}"',
  'echo $((1 + $(X)))',
  'A=$(X)',
  'A=$(X) ls',
  'a=($(X))',
  'ls $(echo $(X))',
  'cat <(X)',
  'ls > >(X)',
  'ls > $(X)',
  'cat <<< $(X)',
  'cat <<E\n$(X)\nE',
  'cat <<E\n`X`\nE',
  'bash <<E\nX\nE',
  "sh <<'E'\nX\nE",
  "bash <<< 'X'",
  '[[ -n $(X) ]]',
  '(( $(X) ))',
  'cd sub && X',
  'set -e; X',
];
/** Commands that run the command they are given as words. */
const WRAPPERS = [
  'eval X',
  'exec X',
  'command X',
  'builtin X',
  'env X',
  'env -i A=1 X',
  'nohup X',
  'nice -n 3 X',
  'timeout 5 X',
  'timeout -k 1 5 X',
  'setsid X',
  'stdbuf -oL X',
  'sudo X',
  'sudo -u root X',
  'sudo --strange X',
  'doas X',
  'watch X',
  'busybox X',
  'xargs X',
  'ls | xargs -n1 X',
  'ls | xargs -I{} X',
  'find . -exec X {} \\;',
  'find . -name a -execdir X +',
];
/** And as a line, or in another way. */
const QUOTING = [
  "sh -c 'X'",
  "bash -lc 'ls && X'",
  'bash -c "bash -c \'X\'"',
  "env sh -c 'X'",
  "su -c 'X'",
  "trap 'X' EXIT",
  "eval 'X'",
  'eval "ls; X"',
  'flock /tmp/l X',
  '/bin/X',
  '../../bin/X',
];
const PLACES = [...SYNTAX, ...WRAPPERS, ...QUOTING];

describe('what a rule denies', () => {
  const spelled = [
    'touch DENIED',
    'touch   DENIED',
    "touch 'DENIED'",
    '"touch" DEN""IED',
    'to\\uch DENIED',
    'A=1 touch DENIED',
    'touch DENIED 2>/dev/null',
  ];

  test.each(PLACES)('RULE-3, UP-48: is never allowed, wherever it stands: %j', async (place) => {
    // A path in front of the name, an assignment or a redirection cannot stand in every place.
    const deny = ['Bash(touch DENIED*)'];
    for (const mode of ['ask', 'bypass'] as const) {
      const decision = await judge(place.replace('X', 'touch DENIED'), { deny, allow: ['Bash'], mode });
      expect(decision.verdict).not.toBe('allow');
      expect(decision.reasons[0]!.identifier).toBe('rule-deny');
    }
  });

  test('RULE-3: no spelling of its words hides it', async () => {
    for (const line of spelled)
      expect(await verdict(line, { deny: ['Bash(touch DENIED*)'], allow: ['Bash'], mode: 'bypass' })).toBe(
        'deny rule-deny',
      );
  });

  test('RULE-3: in any line put together from such places it is never allowed', async () => {
    const syntax = fc.constantFrom(...SYNTAX.filter((place) => !/[\n#"'`]|&$/.test(place)));
    const wrapper = fc.constantFrom(...WRAPPERS.filter((place) => !place.startsWith('find')));
    const place = fc.oneof(fc.constantFrom(...PLACES.filter((one) => !/[\n#]|&$/.test(one))), wrapper);
    const joint = fc.constantFrom(' && ', ' || ', '; ', ' | ', '\n');
    const other = fc.constantFrom('ls', 'git status', 'echo a', 'npm test', 'true');
    // `$((` would begin a sum.
    const put = (outer: string, inner: string): string =>
      outer.replace('X', inner.startsWith('(') ? ` ${inner}` : inner);
    const nested = fc.oneof(
      fc.tuple(syntax, place).map(([outer, inner]) => put(outer, inner)),
      fc.tuple(syntax, syntax, place).map(([one, two, inner]) => put(put(one, two), inner)),
      fc.tuple(wrapper, wrapper).map(([outer, inner]) => outer.replace('X', inner)),
    );
    await fc.assert(
      fc.asyncProperty(nested, other, other, joint, joint, async (line, before, after, one, two) => {
        const whole = `${before}${one}${line.replace('X', 'touch DENIED')}${two}${after}`;
        const decision = await judge(whole, { deny: ['Bash(touch DENIED*)'], allow: ['Bash'], mode: 'bypass' });
        expect(decision.verdict).not.toBe('allow');
      }),
      { numRuns: 200 },
    );
  });

  test('USER-11: an absolute path, a link to it and another case on such a volume do not dodge a rule', async () => {
    symlinkSync('/usr/bin/touch', join(ws, 'bin/poke'));
    const deny = ['Bash(touch *)'];
    for (const line of ['/usr/bin/touch x', 'bin/poke x', './bin/poke x'])
      expect(await verdict(line, { deny, allow: ['Bash'], mode: 'bypass' })).toBe('deny rule-deny');
    expect(await verdict('TOUCH x', { deny, mode: 'bypass', scope: { ignoreCase: true } })).toBe('deny rule-deny');
  });

  test('UP-49, RULE-5: a file by any spelling, through links, fed in, or written', async () => {
    const deny = ['Read(.env*)', 'Edit(/outside/**)', `Edit(/${join(top, 'outside')}/**)`];
    for (const line of [
      'cat src/link',
      'cd src && cat ../.env',
      '(cd src; cat ../.env)',
      'cp .env x',
      'dd if=.env',
      'cat <.env',
      'cat $(cat .env)',
      'timeout 5 cat .env',
      "bash -c 'cat .env'",
      'source .env',
      'grep -f.env x',
      `echo Z > ${join(top, 'outside/up-out')}`,
      `tee ${join(top, 'outside/up-out')}`,
      `touch ../outside/new`,
    ])
      expect(`${line}: ${await verdict(line, { deny, allow: ['Bash'], mode: 'bypass' })}`).toBe(
        `${line}: deny rule-deny`,
      );
    for (const line of [
      'f=.env && cat "$f"',
      'cat .e*v',
      'cat .{env,x}',
      'cat $(echo .env)',
      'cd $x; cat .env2',
      'git show HEAD:.env',
    ])
      expect(await judge(line, { deny, allow: ['Bash'], mode: 'bypass' })).toMatchObject({
        verdict: expect.stringMatching(/ask|deny/),
      });
  });

  test('RULE-8: reads can be kept in the workspace, whatever allows them', async () => {
    const options = { readsStayInWorkspace: true, allow: ['Bash'] };
    expect(await verdict('cat ../outside/o.txt', options)).toBe('deny rule-deny');
    expect(await verdict('cat ../outside/o.txt', { ...options, mode: 'bypass' })).toBe('deny rule-deny');
    expect(await verdict('cat "$x"', { readsStayInWorkspace: true, mode: 'bypass' })).toBe('ask unparsed');
    expect(await verdict('cat src/a.ts', options)).toBe('allow proven');
  });

  test('bypass stays quiet where the unknown part cannot be what a rule forbids', async () => {
    const deny = ['Bash(rm *)'];
    expect(await verdict('echo $HOME', { deny, mode: 'bypass' })).toBe('allow mode-bypass');
    expect(await verdict('$X y', { deny, mode: 'bypass' })).toBe('ask unparsed');
    expect(await verdict('rm $X', { deny: ['Bash(rm -rf *)'], mode: 'bypass' })).toBe('ask unparsed');
    expect(await verdict('echo x | sh', { deny, mode: 'bypass' })).toBe('ask unparsed');
  });
});

describe('proven lines', () => {
  test.each([
    ['ls | head -3 | wc -l', 'allow proven'],
    ['git status\ngit log --oneline', 'allow proven'],
    ['(ls; pwd) 2>&1', 'allow proven'],
    ['! grep -q x src/a.ts', 'allow proven'],
    ['set -euo pipefail; ls # all', 'allow proven'],
    ['timeout 5 git status', 'allow proven'],
    ["bash -c 'ls && pwd'", 'allow proven'],
    ['echo done && true', 'allow proven'],
    ['if ls; then echo yes; fi', 'allow proven'],
    ['cd . && ls', 'allow proven'],
    ['cd sub && ls', 'ask not-approved-step'],
    ['ls &', 'ask unparsed'],
    ['ls 2> err', 'ask redirection'],
    ['grep x <<< y', 'ask redirection'],
    ['A=1 ls', 'ask assignment'],
    ['env A=1 ls', 'ask assignment'],
    ['A=1; ls', 'ask assignment'],
    ['sudo ls', 'ask not-approved-step'],
    ['sh -c ls', 'ask not-approved-step'],
    ['ls() { touch x; }; ls', 'ask unparsed'],
    ['cat $(ls)', 'ask unparsed'],
    ['find . -fprintf x y', 'ask mode-ask'],
    ['find . -okdir rm x', 'ask not-approved-step'],
    ['rg --pre=evil x', 'ask mode-ask'],
    ['rg --hostname-bin evil x', 'ask mode-ask'],
    ['git diff --no-index a b', 'ask mode-ask'],
    ['git log --ext-diff', 'ask mode-ask'],
    ['git -C sub status', 'ask mode-ask'],
    ['git --git-dir=x status', 'ask mode-ask'],
    ['git branch -D main', 'ask mode-ask'],
    ['git branch --list -d main', 'ask mode-ask'],
    ['git show --output=x', 'ask mode-ask'],
    ['wc --files0-from=list', 'ask mode-ask'],
    ['tail -f src/a.ts', 'ask mode-ask'],
    ['grep -R x .', 'ask mode-ask'],
    ['ls -L', 'ask mode-ask'],
    ['/usr/bin/wc src/a.ts', 'ask mode-ask'],
  ])('RUN-6: %j → %s', async (line, expected) => {
    expect(await verdict(line)).toBe(expected);
  });

  test('RUN-6, USER-11: nothing is proven with a program, or a bash, of the workspace', async () => {
    for (const name of ['pwd', 'bash', 'cat']) writeFileSync(join(ws, 'bin', name), '#!/bin/sh\n', { mode: 0o755 });
    const own = { scope: { path: `${ws}/bin:${scope.path}` } };
    expect(await verdict('cat src/a.ts', own)).toBe('ask mode-ask');
    expect(await verdict('ls', own)).toBe('ask mode-ask');
    expect(await verdict('ls', { scope: { path: `bin:${scope.path}` } })).toBe('ask mode-ask');
    expect(await verdict('ls', { scope: { path: `:${scope.path}` } })).toBe('ask mode-ask');
    rmSync(join(ws, 'bin/bash'));
    // `pwd` is bash's own, whatever lies on PATH.
    expect(await verdict('pwd', own)).toBe('allow proven');
  });

  test.each([
    '[core]\n\tfsmonitor = x',
    '[core]fsmonitor=x',
    '[Core] FsMonitor = x',
    '[core]\n\tfsmonitor',
    '[diff "a"]\n\ttextconv = x',
    '[filter "a"]\n\tclean = x',
    '[include]\n\tpath = x',
    '[alias]\n\tlog = !x',
    '[remote "o"]\n\tpromisor = true',
    '[core]\n\thooksPath = x',
  ])('USER-11: a repository that would start something is not read by git unasked: %j', async (config) => {
    mkdirSync(join(ws, '.git'), { recursive: true });
    writeFileSync(join(ws, '.git/config'), config);
    expect(await verdict('git status')).toBe('ask mode-ask');
    writeFileSync(join(ws, '.git/config'), '[core]\n\tbare = false\n');
    expect(await verdict('git status')).toBe('allow proven');
    mkdirSync(join(ws, '.git/hooks'), { recursive: true });
    writeFileSync(join(ws, '.git/hooks/post-index-change'), 'x');
    expect(await verdict('git status')).toBe('ask mode-ask');
    rmSync(join(ws, '.git'), { recursive: true });
  });
});

describe('plan mode', () => {
  test.each([
    'touch x',
    'ls; touch x',
    'ls | tee x',
    'ls > x',
    'cat <<X > f\nX',
    "bash -c 'touch x'",
    'find . -delete',
    'sed -i s/a/b/ f',
    'git commit --amend -m z',
    'echo $(touch x)',
    'ls &',
    'A=1 ls',
  ])('UP-50: refuses %j whatever allows it', async (line) => {
    expect(await verdict(line, { mode: 'plan', allow: ['Bash'] })).toBe('deny mode-plan');
  });
  test('UP-50: what is proven runs, unless a rule asks about it', async () => {
    expect(await verdict('ls', { mode: 'plan' })).toBe('allow proven');
    expect(await verdict('ls', { mode: 'plan', ask: ['Bash(ls*)'] })).toBe('ask rule-ask');
  });
});

type Asked = Extract<Decision, { verdict: 'ask' }>;
async function asked(line: string, options: Options = {}): Promise<Asked> {
  const decision = await judge(line, options);
  if (decision.verdict !== 'ask') throw new Error(`${line} must ask, not ${decision.verdict}`);
  return decision;
}
const keys = async (line: string, options: Options = {}) =>
  (await asked(line, { canRemember: true, ...options })).choices.map(({ key }) => key).join('');

describe('lasting answers', () => {
  test('PR-10: which keys a line has', async () => {
    expect(await keys('npm test')).toBe('yaprwn');
    expect(await keys('A="" npm test')).toBe('yarn');
    expect(await keys('npm test', { canRemember: false })).toBe('yapn');
    expect(await keys('npm test', { mode: 'edits' })).toBe('yapn');
    expect(await keys('npm test', { ask: ['Bash(npm *)'] })).toBe('yan');
    expect(await keys('npm test', { folder: join(top, 'outside') })).toBe('yan');
    for (const line of [
      'npm test > f',
      'npm test < f',
      'npm test <<< x',
      'PATH=. npm test',
      'GIT_SSH=x git pull',
      'env NODE_OPTIONS=x npm test',
      'echo $X',
      'npm test &',
    ])
      expect(`${line}: ${await keys(line)}`).toBe(`${line}: yn`);
    // Where a rule that forbids cannot be checked, only this very line may be repeated in this session.
    expect(await keys('cat src/*', { deny: ['Read(.env)'] })).toBe('yan');
  });

  test('UP-48: what is offered is shown word for word, and at most two patterns', async () => {
    const decision = await asked('cd sub && python3 -c 1 | grep x', {
      allow: ['Bash(cd *)', 'Bash(grep *)'],
      canRemember: true,
    });
    expect(decision.remember).toEqual(['cd sub && python3 -c 1 | grep x', 'python3 -c 1']);
    expect(decision.rows.map(({ shown }) => shown.text)).toContain(
      `[p] covers python3 -c 1 in ${join(ws, 'sub')} for this session, [w] for later sessions too`,
    );
    expect((await asked('git commit -m x')).remember).toEqual(['git commit -m x', 'git commit *']);
    expect((await asked('a && b && c')).remember).toEqual(['a && b && c']);
  });

  test('UP-48: what was remembered covers exactly that line in exactly that folder, in another session too', async () => {
    const decision = await asked('A="" npm test', { canRemember: true });
    const kept = answeredLines(decision, { kind: 'choice', choice: 'remember' });
    const lines = kept.map((line): AnsweredLine => ({ ...line, remembered: true }));
    const answers = { ...NO_ANSWERS, lines };
    expect(await verdict('A="" npm test', { answers })).toBe('allow remembered-answer');
    expect(await verdict('A="" npm test -- x', { answers })).toBe('ask assignment');
    expect(await verdict('A="" npm test', { answers, folder: join(ws, 'sub') })).toBe('ask assignment');
    expect(await verdict('cd sub && A="" npm test', { answers })).toBe('ask assignment');
    expect(await verdict('A="" npm test', { answers, ask: ['Bash(npm *)'] })).toBe('ask rule-ask');
    expect(await verdict('A="" npm test', { answers, deny: ['Bash(npm *)'] })).toBe('deny rule-deny');
    expect(await verdict('A="" npm test', { answers, mode: 'plan' })).toBe('deny mode-plan');
  });

  test('PR-11, USER-11: a pattern holds in its folder and not below, and for no other words', async () => {
    const decision = await asked('npm test');
    const answers = withAnswer(NO_ANSWERS, decision, { kind: 'choice', choice: 'session', wide: true });
    expect(await verdict('npm test -- a | tail -3', { answers })).toBe('allow session-answer');
    expect(await verdict('cd sub && npm test', { answers, allow: ['Bash(cd *)'] })).toBe('ask not-approved-step');
    expect(await verdict('npm test < f', { answers })).toBe('ask redirection');
    expect(await verdict('npm testing', { answers })).toBe('ask mode-ask');
    expect(await verdict('npm test $(x)', { answers })).toBe('ask unparsed');
    expect(await verdict('"npm test" x', { answers })).toBe('ask mode-ask');
  });

  test('a choice that was not offered is no answer', async () => {
    const decision = await asked('npm test');
    expect(answeredLines(decision, { kind: 'choice', choice: 'remember' })).toEqual([]);
  });

  test('SEC-46: with output kept aside, a lasting answer shows it and a single yes does not', async () => {
    const options = { commandOutput: 'aside' } as const;
    const decision = await asked('npm test', options);
    expect(outputAfter(decision, { kind: 'choice', choice: 'once' })).toBe('ref');
    expect(outputAfter(decision, { kind: 'choice', choice: 'once', output: 'text' })).toBe('text');
    expect(outputAfter(decision, { kind: 'choice', choice: 'session' })).toBe('text');
    const answers = withAnswer(NO_ANSWERS, decision, { kind: 'choice', choice: 'session' });
    expect(await judge('npm test', { ...options, answers })).toMatchObject({ verdict: 'allow', output: 'text' });
    expect(await verdict('npm test --all', { ...options, answers })).toBe('ask mode-ask');
    expect(await judge('LD_PRELOAD=x git log', { ...options, answers })).toMatchObject({
      verdict: 'ask',
      output: 'ref',
    });
    const network = await asked('curl x', options);
    expect(outputAfter(network, { kind: 'choice', choice: 'session' })).toBe('ref');
  });
});

describe('rules that allow', () => {
  test('RULE-1: deny before ask before allow, the first match counts, the more special one has no say', async () => {
    const rules = {
      deny: ['Bash(git *)'],
      ask: ['Bash(npm *)', 'Bash(git *)'],
      allow: ['Bash(git status)', 'Bash(npm test)', 'Bash'],
    };
    expect(await verdict('git status', rules)).toBe('deny rule-deny');
    expect(await verdict('npm test', rules)).toBe('ask rule-ask');
    expect(await verdict('make', rules)).toBe('allow rule-allow');
    expect(await verdict('make && npm test', rules)).toBe('ask rule-ask');
    expect(await verdict('make && git status', rules)).toBe('deny rule-deny');
  });

  test('RUN-3: another folder is asked about, and what is printed there is kept aside', async () => {
    const elsewhere = { folder: join(top, 'outside'), allow: ['Bash'] };
    expect(await judge('npm test', elsewhere)).toMatchObject({ verdict: 'ask', output: 'ref' });
    expect(await judge('cd ../outside && npm test', { allow: ['Bash'] })).toMatchObject({ output: 'ref' });
    expect(await judge('npm test', { allow: ['Bash'] })).toMatchObject({ verdict: 'allow', output: 'text' });
  });

  test('RULE-3: every step needs one; a proven step has it', async () => {
    const allow = ['Bash(npm test)', 'Bash(make *)'];
    expect(await verdict('npm test && make', { allow })).toBe('allow rule-allow');
    expect(await verdict('npm test | tail -5', { allow })).toBe('allow rule-allow');
    expect(await verdict('timeout 60 npm test', { allow })).toBe('allow rule-allow');
    expect(await verdict('sudo npm test', { allow })).toBe('ask not-approved-step');
    expect(await verdict('npm test && npm publish', { allow })).toBe('ask not-approved-step');
  });

  test('RULE-6, RUN-7: none speaks for an assignment, a redirection, text fed in or what is known only when it runs', async () => {
    for (const line of [
      'A=1 npm test',
      'export A=1',
      'npm test > f',
      'npm test >> f',
      'npm test < f',
      'npm test &> f',
      'npm <<< x',
    ])
      expect(`${line}: ${await verdict(line, { allow: ['Bash'] })}`).toMatch(/: ask (assignment|redirection)$/);
    expect(await verdict('npm run $X', { allow: ['Bash(npm *)'] })).toBe('ask unparsed');
    expect(await verdict('npm test > /dev/null 2>&1', { allow: ['Bash(npm *)'] })).toBe('allow rule-allow');
  });
});

describe('what starts is what was decided on', () => {
  test('RUN-2: another program under the same name, or a path that leads elsewhere, refuses the line', async () => {
    const tool = join(top, 'tools/tool');
    writeFileSync(tool, '#!/bin/sh\n', { mode: 0o755 });
    const effect: Effect = {
      kind: 'run',
      line: 'timeout 5 tool src/a.ts',
      folder: ws,
      background: false,
      terminal: false,
      timeoutMs: 1,
      label: TRUSTED_PUBLIC,
    };
    const facts = await gatherFacts([effect], scope, sources);
    expect(await findChange(facts.line!, sources)).toBeNull();
    writeFileSync(`${tool}.new`, '#!/bin/sh\nevil\n', { mode: 0o755 });
    renameSync(`${tool}.new`, tool);
    expect(await findChange(facts.line!, sources)).toContain('tool is no longer the program');
    const again = await gatherFacts([effect], scope, sources);
    rmSync(join(ws, 'src/a.ts'));
    symlinkSync('../.env', join(ws, 'src/a.ts'));
    expect(await findChange(again.line!, sources)).toContain('leads elsewhere');
    rmSync(join(ws, 'src/a.ts'));
    writeFileSync(join(ws, 'src/a.ts'), 'a\n');
    chmodSync(tool, 0o644);
    expect(await findChange(again.line!, sources)).toContain('no longer');
  });

  test('RUN-2: a program that turns up where there was none refuses the line too', async () => {
    const effect: Effect = {
      kind: 'run',
      line: 'late-tool x',
      folder: ws,
      background: false,
      terminal: false,
      timeoutMs: 1,
      label: TRUSTED_PUBLIC,
    };
    const facts = await gatherFacts([effect], scope, sources);
    writeFileSync(join(top, 'tools/late-tool'), '#!/bin/sh\n', { mode: 0o755 });
    expect(await findChange(facts.line!, sources)).toContain('late-tool');
  });
});
