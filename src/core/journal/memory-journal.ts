import type { Entry, EntryBody } from '../../protocol/entry.ts';
import type { Clock } from '../../system/clock.ts';
import type { Ids } from '../../system/environment.ts';
import { assembleJournal } from './assemble-journal.ts';
import type { Journal } from './journal.ts';
import { createJournalIndex, type Row } from './journal-index.ts';

/** A session that is not saved: the same journal, gone with the process. */
export function createMemoryJournal(options: {
  readonly clock: Clock;
  readonly ids: Ids;
  readonly session: string;
  readonly first: Extract<EntryBody, { kind: 'session' }>;
}): Journal {
  const { clock, ids, session, first } = options;
  const entries = new Map<Row, Entry>();
  const journal = assembleJournal({
    session,
    folder: null,
    index: createJournalIndex(),
    clock,
    ids,
    store: {
      damaged: [],
      trouble: () => null,
      onTrouble() {},
      retry() {},
      hold: (row, entry) => void entries.set(row, entry),
      write: () => Promise.resolve(),
      load: async (rows) => rows.flatMap((row) => entries.get(row) ?? []),
      async *all(fromRow) {
        for (const [row, entry] of [...entries]) if (row >= fromRow) yield entry;
      },
      flush: () => Promise.resolve(),
      close: () => Promise.resolve(),
    },
  });
  journal.append([first]);
  return journal;
}
