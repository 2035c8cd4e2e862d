import type { CacheWatch } from '../runtime/cache-watch.ts';
import type { ContextGauge } from '../runtime/context-gauge.ts';
import type { UnansweredPrompts } from '../runtime/unanswered-prompts.ts';

interface Remembered {
  readonly prompts: UnansweredPrompts;
  readonly gauge: ContextGauge;
  readonly cache: CacheWatch;
}

/** What is remembered of the branch the conversation stands on. Another branch brings a memory of its own. */
export interface BranchMemory extends Remembered {
  become(next: Remembered): void;
}

export function createBranchMemory(first: Remembered): BranchMemory {
  let now = first;
  return {
    prompts: { see: (entry) => now.prompts.see(entry), hides: (taken) => now.prompts.hides(taken) },
    gauge: {
      get last() {
        return now.gauge.last;
      },
      sent: (request) => now.gauge.sent(request),
      see: (entry) => now.gauge.see(entry),
      read: (request) => now.gauge.read(request),
      expect: (estimate) => now.gauge.expect(estimate),
    },
    cache: { see: (entry) => now.cache.see(entry) },
    become: ({ prompts, gauge, cache }) => {
      now = { prompts, gauge, cache };
    },
  };
}
