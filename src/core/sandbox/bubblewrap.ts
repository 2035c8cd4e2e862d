import { keep } from './keeper.ts';
import { type Confinement, inOrder, type Place, type Sandbox } from './sandbox.ts';

/**
 * Linux confinement by bubblewrap: places are mounts, and processes live in a namespace of their own that ends with the
 * first of them, whatever they forked, detached or trapped (UP-39). `asRoot`: whether we are root.
 */
export function createBubblewrap(program: string, asRoot: boolean): Sandbox {
  const capabilities = ['--cap-drop', 'ALL', ...(asRoot ? KEPT_OF_ROOT.flatMap((name) => ['--cap-add', name]) : [])];
  return {
    name: 'bubblewrap',
    holdsTree: true,
    wrap: (argv, confinement, left) => [
      program,
      ...APART,
      // One on a terminal of its own keeps it, to be reached by its keys.
      ...(confinement.terminal === true ? [] : ['--new-session']),
      ...capabilities,
      ...flags(confinement),
      '--',
      ...keep(argv, left ?? '/dev/null'),
    ],
  };
}

/** It ends with what supervises it. A session of its own besides: without a controlling terminal, and signalled apart from what holds it. */
const APART = ['--die-with-parent', ...['--unshare-pid', '--unshare-ipc', '--unshare-uts', '--unshare-cgroup-try']];

/** What package managers and test suites of a root user need, and nothing by which a mount could be taken away again. */
const KEPT_OF_ROOT = ['CHOWN', 'DAC_OVERRIDE', 'FOWNER', 'FSETID', 'KILL', 'SETGID', 'SETUID'].map(
  (name) => `CAP_${name}`,
);

function flags({ folder, places, network }: Confinement): string[] {
  const base = ['--ro-bind', '/', '/', '--dev', '/dev', '--proc', '/proc'];
  const mounts = inOrder(places).flatMap(mount);
  return [...(network === 'closed' ? ['--unshare-net'] : []), ...base, ...mounts, '--chdir', folder];
}

function mount({ path, kind, access }: Place): string[] {
  switch (access) {
    case 'write':
      return ['--bind', path, path];
    case 'read':
      return ['--ro-bind', path, path];
    case 'private':
      return kind === 'folder' ? ['--perms', '1777', '--tmpfs', path] : ['--ro-bind', '/dev/null', path];
    case 'none':
      return kind === 'folder' ? ['--perms', '0555', '--tmpfs', path] : ['--ro-bind', '/dev/null', path];
  }
}
