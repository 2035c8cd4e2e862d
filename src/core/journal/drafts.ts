import { join } from 'node:path';
import { sha256 } from '../../base/sha256.ts';
import type { Draft, FoldedText } from '../../protocol/intent.ts';
import type { ClientId } from '../../protocol/session.ts';
import { type Files, SystemError } from '../../system/files.ts';

/**
 * Half-written prompts of one session, one a client. Written, not flushed: they outlive the process, not the machine.
 * Best effort: a draft that cannot be written is still there while the process is.
 */
export interface Drafts {
  /** At once in memory; on its way to the file, where only the newest counts. An empty draft is none. */
  set(client: ClientId, draft: Draft | null): void;
  /** Null when there is none or it cannot be read. */
  get(client: ClientId): Promise<Draft | null>;
  /** The draft written last by any client: for one that attaches after its predecessor was lost. */
  newest(): Promise<{ readonly client: ClientId; readonly draft: Draft } | null>;
  /** When the one that an earlier process left was written, in milliseconds since the epoch; null where it is of this one. */
  leftAt(client: ClientId): Promise<number | null>;
  /** Resolves when nothing is on its way any more. */
  settle(): Promise<void>;
}

interface Stored {
  readonly client: ClientId;
  readonly draft: Draft;
}

/** `folder`: `drafts/<session>` under the state folder; null keeps drafts in memory only. */
export function createDrafts(files: Files, folder: string | null): Drafts {
  /** Insertion order is age: the newest one stands last. */
  const known = new Map<ClientId, Draft | null>();
  const unwritten = new Set<ClientId>();
  let writing: Promise<void> | null = null;

  async function writeAll(into: string): Promise<void> {
    await Promise.resolve();
    for (const client of unwritten) {
      unwritten.delete(client);
      const draft = known.get(client) ?? null;
      try {
        if (draft === null) await files.remove(pathOf(into, client));
        else {
          await files.makeFolder(into, 0o700);
          const bytes = new TextEncoder().encode(JSON.stringify({ client, draft } satisfies Stored));
          await files.writeAtomic(pathOf(into, client), bytes, { mode: 0o600, flush: false });
        }
      } catch (error) {
        if (!(error instanceof SystemError)) throw error;
      }
    }
    writing = null;
  }

  return {
    set(client, draft) {
      known.delete(client);
      known.set(client, draft === null || isEmpty(draft) ? null : draft);
      if (folder === null) return;
      unwritten.add(client);
      writing ??= writeAll(folder);
    },
    async get(client) {
      const held = known.get(client);
      if (held !== undefined || folder === null) return held ?? null;
      return (await readStored(files, pathOf(folder, client)))?.draft ?? null;
    },
    async newest() {
      const [client, draft] = [...known].findLast(([, held]) => held !== null) ?? [];
      if (client !== undefined && draft) return { client, draft };
      return folder === null ? null : await newestIn(files, folder, known);
    },
    async leftAt(client) {
      if (known.has(client) || folder === null) return null;
      return (await files.linkStat(pathOf(folder, client)).catch(() => null))?.modifiedMs ?? null;
    },
    async settle() {
      while (writing !== null) await writing;
    },
  };
}

/** Newest on the disk, of clients nothing newer is known about. */
async function newestIn(files: Files, folder: string, known: ReadonlyMap<ClientId, unknown>): Promise<Stored | null> {
  let best: { readonly stored: Stored; readonly time: number } | null = null;
  try {
    for (const { name, kind } of await files.list(folder)) {
      if (kind !== 'file' || !name.endsWith('.json')) continue;
      const path = join(folder, name);
      const time = (await files.linkStat(path))?.modifiedMs ?? 0;
      if (best !== null && time <= best.time) continue;
      const stored = await readStored(files, path);
      if (stored !== null && !known.has(stored.client)) best = { stored, time };
    }
  } catch (error) {
    if (!(error instanceof SystemError)) throw error;
  }
  return best?.stored ?? null;
}

/** Clients choose their own ids, so these never become part of a path as they are. */
function pathOf(folder: string, client: ClientId): string {
  return join(folder, `${sha256(client).slice(0, 32)}.json`);
}

const LARGEST = 64 * 1024 * 1024;

async function readStored(files: Files, path: string): Promise<Stored | null> {
  try {
    const value: unknown = JSON.parse(new TextDecoder().decode(await files.read(path, LARGEST)));
    const stored = value as Partial<Stored> | null;
    return typeof stored?.client === 'string' && isDraft(stored.draft)
      ? { client: stored.client, draft: stored.draft }
      : null;
  } catch (error) {
    if (error instanceof SystemError || error instanceof SyntaxError) return null;
    throw error;
  }
}

function isEmpty(draft: Draft): boolean {
  return draft.text === '' && draft.folded.length === 0 && !draft.shell;
}

function isDraft(value: unknown): value is Draft {
  const draft = value as Partial<Draft> | null | undefined;
  return (
    typeof draft?.text === 'string' &&
    Number.isInteger(draft.caret) &&
    typeof draft.shell === 'boolean' &&
    Array.isArray(draft.folded) &&
    draft.folded.every(
      (folded: Partial<FoldedText> | null) => Number.isInteger(folded?.at) && Number.isInteger(folded?.length),
    )
  );
}
