import nodePath from 'node:path';
import type { System } from '../../system/system.ts';
import { oneLine } from '../tools/tool-paths.ts';
import { MINUTE, spanText } from './loop-line.ts';

/** Warns where two sessions of a project change the same file at the same time. Each says in a small file what it changed. */
export interface SameFile {
  /** Our own tools wrote this file (absolute). */
  changed(path: string): Promise<void>;
  /** What was written down of this session is gone afterwards. */
  close(): Promise<void>;
}

export interface SameFileParts {
  readonly system: Pick<System, 'files' | 'clock' | 'processes'>;
  /** What the sessions of this project say, one file each; null: nobody says anything. */
  readonly folder: string | null;
  readonly session: string;
  readonly title: () => string;
  /** Where paths are shown from. */
  readonly workspace: string;
  readonly warn: (text: string) => void;
}

/** What was changed longer ago is history, not work under way. */
const WINDOW_MS = 30 * MINUTE;
const MOST_FILES = 200;
const MOST_BYTES = 256 * 1024;
const DEBOUNCE_MS = 200;

interface Said {
  readonly session: string;
  readonly pid: number;
  readonly title: string;
  readonly files: Readonly<Record<string, number>>;
}

export function createSameFile(parts: SameFileParts): SameFile {
  const { system, folder, session } = parts;
  const { files, clock, processes } = system;
  const mine = new Map<string, number>();
  const warned = new Set<string>();
  let watcher: { close(): void } | null = null;
  let cancelLook = (): void => {};
  let before: Promise<void> = Promise.resolve();
  let closed = false;
  const own = folder === null ? null : nodePath.join(folder, `${session}.json`);

  const tell = async (place: string, path: string): Promise<void> => {
    mine.delete(path);
    mine.set(path, clock.now());
    for (const oldest of mine.keys()) if (mine.size > MOST_FILES) mine.delete(oldest);
    const said: Said = { session, pid: processes.ownPid, title: parts.title(), files: Object.fromEntries(mine) };
    await files.makeFolder(nodePath.dirname(place), 0o700);
    await files.writeAtomic(place, new TextEncoder().encode(JSON.stringify(said)), { mode: 0o600, flush: false });
  };

  /** What others say; what a dead one said is cleared away. */
  const others = async (place: string): Promise<Said[]> => {
    const found: Said[] = [];
    for (const { name } of await files.list(place)) {
      if (!name.endsWith('.json') || name === `${session}.json`) continue;
      const path = nodePath.join(place, name);
      const said = readSaid(await files.read(path, MOST_BYTES).catch(() => null));
      if (said === null) continue;
      if (processes.isAlive(said.pid)) found.push(said);
      else await files.remove(path);
    }
    return found;
  };

  const compare = async (place: string): Promise<void> => {
    const now = clock.now();
    for (const other of await others(place))
      for (const [path, at] of mine) {
        const theirs = other.files[path];
        // Also a clock that was set back leaves nothing standing for ever.
        if (theirs === undefined || Math.abs(now - theirs) > WINDOW_MS || Math.abs(now - at) > WINDOW_MS) continue;
        const key = `${other.session} ${path}`;
        if (warned.has(key) || closed) continue;
        warned.add(key);
        const name = other.title === '' ? 'Another session' : `The session “${other.title}”`;
        const shown = nodePath.relative(parts.workspace, path);
        parts.warn(
          `${name} (${other.session.slice(0, 13)}) changes ${oneLine(shown.startsWith('..') ? path : shown)} too, last ${spanText(Math.max(1_000, now - theirs))} ago. Neither sees what the other does.`,
        );
      }
  };

  /** One thing after the other; a full disk or a folder that is gone costs the warning and nothing else. */
  const then = (work: () => Promise<void>): Promise<void> => {
    before = before.then(work).catch(() => undefined);
    return before;
  };
  const lookSoon = (place: string): void => {
    cancelLook();
    cancelLook = clock.after(DEBOUNCE_MS, () => void then(() => compare(place)));
  };

  return {
    changed: (path) => {
      if (folder === null || own === null || closed) return Promise.resolve();
      return then(async () => {
        await tell(own, path);
        if (!closed) watcher ??= files.watch(folder, () => lookSoon(folder));
        await compare(folder);
      });
    },
    close: async () => {
      closed = true;
      cancelLook();
      watcher?.close();
      if (own !== null && mine.size > 0) await then(() => files.remove(own));
    },
  };
}

function readSaid(bytes: Uint8Array | null): Said | null {
  if (bytes === null) return null;
  try {
    const said = JSON.parse(new TextDecoder().decode(bytes)) as Partial<Said> | null;
    const { session, pid, title, files } = said ?? {};
    if (typeof session !== 'string' || typeof pid !== 'number' || typeof title !== 'string') return null;
    return typeof files === 'object' && files !== null ? { session, pid, title, files } : null;
  } catch {
    return null;
  }
}
