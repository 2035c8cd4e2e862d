import type { DelegateWord } from '../../protocol/delegate.ts';
import type { DelegateEar } from './delegate-watch.ts';
import { createInbox, type Inbox } from './inbox.ts';
import type { Recorder } from './runtime.ts';

/** What a person says to one delegate: it waits in an inbox of its own and joins its conversation like any steering (SA-15). */
export function createDelegateEar(recorder: Pick<Recorder, 'write'>): {
  readonly inbox: Inbox;
  readonly ear: DelegateEar;
  /** Its journal takes nothing more. */
  close(): void;
} {
  const inbox = createInbox({ rows: [], paused: null }, []);
  let closed = false;
  return {
    inbox,
    ear: {
      tell: async ({ client, ref, text }) => {
        const said = { client, ref, text, attachments: [], delivery: 'steering' } as const;
        const [entry] = await recorder.write([{ kind: 'input', ...said, target: null }]);
        if (entry !== undefined) inbox.add({ id: entry.id, ...said });
      },
      recall: async () => {
        const rows = inbox.remove('all');
        const dropped = rows.map(({ id }) => ({ kind: 'dropped', input: id, reason: 'recalled' }) as const);
        if (dropped.length > 0 && !closed) await recorder.write(dropped, { onFailure: 'keep' });
        return rows.map(({ client, ref }): Pick<DelegateWord, 'client' | 'ref'> => ({ client, ref }));
      },
    },
    close: () => {
      closed = true;
    },
  };
}
