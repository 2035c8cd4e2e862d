import { createBunSystem } from '../system/bun/system.ts';
import type { CommandLine } from './arguments.ts';
import { runHostProcess } from './host.ts';
import { runOneShot } from './one-shot.ts';
import { afterOutput } from './output.ts';

// What runs a session and no screen, in one bundle with its compiled code beside it: nearly all of both is the session.

/** The process a session lives in. Resolves to the exit code. */
export function runHost(): Promise<number> {
  return runHostProcess();
}

/** `houston -p`. Resolves to the exit code. */
export async function printReply(line: CommandLine, folder: string): Promise<number> {
  return afterOutput(await runOneShot(createBunSystem(), line, folder));
}
