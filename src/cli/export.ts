import path from 'node:path';
import { JOURNAL_FILE, lookAtJournal, readJournalFile } from '../core/journal/file-journal.ts';
import { readSummary } from '../core/journal/summary.ts';
import { EXPORT_WARNING, EXPORTS_FOLDER, writeExport } from '../core/session/write-export.ts';
import type { TerminalSystem } from '../system/system.ts';
import { VERSION } from './build.ts';
import { namedSession } from './named-session.ts';
import { writeErr, writeOut } from './output.ts';

/** `houston export [SESSION]`: what `/export` does, also beside whoever runs the session. The path of the file goes to stdout. */
export async function exportSession(system: TerminalSystem, folder: string, session: string | null): Promise<number> {
  const { files, clock, terminal } = system;
  const say = (identifier: string, message: string, code: number): number => {
    writeErr(`houston: ${identifier}: ${message}\n`);
    return code;
  };
  const named = await namedSession(system, folder, session);
  if (typeof named === 'number') return named;
  const { place, state } = named;
  const read = await readJournalFile(files, place);
  if (!read.ok) return say(read.refusal.identifier, read.refusal.message, 1);
  const summary = await readSummary(files, path.join(place, JOURNAL_FILE));
  const interrupt = new AbortController();
  const forget = terminal.onSignal(() => interrupt.abort());
  try {
    const written = await writeExport(
      {
        files,
        clock,
        journal: lookAtJournal(files, place, read.value),
        place,
        exports: path.join(state, EXPORTS_FOLDER),
        title: summary?.title ?? '',
        version: VERSION,
      },
      interrupt.signal,
    );
    if (!written.ok)
      return say(written.refusal.identifier, written.refusal.message, interrupt.signal.aborted ? 130 : 1);
    writeOut(`${written.value.path}\n`);
    writeErr(`houston: note: ${EXPORT_WARNING}\n`);
    return 0;
  } finally {
    forget();
  }
}
