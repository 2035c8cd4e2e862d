import { join } from 'node:path';
import { type AppendFile, type Files, SystemError } from '../../system/files.ts';

/** The whole output of one command, byte for byte, in the session's `outputs/`. Trouble is remembered, never thrown. */
export interface SavedOutput {
  /** A name in `outputs/`; null when nothing is saved. */
  readonly name: string | null;
  /** A promise when the disk is behind: more output should wait for it. */
  push(bytes: Uint8Array): Promise<void> | undefined;
  /** Resolves once all is in the file: why it is not whole, null when it is. */
  close(): Promise<string | null>;
}

export const MOST_SAVED_BYTES = 256 * 1024 * 1024;
/** Beyond so much that is not in the file yet, the program is made to wait. */
const MOST_WAITING_BYTES = 1024 * 1024;

const NOT_SAVED: SavedOutput = { name: null, push: () => undefined, close: async () => null };

export async function saveOutput(
  files: Pick<Files, 'openAppend' | 'makeFolder'>,
  folder: string | null,
  call: string,
): Promise<SavedOutput> {
  if (folder === null) return NOT_SAVED;
  const name = outputName(call);
  let file: AppendFile;
  try {
    await files.makeFolder(folder, 0o700);
    file = await files.openAppend(join(folder, name), 0o600);
  } catch (error) {
    const trouble = `the whole output could not be saved: ${describe(error)}`;
    return { ...NOT_SAVED, close: async () => trouble };
  }
  let trouble: string | null = null;
  let saved = 0;
  let waiting = 0;
  let last = Promise.resolve();

  function push(bytes: Uint8Array): Promise<void> | undefined {
    if (trouble !== null) return undefined;
    const piece = bytes.slice(0, MOST_SAVED_BYTES - saved);
    saved += piece.length;
    waiting += piece.length;
    last = last.then(async () => {
      try {
        await file.append(piece);
      } catch (error) {
        trouble ??= `the saved output ends early: ${describe(error)}`;
      }
      waiting -= piece.length;
    });
    if (piece.length < bytes.length) trouble = `the saved output ends after ${MOST_SAVED_BYTES} bytes`;
    return waiting > MOST_WAITING_BYTES ? last : undefined;
  }

  return {
    name,
    push,
    async close() {
      await last;
      await file.close().catch((error) => (trouble ??= describe(error)));
      return trouble;
    },
  };
}

/** What the output of a call is called in `outputs/`. */
export function outputName(call: string): string {
  return `${call
    .replace(/[^\w.-]/g, '_')
    .replace(/^\./, '_')
    .slice(0, 100)}.log`;
}

function describe(error: unknown): string {
  if (error instanceof SystemError) return error.code === 'ENOSPC' ? 'the disk is full' : error.message;
  return String(error);
}
