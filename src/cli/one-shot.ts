import type { AuditLine } from '../core/policy/audit.ts';
import { auditText } from '../core/policy/audit-text.ts';
import { makeVisible } from '../core/policy/visible-text.ts';
import { exitCodeOf } from '../front/print/exit-codes.ts';
import { runPrint } from '../front/print/print.ts';
import { linkInProcess } from '../link/in-process.ts';
import type { System } from '../system/system.ts';
import type { CommandLine } from './arguments.ts';
import { attachFiles } from './attach-files.ts';
import { chooseSession } from './choose-session.ts';
import { withWayIn } from './open-elsewhere.ts';
import { openSession } from './open-session.ts';
import { writeErr, writeOut } from './output.ts';
import type { SessionRequest } from './session-request.ts';
import { readStandardInput } from './standard-input.ts';

/** Rounds of a one-shot turn (TURN-1). */
const ROUND_LIMIT = 200;

/** `houston -p`: the session in this process, one prompt, its reply on stdout. Resolves to the exit code. */
export async function runOneShot(system: System, given: CommandLine, here: string): Promise<number> {
  const { line, folder } = given.demo ? await inDemoProject(system, given) : { line: given, folder: here };
  const interrupt = new AbortController();
  const onInterrupt = (): void => {
    // The second one does not wait for anything.
    if (interrupt.signal.aborted) process.exit(130);
    interrupt.abort();
  };
  process.on('SIGINT', onInterrupt);
  process.on('SIGTERM', onInterrupt);
  const say = (identifier: string, message: string): number => {
    writeErr(`houston: ${identifier}: ${message}\n`);
    return exitCodeOf(identifier);
  };

  if (line.hint !== null) writeErr(`houston: note: ${line.hint}\n`);
  const input = await readStandardInput(line.prompt !== null, writeErr);
  if (!input.ok) {
    say(input.refusal.identifier, input.refusal.message);
    return 2;
  }
  const aside = line.quarantineInput ? input.value : null;
  if (line.quarantineInput && line.prompt === null) {
    say('empty-prompt', '--quarantine-stdin keeps the input aside: say beside it what shall be done with it');
    return 2;
  }
  const prompt = [line.prompt, aside === null ? input.value : null].filter((part) => part !== null).join('\n\n');
  if (prompt.trim() === '') {
    say('empty-prompt', 'there is no prompt: houston -p TEXT, or pipe one in');
    return 2;
  }
  const attachments = await attachFiles(system.files, folder, line.files);
  if (!attachments.ok) {
    say(attachments.refusal.identifier, attachments.refusal.message);
    return 2;
  }
  if (line.attach !== null) {
    const { printThroughHost } = await import('./print-through-host.ts');
    const said = { prompt, attachments: attachments.value, interrupted: interrupt.signal };
    return printThroughHost(system, line, folder, said);
  }
  const chosen = await chooseSession(system, line, folder);
  if (!chosen.ok) {
    say(chosen.refusal.identifier, chosen.refusal.message);
    return 2;
  }
  const { place: _, ...which } = chosen.value;
  const request: SessionRequest = {
    folder,
    ...which,
    save: line.save,
    model: line.model,
    effort: line.effort,
    mode: line.mode,
    settings: line.settings,
    sandbox: line.sandbox,
    addFolders: line.addFolders,
    allow: line.allow,
    canAsk: false,
    roundLimit: ROUND_LIMIT,
    demo: line.demo,
  };
  // Not content, but names of files may still hold anything.
  const trace = (event: AuditLine): void => writeErr(`houston: trail: ${makeVisible(auditText(event)).text}\n`);
  const opened = await openSession(system, request, line.trace ? trace : undefined);
  if (!opened.ok) {
    const { identifier, message } = await withWayIn(system, request.session, opened.refusal);
    return say(identifier, message);
  }
  const { session, settings, close } = opened.value;
  for (const problem of settings.problems) {
    const where = problem.line === null ? problem.source : `${problem.source}:${problem.line}`;
    writeErr(`houston: settings-${problem.severity}: ${where}: ${problem.message}\n`);
  }
  if (settings.problems.some((problem) => problem.severity === 'unreadable')) {
    await close();
    return 3;
  }
  const client = `print-${system.ids.hex(4)}`;
  const linked = linkInProcess(session, {
    client,
    onClientLost: session.clientLost,
    report: (text) => writeErr(`houston: internal: ${text}\n`),
  });
  try {
    return await runPrint({
      session: linked,
      client,
      ref: system.ids.uuid(),
      prompt: aside === null ? prompt : `${prompt}\n\n${await session.keepAside(aside, 'the piped input')}`,
      attachments: attachments.value,
      format: line.format,
      out: writeOut,
      err: writeErr,
      interrupted: interrupt.signal,
    });
  } finally {
    await linked.close();
    await close();
    process.off('SIGINT', onInterrupt);
    process.off('SIGTERM', onInterrupt);
  }
}

/** The tour, flown without anybody looking: in its own throw-away project, with its own prompt unless one was given. */
async function inDemoProject(system: System, line: CommandLine): Promise<{ line: CommandLine; folder: string }> {
  const { makeDemoProject, tourPrompt } = await import('./demo.ts');
  const folder = await makeDemoProject(system);
  return { folder, line: { ...line, model: line.model ?? 'demo:pilot', prompt: line.prompt ?? tourPrompt() } };
}
