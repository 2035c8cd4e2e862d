import type { Effect } from '../../protocol/effect.ts';
import { lineRows, reasonRows } from './ask-rows.ts';
import type { CommandFact, LineFact, PathFact } from './facts.ts';
import { ruleScope } from './judge-path.ts';
import { allow, deny, type Judgement, NO_OFFER } from './judgement.ts';
import { suggestPatterns } from './line-patterns.ts';
import type { AnsweredLine, DecisionInput, Offer, Reason } from './policy.ts';
import { readsUnnamedFiles } from './proven.ts';
import { findCommandRule, findEveryCommandRule, findPathRule, matchesCommand, type Rule } from './rules.ts';

type Run = Extract<Effect, { kind: 'run' }>;

/** Setting one of these changes which programs run or what they load, so no standing answer covers it. */
const DANGEROUS_NAME =
  /^(?:PATH|IFS|ENV|BASH_.*|SHELLOPTS|PS4|LD_.*|DYLD_.*|NODE_OPTIONS|NODE_PATH|GIT_.*|PYTHON.*|PERL.*|RUBY.*|JAVA_TOOL_OPTIONS|_JAVA_OPTIONS|CLASSPATH|PAGER|EDITOR|VISUAL|MANPAGER|LESSOPEN|BROWSER|SHELL|HOME|XDG_.*|npm_config_.*|.*_PROXY|SSH_.*|SSL_.*|RUSTC.*|CARGO_.*|GO.*|CC|CXX|MAKEFLAGS)\+?=/i;

export function judgeLine(effect: Run, line: LineFact, input: DecisionInput): Judgement {
  const { mode, answers } = input;
  const denied = findDenial(line, input);
  if (denied !== null) return deny('rule-deny', `the rule ${denied.rule.text} forbids ${denied.what}`);
  if (!input.contextTrusted) return deny('context-untrusted', 'untrusted content was shown in this conversation');
  const blind = cannotCheckDenials(line, input);
  if (mode === 'bypass' && !blind)
    return allow('mode', 'mode-bypass', 'permission questions are answered with yes', 'text');
  const proven = line.proven && !blind;
  if (mode === 'plan') {
    return proven
      ? allow('proven', 'proven', 'it only reads', 'text')
      : deny('mode-plan', 'plan mode runs only commands known to read and nothing else');
  }

  const output = defaultOutput(line);
  const askRule = findAskRule(line, input);
  if (proven && askRule === null) return allow('proven', 'proven', 'it only reads', 'text');

  const reasons = reasonsToAsk(line, input);
  if (askRule !== null) reasons.unshift({ identifier: 'rule-ask', text: `the rule ${askRule.text} asks` });
  const offerable = isAnswerable(line);
  if (offerable) {
    const exact = answers.lines.find(
      (answer) => !answer.wide && answer.pattern === line.line && answer.folder === line.folder,
    );
    if (exact !== undefined) return allow('session', 'session-answer', 'answered for this session', exact.output);
  }
  if (askRule === null && reasons.length === 0) {
    const wide = answers.lines.filter((answer) => answer.wide && answer.folder === line.folder);
    if (unapproved(line, input, []).length === 0) return allow('rule', 'rule-allow', 'a rule allows it', output);
    const steps = unapproved(line, input, wide);
    if (offerable && steps.length === 0) {
      const used = wide.filter((answer) => line.commands.some(({ words }) => matchesCommand(answer.pattern, words)));
      return allow(
        'session',
        'session-answer',
        'answered for this session',
        used.some((answer) => answer.output === 'ref') ? 'ref' : 'text',
      );
    }
    if (line.commands.length > 1) {
      for (const step of steps)
        reasons.push({ identifier: 'not-approved-step', text: `not approved: ${step.words.join(' ')}` });
    }
  }
  if (reasons.length === 0) reasons.push({ identifier: 'mode-ask', text: 'commands are asked for' });
  return {
    verdict: 'ask',
    reasons,
    rows: [...lineRows(line, effect.label, input.facts.workspace), ...reasonRows(reasons)],
    output,
    offer: offerable ? offerFor(line, askRule === null ? unapproved(line, input, []) : []) : NO_OFFER,
  };
}

/** Why neither an allow rule nor a pattern may speak for this line, whatever they say. */
function reasonsToAsk(line: LineFact, input: DecisionInput): Reason[] {
  const reasons: Reason[] = [];
  if (line.unparsed !== null && findEveryCommandRule(input.rules, 'allow') === null) {
    reasons.push({ identifier: 'unparsed', text: `cannot be judged: ${line.unparsed}` });
  }
  if (!line.folderInside) reasons.push({ identifier: 'outside-workspace', text: 'would run outside the workspace' });
  const assigned = line.commands.flatMap((command) => command.assignments);
  if (assigned.length > 0) reasons.push({ identifier: 'assignment', text: `sets ${assigned.map(nameOf).join(', ')}` });
  for (const file of line.commands.flatMap((command) => command.redirected)) {
    reasons.push({
      identifier: 'redirection',
      text: `${file.writes ? 'writes' : 'reads'} ${file.path} by redirection`,
    });
  }
  if (cannotCheckDenials(line, input)) reasons.push({ identifier: 'rule-deny', text: 'may do what a rule forbids' });
  return reasons;
}

