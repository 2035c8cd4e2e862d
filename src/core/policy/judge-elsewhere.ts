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
  const found = judgeOther(input, find, [`${effect.server}: ${effect.tool}`], effect, true);
  const { pinned } = effect;
  if (found.verdict === 'deny' || pinned === undefined) return found;
  // What was released to the model is put to the person every single time, whatever was answered or ruled (SEC-13).
  if (effect.repeats === true)
    return found.verdict === 'ask' || found.by === 'mode'
      ? found
      : asking(REPEATS, [`${effect.server}: ${effect.tool}`], effect);
  if (found.verdict !== 'ask' || find('ask') !== null) return found;
  const tool = { server: effect.server, tool: effect.tool, pinned, folder: input.facts.workspace };
  const answered = input.answers.tools?.some((one) => JSON.stringify(one) === JSON.stringify(tool)) ?? false;
  if (answered) return allow('session', 'answered', 'you allowed this tool here', 'ref');
  return { ...found, offer: { ...NO_OFFER, tool, remember: input.canRemember === true } };
}

const REPEATS = { identifier: 'private-payload', text: 'may send on what was released to the model' };

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
  return asking(reason, lines, effect);
}

function asking(
  reason: { readonly identifier: string; readonly text: string },
  lines: readonly string[],
  effect: Network | External,
): Extract<Judgement, { verdict: 'ask' }> {
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
