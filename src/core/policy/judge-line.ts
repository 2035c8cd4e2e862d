import type { Effect } from '../../protocol/effect.ts';
import type { DecidedBy } from '../../protocol/entry.ts';
import { findKeys } from '../values/find-keys.ts';
import { lineRows, reasonRows } from './ask-rows.ts';
import { programName } from './command-wrappers.ts';
import { assignedName, setsDangerousName } from './dangerous-names.ts';
import type { CommandFact, LineFact, PathFact } from './facts.ts';
import { ruleScope } from './judge-path.ts';
import { allow, deny, denyKeys, type Judgement, NO_OFFER } from './judgement.ts';
import { suggestPatterns } from './line-patterns.ts';
import type { AnsweredLine, DecisionInput, Offer, Reason } from './policy.ts';
import { isReader, readsUnnamedFiles } from './proven.ts';
import {
  allowsCommand,
  findCommandRule,
  findEveryCommandRule,
  findPathRule,
  matchesAllowed,
  mightMatchCommand,
  type Rule,
} from './rules.ts';

type Run = Extract<Effect, { kind: 'run' }>;

/** Each command of a line is judged alone, and the strictest verdict on any of them is that of the line (RULE-3). */
export function judgeLine(effect: Run, line: LineFact, input: DecisionInput): Judgement {
  const { mode, answers } = input;
  const denied = findDenial(line, input);
  if (denied !== null) return deny('rule-deny', denied);
  if (!input.contextTrusted) return deny('context-untrusted', 'untrusted content was shown in this conversation');
  const keys = findKeys(line.line);
  if (keys !== undefined && keys.declared.length > 0) return denyKeys(keys.declared);
  const blind = cannotCheckDenials(line, input);
  if (mode === 'bypass' && !blind)
    return allow('mode', 'mode-bypass', 'permission questions are answered with yes', 'text');
  const proven = line.proven && !blind;
  const askRule = findAskRule(line, input);
  if (proven && askRule === null) return allow('proven', 'proven', 'it only reads', 'text');
  if (mode === 'plan' && !proven)
    return deny('mode-plan', 'plan mode runs only commands known to read and nothing else');

  // Kept aside by the settings, it is still shown once the person vouches for the line by a lasting answer (SEC-46).
  const vouched = classOutput(line);
  const output = input.commandOutput === 'aside' ? 'ref' : vouched;
  const secret = keys?.likely ?? [];
  const reasons = reasonsToAsk(line, input, blind);
  for (const kind of secret) reasons.push({ identifier: 'likely-credential', text: `holds ${kind}` });
  if (askRule !== null) reasons.unshift({ identifier: 'rule-ask', text: `the rule ${askRule.text} asks` });
  const offerable = isAnswerable(line);
  if (offerable) {
    const exact = answers.lines.find(
      (answer) =>
        !answer.wide &&
        answer.pattern === line.line &&
        answer.folder === line.folder &&
        line.commands.every((command) => startsWhatWasMeant(command, answer)) &&
        // Only an answer of this very session stands above a rule that asks.
        (answer.remembered !== true || (askRule === null && !blind && line.folderInside)),
    );
    if (exact !== undefined) return answered(exact.remembered === true, exact.output);
  }
  const steps = askRule === null ? unapproved(line, input, []) : [];
  const coverable = reasons.length === 0;
  if (coverable) {
    if (steps.length === 0) return allow('rule', 'rule-allow', 'a rule allows it', output);
    const used = answersFor(steps, answers.lines);
    if (offerable && used !== null) {
      return answered(
        used.every((answer) => answer.remembered === true),
        used.some((answer) => answer.output === 'ref') ? 'ref' : 'text',
      );
    }
  }
  if (line.commands.length > 1) {
    for (const step of steps)
      reasons.push({ identifier: 'not-approved-step', text: `not approved: ${step.words.join(' ')}` });
  }
  if (reasons.length === 0) reasons.push({ identifier: 'mode-ask', text: 'commands are asked for' });
  // A remembered line is kept as it stands, which what it holds must not be.
  const canRemember =
    (input.canRemember ?? false) &&
    secret.length === 0 &&
    mode === 'ask' &&
    askRule === null &&
    !blind &&
    line.folderInside;
  return {
    verdict: 'ask',
    reasons,
    rows: [...lineRows(line, effect.label, input.facts.workspace), ...reasonRows(reasons)],
    output,
    offer: offerable ? { ...offerFor(line, coverable ? steps : []), remember: canRemember, output: vouched } : NO_OFFER,
  };
}

