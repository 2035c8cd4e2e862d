import nodePath from 'node:path';
import type { Intent, Sent } from '../../protocol/intent.ts';
import type { Head } from '../../protocol/view.ts';
import type { Journal } from '../journal/journal.ts';
import { LONGEST_RETRY_MS } from '../journal/writer.ts';
import type { Publisher } from './publish.ts';

/**
 * What is said of a disk that takes nothing more: at once, what is full, that nothing is lost, and when it is tried again;
 * and that it is over. `otherwise` is why nothing is saved where that is so without any trouble.
 */
export function followDisk(
  journal: Pick<Journal, 'folder' | 'trouble' | 'onTrouble'>,
  publisher: Publisher,
  { home, otherwise }: { readonly home: string | null; readonly otherwise: string | null },
): void {
  journal.onTrouble((trouble) => {
    const head: Partial<Head> = { notSaved: trouble ?? otherwise, waitsForDisk: waitingText(trouble, journal, home) };
    if (trouble !== null) publisher.publish({ type: 'head', head });
    else
      publisher.publish(
        { type: 'head', head },
        { type: 'flash', client: null, level: 'info', text: 'Saved again: everything is on the disk' },
      );
  });
}

/** Whoever does anything may just have made room: what waits for the disk is tried again at once. */
export function tryingDisk(
  journal: Pick<Journal, 'trouble' | 'retry'>,
  send: (intent: Intent, client: string) => Promise<Sent>,
): (intent: Intent, client: string) => Promise<Sent> {
  return (intent, client) => {
    const sent = send(intent, client);
    if (journal.trouble !== null) journal.retry();
    return sent;
  };
}

export function waitingText(
  trouble: string | null,
  { folder }: Pick<Journal, 'folder'>,
  home: string | null,
): string | null {
  if (trouble === null) return null;
  // The name of the error stands in /status; here the row is short.
  const what = trouble.replace(/ \([A-Z]+\)$/, '');
  const why = `${what.charAt(0).toUpperCase()}${what.slice(1)}${folder === null ? '' : ` at ${stateOf(folder, home)}`}`;
  return `${why}: nothing is lost, tried at each key and every ${LONGEST_RETRY_MS / 1000} s`;
}

/** The state folder a session's own lies in: whoever makes room wants the disk, not the session. */
function stateOf(folder: string, home: string | null): string {
  const state = nodePath.resolve(folder, '..', '..', '..');
  return home !== null && state.startsWith(`${home}/`) ? `~${state.slice(home.length)}` : state;
}
