import type { Files } from '../../system/files.ts';
import type { AnsweredLine } from './policy.ts';

/** Answers about commands that outlive their session: `remembered.json` in the state folder. */
export interface RememberedAnswers {
  /** Empty when there is no file, or when it cannot be read as one: any doubt asks again. */
  load(): Promise<readonly AnsweredLine[]>;
  /** Adds to what is there by then; false when it could not be kept. */
  add(lines: readonly AnsweredLine[]): Promise<boolean>;
}

const MOST_BYTES = 1024 * 1024;
/** The oldest make room. */
const MOST_LINES = 2000;

/**
 * `lock` runs its work while no other process changes the file, and resolves to null when that did not come about. The
 * file is read again under it, so that two sessions never lose each other's answers.
 */
export function openRememberedAnswers(
  files: Pick<Files, 'read' | 'writeAtomic'>,
  file: string,
  lock: <T>(work: () => Promise<T>) => Promise<T | null>,
): RememberedAnswers {
  async function load(): Promise<readonly AnsweredLine[]> {
    const bytes = await files.read(file, MOST_BYTES).catch(() => null);
    return bytes === null ? [] : readLines(bytes);
  }
  return {
    load,
    add: async (lines) => {
      try {
        const kept = await lock(async () => {
          const others = (await load()).filter((one) => !lines.some((line) => isSame(one, line)));
          const all = [...others, ...lines].slice(-MOST_LINES).map(({ remembered: _, ...line }) => line);
          const text = `${JSON.stringify({ version: 1, lines: all }, null, 1)}\n`;
          await files.writeAtomic(file, new TextEncoder().encode(text), { mode: 0o600, flush: true });
          return true;
        });
        return kept ?? false;
      } catch {
        return false;
      }
    },
  };
}

function isSame(one: AnsweredLine, other: AnsweredLine): boolean {
  return one.pattern === other.pattern && one.wide === other.wide && one.folder === other.folder;
}

function readLines(bytes: Uint8Array): readonly AnsweredLine[] {
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    return [];
  }
  const lines = (value as { lines?: unknown } | null)?.lines;
  if (!Array.isArray(lines)) return [];
  return lines.flatMap((line: Partial<AnsweredLine> | null): AnsweredLine[] => {
    if (typeof line !== 'object' || line === null) return [];
    const { pattern, wide, folder, output, programs } = line;
    const whole =
      typeof pattern === 'string' &&
      typeof wide === 'boolean' &&
      typeof folder === 'string' &&
      (output === 'text' || output === 'ref') &&
      (programs === undefined || (Array.isArray(programs) && programs.every((one) => typeof one === 'string')));
    if (!whole) return [];
    return [{ pattern, wide, folder, output, ...(programs === undefined ? {} : { programs }), remembered: true }];
  });
}
