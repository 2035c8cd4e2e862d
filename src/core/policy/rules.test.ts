import { describe, expect, test } from 'bun:test';
import { readRules } from './read-rules.ts';
import {
  allowsCommand,
  findCommandRule,
  findHostRule,
  findPathRule,
  findServerRule,
  matchesCommand,
  mergeRules,
  parseRules,
  type Verdict,
} from './rules.ts';

const scope = { workspace: '/ws', home: '/home/me' };

function pathMatches(spec: string, path: string, verdict: Verdict = 'deny', source = '/conf/settings.json'): boolean {
  const { rules } = parseRules({ [verdict]: [`Read(${spec})`] }, source);
  return findPathRule(rules, verdict, 'Read', [path], scope) !== null;
}

describe('rules', () => {
  test('RULE-8: what cannot be read is named and costs only itself', () => {
    const { rules, unreadable } = parseRules(
      { deny: ['Bash(rm *)', 'Nonsense(x)', 'WebFetch(http://x/y)', 'Read'] },
      'here',
    );
    expect(unreadable).toEqual(['Nonsense(x)', 'WebFetch(http://x/y)']);
    expect(rules.deny.map((rule) => rule.text)).toEqual(['Bash(rm *)', 'Read']);
  });

  test.each([
    ['.env', '/ws/.env', true],
    ['.env', '/ws/deep/.env', true],
    ['.env*', '/ws/.env.local', true],
    ['.env', '/ws/env', false],
    ['./.env', '/ws/deep/.env', false],
    ['src/*.ts', '/ws/src/a.ts', true],
    ['src/*.ts', '/ws/src/deep/a.ts', false],
    ['src/**', '/ws/src', true],
    ['src/**', '/ws/src/deep/a.ts', true],
    ['**/secret/**', '/ws/a/b/secret/c', true],
    ['//etc/**', '/etc/passwd', true],
    ['~/.ssh/**', '/home/me/.ssh/id', true],
    ['/here/*', '/conf/here/x', true],
    ['secrets', '/ws/secrets/deep/x', true],
    ['a?c', '/ws/abc', true],
    ['a.c', '/ws/abc', false],
  ])('RULE-2: %s against %s', (spec, path, expected) => {
    expect(pathMatches(spec, path)).toBe(expected);
  });

  test('RULE-2: one segment floats in deny and ask, not in allow; a folder is opened only by saying so', () => {
    expect(pathMatches('notes.md', '/ws/deep/notes.md', 'ask')).toBe(true);
    expect(pathMatches('notes.md', '/ws/deep/notes.md', 'allow')).toBe(false);
    expect(pathMatches('notes.md', '/ws/notes.md', 'allow')).toBe(true);
    expect(pathMatches('src', '/ws/src/a.ts', 'allow')).toBe(false);
    expect(pathMatches('src/**', '/ws/src/a.ts', 'allow')).toBe(true);
  });

  test('RULE-2: where a link leads can add a refusal, never a permission', () => {
    const { rules } = parseRules({ deny: ['Read(//etc/**)'], allow: ['Read(docs/**)'] }, 'x');
    const both = ['/ws/docs/link', '/etc/passwd'];
    expect(findPathRule(rules, 'deny', 'Read', both, scope)).not.toBeNull();
    expect(findPathRule(rules, 'allow', 'Read', both, scope)).toBeNull();
  });

  test.each([
    ['git status', 'git status', true],
    ['git status', 'git status -s', false],
    ['git status *', 'git status', true],
    ['git status:*', 'git status -s', true],
    ['ls *', 'lsof', false],
    ['ls*', 'lsof', true],
    ['* --version', 'node --version', true],
    ['npm * --dry-run *', 'npm publish --dry-run', false],
    ['a.b', 'aXb', false],
  ])('RULE-3: %s against %s', (spec, line, expected) => {
    expect(matchesCommand(spec, line.split(' '))).toBe(expected);
  });

  test('RULE-4: a domain covers its subdomains on label borders', () => {
    const { rules } = parseRules({ allow: ['WebFetch(domain:Example.com)'] }, 'x');
    expect(
      ['example.com', 'docs.EXAMPLE.com.', 'badexample.com', 'example.com.evil.org'].map(
        (host) => findHostRule(rules, 'allow', host) !== null,
      ),
    ).toEqual([true, true, false, false]);
  });

  test('a family without brackets speaks for all of it', () => {
    const { rules } = parseRules({ deny: ['Bash'] }, 'x');
    expect(findCommandRule(rules, 'deny', ['anything', 'at all'])?.text).toBe('Bash');
  });

  test('RULE-2: `/x` starts at the folder of its own settings file, in every layer', () => {
    const { rules } = readRules(
      [
        { source: '/conf/settings.json', verdict: 'deny', entries: [{ text: 'Read(/keys/**)' }] },
        { source: '/ws/.houston/settings.json', verdict: 'deny', entries: [{ text: 'Edit(/dist/**)' }] },
        { source: '/ws/.houston/settings.json', verdict: 'allow', entries: [{ text: 'Edit(/out/**)' }] },
      ],
      false,
    );
    const denied = (family: 'Read' | 'Edit', path: string) =>
      findPathRule(rules, 'deny', family, [path], scope) !== null;
    expect(denied('Read', '/conf/keys/a')).toBe(true);
    expect(denied('Read', '/ws/keys/a')).toBe(false);
    // A refusal written in `.houston/` holds for the project as well as for that folder; a permission for the folder alone.
    expect([denied('Edit', '/ws/.houston/dist/a'), denied('Edit', '/ws/dist/a'), denied('Edit', '/dist/a')]).toEqual([
      true,
      true,
      false,
    ]);
    const allowed = (path: string) => findPathRule(rules, 'allow', 'Edit', [path], scope) !== null;
    expect([allowed('/ws/.houston/out/a'), allowed('/ws/out/a')]).toEqual([true, false]);
  });

  test('RULE-2: case follows the volume', () => {
    const { rules } = parseRules({ deny: ['Read(.env)'] }, 'x');
    expect(findPathRule(rules, 'deny', 'Read', ['/ws/.ENV'], scope)).toBeNull();
    expect(findPathRule(rules, 'deny', 'Read', ['/ws/.ENV'], { ...scope, ignoreCase: true })).not.toBeNull();
  });

  test('RULE-8: a rule that cannot be read is named with its place; one strict layer is enough', () => {
    const { unreadable, rules } = readRules(
      [
        {
          source: '/conf/settings.json',
          verdict: 'deny',
          entries: [
            { text: 'Foo(x)', line: 3 },
            { text: 'Bash(rm *)', line: 4 },
          ],
        },
      ],
      true,
    );
    expect(unreadable).toEqual([{ source: '/conf/settings.json', line: 3, verdict: 'deny', text: 'Foo(x)' }]);
    expect(rules.deny.map(({ text }) => text)).toEqual(['Bash(rm *)']);
    expect(mergeRules([parseRules({}, 'x').rules, rules]).readsStayInWorkspace).toBe(true);
  });

  test('RULE-4: an MCP rule names a server or one tool of it', () => {
    const { rules } = parseRules({ allow: ['Mcp(files:read)', 'Mcp(web)'] }, 'x');
    const allows = (server: string, tool: string) => findServerRule(rules, 'allow', server, tool) !== null;
    expect([allows('files', 'read'), allows('files', 'write'), allows('web', 'any'), allows('webs', 'any')]).toEqual([
      true,
      false,
      true,
      false,
    ]);
  });

  test('RULE-3: words that were quoted together are one word to a permission', () => {
    const { rules } = parseRules({ allow: ['Bash(git status*)'] }, 'x');
    expect(allowsCommand(rules, ['git', 'status', '-s'])).not.toBeNull();
    expect(allowsCommand(rules, ['git status', '-s'])).toBeNull();
    expect(allowsCommand(rules, [])).toBeNull();
  });
});
