import type { EntryId } from '../../protocol/entry.ts';
import type { UsageLimit } from '../../protocol/usage.ts';
import type { Inbox } from '../runtime/inbox.ts';
import type { Recorder } from '../runtime/runtime.ts';
import type { Recollection } from './fold-journal.ts';
import { queueEntry } from './turn-loop.ts';

/** Takes up a turn that slept until a usage limit is lifted when the session before ended: it sleeps on, then goes on. */
export interface WakeUp {
  /** Puts it in front of what waits; does nothing where none slept. */
  arm(parts: { readonly inbox: Inbox; readonly recorder: Recorder }): Promise<void>;
  /** What the turn this input opens sleeps for first. */
  of(input: EntryId): { readonly asleep?: UsageLimit };
}

export function createWakeUp({
  sleep,
  lastEnd,
  lastInput,
}: Pick<Recollection, 'sleep' | 'lastEnd' | 'lastInput'>): WakeUp {
  let armed: EntryId | null = null;
  const slept = sleep !== null && lastEnd?.turn === sleep.turn && lastEnd.reason === 'interrupted';
  return {
    arm: async ({ inbox, recorder }) => {
      if (!slept || lastInput === null) return;
      const { text, attachments, target = null } = lastInput;
      const ref = `asleep-${sleep.turn}`;
      const body = { client: 'houston', ref, text, attachments, delivery: 'resend', target } as const;
      const [entry] = await recorder.write([{ kind: 'input', ...body }], { onFailure: 'keep' });
      armed = entry!.id;
      // What waited behind the turn waits behind it again.
      if (inbox.paused?.because === 'restarted') inbox.resume();
      inbox.add({ id: armed, ...body }, inbox.rows[0]?.id ?? null);
      await recorder.write([queueEntry(inbox)], { onFailure: 'keep' });
    },
    of: (input) => (sleep !== null && input === armed ? { asleep: sleep } : {}),
  };
}
