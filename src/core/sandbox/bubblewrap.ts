import type { Processes } from '../../system/processes.ts';
import type { Confinement, Sandbox } from './sandbox.ts';

/**
 * Linux confinement by bubblewrap: the machine is read-only but for the writable folders and the temporary one, processes
 * see only each other and end together, credential places are empty.
 */
export function createBubblewrap(program: string): Sandbox {
  return {
    description: 'bubblewrap: writes only in the workspace and the temporary folder, keys hidden, processes apart',
    wrap: (argv, confinement) => [program, ...flags(confinement), '--', ...argv],
  };
}

/** Later flags stand on earlier ones: what is hidden stays hidden inside a writable folder. */
function flags({ folder, writable, hidden, network }: Confinement): string[] {
  const all = ['--die-with-parent', '--unshare-pid', '--unshare-ipc', '--unshare-uts', '--unshare-cgroup-try'];
  if (network === 'closed') all.push('--unshare-net');
  all.push('--ro-bind', '/', '/', '--dev', '/dev', '--proc', '/proc', '--bind', '/tmp', '/tmp');
  for (const path of writable) all.push('--bind', path, path);
  for (const { path, kind } of hidden)
    all.push(...(kind === 'folder' ? ['--tmpfs', path] : ['--ro-bind', '/dev/null', path]));
  return [...all, '--chdir', folder];
}

/**
 * Whether this system lets us confine: runs nothing but `true`, so that a kernel or container that forbids it is found
 * out at start and said, not at the first command. Null when it works, else why not.
 */
export async function probeSandbox(
  processes: Pick<Processes, 'spawn'>,
  sandbox: Sandbox,
  confinement: Confinement,
): Promise<string | null> {
  const errors: Uint8Array[] = [];
  try {
    const child = await processes.spawn({
      argv: sandbox.wrap(['/bin/sh', '-c', ':'], confinement),
      folder: confinement.folder,
      environment: { PATH: '/usr/bin:/bin' },
      input: null,
      output: 'pieces',
      onOutput: (bytes) => void errors.push(bytes),
    });
    const { code } = await child.exited;
    if (code === 0) return null;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
  return Buffer.concat(errors).toString().trim().split('\n')[0] || 'it did not start';
}
