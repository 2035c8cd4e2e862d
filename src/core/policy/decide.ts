import type { Effect } from '../../protocol/effect.ts';
import { combineOffers, lastingChoices, offerRows } from './answers.ts';
import type { PathFact } from './facts.ts';
import { judgeExternal, judgeNetwork } from './judge-elsewhere.ts';
import { judgeLine } from './judge-line.ts';
import { judgeRead, judgeWrite } from './judge-path.ts';
import { judgeFed, judgeRelease, judgeService } from './judge-release.ts';
import { allow, deny, type Judgement } from './judgement.ts';
import type { Decision, DecisionInput, Reason } from './policy.ts';

/** The strictest finding on any effect wins; a call is asked about as a whole and answered as a whole. */
export function decide(input: DecisionInput): Decision {
  const found = input.effects.map((effect) => judge(effect, input));
  const denials = found.flatMap((one) => (one.verdict === 'deny' ? one.reasons : []));
  if (denials.length > 0) return denied(denials);

  const questions = found.filter((one) => one.verdict === 'ask');
  const permissions = found.filter((one) => one.verdict === 'allow');
  const output = found.some((one) => one.verdict !== 'deny' && one.output === 'ref') ? 'ref' : 'text';
  if (questions.length === 0) {
    const strongest = permissions.find((one) => one.by !== 'not-needed') ?? permissions[0];
    return {
      verdict: 'allow',
      by: strongest?.by ?? 'not-needed',
      reasons: permissions.map((one) => one.reason),
      output,
    };
  }

  const reasons = questions.flatMap((one) => one.reasons);
  if (!input.canAsk) return denied([{ identifier: 'cannot-ask', text: 'nobody can be asked in this run' }, ...reasons]);
  const offer = combineOffers(questions.map((one) => one.offer));
  return {
    verdict: 'ask',
    reasons,
    rows: [...questions.flatMap((one) => one.rows), ...offerRows(offer)],
    choices: [
      { key: 'y', name: 'once', label: 'Yes, once', approves: true },
      ...lastingChoices(offer),
      { key: 'n', name: 'no', label: 'No', approves: false },
    ],
    remember: offer.lines.map((line) => line.pattern),
    offer,
    output,
  };
}

function judge(effect: Effect, input: DecisionInput): Judgement {
  switch (effect.kind) {
    case 'read':
    case 'walk':
      return judgeKnown(effect.path, input, (fact) => judgeRead(effect, fact, input));
    case 'write':
      return judgeKnown(effect.path, input, (fact) => judgeWrite(effect, fact, input));
    case 'run': {
      const line = input.facts.line;
      if (line === null || line.line !== effect.line || line.folder !== effect.folder)
        return deny('no-facts', 'nothing is known about this command');
      return judgeFed(effect, line, inUntrusted(input, judgeLine(effect, line, input)), input);
    }
    case 'network':
      return judgeNetwork(effect, input);
    case 'external':
      return judgeExternal(effect, input);
    case 'release':
      return judgeRelease(effect, input);
    case 'service':
      return judgeService(effect, input);
    case 'delegate':
      // Whatever a delegate does is decided on again, effect by effect.
      return input.contextTrusted
        ? allow('not-needed', 'delegate', 'each of its effects is decided on by itself', 'text')
        : deny('context-untrusted', 'untrusted content was shown in this conversation');
    case 'question':
      return input.contextTrusted
        ? allow('not-needed', 'question', 'asks the person', 'text')
        : deny('context-untrusted', 'untrusted content was shown in this conversation');
    case 'session':
      return allow('not-needed', 'session', 'changes nothing outside the session', 'text');
  }
}

/**
 * A program started in a workspace nobody vouched for is fed what lies there, whatever it names: only a yes of the person
 * for this session, or bypass, shows its output as text.
 */
function inUntrusted({ facts }: DecisionInput, found: Judgement): Judgement {
  if (facts.trusted || found.verdict === 'deny') return found;
  if (found.verdict === 'allow' && (found.by === 'mode' || found.by === 'session')) return found;
  return { ...found, output: 'ref' };
}

/** Nothing is decided about a path that no facts were gathered for. */
function judgeKnown(path: string, { facts }: DecisionInput, rule: (fact: PathFact) => Judgement): Judgement {
  const fact = facts.paths.find((known) => known.path === path);
  return fact === undefined ? deny('no-facts', 'nothing is known about this path') : rule(fact);
}

/** The sentence for the model: identifiers and our own words only, nothing that was read (SEC-17). */
function denied(reasons: readonly Reason[]): Decision {
  const [first] = reasons;
  const why = reasons.map((reason) => reason.text).join('; ');
  return {
    verdict: 'deny',
    reasons,
    message: `Not permitted (${first?.identifier ?? 'denied'}): ${why}. Nothing was done.`,
  };
}
