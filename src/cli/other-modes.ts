import { createBunSystem } from '../system/bun/system.ts';
import type { CommandLine, ScreenlessSubcommand } from './arguments.ts';
import { afterOutput } from './output.ts';

// What runs without a screen or a session. The entry is a bundle of its own, and between bundles no class is the same: so
// the system is made here.

/** Resolves to the exit code. */
export async function runNamed(
  line: CommandLine,
  subcommand: { readonly name: ScreenlessSubcommand; readonly words: readonly string[] },
  folder: string,
): Promise<number> {
  const { runSubcommand } = await import('./subcommands.ts');
  return afterOutput(await runSubcommand(createBunSystem(), line, subcommand, folder));
}
