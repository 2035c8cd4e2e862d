import { basename, resolve } from 'node:path';
import type { Effect } from '../../protocol/effect.ts';
import type { Files } from '../../system/files.ts';
import type { Processes } from '../../system/processes.ts';
import type { CommandFact, FactScope, Facts, LineFact, PathFact, SimpleCommand } from './facts.ts';
import { gitRunsNoHelpers } from './git-settings.ts';
import { reachesNetwork } from './network-programs.ts';
import { isWithin } from './paths.ts';
import { protectionOf } from './protected-places.ts';
import { isProven } from './proven.ts';
import { resolvePath } from './resolve-path.ts';
import { parseLine } from './shell-command.ts';
import { trusts } from './trust.ts';

/** What facts are read with: looking only. */
export interface FactSources {
  readonly files: Pick<Files, 'stat' | 'linkStat' | 'realPath' | 'readLink' | 'read'>;
  readonly processes: Pick<Processes, 'find'>;
}

/** Finds what a decision on `effects` rests on. Touches nothing; what it cannot find out counts against the effect. */
export async function gatherFacts(effects: readonly Effect[], scope: FactScope, sources: FactSources): Promise<Facts> {
  const paths: PathFact[] = [];
  let line: LineFact | null = null;
  for (const effect of effects) {
    if (effect.kind === 'read' || effect.kind === 'walk' || effect.kind === 'write') {
      paths.push(await pathFact(effect.path, scope, sources.files));
    } else if (effect.kind === 'run') {
      line = await lineFact(effect.line, effect.folder, scope, sources);
    }
  }
  return {
    workspace: scope.workspace,
    roots: scope.roots,
    trusted: trusts(scope.trust, scope.workspace),
    home: scope.home,
    paths,
    line,
  };
}

async function pathFact(path: string, scope: FactScope, files: FactSources['files']): Promise<PathFact> {
  const real = await resolvePath(files, path);
  const stat = await files.stat(real);
  const output = scope.outputs !== null && real !== scope.outputs && isWithin(real, scope.outputs);
  return {
    path,
    real,
    inside: [scope.workspace, ...scope.roots].some((root) => isWithin(real, root)),
    exists: stat !== null,
    inode: stat?.inode ?? null,
    protected: protectionOf(real, scope),
    trusted: output ? scope.isWithheld?.(basename(real)) !== true : trusts(scope.trust, real),
    output,
  };
}

async function lineFact(line: string, folder: string, scope: FactScope, sources: FactSources): Promise<LineFact> {
  const parsed = parseLine(line);
  const real = (await sources.files.realPath(folder)) ?? folder;
  const folderInside = [scope.workspace, ...scope.roots].some((root) => isWithin(real, root));
  const commands: CommandFact[] = [];
  let unparsed = parsed.unparsed;
  let current = real;
  for (const command of parsed.commands) {
    const fact = await commandFact(command, current, scope, sources);
    commands.push(fact);
    if (command.words[0] !== 'cd') continue;
    // Only a plain `cd NAME` can be followed: without it, later relative names could mean anything.
    const target =
      command.words.length === 2 && !command.expands && command.words[1] !== '-' ? command.words[1] : undefined;
    if (target === undefined || target === '') unparsed ??= 'a change of folder that cannot be followed';
    else current = await resolvePath(sources.files, resolve(current, target));
  }
  const known: LineFact = {
    line,
    folder,
    folderInside,
    commands: unparsed === null ? commands : [],
    unparsed,
    proven: false,
    network: reachesNetwork(line, commands),
  };
  return { ...known, proven: await isProvenHere(known, real, scope, sources) };
}

async function isProvenHere(line: LineFact, real: string, scope: FactScope, sources: FactSources): Promise<boolean> {
  if (real !== scope.workspace || !isProven(line, scope.workspace)) return false;
  const git = line.commands.some((command) => command.words[0] === 'git');
  return !git || gitRunsNoHelpers(sources.files, scope.workspace);
}

async function commandFact(
  command: SimpleCommand,
  folder: string,
  scope: FactScope,
  { files, processes }: FactSources,
): Promise<CommandFact> {
  const [name = ''] = command.words;
  const program = name.includes('/')
    ? resolve(folder, name)
    : name === ''
      ? null
      : await processes.find(name, scope.path);
  const paths: PathFact[] = [];
  for (const word of possiblePaths(command.words)) paths.push(await pathFact(resolve(folder, word), scope, files));
  const redirected: CommandFact['redirected'][number][] = [];
  for (const { operator, target } of command.redirections) {
    if (operator.endsWith('>&') || target === '/dev/null') continue;
    redirected.push({ ...(await pathFact(resolve(folder, target), scope, files)), writes: operator.includes('>') });
  }
  return { ...command, program, paths, redirected };
}

/** Arguments, and values written into options (`--file=x`): whatever could name a file. */
function possiblePaths(words: readonly string[]): readonly string[] {
  return words.slice(1).flatMap((word) => {
    if (!word.startsWith('-')) return word === '' ? [] : [word];
    const at = word.indexOf('=');
    return at < 0 || at === word.length - 1 ? [] : [word.slice(at + 1)];
  });
}
