/** First in, first out, between a producer that never waits and consumers that do. */
export interface Queue<T extends object | string | number> extends AsyncIterable<T> {
  /** False when it is closed: the item was not taken. */
  push(item: T): boolean;
  /** The next item; null when it is closed and empty, or when `signal` aborts first (the item then stays). */
  next(signal?: AbortSignal): Promise<T | null>;
  /** Everything that waits now, without waiting. */
  drain(): T[];
  /** What waits is still handed out; then every `next` answers null. */
  close(): void;
  readonly size: number;
  readonly closed: boolean;
}

export function createQueue<T extends object | string | number>(): Queue<T> {
  let items: T[] = [];
  let closed = false;
  const waiters: ((item: T | null) => void)[] = [];

  const next = (signal?: AbortSignal): Promise<T | null> => {
    if (signal?.aborted) return Promise.resolve(null);
    if (items.length > 0) return Promise.resolve(items.shift() as T);
    if (closed) return Promise.resolve(null);
    return new Promise((resolve) => {
      const waiter = (item: T | null) => {
        signal?.removeEventListener('abort', give);
        resolve(item);
      };
      const give = () => {
        waiters.splice(waiters.indexOf(waiter), 1);
        resolve(null);
      };
      signal?.addEventListener('abort', give, { once: true });
      waiters.push(waiter);
    });
  };
  return {
    push(item) {
      if (closed) return false;
      const waiter = waiters.shift();
      if (waiter) waiter(item);
      else items.push(item);
      return true;
    },
    next,
    drain() {
      const all = items;
      items = [];
      return all;
    },
    close() {
      closed = true;
      for (const waiter of waiters.splice(0)) waiter(null);
    },
    get size() {
      return items.length;
    },
    get closed() {
      return closed;
    },
    async *[Symbol.asyncIterator]() {
      for (let item = await next(); item !== null; item = await next()) yield item;
    },
  };
}
