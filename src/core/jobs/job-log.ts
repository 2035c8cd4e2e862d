import { type Files, SystemError } from '../../system/files.ts';
import { createHeadTail, type HeadTail } from './head-tail.ts';
import { MOST_SAVED_BYTES } from './saved-output.ts';

/** Reads on in a log as it grows, in bounded memory. A log that is gone reads as empty. */
export interface JobLog {
  readonly kept: HeadTail;
  /** Why the log does not hold everything; null where it does. */
  readonly trouble: string | null;
  /** Hands on what came since the last look; one look at a time. */
  look(): Promise<void>;
}

const PIECE = 256 * 1024;

export function createJobLog(
  files: Pick<Files, 'stat' | 'readRange' | 'openAppend'>,
  path: string,
  keptBytes: number,
  onBytes: (bytes: Uint8Array) => void,
): JobLog {
  const kept = createHeadTail(keptBytes);
  let at = 0;
  let trouble: string | null = null;
  let looking: Promise<void> | null = null;

  async function readOn(): Promise<void> {
    const size = (await files.stat(path))?.size ?? 0;
    while (at < size) {
      const bytes = await files.readRange(path, at, Math.min(PIECE, size - at));
      if (bytes.length === 0) break;
      at += bytes.length;
      kept.push(bytes);
      onBytes(bytes);
    }
    if (size <= MOST_SAVED_BYTES) return;
    // What comes is appended: it is seen here as it comes, and goes no further.
    trouble = `the saved output ends after ${MOST_SAVED_BYTES} bytes`;
    const file = await files.openAppend(path, 0o600);
    await file.truncate(MOST_SAVED_BYTES).finally(() => file.close());
    at = MOST_SAVED_BYTES;
  }

  return {
    kept,
    get trouble() {
      return trouble;
    },
    look: () => {
      looking ??= readOn()
        .catch((error) => {
          if (!(error instanceof SystemError)) throw error;
        })
        .finally(() => {
          looking = null;
        });
      return looking;
    },
  };
}
