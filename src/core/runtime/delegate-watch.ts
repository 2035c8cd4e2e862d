import type { DelegateAct, DelegateRow, DelegateState, DelegateWord } from '../../protocol/delegate.ts';

/** Whoever shows people what delegates do, and takes to one of them what a person says to it. */
export interface DelegateWatch {
  begin(delegate: BegunDelegate, ear: DelegateEar): DelegateSight;
}

export type BegunDelegate = Pick<DelegateRow, 'name' | 'call' | 'kind' | 'agent' | 'task' | 'model' | 'effort'>;

/** Told by the one that runs. */
export interface DelegateSight {
  act(act: DelegateAct): void;
  /** It read what was said to it under this `client` and `ref`. */
  read(word: Pick<DelegateWord, 'client' | 'ref'>): void;
  /** `ending`: as the turn is told it. */
  end(state: Exclude<DelegateState, 'running'>, ending: string): void;
}

/** Of the one that runs. */
export interface DelegateEar {
  /** Kept in its own journal and read before its next request. Rejects with a `SystemError` when it could not be kept. */
  tell(word: DelegateWord): Promise<void>;
  /** Takes back, at once, what it has not begun to read; resolves to those words when that is written down as well. */
  recall(): Promise<readonly Pick<DelegateWord, 'client' | 'ref'>[]>;
}
