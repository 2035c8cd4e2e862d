import type { EntryId } from '../../protocol/entry.ts';
import type { Sent } from '../../protocol/intent.ts';
import type { ClientId } from '../../protocol/session.ts';
import { isKind } from '../journal/journal.ts';
import { saidKey } from './fold-journal.ts';
import type { SessionParts } from './parts.ts';
import { accepted, refused } from './sent.ts';

/**
 * A prompt that was stopped before anything came of it is back in its person's box (STOP-6): the conversation goes on
 * from where it stood before, as if it had not been sent. Refused once anything followed; then it stays, marked stopped.
 */
export async function withdraw(parts: SessionParts, ref: string, client: ClientId): Promise<Sent> {
  const { journal, loop, memory, mover } = parts;
  const input = memory.said.get(saidKey(client, ref)) ?? null;
  const leaf = journal.leaf;
  const before = input === null || leaf === null ? null : await placeBefore(parts, input);
  // Looked at once more: reading took its time.
  if (before === null || journal.leaf !== leaf || loop.running !== null)
    return refused('not-withdrawn', 'Something followed that prompt: it stays, marked stopped.');
  await mover.move(before);
  return accepted();
}

/** What the prompt's own stopped turn stands on, where that turn is the last thing there and holds nothing else. */
async function placeBefore({ journal }: SessionParts, input: EntryId): Promise<EntryId | null> {
  const branch = journal.branch();
  const at = branch.findLastIndex((id) => journal.kindOf(id) === 'taken');
  const own = branch.slice(at);
  if (at < 1 || own.some((id) => !OWN.has(journal.kindOf(id) ?? ''))) return null;
  const entries = await journal.load(own);
  const taken = entries[0];
  const end = entries.at(-1);
  if (taken === undefined || end === undefined || !isKind(taken, 'taken') || !isKind(end, 'turn-end')) return null;
  // A reply that was cut before its first word is there for what it cost.
  if (entries.some((entry) => isKind(entry, 'assistant') && entry.parts.length > 0)) return null;
  return taken.input === input && end.turn === taken.turn && end.reason === 'stopped' ? branch[at - 1]! : null;
}

const OWN = new Set<string>(['taken', 'turn-start', 'assistant', 'turn-end']);
