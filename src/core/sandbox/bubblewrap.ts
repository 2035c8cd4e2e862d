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
      ...capabilities,
      ...flags(confinement),
      '--',
      ...['/bin/sh', '-c', KEEPER, left ?? '/dev/null'],
      ...argv,
    ],
  };
}

/** A session of its own besides: without a controlling terminal, and signalled apart from what holds it. */
const APART = [
  ...['--die-with-parent', '--new-session'],
  ...['--unshare-pid', '--unshare-ipc', '--unshare-uts', '--unshare-cgroup-try'],
];

/** What package managers and test suites of a root user need, and nothing by which a mount could be taken away again. */
const KEPT_OF_ROOT = ['CHOWN', 'DAC_OVERRIDE', 'FOWNER', 'FSETID', 'KILL', 'SETGID', 'SETUID'].map(
  (name) => `CAP_${name}`,
);

/**
 * Runs the argv. Where it leaves programs running, it writes down which (to `$0`) and lets them end in two seconds, before
 * the namespace takes them away. Deaf to TERM itself, so that what is stopped has that grace too.
 */
const KEEPER = `exec 3>&2 2>/dev/null
trap : TERM INT HUP
(exec "$@" 2>&3 3>&-)
code=$?
left=
for place in /proc/[0-9]*; do
  pid=\${place#/proc/}
  [ $pid = 1 ] || [ $pid = $$ ] || left="$left $pid"
done
[ -z "$left" ] && exit $code
for pid in $left; do tr '\\0\\n' '  ' </proc/$pid/cmdline && echo; done >>"$0"
kill -TERM $left
for round in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
  alive=
  for pid in $left; do kill -0 $pid && alive=yes; done
  [ -z "$alive" ] && break
  sleep 0.1
done
exit $code`;

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
