import type { Entry, EntryId } from '../../protocol/entry.ts';
import type { Said } from '../../protocol/fold.ts';
import type { Journal } from './journal.ts';

/**
 * What the inputs put on the branch by the `taken` entries among `entries` say, by the id of the `taken` entry: as last
 * rewritten while they waited. Those whose input is lost are left out.
 */
export async function loadSaid(journal: Journal, entries: readonly Entry[]): Promise<Map<EntryId, Said>> {
  const taken = entries.filter((entry) => entry.kind === 'taken');
  const said = new Map<EntryId, Said>();
  if (taken.length === 0) return said;
  const inputs = new Map((await journal.load(taken.map((entry) => entry.input))).map((entry) => [entry.id, entry]));
  const edits = await loadEdits(journal);
  for (const entry of taken) {
    const input = inputs.get(entry.input);
    if (entry.words !== undefined) said.set(entry.id, { text: entry.words, attachments: [] });
    if (input?.kind !== 'input') continue;
    const edit = edits.get(input.id)?.findLast(({ before }) => before.has(entry.id));
    const { attachments, target } = input;
    said.set(entry.id, { text: edit?.text ?? input.text, attachments, ...(target === null ? {} : { target }) });
  }
  return said;
}

interface Edit {
  readonly text: string;
  /** The `taken` entries that stand behind it in the file. */
  readonly before: { has(taken: EntryId): boolean };
}

/** Every rewriting of a waiting input, in file order. There are few: one each time a person edits a queued row. */
async function loadEdits(journal: Journal): Promise<Map<EntryId, Edit[]>> {
  const edits = new Map<EntryId, Edit[]>();
  const queue = journal.ofKind('queue');
  if (queue.length === 0) return edits;
  const places = new Map(journal.ofKind('queue', 'taken').map((id, place) => [id, place]));
  for (const entry of await journal.load(queue)) {
    if (entry.kind !== 'queue') continue;
    const place = places.get(entry.id)!;
    const before = { has: (taken: EntryId) => (places.get(taken) ?? -1) > place };
    for (const { input, text } of entry.edited) edits.set(input, [...(edits.get(input) ?? []), { text, before }]);
  }
  return edits;
}
