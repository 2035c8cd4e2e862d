import nodePath from 'node:path';
import type { Clock } from '../../system/clock.ts';
import type { Ids } from '../../system/environment.ts';
import { type Files, SystemError } from '../../system/files.ts';
import type { KeyTrace } from '../values/find-keys.ts';

/** Which files of a workspace hold what looks like keys, for its person to go through. Never a value (CRED-4). */
export interface KeyFindings {
  /** Of this workspace alone: the same value has another fingerprint elsewhere. */
  salt(): Promise<string>;
  /** Kept as far as it can be: nothing waits for it. */
  add(path: string, traces: readonly KeyTrace[]): Promise<void>;
}

export interface KeyFindingsParts {
  readonly files: Pick<Files, 'read' | 'makeFolder' | 'openAppend'>;
  readonly clock: Pick<Clock, 'now'>;
  readonly ids: Ids;
  /** `findings/<workspace>.jsonl`; null where nothing may be kept. */
  readonly file: string | null;
}

const MOST_BYTES = 4 * 1024 * 1024;

export function createKeyFindings({ files, clock, ids, file }: KeyFindingsParts): KeyFindings {
  const known = new Set<string>();
  let opened: Promise<string> | null = null;

  const append = async (lines: readonly object[]): Promise<void> => {
    if (file === null) return;
    try {
      await files.makeFolder(nodePath.dirname(file), 0o700);
      const end = await files.openAppend(file, 0o600);
      await end.append(new TextEncoder().encode(lines.map((line) => `${JSON.stringify(line)}\n`).join('')));
      await end.close();
    } catch (error) {
      if (!(error instanceof SystemError)) throw error;
    }
  };
  const open = async (): Promise<string> => {
    const fresh = ids.hex(16);
    if (file === null) return fresh;
    let salt: string | null = null;
    try {
      const text = new TextDecoder().decode(await files.read(file, MOST_BYTES));
      for (const line of text.split('\n').filter((one) => one !== '')) {
        const { salt: found, path, fingerprint } = JSON.parse(line) as Readonly<Record<string, unknown>>;
        if (typeof found === 'string') salt ??= found;
        else known.add(`${String(path)} ${String(fingerprint)}`);
      }
    } catch {
      // Nothing there yet, or not readable: what is added from now on has a salt of its own.
    }
    if (salt === null) await append([{ salt: fresh }]);
    return salt ?? fresh;
  };
  const salt = (): Promise<string> => (opened ??= open());

  return {
    salt,
    add: async (path, traces) => {
      await salt();
      const news = traces.filter(({ fingerprint }) => !known.has(`${path} ${fingerprint}`));
      for (const { fingerprint } of news) known.add(`${path} ${fingerprint}`);
      if (news.length > 0) await append(news.map((trace) => ({ time: clock.now(), path, ...trace })));
    },
  };
}
