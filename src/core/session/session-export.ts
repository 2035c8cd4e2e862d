import type { System } from '../../system/system.ts';
import type { Journal } from '../journal/journal.ts';
import type { Uncut } from './uncut.ts';
import { type ExportOrder, writeExport } from './write-export.ts';

/** Takes what there is of the session out into one file, one export at a time. */
export interface SessionExport {
  readonly running: boolean;
  /** False where nothing of the session lies on a disk. */
  readonly possible: boolean;
  run(signal: AbortSignal): ReturnType<typeof writeExport>;
}

export interface SessionExportParts {
  readonly system: Pick<System, 'files' | 'clock'>;
  readonly journal: Journal;
  /** Null where nothing is saved. */
  readonly exports: string | null;
  readonly title: () => string;
  readonly version: string;
  /** Whoever ends the session waits for it without a limit: once they are gone nothing may appear (EX-4). */
  readonly uncut: Pick<Uncut, 'run'>;
}

export function createSessionExport(parts: SessionExportParts): SessionExport {
  const { journal, exports, system } = parts;
  let running = false;
  return {
    get running() {
      return running;
    },
    possible: exports !== null && journal.folder !== null,
    run: async (signal) => {
      const { folder: place } = journal;
      if (exports === null || place === null) throw new Error('nothing of this session is saved');
      running = true;
      const order: ExportOrder = { ...system, journal, place, exports, title: parts.title(), version: parts.version };
      try {
        return await parts.uncut.run(() => writeExport(order, signal));
      } finally {
        running = false;
      }
    },
  };
}
