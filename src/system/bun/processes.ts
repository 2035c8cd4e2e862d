import { accessSync, constants, type Stats, statSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import type { Processes, SpawnOptions } from '../processes.ts';
import { failure } from './errors.ts';
import { linuxFacts, linuxIsAlive, linuxMarked, psFacts, psMarked } from './process-table.ts';
import { signalGroup } from './signals.ts';

export function createBunProcesses(): Processes {
  const isLinux = process.platform === 'linux';
  return {
    ownPid: process.pid,
    async spawn(options) {
      const program = programOf(options);
      const { spawnChild } = await import('./children.ts');
      return await spawnChild(program, options);
    },
    async spawnTerminal(options) {
      const program = programOf(options);
      const { spawnTerminalChild } = await import('./terminal-children.ts');
      return await spawnTerminalChild(program, options);
    },
    find: async (program, path) => find(program, path),
    facts: isLinux ? linuxFacts : psFacts,
    findMarked: isLinux ? linuxMarked : psMarked,
    signalGroup,
    isAlive: isLinux ? linuxIsAlive : kernelIsAlive,
  };
}

/** Checked here, since a spawn that fails does not say whether the folder or the program was missing. */
function programOf(options: Pick<SpawnOptions, 'argv' | 'folder' | 'environment'>): string {
  const name = options.argv[0] ?? '';
  const folder = statOrNull(options.folder);
  if (!folder?.isDirectory()) throw failure(folder ? 'ENOTDIR' : 'ENOENT', 'no such folder', options.folder);
  if (name.includes('/')) {
    if (isProgram(name)) return name;
    const isThere = statOrNull(name) !== null;
    throw failure(isThere ? 'EACCES' : 'ENOENT', isThere ? 'not a program that may be run' : 'no such program', name);
  }
  const program = find(name, options.environment.PATH ?? '/usr/bin:/bin');
  if (!program) throw failure('ENOENT', 'no such program', name);
  return program;
}

/** Relative folders on the path, the empty one too, are left out: they would mean whatever folder we are in. */
function find(program: string, path: string): string | null {
  if (program === '') return null;
  if (program.includes('/')) return isProgram(program) ? program : null;
  for (const folder of path.split(':')) {
    if (!isAbsolute(folder)) continue;
    const candidate = join(folder, program);
    if (isProgram(candidate)) return candidate;
  }
  return null;
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

function statOrNull(path: string): Stats | null {
  try {
    return statSync(path);
  } catch {
    return null;
  }
}

function kernelIsAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as { code?: string }).code === 'EPERM';
  }
}
