import path from 'node:path';
import type { System } from '../../system/system.ts';
import type { Surroundings } from '../runtime/system-prompt.ts';
import { isInRepository } from './directory.ts';

const RELEASE_LIMIT = 64 * 1024;

/** What the system prompt says about the place, found without running anything. */
export async function findSurroundings(
  system: System,
  folder: string,
  roots: readonly string[],
  scratch: string | null,
): Promise<Surroundings> {
  const { environment, files, processes, clock } = system;
  const [git, gh, systemVersion] = await Promise.all([
    isInRepository(files, folder),
    processes.find('gh', environment.get('PATH') ?? ''),
    releaseName(files),
  ]);
  return {
    folder,
    roots,
    git,
    githubCli: gh !== null,
    platform: environment.platform,
    systemVersion,
    shell: path.basename(environment.get('SHELL') ?? 'sh'),
    date: new Date(clock.now()).toISOString().slice(0, 10),
    scratch: scratch ?? environment.temp,
  };
}

/** `Debian GNU/Linux 12`, where the system says so in the usual file; empty elsewhere. */
async function releaseName(files: System['files']): Promise<string> {
  const bytes = await files.read('/etc/os-release', RELEASE_LIMIT).catch(() => null);
  if (bytes === null) return '';
  return /^PRETTY_NAME="?([^"\n]*)"?$/m.exec(new TextDecoder().decode(bytes))?.[1] ?? '';
}
