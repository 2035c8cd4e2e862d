import type { AskAnswer } from '../../protocol/ask.ts';
import type { Effect } from '../../protocol/effect.ts';
import { TRUSTED_PUBLIC } from '../../protocol/label.ts';
import type { PermissionMode } from '../../protocol/message.ts';
import { answeredKeyFolders, answeredLines, answeredTools, withAnswer } from '../policy/answers.ts';
import { type Audit, auditDecision } from '../policy/audit.ts';
import { decide } from '../policy/decide.ts';
import type { FactScope, FactSources, Facts } from '../policy/facts.ts';
import { gatherFacts } from '../policy/gather-facts.ts';
import { isKeptAside } from '../policy/judge-path.ts';
import type { LiveTrust } from '../policy/live-trust.ts';
import {
  type AnsweredLine,
  type AnsweredTool,
  type Decision,
  NO_ANSWERS,
  type SessionAnswers,
} from '../policy/policy.ts';
import type { Quarantine } from '../policy/quarantine.ts';
import type { RememberedAnswers } from '../policy/remembered.ts';
import type { Rules } from '../policy/rules.ts';

export interface Judged {
  readonly facts: Facts;
  readonly decision: Decision;
}

/** The session's side of the policy: what it knows, and what the person answered so far. */
export interface Gate {
  readonly rules: Rules;
  /** As it stands now: trust changes while the session runs. */
  readonly scope: FactScope;
  readonly trust: LiveTrust;
  readonly quarantine: Quarantine;
  readonly mode: () => PermissionMode;
  readonly audit: Audit;
  /** Where programs are looked up. */
  readonly processes: FactSources['processes'];
  /** `call`: whose effects they are, for the trail. */
  judge(effects: readonly Effect[], call: string): Promise<Judged>;
  /** Whether what lies there is kept from the model, though it is in reach. */
  keepsAside(path: string): Promise<boolean>;
  /** Keeps what a lasting answer covers from now on; false when it should outlive the session and could not be kept. */
  remember(asked: Extract<Decision, { verdict: 'ask' }>, answer: AskAnswer): Promise<boolean>;
  /** Rules as they were read again: they hold from the next judgement on, in every run. */
  adopt(rules: Rules, commandOutput: 'class' | 'aside'): void;
  /** The same gate for a run with a quarantine of its own: rules, trust, mode and lasting answers are shared, both ways (SEC-36). */
  forRun(own: Pick<GateParts, 'quarantine' | 'audit' | 'stopped'>): Gate;
}

export interface GateParts {
  readonly rules: Rules;
  readonly scope: FactScope;
  readonly sources: FactSources;
  readonly trust: LiveTrust;
  readonly quarantine: Quarantine;
  readonly mode: () => PermissionMode;
  readonly canAsk: boolean;
  readonly audit: Audit;
  /** Whether this run was stopped by itself: then nothing more is permitted. Never where absent. */
  readonly stopped?: () => boolean;
  /** Answers about commands that were remembered before. */
  readonly earlierAnswers?: readonly AnsweredLine[];
  readonly earlierKeyFolders?: readonly string[];
  readonly earlierTools?: readonly AnsweredTool[];
  /** Where further ones are kept; absent where nothing is saved. */
  readonly remembered?: RememberedAnswers | null;
  readonly commandOutput?: 'class' | 'aside';
}

export function createGate(parts: GateParts): Gate {
  const answers: SessionAnswers = {
    ...NO_ANSWERS,
    lines: parts.earlierAnswers ?? [],
    keyFolders: parts.earlierKeyFolders ?? [],
    tools: parts.earlierTools ?? [],
  };
  return gateOver(parts, { answers, rules: parts.rules, commandOutput: parts.commandOutput ?? 'class' });
}

interface Kept {
  answers: SessionAnswers;
  rules: Rules;
  commandOutput: 'class' | 'aside';
}

/** `kept` is shared by all runs of the session. */
function gateOver(parts: GateParts, kept: Kept): Gate {
  const { sources, trust, quarantine, mode, canAsk, audit } = parts;
  const scopeNow = (): FactScope => ({ ...parts.scope, trust: trust.map, isWithheld: quarantine.isWithheld });
  return {
    get rules() {
      return kept.rules;
    },
    get scope() {
      return scopeNow();
    },
    trust,
    quarantine,
    mode,
    audit,
    processes: sources.processes,
    judge: async (effects, call) => {
      const facts = await gatherFacts(effects, scopeNow(), sources);
      // Mode and answers are looked at last: what changed while facts were gathered counts.
      const decision = parts.stopped?.()
        ? STOPPED
        : decide({
            effects,
            facts,
            mode: mode(),
            rules: kept.rules,
            answers: kept.answers,
            canAsk,
            canRemember: parts.remembered != null,
            commandOutput: kept.commandOutput,
            contextTrusted: quarantine.context.trusted,
          });
      audit(auditDecision(call, effects, decision, mode()));
      if (decision.verdict === 'allow') {
        for (const effect of effects)
          if ((effect.kind === 'read' || effect.kind === 'walk') && effect.label.integrity === 'untrusted')
            audit({ event: 'promote', call, path: effect.path });
      }
      return { facts, decision };
    },
    keepsAside: async (path) => {
      const effect = { kind: 'read', path, label: TRUSTED_PUBLIC } as const;
      const { paths } = await gatherFacts([effect], scopeNow(), sources);
      return mode() !== 'bypass' && paths.some(isKeptAside);
    },
    remember: async (asked, answer) => {
      kept.answers = withAnswer(kept.answers, asked, answer);
      if (answer.kind !== 'choice' || answer.choice !== 'remember') return true;
      const folders = answeredKeyFolders(asked, answer);
      return (
        (await parts.remembered?.add(answeredLines(asked, answer), folders, answeredTools(asked, answer))) ?? false
      );
    },
    adopt: (rules, commandOutput) => void Object.assign(kept, { rules, commandOutput }),
    forRun: (own) => gateOver({ ...parts, ...own }, kept),
  };
}

const STOPPED: Decision = {
  verdict: 'deny',
  reasons: [{ identifier: 'stopped', text: 'the person stopped this delegate' }],
  message: 'Not permitted (stopped): the person stopped you. Nothing was done. Report now.',
};
