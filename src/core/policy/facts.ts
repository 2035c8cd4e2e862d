import type { Files } from '../../system/files.ts';
import type { Processes } from '../../system/processes.ts';
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
  /** Places that walking over a folder leaves out: our own, and those of keys. */
  readonly hidden?: readonly string[];
  /** Whether the volume tells upper from lower case no apart (RULE-2); it does where absent. */
  readonly ignoreCase?: boolean;
}

export interface PathFact {
  readonly path: string;
  /** As a program is given it, where `..` stands in it: `path` is then only how it reads. */
  readonly opened?: string;
  /** For what is not there yet: its deepest existing parent resolved, the rest appended. */
  readonly real: string;
  /** Within the workspace or an opened folder, links resolved. */
  readonly inside: boolean;
  readonly exists: boolean;
  readonly inode: number | null;
  /** Whether this file goes by other names too, perhaps elsewhere: writing it changes those as well. */
  readonly shared?: boolean;
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
  /** The value of PATH it would run with. */
  readonly searchPath: string;
  /** The bash that reads the line. */
  readonly shell?: ProgramIdentity | null;
  readonly folderInside: boolean;
  /** Every simple command found, those inside others too; perhaps not all of them when `unparsed` is set. */
  readonly commands: readonly CommandFact[];
  /** What nobody can judge before it runs, in words; null when there is no such part. */
  readonly unparsed: string | null;
  /** Those parts one by one, as written. */
  readonly unclear: readonly string[];
  readonly proven: boolean;
  /** Whether a program of the line is known to reach the network. */
  readonly network: boolean;
}

export interface SimpleCommand {
  /** Quotes taken away; a part that the shell fills in when it runs stands as it was written. */
  readonly words: readonly string[];
  readonly assignments: readonly string[];
  readonly redirections: readonly { readonly operator: string; readonly target: string }[];
  /** Whether the shell would still expand a word (glob, brace, tilde): then `words` is not all it is given. */
  readonly expands: boolean;
  /** As it stands in the line. */
  readonly text: string;
  /** Parts of it that are filled in when it runs: `$HOME`, `$(id)`. */
  readonly unclear: readonly string[];
  /** It does nothing but run the command that follows it in the list (`timeout 5 …`, `bash -c …`): that one is judged. */
  readonly carrier: boolean;
  /** The shells it runs in, from the outermost, such as `.1.4`: a folder changed to holds in its shell and those below. */
  readonly shell: string;
  /** If it is a `cd`, whether later commands would run in the new folder: only if it is there, in any case, or nobody knows. */
  readonly changesFolder: 'if-there' | 'chained' | 'unsure';
}

export interface CommandFact extends SimpleCommand {
  /** Absolute path the first word resolves to on PATH; null when it does not, or is part of the shell. */
  readonly program: string | null;
  /** The file behind `program` when it was decided on: what starts must still be this one (RUN-2). */
  readonly identity: ProgramIdentity | null;
  /** The folder it would run in, links resolved, and whether the person vouched for what lies there. */
  readonly folder: string;
  readonly folderTrusted: boolean;
  /** Whether it is known to read and nothing else. */
  readonly proven: boolean;
  /** What its arguments would name if they are paths; not every one is. */
  readonly paths: readonly PathFact[];
  /** Files its redirections open, in their order; `/dev/null` and descriptor copies left out. */
  readonly redirected: readonly RedirectedFact[];
}

export interface RedirectedFact extends PathFact {
  readonly writes: boolean;
  /** The target as written, where part of it is filled in only when it runs: then the path is not where it leads. */
  readonly unclear?: string;
}

export interface ProgramIdentity {
  readonly real: string;
  readonly inode: number;
  /** An inode alone says little: it may be written anew, or given to the next file. */
  readonly changed: number | null;
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
  readonly ignoreCase?: boolean;
}

/** What facts are read with: looking only. */
export interface FactSources {
  readonly files: Pick<Files, 'stat' | 'linkStat' | 'realPath' | 'readLink' | 'read'>;
  readonly processes: Pick<Processes, 'find'>;
}
