import type { Json, JsonObject } from '../../base/json.ts';

/** A way to one server: carries whole messages, and knows nothing of what they mean. */
export interface Channel {
  /**
   * Resolves once the other side took it; where answers come with it (`answersWhenSent`), once all that comes with it was
   * handed on. Rejects with an `Error` in our own words when it could not be sent.
   */
  send(message: JsonObject, signal?: AbortSignal): Promise<void>;
  /** Whether an answer has come, if there is one, by the time its request counts as sent. */
  readonly answersWhenSent: boolean;
  /** Told what both sides agreed on, once. */
  agreed(version: string): void;
  /** Ends it, and whatever was started for it. */
  close(): Promise<void>;
}

export interface ChannelEvents {
  /** A promise it returns is awaited before more is read. */
  onMessage(message: Json): void | Promise<void>;
  /** Once, when nothing more can come; in our own words. */
  onClosed(why: string): void;
}

/** A message larger than this is no answer to anything asked here. */
export const MOST_MESSAGE_BYTES = 16 * 1024 * 1024;
