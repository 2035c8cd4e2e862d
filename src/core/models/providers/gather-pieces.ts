import type { Clock } from '../../../system/clock.ts';

/**
 * What was shown of a reply is shown on after so long, in milliseconds: as often as a client draws a stream. Each look costs
 * a way through retries, the View and every link, whether it is for one word or for all that came meanwhile.
 */
export const GATHER_MS = 32;

export interface GatheredPieces {
  /**
   * Settles when it is time to look at what was taken, with false once nothing more comes. `shown`: the last look found
   * something to show, so that the next may wait. Rejects with what cut the body off.
   */
  next(shown: boolean): Promise<boolean>;
}

interface Piece {
  readonly done: boolean;
  readonly value?: Uint8Array | undefined;
}

/**
 * Takes the pieces of a body as they come. Time to look is at once for the first there is to show, when `take` says that it
 * is over, and at the end of the body; what comes between is looked at together.
 */
export function gatherPieces(
  reader: { read(): Promise<Piece> },
  clock: Pick<Clock, 'ticks' | 'after'>,
  take: (piece: Uint8Array) => 'goes-on' | 'over',
): GatheredPieces {
  let lastShown = Number.NEGATIVE_INFINITY;
  let due = false;
  let more = true;
  let cut: { readonly error: unknown } | null = null;
  let wake = (): void => {};
  let stopTimer: (() => void) | null = null;

  const look = (): void => {
    stopTimer?.();
    stopTimer = null;
    due = true;
    wake();
  };
  const takePiece = ({ done, value }: Piece): void => {
    if (done) more = false;
    const over = done || value === undefined || take(value) === 'over';
    const wait = over ? 0 : GATHER_MS - (clock.ticks() - lastShown);
    if (wait <= 0) look();
    else stopTimer ??= clock.after(wait, look);
    if (!over) read();
  };
  const cutOff = (error: unknown): void => {
    cut = { error };
    look();
  };
  const read = (): void => void reader.read().then(takePiece).catch(cutOff);
  read();

  return {
    async next(shown) {
      if (shown) lastShown = clock.ticks();
      if (!due) {
        const { promise, resolve } = Promise.withResolvers<void>();
        wake = resolve;
        await promise;
      }
      due = false;
      if (cut !== null) throw cut.error;
      return more;
    },
  };
}
