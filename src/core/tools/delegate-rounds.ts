import type { DelegateKind } from './tool.ts';

/** Rounds after which a delegate is asked for its report without tools (DEL-2). */
export const ROUNDS: Readonly<Record<DelegateKind, number>> = { reader: 60, checker: 80, worker: 120 };

/** What a definition may raise that to. */
export const MOST_ROUNDS: Readonly<Record<DelegateKind, number>> = { reader: 120, checker: 160, worker: 200 };
