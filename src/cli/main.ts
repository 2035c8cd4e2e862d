import { realpathSync, statSync } from 'node:fs';
import { helpText, parseArguments } from './arguments.ts';
import { VERSION } from './build.ts';
import { writeErr, writeOut } from './output.ts';

// The only file that runs by being loaded. What a mode needs is loaded by that mode alone, so that each starts fast.
process.exitCode = await main(process.argv.slice(2));
// Whatever a library left open must not keep a finished program alive.
process.exit();

async function main(words: readonly string[]): Promise<number> {
  if (words[0] === '__host') {
    const { runHostProcess } = await import('./host.ts');
    return runHostProcess();
  }
  const parsed = parseArguments(words);
  if (!parsed.ok) {
    writeErr(`houston: ${parsed.refusal.identifier}: ${parsed.refusal.message}\n`);
    return 2;
  }
  const line = parsed.value;
  if (line.run === 'version') {
    writeOut(`${VERSION}\n`);
    return 0;
  }
  if (line.run === 'help') {
    writeOut(helpText(VERSION));
    return 0;
  }
  const { createBunSystem } = await import('../system/bun/system.ts');
  const system = createBunSystem();
  const folder = workingFolder(line.folder);
  if (folder === null) {
    writeErr(`houston: no-such-folder: ${line.folder ?? '.'} is not a folder\n`);
    return 2;
  }
  if (line.run === 'print') {
    const { runOneShot } = await import('./one-shot.ts');
    return runOneShot(system, line, folder);
  }
  if (line.run === 'subcommand' && line.subcommand !== null) {
    const { runSubcommand } = await import('./subcommands.ts');
    return runSubcommand(system, line, line.subcommand, folder);
  }
  const { input, output } = system.terminal.isInteractive;
  if (!input || !output) {
    writeErr(
      'houston: no-terminal: Mission Control needs a terminal for input and output; houston -p TEXT works without one\n',
    );
    return 2;
  }
  const { runInTerminal } = await import('./mission-control.ts');
  return runInTerminal(system, line, folder);
}

function workingFolder(named: string | null): string | null {
  try {
    const folder = realpathSync(named ?? process.cwd());
    return statSync(folder).isDirectory() ? folder : null;
  } catch {
    return null;
  }
}
