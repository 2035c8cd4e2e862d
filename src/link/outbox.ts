import type { Intent, Sent } from '../protocol/intent.ts';

/** An intent on its way to being answered. */
export interface Waiting {
  readonly intent: Intent;
  /** How often it was handed on: 0 while there is nobody to hand it to. */
  sends: number;
  /** Number it was last sent under; the link's own. */
  id: number;
}

/** What one client sent and nobody answered yet, oldest first. Each is settled exactly once. */
export interface Outbox {
  add(intent: Intent): { readonly waiting: Waiting; readonly answer: Promise<Sent> };
  settle(waiting: Waiting, sent: Sent): void;
  settleAll(sent: Sent): void;
  readonly waiting: readonly Waiting[];
  readonly intents: readonly Intent[];
}

const SUPERSEDED: Sent = { accepted: true, value: null };

export function createOutbox(onChange: () => void): Outbox {
  const answers = new Map<Waiting, (sent: Sent) => void>();
  let intents: readonly Intent[] | null = null;

  function changed(): void {
    intents = null;
    onChange();
  }

  function settle(waiting: Waiting, sent: Sent): void {
    const answer = answers.get(waiting);
    if (answer === undefined) return;
    answers.delete(waiting);
    answer(sent);
    changed();
  }

  return {
    add(intent) {
      // A draft replaces an earlier one that never left: one is sent however long the link was away.
      if (intent.type === 'draft') {
        for (const earlier of [...answers.keys()]) {
          if (earlier.sends === 0 && earlier.intent.type === 'draft') settle(earlier, SUPERSEDED);
        }
      }
      const waiting: Waiting = { intent, sends: 0, id: 0 };
      const { promise, resolve } = Promise.withResolvers<Sent>();
      answers.set(waiting, resolve);
      changed();
      return { waiting, answer: promise };
    },
    settle,
    settleAll(sent) {
      for (const waiting of [...answers.keys()]) settle(waiting, sent);
    },
    get waiting() {
      return [...answers.keys()];
    },
    get intents() {
      intents ??= [...answers.keys()].map((waiting) => waiting.intent);
      return intents;
    },
  };
}
