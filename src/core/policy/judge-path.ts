import { dirname } from 'node:path';
import type { Effect } from '../../protocol/effect.ts';
import { UNTRUSTED_PRIVATE } from '../../protocol/label.ts';
import { pathRows, reasonRows } from './ask-rows.ts';
import type { PathFact, Protection } from './facts.ts';
import { allow, deny, denyKeys, type Judgement, NO_OFFER } from './judgement.ts';
import { isWithin } from './paths.ts';
import type { DecisionInput, Offer, Reason } from './policy.ts';
import { findPathRule, type RuleScope } from './rules.ts';

type Reading = Extract<Effect, { kind: 'read' | 'walk' }>;
type Writing = Extract<Effect, { kind: 'write' }>;

const PROTECTED: Readonly<Record<Protection, string>> = {
  own: "Houston's own settings and state",
  git: 'the inside of a git repository',
  settings: 'settings that steer agents',
  credentials: 'a place where keys and passwords are kept',
};

export function judgeRead(effect: Reading, fact: PathFact, input: DecisionInput): Judgement {
  const { rules, mode, answers } = input;
  const paths = [fact.path, fact.real];
  const scope = ruleScope(input);
  const denied = findPathRule(rules, 'deny', 'Read', paths, scope);
  if (denied !== null) return deny('rule-deny', `the rule ${denied.text} forbids it`);
  if (rules.readsStayInWorkspace === true && !fact.inside && !fact.output)
    return deny('reads-stay-inside', 'reads stay in the workspace, and this lies outside');
  if (fact.output) return allow('not-needed', 'own-output', 'an output of this session', fact.trusted ? 'text' : 'ref');
  if (mode === 'bypass') return allow('mode', 'mode-bypass', 'permission questions are answered with yes', 'text');
  // From a planner that saw untrusted content only a confined read is taken (SEC-11).
  const proposed = effect.label.integrity === 'untrusted' || !input.contextTrusted;
  if (proposed && !fact.inside) return deny('context-untrusted', 'untrusted content was shown in this conversation');

  const reasons: Reason[] = [];
  const guarded = fact.protected === 'own' || fact.protected === 'credentials';
  if (guarded)
    reasons.push({ identifier: `protected-${fact.protected}`, text: `this is ${PROTECTED[fact.protected]}` });
  if (!fact.inside) reasons.push({ identifier: 'outside-workspace', text: 'outside the workspace' });
  const asked = findPathRule(rules, 'ask', 'Read', paths, scope);
  if (asked !== null) reasons.push({ identifier: 'rule-ask', text: `the rule ${asked.text} asks each time` });

  if (reasons.length === 0)
    return allow('not-needed', 'inside-workspace', 'inside the workspace', fact.trusted ? 'text' : 'ref');
  if (asked === null && !guarded) {
    if (findPathRule(rules, 'allow', 'Read', paths, scope) !== null)
      return allow('rule', 'rule-allow', 'a rule allows it', fact.trusted ? 'text' : 'ref');
    if (answers.readsAllowed.some((place) => isWithin(fact.real, place)))
      return allow('session', 'session-answer', 'answered for this session', 'text');
  }
  const offer = asked !== null || guarded ? NO_OFFER : { ...NO_OFFER, reads: readsOffered(effect, fact, input) };
  return {
    verdict: 'ask',
    reasons,
    rows: [...pathRows(fact, effect.label), ...reasonRows(reasons)],
    output: 'text',
    offer,
  };
}

