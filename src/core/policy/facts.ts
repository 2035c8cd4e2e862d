import type { TrustMap } from './trust.ts';

/** What a decision rests on, found before it (`gather-facts.ts`) and bound into the grant. Paths are absolute; `real` has its links resolved. */
export interface Facts {
  readonly workspace: string;
  /** Further folders opened with `--add-dir`. */
  readonly roots: readonly string[];
  readonly trusted: boolean;
  readonly home: string | null;
  readonly paths: readonly PathFact[];
  readonly line: LineFact | null;
}

export interface PathFact {
  readonly path: string;
  /** For what is not there yet: its deepest existing parent resolved, the rest appended. */
  readonly real: string;
  /** Within the workspace or an opened folder, links resolved. */
  readonly inside: boolean;
  readonly exists: boolean;
  readonly inode: number | null;
  /** Protected whatever is answered: our own state, `.git` internals, credential places. */
  readonly protected: Protection | null;
  readonly trusted: boolean;
  /** One of this session's own saved outputs: readable without a question. */
  readonly output: boolean;
}

/** `own`: Houston's settings and state. `settings`: what steers agents in a project. */
export type Protection = 'own' | 'git' | 'settings' | 'credentials';

export interface LineFact {
  readonly line: string;
  readonly folder: string;
  readonly folderInside: boolean;
  /** Every simple command found; empty with `unparsed` set when the grammar could not read it. */
  readonly commands: readonly CommandFact[];
  readonly unparsed: string | null;
  readonly proven: boolean;
  /** Whether a program of the line is known to reach the network. */
  readonly network: boolean;
}

export interface SimpleCommand {
  readonly words: readonly string[];
  readonly assignments: readonly string[];
  readonly redirections: readonly { readonly operator: string; readonly target: string }[];
  /** Whether the shell would still expand a word (glob, brace, tilde): then `words` is not all it is given. */
  readonly expands: boolean;
}

export interface CommandFact extends SimpleCommand {
  /** Absolute path the first word resolves to on PATH; null when it does not. */
  readonly program: string | null;
  /** What its arguments would name if they are paths; not every one is. */
  readonly paths: readonly PathFact[];
  /** Files its redirections open, in their order; `/dev/null` and descriptor copies left out. */
  readonly redirected: readonly (PathFact & { readonly writes: boolean })[];
}

/** The session's own frame for facts: what is opened, vouched for and off limits. */
export interface FactScope {
  readonly workspace: string;
  readonly roots: readonly string[];
  readonly trust: TrustMap;
  readonly home: string | null;
  /** Houston's own folders (settings and state), absolute, links resolved. */
  readonly own: readonly string[];
  /** This session's `outputs/`, null when nothing is saved. */
  readonly outputs: string | null;
  /** Whether a saved output (by name) was kept from the model: then reading it does not show it either. */
  readonly isWithheld?: (output: string) => boolean;
  /** The value of PATH that lines run with. */
  readonly path: string;
}
