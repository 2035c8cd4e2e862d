import type { Effect } from '../../protocol/effect.ts';
import { TRUSTED_PUBLIC } from '../../protocol/label.ts';
import { allow, deny, type Judgement, NO_OFFER } from './judgement.ts';
import type { DecisionInput } from './policy.ts';
import { findHostRule, findServerRule, type Rule, type Verdict } from './rules.ts';
import { makeVisible } from './visible-text.ts';

type Network = Extract<Effect, { kind: 'network' }>;
type External = Extract<Effect, { kind: 'external' }>;

/** What comes back from another machine is never trusted, so its output is kept aside whoever said yes. */
export function judgeNetwork(effect: Network, input: DecisionInput): Judgement {
  return judgeOther(
    input,
    (verdict) => findHostRule(input.rules, verdict, effect.host),
    [effect.host, effect.url],
    effect,
    false,
  );
}

/** A tool of an MCP server: it may change anything, so plan mode refuses it. */
export function judgeExternal(effect: External, input: DecisionInput): Judgement {
  const find = (verdict: Verdict) => findServerRule(input.rules, verdict, effect.server, effect.tool);
  return judgeOther(input, find, [`${effect.server}: ${effect.tool}`], effect, true);
}

function judgeOther(
  { mode, contextTrusted }: DecisionInput,
  find: (verdict: Verdict) => Rule | null,
  lines: readonly string[],
  effect: Network | External,
  changes: boolean,
): Judgement {
  const denied = find('deny');
  if (denied !== null) return deny('rule-deny', `the rule ${denied.text} forbids it`);
  if (!contextTrusted) return deny('context-untrusted', 'untrusted content was shown in this conversation');
  if (mode === 'plan' && changes) return deny('mode-plan', 'plan mode changes nothing');
  if (mode === 'bypass') return allow('mode', 'mode-bypass', 'permission questions are answered with yes', 'ref');
  const asked = find('ask');
  if (asked === null && find('allow') !== null) return allow('rule', 'rule-allow', 'a rule allows it', 'ref');
  const reason =
    asked === null
      ? { identifier: 'leaves-machine', text: 'reaches something outside this machine or this program' }
      : { identifier: 'rule-ask', text: `the rule ${asked.text} asks each time` };
  return {
    verdict: 'ask',
    reasons: [reason],
    rows: [
      ...lines.map((line) => ({ role: 'line', shown: { text: makeVisible(line).text, label: effect.label } }) as const),
      { role: 'reason', shown: { text: reason.text, label: TRUSTED_PUBLIC } },
    ],
    output: 'ref',
    offer: NO_OFFER,
  };
}
