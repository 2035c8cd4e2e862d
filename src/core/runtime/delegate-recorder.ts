import type { Entry } from '../../protocol/entry.ts';
import type { Journal } from '../journal/journal.ts';
import type { Recorder } from './runtime.ts';

/** Writes to a delegate's own journal; `see` is told of each entry once it is where its class wants it, in order. */
export function createDelegateRecorder(journal: Journal, see: (entry: Entry) => void): Recorder {
  let before: Promise<unknown> = Promise.resolve();
  return {
    write: (bodies, options) => {
      const { entries, durable } = journal.append(bodies, options);
      const earlier = before;
      const written = (async () => {
        const trouble = await durable.then(
          () => null,
          (error: unknown) => ({ error }),
        );
        await earlier;
        if (trouble !== null && options?.onFailure !== 'keep') throw trouble.error;
        for (const entry of entries) see(entry);
        return entries;
      })();
      before = written.catch(() => undefined);
      return written;
    },
    written: async () => {
      await before;
    },
  };
}
