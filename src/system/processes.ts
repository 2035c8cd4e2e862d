export interface SpawnOptions {
  /** argv; the first is a program name (found on the given PATH) or an absolute path. */
  readonly argv: readonly string[];
  readonly folder: string;
  /** The whole environment of the child: nothing is inherited. */
  readonly environment: Readonly<Record<string, string>>;
  /** `null`: /dev/null; bytes: written, then closed; `pipe`: write with `Child.write`. */
  readonly input: null | Uint8Array | 'pipe';
  /** Where both streams go: pieces to `onOutput`, or appended to a file (which outlives us). */
  readonly output: 'pieces' | { readonly file: string } | 'ignore';
  /** A promise it returns is awaited before more is read: the program then waits, as at any full pipe. */
  readonly onOutput?: (bytes: Uint8Array, stream: 'out' | 'err') => void | Promise<void>;
  /** In a session of its own (setsid): a new process group without a controlling terminal. Default true. */
  readonly ownGroup?: boolean;
  /** True: is not killed when we exit and does not keep us alive. */
  readonly detached?: boolean;
}

export interface Exit {
  readonly code: number | null;
  readonly signal: string | null;
}

export interface Child {
  readonly pid: number;
  /** Once it has ended and what it had written by then was handed on. Never rejects. */
  readonly exited: Promise<Exit>;
  /** Resolves when the child's side took it, also when nobody reads there any more. */
  write(bytes: Uint8Array): Promise<void>;
  closeInput(): void;
  /** To the child's whole group; false when it was gone. */
  signal(name: 'TERM' | 'KILL' | 'INT' | 'HUP' | 'CONT' | 'STOP'): boolean;
  /** Stop keeping this process alive for the child. Output in pieces is no longer read. */
  release(): void;
}

export interface TerminalChild extends Child {
  resize(columns: number, rows: number): void;
}

export interface ProcessFacts {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  readonly session: number;
  /** Start time in the system's own units: with the pid it names a process for good. */
  readonly startTime: string;
  readonly command: string;
}

export interface Processes {
  /** Throws `SystemError` (`ENOENT`, `EACCES`) when it cannot start. */
  spawn(options: SpawnOptions): Promise<Child>;
  /** On a new pseudo-terminal. */
  spawnTerminal(
    options: Omit<SpawnOptions, 'input' | 'output'> & { columns: number; rows: number },
  ): Promise<TerminalChild>;
  /** Absolute path of a program on `path` (a PATH value), null when there is none. */
  find(program: string, path: string): Promise<string | null>;
  facts(pid: number): Promise<ProcessFacts | null>;
  /** Processes whose environment holds `name=value`, ours excluded: finds what a dead host left behind. */
  findMarked(name: string, value: string): Promise<ProcessFacts[]>;
  signalGroup(group: number, name: 'TERM' | 'KILL'): boolean;
  isAlive(pid: number): boolean;
  readonly ownPid: number;
}
