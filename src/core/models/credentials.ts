import { done, type Outcome, refuse } from '../../base/refusal.ts';
import type { Environment } from '../../system/environment.ts';
import type { Accounts } from './sign-in/accounts.ts';

/**
 * Where a provider's key comes from: its variable, then the person's `auth.json`. Keys are read when a model is opened and
 * held in memory only; nothing here writes one anywhere or puts one into a message. One provider's is never another's.
 */
export interface Credentials {
  /** `no-credential` names the variable that is missing. `null` in `variable`: the service needs no key. */
  keyOf(provider: string, variable: string | null): Promise<Outcome<string | null>>;
  /** Whether what it needs is at hand, without reading it for use. */
  isReady(provider: string, needs: { readonly keyVariable: string | null; readonly signsIn: boolean }): boolean;
}

export function createCredentials(environment: Environment, accounts: Accounts): Credentials {
  const read = (variable: string) => environment.get(variable)?.trim() ?? '';
  return {
    async keyOf(provider, variable) {
      if (variable === null) return done(null);
      const given = read(variable);
      const key = given === '' ? (accounts.keyOf(provider) ?? '') : given;
      if (key === '') return refuse('no-credential', `${variable} is not set: it holds the key for ${provider}`);
      // A line break or a sign outside ASCII cannot be sent in a header, and an error about it would quote the key.
      if (!/^[\x21-\x7e]+$/.test(key)) {
        return refuse('no-credential', `${variable} holds signs that no key has: copy the key again`);
      }
      return done(key);
    },
    isReady: (provider, { keyVariable, signsIn }) => {
      if (signsIn) return accounts.has(provider);
      return keyVariable === null || read(keyVariable) !== '' || accounts.keyOf(provider) !== null;
    },
  };
}
