import { isAnswered, isRunningAside } from '../../protocol/aside.ts';
import type { Intent, Sent } from '../../protocol/intent.ts';
import type { ClientId } from '../../protocol/session.ts';
import { createTurnProgress } from '../runtime/turn-progress.ts';
import type { SessionParts } from './parts.ts';
import { queueCommand } from './queue-command.ts';
import { accepted, refused } from './sent.ts';
import type { CommandEnd } from './turn-loop.ts';

/** The command behind the scenes that brings a thread in; nobody types it. */
export const KEEP_ASIDE = 'keep-aside';

/** What a person does with a thread: ends it, forgets it, or brings it into the conversation (SC-24). */
export async function doWithAside(
  parts: SessionParts,
  { id, action, ref, focus = '' }: Extract<Intent, { type: 'aside' }>,
  client: ClientId,
): Promise<Sent> {
  const { asides, loop, inbox } = parts;
  if (action === 'stop')
    return asides.stop(id) ? accepted() : refused('no-such-aside', `No question #${id} is being answered.`);
  const aside = asides.find(id);
  if (action === 'close') {
    if (aside === null) return refused('no-such-aside', `There is no question #${id}.`);
    asides.forget(id);
    return accepted();
  }
  if (action === 'read') {
    if (aside === null) return refused('no-such-aside', `There is no question #${id}.`);
    await asides.read(id);
    return accepted();
  }
  // In this order: what runs, then whether there is anything to bring (SC-24.5).
  if (loop.running !== null || inbox.rows.length > 0)
    return refused('busy', 'Something runs or waits: a thread is brought in when nothing does.');
  if (aside === null || !aside.exchanges.some(isAnswered))
    return refused('no-answer', `#${id} has no answer to bring in.`);
  if (isRunningAside(aside)) return refused('aside-running', `The answer to #${id} is still arriving.`);
  const argument = `${id} ${action} ${focus}`.trim();
  return queueCommand(parts, { type: 'command', ref, name: KEEP_ASIDE, argument }, client, { fate: 'run' }, true);
}

export async function keepAside(parts: SessionParts, argument: string, signal: AbortSignal): Promise<CommandEnd> {
  const [number = '', action, ...focus] = argument.split(' ');
  const id = Number(number);
  if (action === 'merge') return parts.asides.merge(id);
  createTurnProgress(null, parts.system.clock.now(), parts.publisher.publish).phase(
    'compacting',
    `the answers to #${id}`,
  );
  return parts.asides.summarize(id, focus.join(' '), signal);
}
