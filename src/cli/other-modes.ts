import { createBunSystem } from '../system/bun/system.ts';
import type { CommandLine, ScreenlessSubcommand } from './arguments.ts';

// What runs without screen or host. The entry is a bundle of its own, and between bundles no class is the same: so the
// system is made here.

/** `houston -p`. Resolves to the exit code. */
export async function printReply(line: CommandLine, folder: string): Promise<number> {
  const { runOneShot } = await import('./one-shot.ts');
  return runOneShot(createBunSystem(), line, folder);
}

/** Resolves to the exit code. */
export async function runNamed(
  line: CommandLine,
  subcommand: { readonly name: ScreenlessSubcommand; readonly words: readonly string[] },
  folder: string,
): Promise<number> {
  const { runSubcommand } = await import('./subcommands.ts');
  return runSubcommand(createBunSystem(), line, subcommand, folder);
}