function answered(remembered: boolean, output: 'text' | 'ref'): Judgement {
  const by: DecidedBy = remembered ? 'remembered' : 'session';
  return remembered
    ? allow(by, 'remembered-answer', 'an answer that was remembered', output)
    : allow(by, 'session-answer', 'answered for this session', output);
}

/** The verdict on one command of a line by itself, in words: for explaining a decision. */
export function explainCommand(
  command: CommandFact,
  input: DecisionInput,
): { verdict: 'allow' | 'ask' | 'deny' | 'carried'; why: string } {
  const denied = findDenialOf(command, input);
  if (denied !== null) return { verdict: 'deny', why: denied };
  if (command.unclear.length > 0) return { verdict: 'ask', why: `cannot be judged: ${command.unclear.join(', ')}` };
  const asked = findAskRuleOf(command, input);
  if (asked !== null) return { verdict: 'ask', why: `the rule ${asked.text} (${asked.source}) asks` };
  if (command.carrier) return { verdict: 'carried', why: 'only runs the next command' };
  if (command.proven) return { verdict: 'allow', why: 'known to read and nothing else' };
  const rule = command.words.length === 0 ? null : allowsCommand(input.rules, command.words);
  if (rule !== null) return { verdict: 'allow', why: `the rule ${rule.text} (${rule.source}) allows it` };
  const answer = answersFor([command], input.answers.lines)?.[0];
  if (answer !== undefined) return { verdict: 'allow', why: `the answer ${answer.pattern} covers it` };
  return { verdict: 'ask', why: 'no rule or answer covers it' };
}

/** Why neither an allow rule nor a pattern may speak for this line, whatever they say. */
function reasonsToAsk(line: LineFact, input: DecisionInput, blind: boolean): Reason[] {
  const reasons: Reason[] = [];
  if (line.unparsed !== null && findEveryCommandRule(input.rules, 'allow') === null) {
    for (const part of line.unclear) reasons.push({ identifier: 'unparsed', text: `cannot be judged: ${part}` });
  }
  if (!line.folderInside) reasons.push({ identifier: 'outside-workspace', text: 'would run outside the workspace' });
  const assigned = [...new Set(line.commands.flatMap((command) => command.assignments).map(assignedName))];
  if (assigned.length > 0) reasons.push({ identifier: 'assignment', text: `sets ${assigned.join(', ')}` });
  for (const file of line.commands.flatMap((command) => command.redirected)) {
    reasons.push({
      identifier: 'redirection',
      text: `${file.writes ? 'writes' : 'reads'} ${file.unclear ?? file.path} by redirection`,
    });
  }
  for (const { words, redirections } of line.commands) {
    if (redirections.some(({ operator }) => operator.includes('<<')))
      reasons.push({ identifier: 'redirection', text: `${words[0] ?? 'a command'} is given text by the line` });
  }
  if (blind) reasons.push({ identifier: 'rule-deny', text: 'may do what a rule forbids' });
  return reasons;
}

/** Steps that neither an allow rule nor one of `answers` covers, and that are not known to read only. */
function unapproved(line: LineFact, input: DecisionInput, answers: readonly AnsweredLine[]): readonly CommandFact[] {
  return line.commands.filter((command) => {
    // What has no words sets or redirects: that is a reason of its own.
    if (command.carrier || command.proven || command.words.length === 0) return false;
    return allowsCommand(input.rules, command.words) === null && answerFor(command, answers) === null;
  });
}

