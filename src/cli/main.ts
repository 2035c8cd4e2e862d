import { realpathSync, statSync } from 'node:fs';
import { helpText, parseArguments } from './arguments.ts';
import { VERSION } from './build.ts';
import { afterOutput, writeErr, writeOut } from './output.ts';

// The only file that runs by being loaded. What a mode needs is loaded by that mode alone, so that each starts fast.
// Whatever a library left open must not keep a finished program alive.
void main(process.argv.slice(2)).then((code) => process.exit(afterOutput(code)));

async function main(words: readonly string[]): Promise<number> {
  if (words[0] === '__host') {
    const { runHost } = await import('./headless.ts');
    return runHost();
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
  const folder = workingFolder(line.folder);
  if (folder === null) {
    writeErr(`houston: no-such-folder: ${line.folder ?? '.'} is not a folder\n`);
    return 2;
  }
  if (line.run === 'print') {
    const { printReply } = await import('./headless.ts');
    return printReply(line, folder);
  }
  if (line.subcommand !== null && line.subcommand.name !== 'attach') {
    const { name, words } = line.subcommand;
    const { runNamed } = await import('./other-modes.ts');
    return runNamed(line, { name, words }, folder);
  }
  const { runInTerminal } = await import('./mission-control.ts');
  return runInTerminal(line.subcommand === null ? line : { ...line, attach: line.subcommand.words[0] ?? true }, folder);
}

function workingFolder(named: string | null): string | null {
  try {
    const folder = realpathSync(named ?? process.cwd());
    return statSync(folder).isDirectory() ? folder : null;
  } catch {
    return null;
  }
}
