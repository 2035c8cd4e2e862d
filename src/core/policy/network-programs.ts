import type { SimpleCommand } from './facts.ts';

/** Programs whose purpose is to reach other machines. */
const ALWAYS = new Set(
  'curl wget ssh scp sftp rsync nc ncat netcat telnet ftp socat aria2c http https xh gh glab aws gcloud az kubectl docker podman dig nslookup host ping'.split(
    ' ',
  ),
);

/** Programs that reach out for some of their subcommands. */
const SOMETIMES: Readonly<Record<string, readonly string[]>> = {
  git: ['clone', 'fetch', 'pull', 'push', 'ls-remote', 'remote', 'submodule'],
  npm: [
    'install',
    'i',
    'ci',
    'add',
    'update',
    'view',
    'info',
    'show',
    'search',
    'audit',
    'outdated',
    'publish',
    'exec',
    'create',
    'init',
  ],
  pnpm: ['install', 'i', 'add', 'update', 'dlx', 'view', 'audit', 'outdated', 'publish'],
  yarn: ['install', 'add', 'up', 'upgrade', 'dlx', 'info', 'npm'],
  bun: ['install', 'i', 'add', 'update', 'x', 'create'],
  npx: [],
  bunx: [],
  uvx: [],
  pip: ['install', 'download', 'search', 'index'],
  pip3: ['install', 'download', 'search', 'index'],
  uv: ['add', 'sync', 'pip', 'lock', 'tool'],
  cargo: ['install', 'fetch', 'update', 'search', 'publish', 'add'],
  go: ['get', 'install', 'mod'],
  gem: ['install', 'update', 'search', 'fetch'],
  brew: [],
  apt: [],
  'apt-get': [],
  apk: [],
  dnf: [],
};

/**
 * Whether a line is known to bring in what other machines say; then its output is kept aside unless the person chooses
 * otherwise (decisions on command output). Of a line that is not `clear` each word that is such a name counts as well.
 */
export function reachesNetwork(line: string, commands: readonly SimpleCommand[], clear: boolean): boolean {
  if (/\/dev\/(?:tcp|udp)\//.test(line)) return true;
  if (!clear && line.split(/[^\w./-]+/).some((word) => ALWAYS.has(nameOf(word)))) return true;
  return commands.some(({ words }) => {
    const name = nameOf(words[0] ?? '');
    const verbs = Object.hasOwn(SOMETIMES, name) ? SOMETIMES[name] : undefined;
    if (verbs === undefined) return ALWAYS.has(name);
    return verbs.length === 0 || words.slice(1).some((word) => verbs.includes(word));
  });
}

function nameOf(word: string): string {
  return word.slice(word.lastIndexOf('/') + 1);
}
