import type { Refusal } from '../../base/refusal.ts';
import { ended } from './command-end.ts';
import type { SessionParts } from './parts.ts';
import type { CommandEnd } from './turn-loop.ts';
import { EXPORT_WARNING } from './write-export.ts';

/** Why it can not be carried out; a turn that runs is waited for (decisions §4). */
export function refusesExport({ exporting }: Pick<SessionParts, 'exporting'>): Refusal | null {
  if (!exporting.possible)
    return { identifier: 'not-saved', message: 'This session is not saved: there is nothing to export.' };
  if (exporting.running) return { identifier: 'export-running', message: 'An export of this session runs already.' };
  return null;
}

/** `/export`: the session as one private ZIP among the exports (SX-4 to SX-7). */
export async function exportNow({ exporting, recorder }: SessionParts, signal: AbortSignal): Promise<CommandEnd> {
  const written = await exporting.run(signal);
  if (!written.ok && signal.aborted) return { state: 'stopped', messages: [] };
  if (!written.ok) return ended('refused', 'error', written.refusal.identifier, written.refusal.message);
  const { path, bytes } = written.value;
  const text = `Exported to ${path} (${sizeText(bytes)}). ${EXPORT_WARNING}`;
  await recorder.write([{ kind: 'note', level: 'info', identifier: 'exported', text }], { onFailure: 'keep' });
  // A row of the screen ends early: what must be read comes first.
  return ended('done', 'info', 'exported', `Exported, not encrypted, may hold secrets: ${path}`);
}

export function sizeText(bytes: number): string {
  return bytes < 1_000_000 ? `${Math.ceil(bytes / 1000)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`;
}
