import type { AskAnswer } from '../../protocol/ask.ts';
import type { Effect } from '../../protocol/effect.ts';
import type { PermissionMode } from '../../protocol/message.ts';
import { withAnswer } from '../policy/answers.ts';
import { decide } from '../policy/decide.ts';
import type { FactScope, Facts } from '../policy/facts.ts';
import { type FactSources, gatherFacts } from '../policy/gather-facts.ts';
import { type Decision, NO_ANSWERS, type SessionAnswers } from '../policy/policy.ts';
import type { Quarantine } from '../policy/quarantine.ts';
import type { Rules } from '../policy/rules.ts';

export interface Judged {
  readonly facts: Facts;
  readonly decision: Decision;
}

/** The session's side of the policy: what it knows, and what the person answered so far. */
export interface Gate {
  readonly rules: Rules;
  readonly scope: FactScope;
  readonly quarantine: Quarantine;
  readonly mode: () => PermissionMode;
  judge(effects: readonly Effect[]): Promise<Judged>;
  /** Keeps what a session answer covers from now on. */
  remember(asked: Extract<Decision, { verdict: 'ask' }>, answer: AskAnswer): void;
}

export interface GateParts {
  readonly rules: Rules;
  readonly scope: FactScope;
  readonly sources: FactSources;
  readonly quarantine: Quarantine;
  readonly mode: () => PermissionMode;
  readonly canAsk: boolean;
}

export function createGate(parts: GateParts): Gate {
  const { rules, scope, sources, quarantine, mode, canAsk } = parts;
  let answers: SessionAnswers = NO_ANSWERS;
  return {
    rules,
    scope,
    quarantine,
    mode,
    judge: async (effects) => {
      const facts = await gatherFacts(effects, scope, sources);
      // Mode and answers are looked at last: what changed while facts were gathered counts.
      const decision = decide({
        effects,
        facts,
        mode: mode(),
        rules,
        answers,
        canAsk,
        contextTrusted: quarantine.context.trusted,
      });
      return { facts, decision };
    },
    remember: (asked, answer) => {
      answers = withAnswer(answers, asked, answer);
    },
  };
}