export function judgeWrite(effect: Writing, fact: PathFact, input: DecisionInput): Judgement {
  const { rules, mode, answers } = input;
  const paths = [fact.path, fact.real];
  const scope = ruleScope(input);
  const denied = findPathRule(rules, 'deny', 'Edit', paths, scope) ?? findPathRule(rules, 'deny', 'Read', paths, scope);
  if (denied !== null) return deny('rule-deny', `the rule ${denied.text} forbids it`);
  if (fact.protected === 'own' || fact.output) return deny('protected-own', `this is ${PROTECTED.own}`);
  if (mode === 'plan') return deny('mode-plan', 'plan mode changes nothing');
  if (!input.contextTrusted && effect.content.change === 'edit')
    return deny('context-untrusted', 'untrusted content was shown in this conversation');
  const untrusted = effect.label.integrity === 'untrusted';
  if (untrusted && effect.label.confidentiality === 'private' && !fact.inside)
    return deny('private-outside', 'what is kept aside may be written inside the workspace only');
  const { keys } = effect.content;
  if (keys !== undefined && keys.declared.length > 0) return denyKeys(keys.declared);
  if (mode === 'bypass') return allow('mode', 'mode-bypass', 'permission questions are answered with yes', 'text');
  if (isKeptAside(fact) && effect.content.change === 'edit')
    return deny('file-untrusted', 'nobody has vouched for this file: it can be replaced as a whole, not edited');

  // These are asked every time: no answer, rule or mode speaks for them in advance.
  const always: Reason[] = [];
  if (fact.protected !== null)
    always.push({ identifier: `protected-${fact.protected}`, text: `this is ${PROTECTED[fact.protected]}` });
  if (fact.shared === true)
    always.push({ identifier: 'hard-link', text: 'this file has further names (hard links), which change with it' });
  // Untrusted over untrusted changes nothing about what can be believed (SEC-20).
  if (untrusted && (fact.trusted || !fact.inside || !fact.exists))
    always.push({ identifier: 'untrusted-content', text: 'nobody has vouched for what is written' });
  if (effect.ref !== undefined)
    always.push({ identifier: 'named-by-reference', text: `the model named this place as ${effect.ref} only` });
  const asked = findPathRule(rules, 'ask', 'Edit', paths, scope);
  if (asked !== null) always.push({ identifier: 'rule-ask', text: `the rule ${asked.text} asks each time` });
  const folder = dirname(fact.real);
  const secret = keys !== undefined && answers.keyFolders?.includes(folder) !== true ? keys.likely : [];
  const onlySecret = always.length === 0 && secret.length > 0;
  for (const kind of secret) always.push({ identifier: 'likely-credential', text: `holds ${kind}` });

  if (always.length === 0) {
    if (findPathRule(rules, 'allow', 'Edit', paths, scope) !== null)
      return allow('rule', 'rule-allow', 'a rule allows it', 'text');
    if (answers.writesAllowed.some((place) => isWithin(fact.real, place)))
      return allow('session', 'session-answer', 'answered for this session', 'text');
    if (mode === 'edits' && fact.inside)
      return allow('mode', 'mode-edits', 'edits inside the workspace are accepted', 'text');
  }
  const outside: Reason[] = fact.inside ? [] : [{ identifier: 'outside-workspace', text: 'outside the workspace' }];
  const reasons = [...always, ...outside];
  const offer: Offer = onlySecret
    ? { ...NO_OFFER, keys: folder, remember: input.canRemember ?? false }
    : always.length > 0
      ? NO_OFFER
      : { ...NO_OFFER, writes: fact.inside ? rootOf(fact, input) : fact.real };
  return {
    verdict: 'ask',
    reasons: reasons.length > 0 ? reasons : [{ identifier: 'mode-ask', text: 'changes are asked for' }],
    rows: [...pathRows(fact, effect.ref === undefined ? effect.label : UNTRUSTED_PRIVATE), ...reasonRows(reasons)],
    output: 'text',
    offer,
  };
}

/** Whether the content of this place is kept from the model although it lies in reach. */
export function isKeptAside(fact: PathFact): boolean {
  return fact.inside && !fact.trusted;
}

/** A folder that was walked, or the folder a file lies in, unless that is so wide that nobody would mean all of it. */
function readsOffered(effect: Reading, fact: PathFact, { facts }: DecisionInput): string {
  const folder = effect.kind === 'walk' ? fact.real : dirname(fact.real);
  const tooWide = folder.split('/').length < 3 || isWithin(facts.workspace, folder);
  return tooWide ? fact.real : folder;
}

function rootOf(fact: PathFact, { facts }: DecisionInput): string {
  return [facts.workspace, ...facts.roots].find((root) => isWithin(fact.real, root)) ?? fact.real;
}

export function ruleScope({ facts }: DecisionInput): RuleScope {
  return { workspace: facts.workspace, home: facts.home, ignoreCase: facts.ignoreCase ?? false };
}
