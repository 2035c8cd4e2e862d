import type { Files } from '../../system/files.ts';

/** What a server prints besides messages, for whoever looks for why it failed: bounded, and never a word of it anywhere else. */
export interface ServerLog {
  readonly file: string | null;
  write(bytes: Uint8Array): void;
  settle(): Promise<void>;
}

const MOST_BYTES = 256 * 1024;

/** `file`: where it goes; null: nowhere. What is over the bound is dropped. */
export function createServerLog(
  files: Pick<Files, 'openAppend'>,
  file: string | null,
  redact: (text: string) => string,
): ServerLog {
  let left = MOST_BYTES;
  let before: Promise<unknown> = Promise.resolve();
  const append = async (bytes: Uint8Array): Promise<void> => {
    if (file === null) return;
    const open = await files.openAppend(file, 0o600);
    try {
      await open.append(bytes);
    } finally {
      await open.close();
    }
  };
  return {
    file,
    write: (bytes) => {
      if (file === null || left <= 0) return;
      const kept = bytes.slice(0, left);
      left -= kept.length;
      const text = redact(new TextDecoder().decode(kept));
      const line = text.endsWith('\n') ? text : `${text}\n`;
      // A full disk: nothing depends on it.
      before = before.then(() => append(new TextEncoder().encode(line))).catch(() => undefined);
    },
    settle: async () => {
      await before;
    },
  };
}