/** Steps that no allow rule and none of `wide` covers. A line we could not read is one step only a rule for all can cover. */
function unapproved(line: LineFact, input: DecisionInput, wide: readonly AnsweredLine[]): readonly CommandFact[] {
  return line.commands.filter(
    ({ words }) =>
      findCommandRule(input.rules, 'allow', words) === null &&
      !wide.some((answer) => matchesCommand(answer.pattern, words)),
  );
}

/** A rule that asks about a step, about a file it names, or about every command. */
function findAskRule(line: LineFact, input: DecisionInput): Rule | null {
  const scope = ruleScope(input);
  if (line.commands.length === 0) return findEveryCommandRule(input.rules, 'ask');
  for (const { words, paths, redirected } of line.commands) {
    const rule = findCommandRule(input.rules, 'ask', words);
    if (rule !== null) return rule;
    for (const path of [...paths, ...redirected]) {
      const about = findPathRule(input.rules, 'ask', 'Read', [path.path, path.real], scope);
      if (about !== null) return about;
    }
  }
  return null;
}

/** A rule that forbids a step, or a file that a step names or a redirection opens. */
function findDenial(line: LineFact, input: DecisionInput): { rule: Rule; what: string } | null {
  const scope = ruleScope(input);
  const every = findEveryCommandRule(input.rules, 'deny');
  if (every !== null) return { rule: every, what: 'every command' };
  for (const { words, paths, redirected } of line.commands) {
    const rule = findCommandRule(input.rules, 'deny', words);
    if (rule !== null) return { rule, what: words.join(' ') };
    for (const path of [...paths, ...redirected]) {
      const family = findPathRule(input.rules, 'deny', 'Read', [path.path, path.real], scope);
      if (family !== null) return { rule: family, what: path.path };
    }
    for (const path of redirected) {
      const family = path.writes ? findPathRule(input.rules, 'deny', 'Edit', [path.path, path.real], scope) : null;
      if (family !== null) return { rule: family, what: path.path };
    }
    const own = redirected.find((path) => path.writes && path.protected === 'own');
    if (own !== undefined) return { rule: OWN_STATE, what: own.path };
  }
  return null;
}

const OWN_STATE: Rule = { text: 'Edit(Houston itself)', family: 'Edit', spec: null, source: 'built in' };

/** A line that may do what a rule forbids without saying so: it reads what it does not name, or could not be read itself. */
function cannotCheckDenials(line: LineFact, { rules }: DecisionInput): boolean {
  if (line.unparsed !== null) return rules.deny.some((rule) => ['Bash', 'Read', 'Edit'].includes(rule.family));
  if (!rules.deny.some((rule) => rule.family === 'Read')) return false;
  return line.commands.some((command) => command.expands || readsUnnamedFiles(command.words));
}

/** Text, unless the line is known to bring in what others wrote: from the network or from places nobody vouched for. */
function defaultOutput(line: LineFact): 'text' | 'ref' {
  const files: readonly PathFact[] = line.commands.flatMap((command) => [...command.paths, ...command.redirected]);
  return line.network || files.some((file) => file.exists && !file.trusted && !file.path.startsWith('/dev/'))
    ? 'ref'
    : 'text';
}

/** Whether a standing answer may be offered: not for what reads or writes by redirection, sets dangerous names, or could not be read. */
function isAnswerable(line: LineFact): boolean {
  return (
    line.unparsed === null &&
    line.commands.every(
      ({ assignments, redirected }) =>
        redirected.length === 0 && !assignments.some((assignment) => DANGEROUS_NAME.test(assignment)),
    )
  );
}

function offerFor(line: LineFact, steps: readonly CommandFact[]): Offer {
  const patterns =
    line.folderInside && line.commands.every(({ assignments }) => assignments.length === 0)
      ? suggestPatterns(steps, line.commands.length > 1)
      : [];
  const exact = { pattern: line.line, wide: false, folder: line.folder };
  return { ...NO_OFFER, lines: [exact, ...patterns.map((pattern) => ({ pattern, wide: true, folder: line.folder }))] };
}

function nameOf(assignment: string): string {
  return assignment.slice(0, assignment.indexOf('=')).replace(/\+$/, '');
}
