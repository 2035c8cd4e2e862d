import path from 'node:path';
import { JOURNAL_FILE, lookAtJournal, readJournalFile } from '../core/journal/file-journal.ts';
import { readSummary } from '../core/journal/summary.ts';
import { EXPORT_WARNING, EXPORTS_FOLDER, writeExport } from '../core/session/write-export.ts';
import { places } from '../core/settings/paths.ts';
import type { TerminalSystem } from '../system/system.ts';
import { findPlace } from './audit.ts';
import { VERSION } from './build.ts';
import { writeErr, writeOut } from './output.ts';

/** `houston export [SESSION]`: what `/export` does, also beside whoever runs the session. The path of the file goes to stdout. */
export async function exportSession(system: TerminalSystem, folder: string, session: string | null): Promise<number> {
  const { files, clock, terminal } = system;
  const { state } = places(system.environment);
  const say = (identifier: string, message: string, code: number): number => {
    writeErr(`houston: ${identifier}: ${message}\n`);
    return code;
  };
  if (state === null) return say('not-saved', 'neither HOME nor HOUSTON_HOME is set, so no session was saved', 1);
  const place = await findPlace(system, state, folder, session);
  if (typeof place !== 'string') return say(place.identifier, place.message, place.identifier === 'no-session' ? 1 : 2);
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
