import type { SessionParts } from './parts.ts';

/** Ways to connect a provider that begin with what was typed; `ends`: only those there is something to sign out of. */
export async function completeSignIn(
  { signIn }: Pick<SessionParts, 'signIn'>,
  typed: string,
  ends: boolean,
): Promise<{ value: string; description: string }[]> {
  const rows = (await signIn.connections?.rows(false)) ?? [];
  return rows
    .filter(({ id, way, connected }) => id.startsWith(typed) && (!ends || connected || way === 'sign-in'))
    .map(({ id, label, status }) => ({ value: id, description: `${label}: ${status}` }));
}
