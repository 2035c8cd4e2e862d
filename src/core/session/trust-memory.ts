import path from 'node:path';
import { sha256 } from '../../base/sha256.ts';
import type { FileStat, Files } from '../../system/files.ts';
import { isWithin } from '../policy/paths.ts';

/** An answer about one exact directory, and the digest of what its project asked for then. */
export interface RememberedTrust {
  readonly trusted: boolean;
  readonly requests: string;
}

/** Answers that outlive the session, one file a directory under `trusted/`. */
export interface TrustMemory {
  /** Null when there is none, or when any doubt is left that it is about this very directory. */
  recall(): Promise<RememberedTrust | null>;
  remember(answer: RememberedTrust): Promise<void>;
  /** Removes every answer about the path; says whether there was one. */
  forget(): Promise<boolean>;
  /** Where the answer lies, absolute. */
  readonly file: string;
  /** False in a session that leaves nothing behind: then it is read and nothing else (SES-9). */
  readonly writes: boolean;
}

const MOST_BYTES = 16 * 1024;

/**
 * The memory for `folder` (absolute, links resolved); null where an answer must not be remembered: the home folder or
 * above, or a file system that does not tell when a directory was made (TRUST-3).
 */
export async function openTrustMemory(
  files: Files,
  state: string,
  folder: string,
  home: string | null,
  writes: boolean,
): Promise<TrustMemory | null> {
  const stat = await files.stat(folder);
  if (stat === null || !canBeTold(stat) || folder === '/' || (home !== null && isWithin(home, folder))) return null;
  const place = path.join(state, 'trusted');
  const file = path.join(place, `${sha256(folder).slice(0, 40)}.json`);
  return {
    file,
    writes,
    recall: async () => {
      const bytes = await files.read(file, MOST_BYTES).catch(() => null);
      const now = await files.stat(folder);
      if (bytes === null || now === null) return null;
      const kept = readKept(bytes);
      const same =
        kept?.folder === folder &&
        kept.inode === now.inode &&
        kept.device === now.device &&
        kept.created === now.createdMs;
      return same ? { trusted: kept.trusted === true, requests: String(kept.requests) } : null;
    },
    remember: async ({ trusted, requests }) => {
      const { inode, device, createdMs: created } = stat;
      await files.makeFolder(place, 0o700);
      const text = `${JSON.stringify({ folder, trusted, requests, inode, device, created })}\n`;
      await files.writeAtomic(file, new TextEncoder().encode(text), { mode: 0o600, flush: true });
    },
    forget: async () => {
      const there = (await files.stat(file)) !== null;
      await files.remove(file);
      return there;
    },
  };
}

/** A directory is the same one by its inode and the time it was made: without both nothing is remembered. */
function canBeTold({ kind, inode, createdMs }: FileStat): boolean {
  return kind === 'folder' && inode > 0 && createdMs > 0;
}

function readKept(bytes: Uint8Array): Readonly<Record<string, unknown>> | null {
  try {
    const value: unknown = JSON.parse(new TextDecoder().decode(bytes));
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : null;
  } catch {
    return null;
  }
}
