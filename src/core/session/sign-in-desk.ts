import type { Outcome } from '../../base/refusal.ts';
import type { ModelRef } from '../../protocol/message.ts';
import type { Connections } from '../models/sign-in/connections.ts';

/** The sign-in that runs, as the rest of the session sees it. */
export interface SignInDesk {
  /** Null where nothing can be connected. */
  readonly connections: Connections | null;
  /** What was asked for at the start: a sign-in may make it possible. */
  readonly wanted: { readonly explicit: string | null; readonly session: ModelRef | null };
  running: {
    readonly ref: string;
    readonly cancel: () => void;
    take: ((address: string) => Outcome<null>) | null;
  } | null;
}

export function createSignInDesk(connections: Connections | null, wanted: SignInDesk['wanted']): SignInDesk {
  return { connections, wanted, running: null };
}
