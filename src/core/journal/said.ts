import type { EntryId } from '../../protocol/entry.ts';
import type { Said } from '../../protocol/fold.ts';
import type { Journal } from './journal.ts';

/** What these inputs say, as last edited while they waited. Ids that are no input are left out. */
export async function loadSaid(journal: Journal, inputs: readonly EntryId[]): Promise<Map<EntryId, Said>> {
  const said = new Map<EntryId, Said>();
  if (inputs.length === 0) return said;
  for (const entry of await journal.load(inputs)) {
    if (entry.kind === 'input') said.set(entry.id, { text: entry.text, attachments: entry.attachments });
  }
  for (const entry of await journal.load(journal.ofKind('queue'))) {
    if (entry.kind !== 'queue') continue;
    for (const edit of entry.edited) {
      const before = said.get(edit.input);
      if (before !== undefined) said.set(edit.input, { ...before, text: edit.text });
    }
  }
  return said;
}
