import type { AskPerson } from '../runtime/runtime.ts';

/**
 * One question of the session's work before the person at a time, whoever asks: the next one stands once the one before
 * it is answered or withdrawn (SEC-38). One that is withdrawn while it waits never stands.
 */
export function oneQuestion(ask: AskPerson): AskPerson {
  let before: Promise<void> = Promise.resolve();
  return async (wish, signal) => {
    const turn = before;
    const { promise: over, resolve: end } = Promise.withResolvers<void>();
    before = turn.then(() => over);
    try {
      return (await comes(turn, signal)) ? await ask(wish, signal) : null;
    } finally {
      end();
    }
  };
}

/** False when it was withdrawn first. */
async function comes(turn: Promise<void>, signal: AbortSignal): Promise<boolean> {
  const { promise: withdrawn, resolve } = Promise.withResolvers<void>();
  if (signal.aborted) return false;
  const stop = (): void => resolve();
  signal.addEventListener('abort', stop, { once: true });
  await Promise.race([turn, withdrawn]);
  signal.removeEventListener('abort', stop);
  return !signal.aborted;
}
