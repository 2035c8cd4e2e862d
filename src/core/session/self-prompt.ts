import type { EntryId } from '../../protocol/entry.ts';
import type { Ids } from '../../system/environment.ts';
import type { Inbox } from '../runtime/inbox.ts';
import type { Recorder } from '../runtime/runtime.ts';
import type { TurnLoop } from './turn-loop.ts';

/** Who says what a loop, a goal or a watch says. */
export const SELF = 'houston';
const MARK = 'standing-';

/** Says things by itself: written first, in line like any prompt, never while something else runs or waits. */
export interface SelfPrompts {
  /** Whether nothing runs and nothing waits, also nothing that is held. */
  readonly quiet: boolean;
  /** Settles when nothing runs and nothing may start. */
  idle(): Promise<void>;
  /** Rejects with a `SystemError` when it could not be written: then it was not said. */
  say(text: string, as: 'queue' | 'wake'): Promise<EntryId>;
}

export interface SelfPromptParts {
  readonly ids: Pick<Ids, 'uuid'>;
  readonly recorder: Recorder;
  readonly inbox: Inbox;
  readonly loop: () => Pick<TurnLoop, 'running' | 'idle' | 'wake'>;
}

export function createSelfPrompts({ recorder, inbox, loop, ids }: SelfPromptParts): SelfPrompts {
  return {
    get quiet() {
      return loop().running === null && inbox.line.length === 0;
    },
    idle: () => loop().idle(),
    say: async (text, as) => {
      const id = ids.uuid();
      const body = { client: SELF, ref: `${MARK}${id}`, text, attachments: [], delivery: as, target: null } as const;
      const [entry] = await recorder.write([{ kind: 'input', ...body }]);
      inbox.add({ id: entry!.id, ...body });
      loop().wake();
      return entry!.id;
    },
  };
}

/** What an earlier process of the session had said by itself and not begun: what stood then stands no more. */
export async function dropStale({ recorder, inbox }: Pick<SelfPromptParts, 'recorder' | 'inbox'>): Promise<void> {
  const stale = inbox.rows.filter((row) => row.client === SELF && row.ref.startsWith(MARK));
  if (stale.length === 0) return;
  const gone = inbox.remove(stale.map(({ id }) => id));
  await recorder.write(
    gone.map(({ id }) => ({ kind: 'dropped', input: id, reason: 'stale' })),
    { onFailure: 'keep' },
  );
}
