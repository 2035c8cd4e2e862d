// A real OpenSSH server on loopback, in a folder of its own, for whoever attaches from elsewhere.
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

const SERVERS = ['/usr/sbin/sshd', '/usr/local/sbin/sshd', '/usr/bin/sshd'];
const SERVER = SERVERS.find((file) => existsSync(file)) ?? null;

/** Null when there is no server here, or none that may be started. */
export const hasOpenSsh: boolean = SERVER !== null && Bun.which('ssh') !== null;

export interface OpenSsh {
  /** argv that runs a command there; nothing of a person's own configuration counts. */
  argv(...command: readonly string[]): string[];
  /** Processes that carry connections now. */
  carriers(): number[];
  close(): void;
}

/** `oneWire`: connections share one, which saves each the exchange of keys; one that is cut then cuts all. */
export async function startOpenSsh(
  environment: Readonly<Record<string, string>> = {},
  options: { readonly oneWire?: boolean } = {},
): Promise<OpenSsh> {
  const folder = mkdtempSync(path.join(tmpdir(), 'houston-sshd-'));
  const at = (name: string) => path.join(folder, name);
  // As root the server wants the folder it locks its unprivileged half into.
  if (process.getuid?.() === 0) mkdirSync('/run/sshd', { recursive: true, mode: 0o755 });
  for (const key of ['host', 'key']) Bun.spawnSync(['ssh-keygen', '-q', '-t', 'ed25519', '-N', '', '-f', at(key)]);
  writeFileSync(at('authorized'), readFileSync(at('key.pub')));
  const user = Bun.spawnSync(['id', '-un']).stdout.toString().trim();
  // The shell there reads no start-up file of a person's own.
  const set = Object.entries({ HOME: folder, ...environment }).map(([name, value]) => `"${name}=${value}"`);
  for (let tries = 0; ; tries++) {
    const port = 20_000 + Math.floor(Math.random() * 20_000);
    const settings = [
      `Port ${port}`,
      'ListenAddress 127.0.0.1',
      `HostKey ${at('host')}`,
      `AuthorizedKeysFile ${at('authorized')}`,
      `PidFile ${at('pid')}`,
      'StrictModes no',
      'UsePAM no',
      'PasswordAuthentication no',
      'MaxStartups 100',
      `SetEnv ${set.join(' ')}`,
    ];
    writeFileSync(at('config'), `${settings.join('\n')}\n`);
    const server = Bun.spawn([SERVER!, '-D', '-f', at('config'), '-E', at('log')], {
      stdio: ['ignore', 'ignore', 'ignore'],
    });
    const listens = async (): Promise<boolean> => {
      for (let look = 0; look < 200 && server.exitCode === null; look++) {
        if (existsSync(at('log')) && readFileSync(at('log'), 'utf8').includes('Server listening')) return true;
        await Bun.sleep(10);
      }
      return false;
    };
    if (!(await listens())) {
      server.kill();
      if (tries < 5) continue;
      throw new Error(`sshd does not start: ${existsSync(at('log')) ? readFileSync(at('log'), 'utf8') : ''}`);
    }
    const client = [
      ...['ssh', '-F', '/dev/null', '-T', '-i', at('key'), '-p', String(port), '-l', user],
      ...['-o', 'StrictHostKeyChecking=no', '-o', `UserKnownHostsFile=${at('known')}`, '-o', 'LogLevel=ERROR'],
      ...['-o', 'IdentitiesOnly=yes', '-o', `ControlPath=${options.oneWire === true ? at('wire') : 'none'}`],
    ];
    const wire =
      options.oneWire === true
        ? Bun.spawn([...client, '-M', '-N', '127.0.0.1'], { stdio: ['ignore', 'ignore', 'ignore'] })
        : null;
    while (wire?.exitCode === null && !existsSync(at('wire'))) await Bun.sleep(10);
    return {
      argv: (...command) => [...client, '127.0.0.1', '--', ...command],
      carriers: () => childrenOf(server.pid),
      close() {
        wire?.kill();
        for (const pid of childrenOf(server.pid)) kill(pid);
        server.kill();
        rmSync(folder, { recursive: true, force: true });
      },
    };
  }
}

function childrenOf(pid: number): number[] {
  const found = Bun.spawnSync(['ps', '-o', 'pid=', '--ppid', String(pid)]).stdout.toString();
  return found
    .split(/\s+/)
    .filter((word) => word !== '')
    .map(Number);
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It ended by itself meanwhile.
  }
}
