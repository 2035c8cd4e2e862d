import { credentialPlaces } from '../policy/protected-places.ts';

/** Below the home besides what the policy protects: browser profiles, password stores, tokens of other programs. */
const IN_HOME = [
  '.config/BraveSoftware',
  '.config/microsoft-edge',
  '.config/vivaldi',
  '.config/opera',
  '.config/op',
  '.config/1Password',
  '.config/Bitwarden',
  '.config/keepassxc',
  '.config/rclone',
  '.config/doctl',
  '.config/hub',
  '.config/containers/auth.json',
  '.thunderbird',
  '.librewolf',
  '.var/app',
  'snap/firefox',
  'snap/chromium',
  '.local/share/kwalletd',
  '.local/share/gnupg',
  '.vault-token',
  '.terraform.d/credentials.tfrc.json',
  '.gem/credentials',
  '.m2/settings-security.xml',
  '.pgpass',
  '.my.cnf',
  '.claude/.credentials.json',
  '.codex/auth.json',
  '.gemini/oauth_creds.json',
  'Library/Application Support/Google/Chrome',
  'Library/Application Support/Firefox',
  'Library/Application Support/BraveSoftware',
  'Library/Application Support/Microsoft Edge',
  'Library/Application Support/1Password',
  'Library/Safari',
  'Library/Cookies',
];

/** Below the home, beside keys that stay hidden: what `ssh` needs to reach a host through an agent. */
const SHOWN_IN_HOME = ['.ssh/config', '.ssh/known_hosts'];

/** Doors to programs outside the sandbox that would do anything for whoever knocks. */
const DOORS = [
  '/run/docker.sock',
  '/run/containerd',
  '/run/podman',
  '/run/crio',
  '/run/screen',
  '/run/dbus',
  '/run/systemd/private',
  '/run/snapd.socket',
  '/var/run/docker.sock',
];

/** Names in the temporary folder that are such doors: terminals, agents, displays, hosts of Houston. */
export const DOORS_IN_TEMP =
  /^(?:tmux-|ssh-|screen-|screens$|uscreens$|\.X11-unix$|\.ICE-unix$|dbus-|vscode-|houston-\d+$)/;

/** Variables that lead to such doors, or hold what is behind one. */
export const DOOR_NAMES = [
  'SSH_AUTH_SOCK',
  'SSH_AGENT_PID',
  'GPG_AGENT_INFO',
  'DBUS_SESSION_BUS_ADDRESS',
  'DOCKER_HOST',
  'TMUX',
  'TMUX_PANE',
  'STY',
  'DISPLAY',
  'WAYLAND_DISPLAY',
  'XAUTHORITY',
];

export interface HiddenScope {
  readonly home: string | null;
  /** Houston's own folders, and whatever else is nobody's business. */
  readonly own: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  readonly userId: number;
}

/** Every path a program should not look into; many will not be there. */
export function hiddenPaths({ home, own, environment, userId }: HiddenScope): string[] {
  const sockets = [environment.XDG_RUNTIME_DIR, environment.SSH_AUTH_SOCK, environment.XAUTHORITY];
  return [
    // The sandbox has a /proc of its own.
    ...credentialPlaces(home).filter((path) => path !== '/proc'),
    ...(home === null ? [] : IN_HOME.map((path) => `${home}/${path}`)),
    ...own,
    ...DOORS,
    `/run/user/${userId}`,
    ...sockets.filter((path) => path?.startsWith('/') === true),
  ] as string[];
}

export function shownPaths(home: string | null): string[] {
  return home === null ? [] : SHOWN_IN_HOME.map((path) => `${home}/${path}`);
}

/** What a line of one plain command is lent of the hidden, by its program: paths and variables. */
export interface Loan {
  readonly program: string;
  /** Below the home, or absolute. */
  readonly paths: readonly string[];
  readonly variables: readonly string[];
}

const LOANS: Readonly<Record<string, Omit<Loan, 'program'>>> = {
  aws: { paths: ['.aws'], variables: [] },
  az: { paths: ['.azure'], variables: [] },
  gcloud: { paths: ['.config/gcloud'], variables: [] },
  kubectl: { paths: ['.kube'], variables: [] },
  helm: { paths: ['.kube'], variables: [] },
  gh: { paths: ['.config/gh'], variables: [] },
  docker: { paths: ['.docker', '/run/docker.sock', '/var/run/docker.sock'], variables: ['DOCKER_HOST'] },
  git: { paths: ['.git-credentials', '.config/gh'], variables: ['SSH_AUTH_SOCK'] },
};
const GIT_OVER_NETWORK = /^(?:push|pull|fetch|clone|ls-remote)$/;
/** Words without anything a shell would do something with. */
const PLAIN_LINE = /^\s*[\w./+-]+(?:[ \t]+(?:[\w@%+=:,./^-]+|'[^'\n]*'|"[^"$`\\\n!]*"))*\s*$/;

/** Null for a line that is more than one plain command, or whose program is lent nothing. */
export function loanOf(line: string): Loan | null {
  if (!PLAIN_LINE.test(line)) return null;
  const [program = '', first = ''] = line.trim().split(/[ \t]+/);
  const loan = Object.hasOwn(LOANS, program) ? LOANS[program] : undefined;
  if (loan === undefined || (program === 'git' && !GIT_OVER_NETWORK.test(first))) return null;
  return { program, ...loan };
}
