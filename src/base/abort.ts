/**
 * An abort that also happens when any of its parents aborts, with that parent's reason. Unlike `AbortSignal.any` it can
 * be let go: a turn's children leave nothing behind in the signal of a session that lives for days.
 */
export interface ChildAbort {
  readonly signal: AbortSignal;
  abort(reason: string): void;
  /** Stops listening to the parents; the signal itself stays as it is. */
  release(): void;
}

export function childAbort(...parents: readonly (AbortSignal | null | undefined)[]): ChildAbort {
  const controller = new AbortController();
  const undo: (() => void)[] = [];
  const release = () => {
    for (const remove of undo.splice(0)) remove();
  };
  for (const parent of parents) {
    if (!parent) continue;
    const follow = () => {
      release();
      controller.abort(parent.reason);
    };
    if (parent.aborted) {
      follow();
      break;
    }
    parent.addEventListener('abort', follow, { once: true });
    undo.push(() => parent.removeEventListener('abort', follow));
  }
  return {
    signal: controller.signal,
    abort(reason) {
      release();
      controller.abort(reason);
    },
    release,
  };
}

/** Why it was aborted, as the text given to `abort`; null while it is not. */
export function abortReason(signal: AbortSignal): string | null {
  if (!signal.aborted) return null;
  const reason: unknown = signal.reason;
  if (typeof reason === 'string') return reason;
  return reason instanceof Error ? reason.message : 'aborted';
}

/** Calls back at once when it is already aborted, else once when it aborts; the returned function takes it back. */
export function onAbort(signal: AbortSignal | null | undefined, listener: () => void): () => void {
  if (!signal) return () => {};
  if (signal.aborted) {
    listener();
    return () => {};
  }
  // A function of its own, so that the same listener may be given twice.
  const call = () => listener();
  signal.addEventListener('abort', call, { once: true });
  return () => signal.removeEventListener('abort', call);
}

export type Raced<T> = { readonly aborted: false; readonly value: T } | { readonly aborted: true };

/** The promise's value, or `aborted` as soon as the signal says so. What the promise still does is not awaited. */
export async function raceAbort<T>(promise: Promise<T>, signal: AbortSignal | null | undefined): Promise<Raced<T>> {
  let stop = () => {};
  const aborted = new Promise<Raced<T>>((resolve) => {
    stop = onAbort(signal, () => resolve({ aborted: true }));
  });
  try {
    // The signal goes first, so that an abort that has already happened wins over a value that is already there.
    return await Promise.race([aborted, promise.then((value): Raced<T> => ({ aborted: false, value }))]);
  } finally {
    stop();
  }
}
