import type { Entry } from '../../protocol/entry.ts';
import type { ThinkingShown } from '../../protocol/message.ts';
import type { Model } from '../models/model.ts';
import { plainAddress } from './error-log.ts';

/** Whether readable thinking comes through where a service is reached at an address of the person's own (a proxy). */
export interface ThinkingForwarded {
  see(entry: Entry): void;
  /** Of the model in use; null where there is nothing in between, or nothing to forward. */
  readonly state: { readonly address: string; readonly forwards: boolean | null } | null;
}

export interface ThinkingForwardedParts {
  readonly model: () => Pick<Model, 'ref' | 'facts'> | null;
  readonly mode: () => ThinkingShown;
  /** The address a provider was given; null where it has its vendor's. */
  readonly addressOf: (provider: string) => string | null;
  readonly warn: (text: string) => void;
}

export function createThinkingForwarded({ model, mode, addressOf, warn }: ThinkingForwardedParts): ThinkingForwarded {
  const known = new Map<string, boolean>();
  let warned = false;
  const addressFor = (provider: string): string | null => plainAddress(addressOf(provider));
  return {
    see: (entry) => {
      // What was not asked for is no sign of anything.
      if (entry.kind !== 'assistant' || mode() === 'off') return;
      const address = addressFor(entry.model.provider);
      const thoughts = entry.parts.filter((part) => part.type === 'thinking');
      if (address === null || thoughts.length === 0) return;
      const forwards = thoughts.some((part) => part.text.trim() !== '');
      known.set(entry.model.provider, forwards);
      if (forwards || warned) return;
      warned = true;
      warn(forwardedWords({ address, forwards }));
    },
    get state() {
      const now = model();
      if (now === null || !now.facts.thinking) return null;
      const address = addressFor(now.ref.provider);
      return address === null ? null : { address, forwards: known.get(now.ref.provider) ?? null };
    },
  };
}

/** What to expect of thinking that comes by way of this address (SC-19.15). */
export function forwardedWords({ address, forwards }: NonNullable<ThinkingForwarded['state']>): string {
  if (forwards === null)
    return `Whether what serves it at ${address} forwards thinking is not known: the next reply tells. This changes only what is shown.`;
  return forwards
    ? `What serves it at ${address} forwards it, so it will appear.`
    : `None will appear: what serves it at ${address} does not forward thinking. Its own settings (${new URL(address).origin}, forwarding of thinking) turn that on, for everybody who uses it.`;
}
