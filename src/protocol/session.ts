import type { Intent, Sent } from './intent.ts';
import type { Answered, Queries, QueryType } from './query.ts';
import type { Update } from './update.ts';

/** An opaque id a front end chose for itself; it keeps it while it lives, also over a lost link. */
export type ClientId = string;

/**
 * The door. Nothing else crosses it, in process or over a link, and everything on it is plain JSON.
 *
 * Order: one client's intents are handled first in, first out; `cancel` overtakes everything and waits for no flush.
 */
export interface Session {
  /**
   * Numbered updates from now on. The first one is a snapshot, unless the gap since `after` can be replayed.
   * `listener` must not throw and must not wait; a client that falls behind gets a snapshot, never a backlog.
   */
  attach(options: AttachOptions, listener: (update: Update) => void): Attachment;
  /** Accepted or refused; never throws for a refusal. What happens afterwards is an outcome in the View. */
  send(intent: Intent, client: ClientId): Promise<Sent>;
  /** Never changes anything. */
  read<K extends QueryType>(
    query: { readonly type: K } & Readonly<Queries[K]['ask']>,
    client?: ClientId,
  ): Promise<Answered<K>>;
}

export interface AttachOptions {
  readonly client: ClientId;
  /** The last update number seen, to go on without a snapshot where possible. */
  readonly after?: number;
  /** May look, may not send (a second screen). */
  readonly readOnly?: boolean;
  /** The side conversation instead of the session itself; it is to be open. */
  readonly side?: boolean;
  /** The listener changes and keeps nothing it is handed: it may be given the very objects others are given, uncopied. */
  readonly onlyReads?: boolean;
}

export interface Attachment {
  close(): void;
  /** Settles when the session or the link is gone, with the reason. */
  readonly closed: Promise<'closed-here' | 'ended' | 'lost'>;
}
