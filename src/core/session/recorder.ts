import type { Entry, EntryBody } from '../../protocol/entry.ts';
import type { Change } from '../../protocol/update.ts';
import type { AppendOptions, Journal } from '../journal/journal.ts';
import type { Recorder } from '../runtime/runtime.ts';
import type { Publisher } from './publish.ts';

export interface SessionRecorder extends Recorder {
  /**
   * As `write`, but clients are told `changes` in place of the entries: for what shows another branch. Nothing written
   * later is published before.
   */
  rewrite(
    bodies: readonly EntryBody[],
    changes: (entries: readonly Entry[]) => Promise<() => readonly Change[]>,
  ): Promise<readonly Entry[]>;
}

/**
 * Writes entries and, once they are where their class wants them, publishes them: nobody sees as said or done what is
 * not on the disk. Entries are published in the order they were written in, however their flushes end; `see` is told of
 * each first.
 */
export function createRecorder(journal: Journal, publisher: Publisher, see: (entry: Entry) => void): SessionRecorder {
  let before: Promise<unknown> = Promise.resolve();

  const write = (bodies: readonly EntryBody[], options?: AppendOptions): Promise<readonly Entry[]> => {
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
      publisher.publish(...entries.map((entry) => ({ type: 'entry', entry }) as const));
      return entries;
    })();
    before = written.catch(() => undefined);
    return written;
  };

  return {
    write,
    rewrite: (bodies, changes) => {
      const { entries, durable } = journal.append(bodies);
      const earlier = before;
      const written = (async () => {
        const trouble = await durable.then(
          () => null,
          (error: unknown) => ({ error }),
        );
        await earlier;
        if (trouble !== null) throw trouble.error;
        for (const entry of entries) see(entry);
        publisher.publish(...(await changes(entries))());
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
