import { done, type Outcome, refuse } from '../../base/refusal.ts';
import type { Environment } from '../../system/environment.ts';

/**
 * Where a provider's key comes from. Keys are read when a model is opened and held in memory only; nothing here writes
 * one anywhere or puts one into a message. Signing in adds another implementation.
 */
export interface Credentials {
  /** `no-credential` names the variable that is missing. `null` in `variable`: the service needs no key. */
  keyOf(provider: string, variable: string | null): Promise<Outcome<string | null>>;
  /** Whether a key is at hand, without reading it for use. */
  has(variable: string): boolean;
}

export function environmentCredentials(environment: Environment): Credentials {
  const read = (variable: string) => environment.get(variable)?.trim() ?? '';
  return {
    async keyOf(provider, variable) {
      if (variable === null) return done(null);
      const key = read(variable);
      if (key === '') return refuse('no-credential', `${variable} is not set: it holds the key for ${provider}`);
      // A line break or a sign outside ASCII cannot be sent in a header, and an error about it would quote the key.
      if (!/^[\x21-\x7e]+$/.test(key)) {
        return refuse('no-credential', `${variable} holds signs that no key has: copy the key again`);
      }
      return done(key);
    },
    has: (variable) => read(variable) !== '',
  };
}
