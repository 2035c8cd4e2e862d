import { type Files, SystemError } from '../../system/files.ts';
import type { Confined } from './line.ts';

const MOST_BYTES = 64 * 1024;

/** Commands a line left running, as the sandbox wrote them down before it ended them; the note is removed. */
export async function readLeft(files: Pick<Files, 'read' | 'remove'>, left: string | null): Promise<string[]> {
  if (left === null) return [];
  try {
    const text = new TextDecoder().decode(await files.read(left, MOST_BYTES));
    await files.remove(left);
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
