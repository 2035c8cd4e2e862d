import path from 'node:path';
import type { Files } from '../../system/files.ts';

/** A file of standing instructions, as the system prompt will hold it. */
export interface Instructions {
  readonly source: string;
  readonly text: string;
}

const MAX_BYTES = 256 * 1024;
const PROJECT_NAMES = ['AGENTS.md', 'CLAUDE.md', path.join('.claude', 'CLAUDE.md')];

/**
 * The person's own `AGENTS.md`, then the first of the project's that exists (INS-1). The project's count only in a
 * trusted workspace (INS-2). A file that cannot be read is left out and named.
 */
export async function readInstructions(
  files: Files,
  options: { config: string | null; project: string; trusted: boolean },
): Promise<{ instructions: Instructions[]; skipped: string[] }> {
  const instructions: Instructions[] = [];
  const skipped: string[] = [];
  const take = async (source: string): Promise<boolean> => {
    const stat = await files.stat(source).catch(() => null);
    if (stat === null || stat.kind !== 'file') return false;
    try {
      instructions.push({
        source,
        text: new TextDecoder('utf-8', { fatal: true }).decode(await files.read(source, MAX_BYTES)),
      });
    } catch {
      skipped.push(source);
    }
    return true;
  };
  if (options.config !== null) await take(path.join(options.config, 'AGENTS.md'));
  if (options.trusted) for (const name of PROJECT_NAMES) if (await take(path.join(options.project, name))) break;
  return { instructions, skipped };
}
