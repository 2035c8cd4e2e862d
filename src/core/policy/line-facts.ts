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
  const folders = new Map<string, Folder>([['', { named: real, real }]]);
  const commands: CommandFact[] = [];
  for (const command of parsed.commands) {
    const current = folderOf(command.shell, folders);
    commands.push(await commandFact(command, current.real, scope, sources));
    if (command.words[0] !== 'cd') continue;
    const target = await changedFolder(command, current, sources);
    if (target === null) unclear.push('a change of folder that cannot be followed');
    else folders.set(command.shell, target);
  }
  const bash = await sources.processes.find('bash', scope.path);
  const known = await withProven(commands, real, bash, scope, sources);
  return {
    line,
    folder,
    searchPath: scope.path,
    shell: bash === null ? null : await programIdentity(bash, sources),
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
  return real === null || stat === null
    ? null
    : { real, inode: stat.inode, changed: stat.changedMs ?? stat.modifiedMs };
}

/** Where a command's name leads on PATH, or as a path of its own; null for nowhere and for what the shell does itself. */
export async function findProgram(
  name: string,
  folder: string,
  path: string,
  { files, processes }: FactSources,
): Promise<string | null> {
  if (name === '') return null;
  if (!name.includes('/')) return await processes.find(name, path);
  return name.includes('..') ? await resolvePath(files, within(folder, name)) : resolve(folder, name);
}

/** Where a shell is: what `..` is counted from, for the shell itself and for the programs it starts. */
interface Folder {
  readonly named: string;
  readonly real: string;
}

function folderOf(shell: string, folders: ReadonlyMap<string, Folder>): Folder {
  for (let at = shell; at !== ''; at = at.slice(0, at.lastIndexOf('.'))) {
    const found = folders.get(at);
    if (found !== undefined) return found;
  }
  return folders.get('')!;
}

/** Null where it cannot be told what folder later commands run in: then relative names could mean anything. */
async function changedFolder(command: SimpleCommand, current: Folder, { files }: FactSources): Promise<Folder | null> {
  const [, target, ...more] = command.words;
  const plain =
    more.length === 0 && !command.expands && command.unclear.length === 0 && command.assignments.length === 0;
  if (!plain || target === undefined || target === '' || target.startsWith('-')) return null;
  if (command.changesFolder === 'unsure') return null;
  const named = resolve(current.named, target);
  const real = await resolvePath(files, named);
  // `cd` goes up from the name of the folder it is in, and where that fails from the folder itself: both must agree.
  if ((await resolvePath(files, within(current.real, target))) !== real) return null;
  if (command.changesFolder === 'if-there' && (await files.stat(real))?.kind !== 'folder') return null;
  return { named, real };
}

/** A path as a program in `folder` opens it: its `..` stay, since they go up from where a link led. */
function within(folder: string, path: string): string {
  return isAbsolute(path) ? path : `${folder}/${path}`;
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
    paths.push(await pathFact(within(folder, word), scope, sources.files));
  const redirected: CommandFact['redirected'][number][] = [];
  for (const { operator, target } of command.redirections) {
    if (operator.endsWith('>&') || operator.endsWith('<&') || operator.includes('<<') || target === '/dev/null')
      continue;
    const fact = await pathFact(within(folder, target), scope, sources.files);
    const unclear = command.unclear.some((part) => part.replace(/["'\\]/g, '').includes(target))
      ? { unclear: target }
      : {};
    redirected.push({ ...fact, writes: operator.includes('>'), ...unclear });
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
  bash: string | null,
  scope: FactScope,
  sources: FactSources,
): Promise<readonly CommandFact[]> {
  const known =
    folder === scope.workspace &&
    scope.path.split(':').every((entry) => isAbsolute(entry)) &&
    bash !== null &&
    !isWithin(bash, scope.workspace) &&
    // What lists or searches such a workspace reads keys, or our own records, without naming them.
    ![...scope.own, ...(scope.home === null ? [] : [scope.home])].some((place) => isWithin(place, scope.workspace));
  if (!known) return commands;
  const git = commands.some((command) => command.words[0] === 'git');
  const gitIsQuiet = git ? await gitRunsNoHelpers(sources.files, scope.workspace) : false;
  return commands.map((command) => ({ ...command, proven: isProven(command, scope.workspace, gitIsQuiet) }));
}

/** Whether what the line would start and open is still what was decided on; else a sentence about what changed (RUN-2). */
export async function findChange(line: LineFact, sources: FactSources): Promise<string | null> {
  const bash = await sources.processes.find('bash', line.searchPath);
  const shell = bash === null ? null : await programIdentity(bash, sources);
  if (line.shell !== undefined && !isSame(shell, line.shell))
    return 'bash is no longer the program it was when this was decided';
  for (const command of line.commands) {
    const [name = ''] = command.words;
    if (name !== '' && !isBuiltin(name)) {
      const program = await findProgram(name, command.folder, line.searchPath, sources);
      const identity = program === null ? null : await programIdentity(program, sources);
      if (program !== command.program || !isSame(identity, command.identity))
        return `${name} is no longer the program it was when this was decided`;
    }
    for (const file of [...command.paths, ...command.redirected]) {
      if ((await resolvePath(sources.files, file.opened ?? file.path)) !== file.real)
        return `${file.path} now leads elsewhere than when this was decided`;
    }
  }
  return null;
}

/** Arguments, and values written into options or settings (`--file=x`, `of=x`, `-fx`): whatever could name a file. */
function possiblePaths(words: readonly string[]): readonly string[] {
  const end = words.indexOf('--', 1);
  return words.slice(1).flatMap((word, index) => {
    // Behind `--` a dash begins a name like any other.
    if (end > 0 && index >= end) return word === '' ? [] : [word];
    const at = word.indexOf('=');
    const value = at < 0 || at === word.length - 1 ? [] : [word.slice(at + 1)];
    if (!word.startsWith('-')) return word === '' ? [] : [word, ...value];
    const joined = /^-[A-Za-z](.*[./].*)$/.exec(word)?.[1];
    return joined === undefined ? value : [...value, joined];
  });
}

function isSame(one: ProgramIdentity | null, other: ProgramIdentity | null): boolean {
  return one?.real === other?.real && one?.inode === other?.inode && one?.changed === other?.changed;
}
