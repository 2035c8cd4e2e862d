import type { InputOutcome } from '../../protocol/view.ts';
import type { Publisher } from './publish.ts';

/** Settled outcomes a client never looked at are forgotten from the oldest on. */
const SETTLED_LIMIT = 256;

type OutcomeKey = Pick<InputOutcome, 'client' | 'ref'>;
export type OutcomeMessage = InputOutcome['messages'][number];

/** What became of everything said, in the View until its client has seen it. */
export interface Outcomes {
  set(
    key: OutcomeKey,
    state: InputOutcome['state'],
    more?: Partial<Pick<InputOutcome, 'turn' | 'refusals' | 'messages' | 'recalled'>>,
  ): void;
  seen(client: string, refs: readonly string[]): void;
}

export function createOutcomes(publisher: Publisher): Outcomes {
  return {
    set: (key, state, more = {}) => {
      const before = publisher.view.outcomes.find((one) => one.client === key.client && one.ref === key.ref);
      publisher.publish({
        type: 'outcome',
        outcome: {
          client: key.client,
          ref: key.ref,
          state,
          turn: more.turn ?? before?.turn ?? null,
          refusals: more.refusals ?? before?.refusals ?? 0,
          messages: [...(before?.messages ?? []), ...(more.messages ?? [])],
          ...(more.recalled === undefined ? {} : { recalled: more.recalled }),
        },
      });
      const settled = publisher.view.outcomes.filter((one) => one.state !== 'waiting' && one.state !== 'started');
      const oldest = settled.length > SETTLED_LIMIT ? settled[0] : undefined;
      if (oldest !== undefined) publisher.publish({ type: 'outcomes-seen', client: oldest.client, refs: [oldest.ref] });
    },
    seen: (client, refs) => publisher.publish({ type: 'outcomes-seen', client, refs }),
  };
}
