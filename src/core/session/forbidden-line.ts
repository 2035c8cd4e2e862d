import type { Effect } from '../../protocol/effect.ts';
import { TRUSTED_PRIVATE } from '../../protocol/label.ts';
import { decide } from '../policy/decide.ts';
import type { FactSources } from '../policy/facts.ts';
import { gatherFacts } from '../policy/gather-facts.ts';
import { NO_ANSWERS } from '../policy/policy.ts';
import type { Rules } from '../policy/rules.ts';
import type { Gate } from '../runtime/gate.ts';

/**
 * Why a line of the person's own may not run: the one kind of rule that stands above them, of whoever looks after the
 * machine (DSH-2). Null where it may; a line such a rule might mean and that cannot be told does not run.
 */
export async function forbiddenBy(
  managed: Rules,
  line: string,
  { gate, system }: { readonly gate: Pick<Gate, 'scope'> | null; readonly system: FactSources },
): Promise<string | null> {
  if (managed.deny.length === 0) return null;
  if (gate === null) return 'the session has not started';
  const { scope } = gate;
  const effect: Effect = {
    kind: 'run',
    line,
    folder: scope.workspace,
    background: false,
    terminal: false,
    timeoutMs: 1000,
    label: TRUSTED_PRIVATE,
  };
  const decision = decide({
    effects: [effect],
    facts: await gatherFacts([effect], scope, system),
    mode: 'bypass',
    rules: { ...managed, ask: [], allow: [] },
    answers: NO_ANSWERS,
    canAsk: true,
    canRemember: false,
    commandOutput: 'class',
    contextTrusted: true,
  });
  if (decision.verdict === 'ask') return 'whether a rule of this machine forbids it cannot be told before it runs';
  const rule = decision.reasons.find(({ identifier }) => identifier === 'rule-deny');
  return decision.verdict === 'deny' && rule !== undefined ? `${rule.text}, for this whole machine` : null;
}
