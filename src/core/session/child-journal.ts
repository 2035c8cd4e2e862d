import { join } from 'node:path';
import type { System } from '../../system/system.ts';
import { createJournal } from '../journal/file-journal.ts';
import type { Journal } from '../journal/journal.ts';
import { createMemoryJournal } from '../journal/memory-journal.ts';

/** Below a session's folder: what its delegates did, one folder each. For viewing only: a resume reads none of it (VIEW-13). */
const CHILDREN = 'children';

/** A journal for one delegate; in memory where the session is not saved, or where no file can be made for it. */
export async function openChildJournal(
  { files, clock, ids }: Pick<System, 'files' | 'clock' | 'ids'>,
  parent: Journal,
  folder: string,
  build: string,
): Promise<Journal> {
  const session = ids.uuid();
  const first = { kind: 'session', version: 1, session, folder, build, forkedFrom: null } as const;
  if (parent.folder !== null) {
    const place = join(parent.folder, CHILDREN, session);
    const made = await createJournal({ files, clock, ids, folder: place, session, first });
    if (made.ok) return made.value;
  }
  return createMemoryJournal({ clock, ids, session, first });
}
