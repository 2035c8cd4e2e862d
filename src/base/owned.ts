export interface Closable {
  close(): void | Promise<void>;
}

/** What a part opened, closed in reverse order; each is closed even when another one fails. */
export interface Owned {
  /** Answers its argument, so that opening and owning is one expression. After `close` it is closed at once. */
  own<T extends Closable>(closable: T): T;
  /** A function to call when closing. */
  onClose(close: () => void | Promise<void>): void;
  /** May be called more than once: every call resolves when all is closed. Rejects with the first failure, at the end. */
  close(): Promise<void>;
}

export function createOwned(): Owned {
  const closers: (() => void | Promise<void>)[] = [];
  let closing: Promise<void> | null = null;

  const closeAll = async () => {
    const failures: unknown[] = [];
    for (let next = closers.pop(); next; next = closers.pop()) {
      try {
        await next();
      } catch (failure) {
        failures.push(failure);
      }
    }
    if (failures.length > 0) throw failures[0];
  };
  const onClose = (close: () => void | Promise<void>) => {
    closers.push(close);
    // Whoever opens something while everything is being closed must not leave it open.
    if (closing) closing = closing.then(closeAll);
  };
  return {
    own(closable) {
      onClose(() => closable.close());
      return closable;
    },
    onClose,
    close() {
      closing ??= closeAll();
      return closing;
    },
  };
}
