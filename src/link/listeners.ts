/** Who wants to know; one listener's error never keeps the others from hearing. */
export interface Listeners<T> {
  add(listener: (value: T) => void): () => void;
  call(value: T): void;
}

export function createListeners<T>(onError: (error: unknown) => void): Listeners<T> {
  const listeners = new Set<(value: T) => void>();
  return {
    add(listener) {
      // A wrapper of its own, so that adding one function twice is two listeners.
      const own = (value: T) => listener(value);
      listeners.add(own);
      return () => {
        listeners.delete(own);
      };
    },
    call(value) {
      for (const listener of [...listeners]) {
        try {
          listener(value);
        } catch (error) {
          onError(error);
        }
      }
    },
  };
}
