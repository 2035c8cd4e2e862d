import type { Refusal } from '../base/refusal.ts';
import type { Intent } from './intent.ts';
import type { ClientId, Session } from './session.ts';

/** How it stands between a front end and its session. In process it is `connected` from the start. */
export type LinkState =
  /** The host is still starting; what is sent waits here, in order, and is not saved yet. */
  | { readonly phase: 'opening' }
  | { readonly phase: 'connected' }
  | { readonly phase: 'reconnecting'; readonly attempt: number }
  | { readonly phase: 'closed'; readonly because: 'closed-here' | 'ended' | 'lost'; readonly refusal: Refusal | null };

/** One client's end of the door, with what only the link knows. Every link gives this, whatever carries it. */
export interface LinkedSession extends Session {
  readonly client: ClientId;
  readonly state: LinkState;
  /**
   * This client's intents that nobody answered yet, oldest first. A front end counts them as busy, so that Ctrl-C right
   * behind Enter cancels (INV-3), and marks a `say` among them as not saved yet.
   */
  readonly unanswered: readonly Intent[];
  /** Calls back after `state` or `unanswered` changed; the returned function takes it back. */
  onLinkChange(listener: () => void): () => void;
  /** Detaches and closes this end. The session goes on; send `end` first to end it. */
  close(): Promise<void>;
}
