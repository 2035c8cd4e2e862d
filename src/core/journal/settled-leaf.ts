import type { Entry, EntryId } from '../../protocol/entry.ts';
import type { Message } from '../models/model.ts';
import type { Journal } from './journal.ts';
import { buildMessages, type ContextOptions } from './model-context.ts';
import { loadSaid } from './said.ts';

/** The newest place of the branch where every call has its result: what a question beside the turn may know (SC-23.11). */
export async function settledLeaf(journal: Journal): Promise<EntryId | null> {
  const branch = journal.branch();
  const after = branch.findLastIndex((id) => journal.kindOf(id) === 'turn-end');
  const open = await journal.load(branch.slice(after + 1));
  const answered = new Set(open.flatMap((entry) => (entry.kind === 'result' ? entry.call : [])));
  const unsettled = open.findIndex(
    (entry) =>
      entry.kind === 'assistant' && entry.parts.some((part) => part.type === 'call' && !answered.has(part.call)),
  );
  if (unsettled < 0) return branch.at(-1) ?? null;
  return open[unsettled - 1]?.id ?? branch[after] ?? null;
}

/** The messages of a request at any place of the tree. */
export async function messagesAt(journal: Journal, leaf: EntryId | null, options: ContextOptions): Promise<Message[]> {
  if (leaf === null) return [];
  const entries: Entry[] = await journal.load(journal.branch(leaf));
  const said = await loadSaid(journal, entries);
  const byInput = new Map(
    entries.flatMap((entry) => (entry.kind === 'taken' ? [[entry.input, said.get(entry.id) ?? null] as const] : [])),
  );
  return buildMessages(entries, { ...options, said: (input) => byInput.get(input) ?? null });
}
