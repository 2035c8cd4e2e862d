import path from 'node:path';
import { offerRows } from '../core/policy/answers.ts';
import { ignoresCase } from '../core/policy/case-folding.ts';
import { decide } from '../core/policy/decide.ts';
import { gatherFacts } from '../core/policy/gather-facts.ts';
import { explainCommand } from '../core/policy/judge-line.ts';
import { type DecisionInput, NO_ANSWERS } from '../core/policy/policy.ts';
import { makeVisible } from '../core/policy/visible-text.ts';
import { loadSettings, problemText, settingsLayers } from '../core/settings/load.ts';
import { places } from '../core/settings/paths.ts';
import type { Effect } from '../protocol/effect.ts';
import { TRUSTED_PUBLIC } from '../protocol/label.ts';
import type { TerminalSystem } from '../system/system.ts';
import type { CommandLine } from './arguments.ts';
import { ownFolders } from './confine-session.ts';
import { writeErr, writeOut } from './output.ts';
import { sessionRules } from './session-rules.ts';

const EXIT = { allow: 0, ask: 1, deny: 4 } as const;
const WORD = { allow: 'allowed', ask: 'would ask', deny: 'denied' } as const;

/**
 * `houston check COMMAND`: what would become of it if a session in this folder, trusted, were asked to run it. Runs
 * nothing. Each simple command stands on a row of its own with the rule or reason that decides on it. Exit code 0
 * allowed, 1 would ask, 4 denied.
 */
export async function runCheck(
  system: TerminalSystem,
  line: CommandLine,
  folder: string,
  command: string,
): Promise<number> {
  const { environment, files } = system;
  const own = places(environment);
  const loaded = await loadSettings(
    files,
    settingsLayers({ config: own.config, project: folder, argument: line.settings }),
  );
  const decided = await sessionRules(system, line, loaded, { folder, state: own.state });
  for (const problem of [...loaded.problems, ...decided.problems])
    writeErr(`houston: settings-${problem.severity}: ${problemText(problem)}\n`);

  const named = [...loaded.settings.additionalFolders, ...line.addFolders];
  const found = await Promise.all(named.map((one) => files.realPath(path.resolve(folder, one))));
  const roots = found.filter((one) => one !== null);
  const scope = {
    workspace: folder,
    roots,
    trust: new Map([folder, ...roots].map((one) => [one, true] as const)),
    home: environment.home,
    own: await ownFolders(system, own),
    outputs: null,
    path: environment.get('PATH') ?? '/usr/local/bin:/usr/bin:/bin',
    ignoreCase: await ignoresCase(files, folder),
  };
  const effect: Effect = {
    kind: 'run',
    line: command,
    folder,
    background: false,
    terminal: false,
    timeoutMs: 1000,
    label: TRUSTED_PUBLIC,
  };
  const facts = await gatherFacts([effect], scope, system);
  const input: DecisionInput = {
    effects: [effect],
    facts,
    mode: line.mode ?? loaded.settings.mode,
    rules: decided.rules,
    answers: { ...NO_ANSWERS, lines: decided.earlierAnswers },
    canAsk: true,
    commandOutput: loaded.settings.commandOutput,
    contextTrusted: true,
  };
  const decision = decide(input);
  writeOut(`${WORD[decision.verdict]}: ${shown(command)}\n`);
  for (const one of facts.line?.commands ?? []) {
    const { verdict, why } = explainCommand(one, input);
    writeOut(`  ${verdict.padEnd(8)}${shown(one.words.join(' ') || one.text)}  (${shown(why)})\n`);
  }
  // The very words the model is told when it is refused.
  if (decision.verdict === 'deny') writeOut(`${shown(decision.message)}\n`);
  else for (const reason of decision.reasons) writeOut(`  ${reason.identifier}: ${shown(reason.text)}\n`);
  if (decision.verdict === 'ask')
    for (const row of offerRows(decision.offer)) writeOut(`  offers: ${row.shown.text}\n`);
  return EXIT[decision.verdict];
}

function shown(text: string): string {
  return makeVisible(text).text;
}
