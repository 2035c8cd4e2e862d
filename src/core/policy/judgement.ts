import type { AskRow } from '../../protocol/ask.ts';
import type { DecidedBy } from '../../protocol/entry.ts';
import type { Offer, Reason } from './policy.ts';

/** What is found about one effect; `decide` lets the strictest of a call win. */
export type Judgement =
  | { readonly verdict: 'allow'; readonly by: DecidedBy; readonly reason: Reason; readonly output: 'text' | 'ref' }
  | {
      readonly verdict: 'ask';
      readonly reasons: readonly Reason[];
      readonly rows: readonly AskRow[];
      readonly output: 'text' | 'ref';
      readonly offer: Offer;
    }
  | { readonly verdict: 'deny'; readonly reasons: readonly Reason[] };

export const NO_OFFER: Offer = { reads: null, writes: null, lines: [] };

export function allow(by: DecidedBy, identifier: string, text: string, output: 'text' | 'ref'): Judgement {
  return { verdict: 'allow', by, reason: { identifier, text }, output };
}

/** A key that says itself what it is is written by nobody, whatever was answered (CRED-1). */
export function denyKeys(kinds: readonly string[]): Judgement {
  const text = `what would be written holds ${kinds.join(' and ')}, and credentials are never written: keep it outside, and name where it is found`;
  return deny('declared-credential', text);
}

export function deny(identifier: string, text: string): Judgement {
  return { verdict: 'deny', reasons: [{ identifier, text }] };
}
