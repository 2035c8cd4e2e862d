import { type Files, SystemError } from '../../system/files.ts';
import type { Confined } from './line.ts';

const MOST_BYTES = 64 * 1024;

/**
 * Commands a line left running, as the sandbox wrote them down before it ended them; the note is removed. The line can write
 * there too: a link it put in its place would have us read for it what it cannot.
 */
export async function readLeft(files: Pick<Files, 'open' | 'remove'>, left: string | null): Promise<string[]> {
  if (left === null) return [];
  try {
    const file = await files.open(left, { write: false, follow: false });
    const bytes = await file.readAll(MOST_BYTES).finally(() => file.close());
    await files.remove(left);
    const text = new TextDecoder().decode(bytes);
    return text.split('\n').flatMap((line) => (line.trim() === '' ? [] : [line.trim()]));
  } catch (error) {
    if (error instanceof SystemError) return [];
    throw error;
  }
}

/** Whether a command line is one of those that stand between us and the line: the sandbox, what it keeps, the shell. */
export function isOfSandbox(command: string, { argv, holdsTree }: Confined): boolean {
  return holdsTree && argv.join(' ').trimEnd().endsWith(command);
}

/** How a line runs that is not confined. */
export async function unconfined(argv: readonly string[]): Promise<Confined> {
  return { argv, added: {}, removed: [], holdsTree: false };
}
