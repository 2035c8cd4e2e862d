/** How another session is found and opened from inside a running one. */
export interface SessionsDoor {
  /** Newest first: those of this project, or of all. */
  readonly list: (all: boolean) => Promise<readonly SessionRow[]>;
  /**
   * Opens the wished-for session beside the one shown, which nothing happens to meanwhile. Null when it stands ready: the
   * screen leaves and comes back on it; else one line why not (SC-20.17).
   */
  readonly open: (wish: SessionWish) => Promise<string | null>;
}

export interface SessionRow {
  readonly id: string;
  readonly title: string;
  readonly folder: string;
  readonly updated: number;
  readonly turns: number;
  readonly firstPrompt: string;
  /** Runs in a host now. */
  readonly open: boolean;
}

export type SessionWish =
  | { readonly kind: 'new'; readonly model: string | null }
  | { readonly kind: 'resume'; readonly id: string }
  | { readonly kind: 'fork'; readonly id: string };
