import type { EntryId } from './entry.ts';
import type { Effort, ModelRef } from './message.ts';

/** A question beside the conversation (`/btw`) with what was asked further: it joins the conversation only when told to. */
export interface Aside {
  /** Counted up for ever in a session: `/btw #2 …` asks on in the second one. */
  readonly id: number;
  readonly client: string;
  readonly model: ModelRef;
  readonly effort: Effort;
  /** How the model is named beside the others. */
  readonly label: string;
  /** Where the conversation stood when it was asked: what it knows. */
  readonly base: EntryId | null;
  readonly exchanges: readonly AsideExchange[];
  /** Answered, and nobody looked at it yet in any window. */
  readonly unread?: boolean;
  /** The window that tells of the newest answer, so that one alone does; null where none was there. */
  readonly teller?: string | null;
}

export interface AsideExchange {
  readonly question: string;
  /** So far, while it is running. */
  readonly answer: string;
  /** `merged` and `summarized`: brought into the conversation. `kept-question`: answered, and only the question was kept. */
  readonly state: 'running' | 'answered' | 'stopped' | 'failed' | 'merged' | 'summarized' | 'kept-question';
  readonly message: string | null;
  readonly asked: number;
}

export function isRunningAside({ exchanges }: Aside): boolean {
  return exchanges.at(-1)?.state === 'running';
}

/** Whether there is an answer to read, to ask on from, or to bring in. */
export function isAnswered({ state }: AsideExchange): boolean {
  return state === 'answered' || state === 'merged' || state === 'summarized';
}