/** The wide answers that cover all of `steps`, null when one is not covered. */
function answersFor(steps: readonly CommandFact[], answers: readonly AnsweredLine[]): readonly AnsweredLine[] | null {
  const used = steps.map((step) => answerFor(step, answers));
  return used.every((answer) => answer !== null) ? used : null;
}

/** Vouched for in one folder is vouched for there and nowhere below (PR-11). */
function answerFor(step: CommandFact, answers: readonly AnsweredLine[]): AnsweredLine | null {
  return (
    answers.find(
      (answer) =>
        answer.wide &&
        answer.folder === step.folder &&
        startsWhatWasMeant(step, answer) &&
        matchesAllowed(answer.pattern, step.words),
    ) ?? null
  );
}

function startsWhatWasMeant({ identity }: CommandFact, { programs }: AnsweredLine): boolean {
  return identity === null || programs === undefined || programs.includes(identity.real);
}

function programsOf(commands: readonly CommandFact[]): readonly string[] {
  return [...new Set(commands.flatMap(({ identity }) => (identity === null ? [] : [identity.real])))];
}

/** A rule that asks about a step, about a file it names, or about every command. */
function findAskRule(line: LineFact, input: DecisionInput): Rule | null {
  for (const command of line.commands) {
    const rule = findAskRuleOf(command, input);
    if (rule !== null) return rule;
  }
  return findEveryCommandRule(input.rules, 'ask');
}

function findAskRuleOf(command: CommandFact, input: DecisionInput): Rule | null {
  const scope = ruleScope(input);
  for (const words of namings(command, input)) {
    const rule = findCommandRule(input.rules, 'ask', words);
    if (rule !== null) return rule;
  }
  for (const path of [...command.paths, ...command.redirected]) {
    const about = findPathRule(input.rules, 'ask', 'Read', [path.path, path.real], scope);
    if (about !== null) return about;
  }
  for (const path of command.redirected) {
    const about = path.writes ? findPathRule(input.rules, 'ask', 'Edit', [path.path, path.real], scope) : null;
    if (about !== null) return about;
  }
  return null;
}

/** What is forbidden about a line, as a sentence; null for nothing. */
function findDenial(line: LineFact, input: DecisionInput): string | null {
  const every = findEveryCommandRule(input.rules, 'deny');
  if (every !== null) return forbids(every, 'every command');
  for (const command of line.commands) {
    const denied = findDenialOf(command, input);
    if (denied !== null) return denied;
  }
  return null;
}

/** A rule that forbids a step, or a file that a step names or a redirection opens. */
function findDenialOf(command: CommandFact, input: DecisionInput): string | null {
  const scope = ruleScope(input);
  const { rules } = input;
  const { words, paths, redirected } = command;
  for (const naming of namings(command, input)) {
    const rule = findCommandRule(rules, 'deny', naming);
    if (rule !== null) return forbids(rule, words.join(' '));
  }
  const name = programName(words[0] ?? '');
  for (const path of [...paths, ...redirected]) {
    const rule = findPathRule(rules, 'deny', 'Read', [path.path, path.real], scope);
    if (rule !== null) return forbids(rule, path.path);
    if (rules.readsStayInWorkspace === true && !path.inside && !path.output && !path.path.startsWith('/dev/'))
      return `reads stay in the workspace, and ${path.path} lies outside`;
  }
  for (const path of [...(WRITERS.has(name) ? paths : []), ...redirected.filter((one) => one.writes)]) {
    const rule = findPathRule(rules, 'deny', 'Edit', [path.path, path.real], scope);
    if (rule !== null) return forbids(rule, path.path);
    if (path.protected === 'own') return `${path.path} is Houston's own`;
  }
  return null;
}

