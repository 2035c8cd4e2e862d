/** What starts turns by itself, as it stands now. None of it outlives the session's process. */
export interface Standing {
  readonly loop: LoopState | null;
  readonly goal: GoalState | null;
  /** Files that are watched, oldest first. */
  readonly watches: readonly WatchState[];
}

export interface LoopState {
  /** Sent as a prompt each time, word for word. */
  readonly text: string;
  /** Milliseconds from the end of one time to the next; null where the model says when to come again. */
  readonly every: number | null;
  /** When it is due, ms since the epoch; null while its prompt waits or runs. */
  readonly due: number | null;
  /** How often its prompt was sent. */
  readonly times: number;
}

export interface GoalState {
  readonly text: string;
  readonly state: 'active' | 'paused' | 'checking';
  /** Turns it started so far. */
  readonly rounds: number;
  /** Why the last check found that it is not met; null before any. */
  readonly reason: string | null;
}

export interface WatchState {
  /** Never given twice in a session. */
  readonly number: number;
  /** As it was named. */
  readonly path: string;
  readonly fired: number;
}

export const NOTHING_STANDS: Standing = { loop: null, goal: null, watches: [] };
