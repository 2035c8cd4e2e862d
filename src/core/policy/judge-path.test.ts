import { describe, expect, test } from 'bun:test';
import type { Effect } from '../../protocol/effect.ts';
import { type Label, TRUSTED_PRIVATE, TRUSTED_PUBLIC, UNTRUSTED_PRIVATE } from '../../protocol/label.ts';
import { decide } from './decide.ts';
import type { PathFact } from './facts.ts';
import { NO_ANSWERS } from './policy.ts';
import { NO_RULES, parseRules } from './rules.ts';

const FILE: PathFact = {
  path: '/ws/a',
  real: '/ws/a',
  inside: true,
  exists: true,
  inode: 1,
  protected: null,
  trusted: true,
  output: false,
};

function verdict(
  effect: Effect,
  fact: Partial<PathFact>,
  mode: 'ask' | 'edits' | 'bypass' = 'edits',
  rules = NO_RULES,
) {
  const path = { ...FILE, ...fact };
  const facts = { workspace: '/ws', roots: [], trusted: true, home: null, paths: [path], line: null };
  const answers = NO_ANSWERS;
  const found = decide({ effects: [effect], facts, mode, rules, answers, canAsk: true, contextTrusted: true });
  const [first] = found.reasons;
  return `${found.verdict} ${first?.identifier}`;
}

const write = (label: Label, change: 'create' | 'overwrite' | 'edit' = 'overwrite'): Effect => ({
  kind: 'write',
  path: '/ws/a',
  content: { change, before: null, after: 'x', bytes: 1 },
  label,
});

describe('the write table, where edits are accepted', () => {
  test.each([
    ['trusted to trusted', TRUSTED_PUBLIC, { trusted: true }, 'allow mode-edits'],
    ['untrusted to trusted', UNTRUSTED_PRIVATE, { trusted: true }, 'ask untrusted-content'],
    ['trusted to untrusted', TRUSTED_PUBLIC, { trusted: false }, 'allow mode-edits'],
    ['untrusted to untrusted', UNTRUSTED_PRIVATE, { trusted: false }, 'allow mode-edits'],
    ['trusted to a path never mentioned', TRUSTED_PUBLIC, { inside: false, trusted: false }, 'ask outside-workspace'],
  ] as const)('SEC-20: %s', (_row, label, fact, expected) => {
    expect(verdict(write(label), fact)).toBe(expected);
  });

  test('SEC-20: an allow rule answers no question about what nobody vouched for; deny stands on top of all', () => {
    const { rules } = parseRules({ allow: ['Edit'] }, 'settings');
    expect(verdict(write(UNTRUSTED_PRIVATE), {}, 'ask', rules)).toBe('ask untrusted-content');
    const denied = parseRules({ deny: ['Edit'] }, 'settings').rules;
    for (const mode of ['ask', 'edits', 'bypass'] as const)
      expect(verdict(write(TRUSTED_PUBLIC), {}, mode, denied)).toBe('deny rule-deny');
  });

  test('SEC-13: private content nobody vouched for goes nowhere outside, in no mode', () => {
    for (const mode of ['ask', 'edits', 'bypass'] as const)
      expect(verdict(write(UNTRUSTED_PRIVATE), { inside: false }, mode)).toBe('deny private-outside');
    expect(verdict(write(TRUSTED_PRIVATE), { inside: false })).toBe('ask outside-workspace');
  });

  test('an untrusted file is replaced as a whole or not at all', () => {
    expect(verdict(write(TRUSTED_PUBLIC, 'edit'), { trusted: false })).toBe('deny file-untrusted');
    expect(verdict(write(TRUSTED_PUBLIC, 'edit'), {})).toBe('allow mode-edits');
  });
});
