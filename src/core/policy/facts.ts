/** What a decision rests on, found before it and bound into the grant. Paths are absolute; `real` has its links resolved. */
export interface Facts {
  readonly workspace: string;
  /** Further folders opened with `--add-dir`. */
  readonly roots: readonly string[];
  readonly trusted: boolean;
  readonly paths: readonly PathFact[];
  readonly line: LineFact | null;
}

export interface PathFact {
  readonly path: string;
  readonly real: string;
  readonly inside: boolean;
  readonly exists: boolean;
  readonly inode: number | null;
  /** Protected whatever is answered: our own state, `.git` internals, credential places. */
  readonly protected: string | null;
  readonly trusted: boolean;
}

export interface LineFact {
  readonly line: string;
  readonly folder: string;
  /** Every simple command found; empty with `unparsed` set when the grammar could not read it. */
  readonly commands: readonly SimpleCommand[];
  readonly unparsed: string | null;
  readonly proven: boolean;
}

export interface SimpleCommand {
  readonly words: readonly string[];
  readonly assignments: readonly string[];
  readonly redirections: readonly { readonly operator: string; readonly target: string }[];
  /** Absolute path the first word resolves to on PATH; null when it does not. */
  readonly program: string | null;
}
