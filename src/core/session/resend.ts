import type { EntryId } from '../../protocol/entry.ts';
import type { Waiting } from '../runtime/inbox.ts';
import type { SessionParts } from './parts.ts';
import { askAgain } from './queue-intents.ts';
import type { CommandEnd } from './turn-loop.ts';

/**
 * `/resend`: asks the model again with no new message, ahead of everything that waits (SC-14.6). Where the last turn came to
 * its answer, only that answer is had anew; the one before stays on a branch of its own.
 */
export async function resend(parts: SessionParts, { client }: Pick<Waiting, 'client'>): Promise<CommandEnd> {
  const { memory, mover } = parts;
  if (memory.lastInput === null) return refusedEnd('nothing-to-retry', 'Nothing was asked here yet.');
  if (!memory.lastTurnFailed) {
    const before = await placeBeforeAnswer(parts);
    if (before === null)
      return refusedEnd(
        'nothing-to-retry',
        'The last thing here is no answer of the model to a prompt. /tree leads back.',
      );
    await mover.move(before);
  }
  const sent = await askAgain(parts, client);
  if (sent.accepted) return { state: 'done', messages: [] };
  return refusedEnd(sent.refusal.identifier, sent.refusal.message);
}

/** What the last answer stands on; null where something followed it, or where it was had elsewhere and brought in. */
async function placeBeforeAnswer({ journal }: Pick<SessionParts, 'journal'>): Promise<EntryId | null> {
  const branch = journal.branch();
  const kinds = branch.map((id) => journal.kindOf(id));
  const answer = kinds.lastIndexOf('assistant');
  const began = kinds.lastIndexOf('turn-start');
  if (answer < 1 || began < 0 || kinds.slice(answer + 1).some((kind) => !BEHIND.has(kind ?? ''))) return null;
  const [first, last] = await journal.load([branch[began]!, branch[answer]!]);
  const same = first?.kind === 'turn-start' && last?.kind === 'assistant' && first.turn === last.turn;
  return same ? branch[answer - 1]! : null;
}

/** What may stand behind an answer without being said after it. */
const BEHIND = new Set<string>(['turn-end', 'hook']);

function refusedEnd(identifier: string, text: string): CommandEnd {
  return { state: 'refused', messages: [{ level: 'warning', identifier, text }] };
}
