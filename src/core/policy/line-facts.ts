import { isAbsolute, resolve } from 'node:path';
import type {
  CommandFact,
  FactScope,
  FactSources,
  LineFact,
  PathFact,
  ProgramIdentity,
  SimpleCommand,
} from './facts.ts';
import { gitRunsNoHelpers } from './git-settings.ts';
import { reachesNetwork } from './network-programs.ts';
import { pathFact } from './path-fact.ts';
import { isWithin } from './paths.ts';
import { isBuiltin, isProven } from './proven.ts';
import { resolvePath } from './resolve-path.ts';
import { trusts } from './trust.ts';

/** What a decision on one shell line rests on: its commands, each with the folder, program and files it would have. */
export async function lineFact(
  line: string,
  folder: string,
  scope: FactScope,
  sources: FactSources,
): Promise<LineFact> {
  // The grammar is large and most sessions' first moments need none of it.
  const { parseLine } = await import('./shell-command.ts');
  const parsed = parseLine(line);
  const real = (await sources.files.realPath(folder)) ?? folder;
  const unclear = [...parsed.unclear];
  const folders = new Map([['', real]]);
  const commands: CommandFact[] = [];
  for (const command of parsed.commands) {
    const current = folderOf(command.shell, folders);
    commands.push(await commandFact(command, current, scope, sources));
    if (command.words[0] !== 'cd') continue;
    const target = await changedFolder(command, current, sources);
    if (target === null) unclear.push('a change of folder that cannot be followed');
    else folders.set(command.shell, target);
  }
  const known = await withProven(commands, real, scope, sources);
  return {
    line,
    folder,
    searchPath: scope.path,
    folderInside: [scope.workspace, ...scope.roots].some((root) => isWithin(real, root)),
    commands: known,
    unparsed: unclear.length === 0 ? null : unclear.join(', '),
    unclear,
    proven: unclear.length === 0 && known.length > 0 && known.every((command) => command.proven),
    network: reachesNetwork(line, parsed.commands, parsed.unparsed === null),
  };
}

/** What would be started for a command by its name, as the line is given to bash. */
export async function programIdentity(program: string, { files }: FactSources): Promise<ProgramIdentity | null> {
  const real = await files.realPath(program);
  const stat = real === null ? null : await files.stat(real);
  return real === null || stat === null ? null : { real, inode: stat.inode };
}

/** Where a command's name leads on PATH, or as a path of its own; null for nowhere and for what the shell does itself. */
export async function findProgram(
  name: string,
  folder: string,
  path: string,
  { processes }: FactSources,
): Promise<string | null> {
  if (name === '') return null;
  return name.includes('/') ? resolve(folder, name) : await processes.find(name, path);
}

function folderOf(shell: string, folders: ReadonlyMap<string, string>): string {
  for (let at = shell; at !== ''; at = at.slice(0, at.lastIndexOf('.'))) {
    const found = folders.get(at);
    if (found !== undefined) return found;
  }
  return folders.get('')!;
}

/** Null where it cannot be told what folder later commands run in: then relative names could mean anything. */
async function changedFolder(command: SimpleCommand, current: string, { files }: FactSources): Promise<string | null> {
  const [, target, ...more] = command.words;
  const plain =
    more.length === 0 && !command.expands && command.unclear.length === 0 && command.assignments.length === 0;
  if (!plain || target === undefined || target === '' || target.startsWith('-')) return null;
  if (command.changesFolder === 'unsure') return null;
  const real = await resolvePath(files, resolve(current, target));
  if (command.changesFolder === 'if-there' && (await files.stat(real))?.kind !== 'folder') return null;
  return real;
}

async function commandFact(
  command: SimpleCommand,
  folder: string,
  scope: FactScope,
  sources: FactSources,
): Promise<CommandFact> {
  const [name = ''] = command.words;
  const program = await findProgram(name, folder, scope.path, sources);
  const paths: PathFact[] = [];
  for (const word of possiblePaths(command.words))
    paths.push(await pathFact(resolve(folder, word), scope, sources.files));
  const redirected: CommandFact['redirected'][number][] = [];
  for (const { operator, target } of command.redirections) {
    if (operator.endsWith('>&') || operator.endsWith('<&') || operator.includes('<<') || target === '/dev/null')
      continue;
    const fact = await pathFact(resolve(folder, target), scope, sources.files);
    redirected.push({ ...fact, writes: operator.includes('>') });
  }
  const identity = program === null ? null : await programIdentity(program, sources);
  const folderTrusted = trusts(scope.trust, folder);
  return { ...command, program, identity, folder, folderTrusted, paths, redirected, proven: false };
}

/**
 * Marks the commands known to read only. Nothing is known where the line runs elsewhere, where a relative entry of PATH
 * could put another program in a known one's place, or where bash is missing or comes from the workspace.
 */
async function withProven(
  commands: readonly CommandFact[],
  folder: string,
  scope: FactScope,
  sources: FactSources,
): Promise<readonly CommandFact[]> {
  const bash = await sources.processes.find('bash', scope.path);
  const known =
    folder === scope.workspace &&
    scope.path.split(':').every((entry) => isAbsolute(entry)) &&
    bash !== null &&
    !isWithin(bash, scope.workspace);
  if (!known) return commands;
  const git = commands.some((command) => command.words[0] === 'git');
  const gitIsQuiet = git ? await gitRunsNoHelpers(sources.files, scope.workspace) : false;
  return commands.map((command) => ({ ...command, proven: isProven(command, scope.workspace, gitIsQuiet) }));
}

/** Whether what the line would start and open is still what was decided on; else a sentence about what changed (RUN-2). */
export async function findChange(line: LineFact, sources: FactSources): Promise<string | null> {
  for (const command of line.commands) {
    const [name = ''] = command.words;
    if (name !== '' && !isBuiltin(name)) {
      const program = await findProgram(name, command.folder, line.searchPath, sources);
      const identity = program === null ? null : await programIdentity(program, sources);
      const same =
        program === command.program &&
        identity?.real === command.identity?.real &&
        identity?.inode === command.identity?.inode;
      if (!same) return `${name} is no longer the program it was when this was decided`;
    }
    for (const file of [...command.paths, ...command.redirected]) {
      if ((await resolvePath(sources.files, file.path)) !== file.real)
        return `${file.path} now leads elsewhere than when this was decided`;
    }
  }
  return null;
}

/** Arguments, and values written into options or settings (`--file=x`, `of=x`, `-fx`): whatever could name a file. */
function possiblePaths(words: readonly string[]): readonly string[] {
  return words.slice(1).flatMap((word) => {
    const at = word.indexOf('=');
    const value = at < 0 || at === word.length - 1 ? [] : [word.slice(at + 1)];
    if (!word.startsWith('-')) return word === '' ? [] : [word, ...value];
    const joined = /^-[A-Za-z](.*[./].*)$/.exec(word)?.[1];
    return joined === undefined ? value : [...value, joined];
  });
}
