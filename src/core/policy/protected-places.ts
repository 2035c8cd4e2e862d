import type { FactScope, Protection } from './facts.ts';
import { isWithin } from './paths.ts';

/** Below the person's home: keys, tokens, browser profiles, password stores (SBX-3). */
const CREDENTIALS_IN_HOME: readonly string[] = [
  '.ssh',
  '.aws',
  '.azure',
  '.kube',
  '.docker',
  '.gnupg',
  '.netrc',
  '.npmrc',
  '.pypirc',
  '.git-credentials',
  '.password-store',
  '.cargo/credentials',
  '.cargo/credentials.toml',
  '.config/gh',
  '.config/gcloud',
  '.config/google-chrome',
  '.config/chromium',
  '.mozilla',
  '.local/share/keyrings',
  'Library/Keychains',
];

/** `/proc` shows the environment of every process of the person, ours with its keys among them. */
const CREDENTIALS_ELSEWHERE: readonly string[] = [
  '/proc',
  '/etc/shadow',
  '/etc/gshadow',
  '/etc/sudoers',
  '/run/secrets',
];

/** Why a place is protected; null for an ordinary one. `real` is absolute with its links resolved. */
export function protectionOf(
  real: string,
  scope: Pick<FactScope, 'workspace' | 'roots' | 'home' | 'own' | 'outputs'>,
): Protection | null {
  if (scope.outputs !== null && isWithin(real, scope.outputs)) return null;
  if (scope.own.some((folder) => isWithin(real, folder))) return 'own';
  if (credentialPlaces(scope.home).some((place) => isWithin(real, place))) return 'credentials';
  // A workspace may itself lie in such a folder (a worktree): only what is below it counts.
  const root = [scope.workspace, ...scope.roots].find((folder) => isWithin(real, folder)) ?? '';
  // On a volume that does not tell case apart these are the same places.
  const segments = real.slice(root.length).toLowerCase().split('/');
  if (segments.includes('.git')) return 'git';
  if (segments.includes('.houston') || segments.at(-1) === '.mcp.json') return 'settings';
  return null;
}

/** Absolute places a program should not see either (the sandbox hides them). */
export function credentialPlaces(home: string | null): readonly string[] {
  const inHome = home === null ? [] : CREDENTIALS_IN_HOME.map((place) => `${home}/${place}`);
  return [...inHome, ...CREDENTIALS_ELSEWHERE];
}
