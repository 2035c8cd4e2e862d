import { type Confinement, inOrder, type Place, type Sandbox } from './sandbox.ts';

/** macOS confinement: a profile of rules, of which the last one that fits decides. Processes are not held together. */
export function createSeatbelt(program: string): Sandbox {
  return {
    name: 'Seatbelt',
    holdsTree: false,
    wrap: (argv, confinement) => [program, '-p', seatbeltProfile(confinement), ...argv],
  };
}

/** Devices every program writes to. */
const DEVICES = ['/dev/null', '/dev/zero', '/dev/stdout', '/dev/stderr', '/dev/dtracehelper'];

export function seatbeltProfile({ places, network }: Confinement): string {
  return [
    '(version 1)',
    '(allow default)',
    '(deny file-write*)',
    `(allow file-write* ${DEVICES.map((path) => `(literal ${quoted(path)})`).join(' ')} (subpath "/dev/fd"))`,
    ...inOrder(places).map(rule),
    // Whoever may talk to the keychain or start programs through the system is not confined.
    '(deny mach-lookup (global-name "com.apple.SecurityServer") (global-name "com.apple.securityd"))',
    '(deny appleevent-send)',
    '(deny lsopen)',
    ...(network === 'closed' ? ['(deny network*)'] : []),
    '',
  ].join('\n');
}

function rule({ path, kind, access }: Place): string {
  const where = `(${kind === 'folder' ? 'subpath' : 'literal'} ${quoted(path)})`;
  switch (access) {
    case 'write':
      return `(allow file-read* file-write* ${where})`;
    case 'read':
      return `(allow file-read* ${where})\n(deny file-write* ${where})`;
    case 'private':
    case 'none':
      return `(deny file-read* file-write* network-outbound ${where})`;
  }
}

function quoted(path: string): string {
  return `"${path.replace(/[\\"]/g, '\\$&')}"`;
}
