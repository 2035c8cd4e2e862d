import { constants, promises } from 'node:fs';
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
      const program = await programOf(options);
      const { spawnChild } = await import('./children.ts');
      return await spawnChild(program, options);
    },
    async spawnTerminal(options) {
      const program = await programOf(options);
      const { spawnTerminalChild } = await import('./terminal-children.ts');
      return await spawnTerminalChild(program, options);
    },
    find,
    facts: isLinux ? linuxFacts : psFacts,
    findMarked: isLinux ? linuxMarked : psMarked,
    signalGroup,
    isAlive: isLinux ? linuxIsAlive : kernelIsAlive,
  };
}

/** Checked here, since a spawn that fails does not say whether the folder or the program was missing. */
async function programOf(options: Pick<SpawnOptions, 'argv' | 'folder' | 'environment'>): Promise<string> {
  const name = options.argv[0] ?? '';
  const folder = await promises.stat(options.folder).catch(() => null);
  if (!folder?.isDirectory()) throw failure(folder ? 'ENOTDIR' : 'ENOENT', 'no such folder', options.folder);
  if (name.includes('/')) {
    if (await isProgram(name)) return name;
    const isThere = (await promises.stat(name).catch(() => null)) !== null;
    throw failure(isThere ? 'EACCES' : 'ENOENT', isThere ? 'not a program that may be run' : 'no such program', name);
  }
  const program = await find(name, options.environment.PATH ?? '/usr/bin:/bin');
  if (!program) throw failure('ENOENT', 'no such program', name);
  return program;
}

/** Relative folders on the path, the empty one too, are left out: they would mean whatever folder we are in. */
async function find(program: string, path: string): Promise<string | null> {
  if (program === '') return null;
  if (program.includes('/')) return (await isProgram(program)) ? program : null;
  for (const folder of path.split(':')) {
    if (!isAbsolute(folder)) continue;
    const candidate = join(folder, program);
    if (await isProgram(candidate)) return candidate;
  }
  return null;
}

async function isProgram(path: string): Promise<boolean> {
  try {
    await promises.access(path, constants.X_OK);
    return (await promises.stat(path)).isFile();
  } catch {
    return false;
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
