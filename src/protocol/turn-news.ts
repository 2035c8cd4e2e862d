/** A turn that came to its end in some session on this machine. */
export interface FinishedTurn {
  readonly session: string;
  readonly title: string;
  /** Names this turn and no other, on this machine. */
  readonly turn: string;
}

/** Turns that end, wherever they ran; of the windows that hear of one, one alone wins it. */
export interface TurnNews {
  /** Called for each turn that ends from now on; the returned function takes it back. */
  watch(listener: (finished: FinishedTurn) => void): () => void;
  /** True for the first who asks, in any window. */
  claim(finished: FinishedTurn): Promise<boolean>;
}
