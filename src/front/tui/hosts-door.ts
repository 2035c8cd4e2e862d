import type { Outcome } from '../../base/refusal.ts';

/** A session that runs, or ended with a reply nobody saw. */
export interface HostRow {
  readonly session: string;
  readonly title: string;
  readonly folder: string;
  readonly state: 'starting' | 'idle' | 'working' | 'asking' | 'stopped';
  readonly attached: number;
  readonly unseen: boolean;
  readonly updated: number;
  /** It runs other code than what is installed. */
  readonly old: boolean;
  /** The one in this window. */
  readonly here: boolean;
}

/** Where this window's session runs, and the other ones beside it. */
export interface HostsDoor {
  readonly list: () => Promise<readonly HostRow[]>;
  /**
   * Opens another session beside the one shown, which goes on where it runs: `-` the one before, `new`, or a session by the
   * beginning of its id. Null when it stands ready: the screen leaves and comes back on it; else one line why not.
   */
  readonly show: (name: string) => Promise<string | null>;
  readonly stop: (session: string) => Promise<Outcome<null>>;
  /** This window's own, on the code that is installed now; resolves when the old one is gone. */
  readonly restart: () => Promise<Outcome<null>>;
  /** A new session that starts on `prompt` while this window stays; answers with its id. */
  readonly start: (prompt: string) => Promise<Outcome<string>>;
}