/** Programs that change the files they name. */
const WRITERS = new Set(
  'touch cp mv rm rmdir mkdir ln tee dd install truncate chmod chown chgrp shred unlink mkfifo patch'.split(' '),
);

function forbids(rule: Rule, what: string): string {
  return `the rule ${rule.text} forbids ${what}`;
}

/** The words of a command under each name its program goes by: a path or a link never hides it from a rule (RULE-3). */
function namings({ words, identity }: CommandFact, { facts }: DecisionInput): readonly (readonly string[])[] {
  const [name, ...rest] = words;
  if (name === undefined) return [];
  const names = new Set([name, programName(name)]);
  if (identity !== null) names.add(programName(identity.real));
  if (facts.ignoreCase === true) for (const one of [...names]) names.add(one.toLowerCase());
  return [...names].map((one) => [one, ...rest]);
}

/** A line that may do what a rule forbids without saying so: it reads what it does not name, or is not all known before it runs. */
function cannotCheckDenials(line: LineFact, input: DecisionInput): boolean {
  const { rules } = input;
  const files =
    rules.readsStayInWorkspace === true || rules.deny.some(({ family }) => family === 'Read' || family === 'Edit');
  const commands = rules.deny.filter(({ family }) => family === 'Bash');
  if (files && line.unparsed !== null) return true;
  const open = line.unclear.some((part) => !line.commands.some((command) => command.unclear.includes(part)));
  if (commands.length > 0 && open) return true;
  return line.commands.some((command) => {
    const unsure = command.unclear.length > 0 || command.expands;
    if (unsure && commands.some((rule) => namings(command, input).some((words) => mightMatchCommand(rule, words))))
      return true;
    if (!files) return false;
    if (command.expands) return true;
    if (rules.deny.some(({ family }) => family === 'Read') && readsUnnamedFiles(command.words)) return true;
    return !isReader(programName(command.words[0] ?? '')) && namesUneditable(command, input);
  });
}

/** Whether a command that may write names a file nobody may change. */
function namesUneditable({ paths }: CommandFact, input: DecisionInput): boolean {
  const scope = ruleScope(input);
  return paths.some((path) => findPathRule(input.rules, 'deny', 'Edit', [path.path, path.real], scope) !== null);
}

/** Text, unless the line is known to bring in what others wrote: from the network or from places nobody vouched for. */
function classOutput(line: LineFact): 'text' | 'ref' {
  const files: readonly PathFact[] = line.commands.flatMap((command) => [...command.paths, ...command.redirected]);
  const elsewhere = line.commands.some((command) => !command.folderTrusted);
  return line.network ||
    elsewhere ||
    files.some((file) => file.exists && !file.trusted && !file.path.startsWith('/dev/'))
    ? 'ref'
    : 'text';
}

/**
 * Whether a standing answer may be offered: not for what reads or writes by redirection, is given text, sets a dangerous
 * name, or is not all known before it runs (PR-10).
 */
function isAnswerable(line: LineFact): boolean {
  return (
    line.unparsed === null &&
    line.commands.every(
      ({ assignments, redirected, redirections }) =>
        redirected.length === 0 &&
        !redirections.some(({ operator }) => operator.includes('<<')) &&
        !assignments.some(setsDangerousName),
    )
  );
}

function offerFor(line: LineFact, steps: readonly CommandFact[]): Offer {
  const patterns =
    line.folderInside && line.commands.every(({ assignments }) => assignments.length === 0)
      ? suggestPatterns(steps, line.commands.length > 1)
      : [];
  const exact = { pattern: line.line, wide: false, folder: line.folder, programs: programsOf(line.commands) };
  const programs = programsOf(steps);
  const folder = steps[0]?.folder ?? line.folder;
  const inOneFolder = steps.every((step) => step.folder === folder);
  return {
    ...NO_OFFER,
    lines: [exact, ...(inOneFolder ? patterns : []).map((pattern) => ({ pattern, wide: true, folder, programs }))],
  };
}
