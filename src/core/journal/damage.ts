import type { EntryBody } from '../../protocol/entry.ts';
import { isKind, type Journal } from './journal.ts';

/** Line numbers named before the rest is only counted. */
const NAMED = 5;

/** The warning to append when lines of the journal could not be read and nobody was told of just these yet (UP-32). */
export async function damageWarning(journal: Journal): Promise<EntryBody[]> {
  const lines = journal.damaged.map(({ line }) => line);
  if (lines.length === 0) return [];
  const named = `${lines.slice(0, NAMED).join(', ')}${lines.length > NAMED ? ', …' : ''}`;
  const text =
    lines.length === 1
      ? `1 damaged line of this session could not be read and is left out (line ${named} of its journal). All else is here, and the damaged bytes are kept.`
      : `${lines.length} damaged lines of this session could not be read and are left out (lines ${named} of its journal). All else is here, and the damaged bytes are kept.`;
  const notes = await journal.load(journal.ofKind('note'));
  if (notes.some((entry) => isKind(entry, 'note') && entry.text === text)) return [];
  return [{ kind: 'note', level: 'warning', identifier: 'journal-damaged', text }];
}
