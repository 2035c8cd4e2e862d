import { join } from 'node:path';
import type { Head, Item, Transcript, View } from '../../protocol/view.ts';
import { type Files, SystemError } from '../../system/files.ts';
import { type FileIdentity, identityOf, isUntouched } from './file-identity.ts';
import { JOURNAL_FILE } from './file-journal.ts';

/**
 * What a session last looked like, kept beside its journal when it ends, so that a window that opens it again shows the
 * newest cards with its very first frame. Good only for a journal that nobody wrote to since, and for the code that made
 * it; the session itself, as soon as it is there, says it all anew.
 */
export interface KeptWindow {
  readonly head: Pick<Head, (typeof HEAD_KEPT)[number]>;
  readonly transcript: Transcript;
}

/** Of the head what the journal decides; the mode a session opens in again is another matter. */
const HEAD_KEPT = [
  'title',
  'model',
  'effort',
  'contextWindow',
  'compactAt',
  'contextTokens',
  'totals',
  'activeTime',
] as const;

export const WINDOW_FILE = 'window.json';
const FILE_MODE = 0o600;
/** More than a full screen of any size holds. */
const MOST_ITEMS = 60;
/** UTF-16 units of JSON; a little is read in no time to speak of. */
const MOST_TEXT = 512 * 1024;
const LARGEST_BYTES = 4 * MOST_TEXT;

interface Stored extends KeptWindow {
  readonly build: string;
  readonly journal: FileIdentity;
}

/** The journal must be closed. Whatever goes wrong, there is none, and the session opens without. */
export async function keepWindow(files: Files, folder: string, build: string, view: View): Promise<void> {
  const { items, total, generation } = view.transcript;
  const kept = newest(items);
  if (kept.length === 0) return;
  try {
    const journal = await files.linkStat(join(folder, JOURNAL_FILE));
    if (journal === null) return;
    const head = Object.fromEntries(HEAD_KEPT.map((key) => [key, view.head[key]])) as unknown as KeptWindow['head'];
    const transcript: Transcript = { total, first: total - kept.length, items: [], generation };
    const stored: Stored = { build, journal: identityOf(journal), head, transcript };
    const text = JSON.stringify(stored).replace('"items":[]', () => `"items":[${kept.join(',')}]`);
    await files.writeAtomic(join(folder, WINDOW_FILE), new TextEncoder().encode(text), {
      mode: FILE_MODE,
      flush: false,
    });
  } catch (error) {
    if (!(error instanceof SystemError)) throw error;
  }
}

/** Null for any reason not to show it. */
export async function readWindow(
  files: Pick<Files, 'linkStat' | 'read'>,
  folder: string,
  build: string,
): Promise<KeptWindow | null> {
  try {
    const [journal, bytes] = await Promise.all([
      files.linkStat(join(folder, JOURNAL_FILE)),
      files.read(join(folder, WINDOW_FILE), LARGEST_BYTES),
    ]);
    const stored = JSON.parse(new TextDecoder().decode(bytes)) as Stored | null;
    if (journal?.changedMs === undefined || stored?.build !== build || stored.journal === undefined) return null;
    if (!isUntouched(identityOf(journal), stored.journal)) return null;
    return { head: stored.head, transcript: stored.transcript };
  } catch (error) {
    if (error instanceof SystemError || error instanceof SyntaxError) return null;
    throw error;
  }
}

/** The newest items as JSON, oldest first. */
function newest(items: readonly Item[]): string[] {
  const kept: string[] = [];
  let room = MOST_TEXT;
  for (let at = items.length - 1; at >= 0 && kept.length < MOST_ITEMS; at--) {
    const text = JSON.stringify(items[at]);
    room -= text.length;
    if (room < 0) break;
    kept.unshift(text);
  }
  return kept;
}
