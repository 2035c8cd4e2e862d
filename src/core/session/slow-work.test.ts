import { expect, test } from 'bun:test';
import { done, refuse } from '../../base/refusal.ts';
import type { EntryBody } from '../../protocol/entry.ts';
import { emptyHead, emptyView } from '../../protocol/reduce.ts';
import { createMemorySystem } from '../../system/memory/system.ts';
import { createOutcomes } from './outcomes.ts';
import { createPublisher } from './publish.ts';
import { createSlowWork, type SlowTask } from './slow-work.ts';

test('what comes to no lines, or was stopped before it came to anything, is told by its end alone (SC-16.5)', async () => {
  const { clock } = createMemorySystem();
  const publisher = createPublisher({ view: emptyView(emptyHead('', '', '')), clock, draftOf: async () => null });
  const written: EntryBody[] = [];
  const slow = createSlowWork({
    clock,
    publisher,
    outcomes: createOutcomes(publisher),
    recorder: { write: async (bodies) => void written.push(...bodies) as never },
    errors: { record: async () => null },
    loop: () => ({ running: null }),
  });
  const begin = (ref: string, run: SlowTask['run']) =>
    slow.begin({ label: '/worktree clean', owner: { client: 'one', ref }, note: 'worktree', run });
  begin('empty', async () => done([]));
  begin('stopped', async (signal) => {
    await new Promise((resolve) => signal.addEventListener('abort', resolve));
    return refuse('stopped', 'it was stopped');
  });
  await clock.settle();
  slow.stopAll();
  await clock.settle();
  expect(publisher.view.outcomes.map(({ ref, state }) => `${ref} ${state}`)).toEqual(['empty done', 'stopped stopped']);
  expect(written).toEqual([]);
  expect(publisher.view.activity.phase).toBe('idle');
});
