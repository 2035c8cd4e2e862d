import type { Processes } from '../../system/processes.ts';
import { accessTo, type Confinement, type Sandbox } from './sandbox.ts';

/**
 * Whether this system really confines: runs a few words of shell inside and looks from there, so that a kernel or a
 * container that forbids it, or only seems to do it, is found out before the first command. Null when it works, else why
 * not.
 */
export async function probe(
  { processes }: { readonly processes: Pick<Processes, 'spawn'> },
  sandbox: Sandbox,
  confinement: Confinement,
  home: string | null,
): Promise<string | null> {
  const said: Uint8Array[] = [];
  try {
    const child = await processes.spawn({
      argv: sandbox.wrap(['/bin/sh', '-c', LOOK, ...lookingFor(sandbox, confinement, home)], confinement, null),
      folder: confinement.folder,
      environment: { PATH: '/usr/bin:/bin' },
      input: null,
      output: 'pieces',
      onOutput: (bytes) => void said.push(bytes),
    });
    const { code } = await child.exited;
    if (code === 0) return null;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
  return Buffer.concat(said).toString().trim().split('\n')[0] || 'it did not start';
}

/** `$0`: a name to write to in vain; `$1`: whether processes are apart; `$2`: whether the network is closed. */
const LOOK = `
if [ "$0" ] && (: >"$0") 2>/dev/null; then rm -f "$0"; echo "writing is not confined"; exit 1; fi
if [ "$1" ] && [ $$ -gt 9 ]; then echo "processes are not apart"; exit 1; fi
if [ "$2" ] && [ -r /proc/net/dev ]; then
  while read -r name rest; do case $name in lo:* | Inter* | face*) ;; *) echo "the network is not closed"; exit 1 ;; esac; done </proc/net/dev
fi
exit 0`;

function lookingFor(sandbox: Sandbox, { places, network }: Confinement, home: string | null): string[] {
  // Where the person could write and commands must not.
  const closed = [home, '/var/tmp'].find(
    (folder) => folder !== null && (accessTo(folder, places) ?? 'read') === 'read',
  );
  return [
    closed === undefined ? '' : `${closed}/.houston-probe`,
    sandbox.holdsTree ? 'apart' : '',
    network === 'closed' && sandbox.holdsTree ? 'closed' : '',
  ];
}
