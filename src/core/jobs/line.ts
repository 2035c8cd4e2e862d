/** One line to run: exactly what a grant covers. */
export interface LineOrder {
  /** The call it belongs to: names its output and marks its processes. */
  readonly call: string;
  readonly line: string;
  readonly folder: string;
  readonly timeoutMs: number;
  /** What it may read from its standard input; nothing without it. */
  readonly input?: Uint8Array;
  /** Goes on by itself: nobody waits for it. */
  readonly background?: boolean;
  /** On a terminal of its own, which a person can take over. */
  readonly terminal?: boolean;
  /** What it is for, for lists; its command where nobody said. */
  readonly purpose?: string;
  /** Whether the model may read what it prints; `text` where it is not said. */
  readonly reads?: 'text' | 'ref';
  /** Kept nowhere: not its output, and not that it ran. */
  readonly unsaved?: boolean;
}

/**
 * Who made a job of a command: it was started as one, the person moved it, the wait for it came to its end, or a message
 * ended the wait.
 */
export type MovedBy = 'asked' | 'person' | 'deadline' | 'message';

export interface LineResult {
  readonly exit: number | null;
  readonly endedBy: 'exit' | 'signal' | 'timeout' | 'stopped' | 'background';
  /** Whole output, a name in the session's `outputs/`; null when nothing is saved (then `head` + `tail` are all there is). */
  readonly output: string | null;
  /** Why the saved output is not whole (disk full, too long); null when it is. */
  readonly outputTrouble: string | null;
  /** First and last part. Together they are the whole output exactly when `omittedBytes` is 0. */
  readonly head: string;
  readonly tail: string;
  readonly omittedBytes: number;
  readonly totalBytes: number;
  readonly totalLines: number;
  readonly job: string | null;
  /** Why it goes on as a job, where it does. */
  readonly movedBy?: MovedBy;
  /** Milliseconds. */
  readonly duration: number;
  /** Processes that had to be ended with it, for the note to the person. */
  readonly ended: readonly string[];
}

/** What one of our own programs printed; `cut` when it was ended for printing too much or taking too long. */
export interface HelperResult {
  readonly code: number | null;
  readonly out: Uint8Array;
  readonly err: string;
  readonly cut: 'size' | 'time' | null;
}

/** A command as it is to be started. */
export interface Confined {
  readonly argv: readonly string[];
  /** Variables it gets besides, and those it must not get. */
  readonly added: Readonly<Record<string, string>>;
  readonly removed: readonly string[];
  /** Whether everything it starts ends with its first process, however it was started. */
  readonly holdsTree: boolean;
}

/**
 * Puts an argv into the sandbox; rejects with a `SystemError` when it cannot be confined as it should be. `left`: a file
 * that the commands a line leaves running are to be written to, one a line.
 */
export type Confine = (
  argv: readonly string[],
  order: Pick<LineOrder, 'line' | 'folder' | 'terminal'>,
  left: string | null,
) => Promise<Confined>;

/** Starts a line; `onOutput` hears decoded pieces. Never rejects for what the line does. */
export type RunLine = (order: LineOrder, signal: AbortSignal, onOutput: (text: string) => void) => Promise<LineResult>;
export type RunHelper = (
  argv: readonly string[],
  folder: string,
  maxBytes: number,
  signal: AbortSignal,
) => Promise<HelperResult>;
