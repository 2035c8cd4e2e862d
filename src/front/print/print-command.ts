import { visible } from '../../base/text-width.ts';
import { apply, emptyHead, emptyView } from '../../protocol/reduce.ts';
import type { Session } from '../../protocol/session.ts';
import type { InputOutcome, View } from '../../protocol/view.ts';
import type { SlashCommand } from '../commands/slash.ts';
import { exitCodeOf } from './exit-codes.ts';

export interface PrintCommandOptions {
  readonly session: Session;
  readonly client: string;
  readonly ref: string;
  readonly command: SlashCommand;
  readonly argument: string;
  readonly err: (text: string) => void;
  /** Leaves, and no more. */
  readonly interrupted: AbortSignal;
}

/** The one that ends a session, by whichever of its names it was typed. */
const ENDS = 'quit';
const OVER: ReadonlySet<InputOutcome['state']> = new Set(['done', 'failed', 'stopped', 'dropped', 'refused']);

/**
 * Carries out one command in a session that runs, and waits until it and what it started are done. Resolves to the exit
 * code: 0 unless it was refused or dropped, or an error or warning came of it.
 */
export async function runPrintCommand(options: PrintCommandOptions): Promise<number> {
  const { session, client, ref, command, argument, err } = options;
  const tell = (identifier: string, text: string): void => {
    for (const line of text.split('\n')) err(`${visible(`houston: ${identifier}: ${line}`)}\n`);
  };
  const view = emptyView(emptyHead('', '', ''));
  const over = Promise.withResolvers<'over' | 'closed' | 'interrupted'>();
  let warned = false;
  const attachment = session.attach({ client }, (update) => {
    apply(view, update);
    for (const change of update.changes) {
      if (change.type !== 'flash' || (change.client !== null && change.client !== client)) continue;
      warned ||= change.level !== 'info';
      tell(change.level, change.text);
    }
    if (ownOutcome(view, options)?.state !== undefined && OVER.has(ownOutcome(view, options)!.state))
      over.resolve('over');
  });
  void attachment.closed.then(() => over.resolve('closed'));
  options.interrupted.addEventListener('abort', () => over.resolve('interrupted'), { once: true });
  try {
    if (command.runs === 'front') {
      if (command.name !== ENDS) {
        tell('needs-a-window', `/${command.name} belongs to a window: houston attach opens one`);
        return 2;
      }
      const sent = await session.send({ type: 'end' }, client);
      if (!sent.accepted) tell(sent.refusal.identifier, sent.refusal.message);
      return sent.accepted ? 0 : 1;
    }
    const sent = await session.send({ type: 'command', ref, name: command.name, argument }, client);
    if (!sent.accepted) {
      tell(sent.refusal.identifier, sent.refusal.message);
      return exitCodeOf(sent.refusal.identifier);
    }
    const how = await over.promise;
    if (how === 'interrupted') {
      tell('interrupted', 'left before it was done: it goes on, or goes on waiting');
      return 130;
    }
    const outcome = ownOutcome(view, options);
    if (how === 'closed') {
      tell('session-closed', 'the session ended before the command was done');
      return 1;
    }
    for (const message of outcome?.messages ?? []) {
      warned ||= message.level !== 'info';
      tell(message.identifier, message.text);
    }
    return warned || (outcome !== null && outcome.state !== 'done') ? 1 : 0;
  } finally {
    attachment.close();
  }
}

function ownOutcome(view: View, { client, ref }: PrintCommandOptions): InputOutcome | null {
  return view.outcomes.find((one) => one.client === client && one.ref === ref) ?? null;
}
